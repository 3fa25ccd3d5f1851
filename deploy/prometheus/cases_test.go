package prometheus_test

import (
	"regexp"
	"testing"
)

// testFile is a file of `promtool test rules`, as far as it is looked at here.
type testFile struct {
	Tests []struct {
		Cases []testCase `yaml:"alert_rule_test"`
	}
}

// testCase says which alerts of a name are expected at one moment.
type testCase struct {
	Name   string `yaml:"alertname"`
	Alerts []struct {
		Labels      map[string]string `yaml:"exp_labels"`
		Annotations map[string]string `yaml:"exp_annotations"`
	} `yaml:"exp_alerts"`
}

func cases(t *testing.T) []testCase {
	t.Helper()
	var all []testCase
	for _, file := range files(t, "tests/*.yml") {
		var content testFile
		decode(t, file, &content, false)
		for _, test := range content.Tests {
			all = append(all, test.Cases...)
		}
	}
	return all
}

// fires tells whether the case expects an alert of this very rule, and not only of one with the same name.
func (c testCase) fires(a rule) bool {
	for _, expected := range c.Alerts {
		same := true
		for name, value := range a.Labels {
			same = same && expected.Labels[name] == value
		}
		if same {
			return true
		}
	}
	return false
}

func TestEachAlertFiresAndKeepsSilent(t *testing.T) {
	all := cases(t)
	for _, a := range alerts(t) {
		var fires, silent bool
		for _, c := range all {
			if c.Name == a.Alert {
				fires = fires || c.fires(a)
				silent = silent || !c.fires(a)
			}
		}
		if !fires || !silent {
			t.Errorf("%s: tests show it firing: %v, silent: %v", a, fires, silent)
		}
	}
}

// A label that an alert does not have is rendered as nothing.
func TestExpectedTextsHaveNoHoles(t *testing.T) {
	hole := regexp.MustCompile(`^ | {2}| [.,:;)]|\( | $|<no value>`)
	for _, c := range cases(t) {
		for _, expected := range c.Alerts {
			for name, text := range expected.Annotations {
				if hole.MatchString(text) {
					t.Errorf("%s: %s %q", c.Name, name, text)
				}
			}
		}
	}
}
