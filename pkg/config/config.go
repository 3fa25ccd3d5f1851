// Package config turns the environment into settings that have been checked, and documents the variables it reads.
//
// Settings declares every variable in struct tags. kelseyhightower/envconfig turns texts into values; this package adds
// what it lacks: all errors at once and none with a secret, lists without blanks, an empty variable as its default, closed
// sets and ranges, rules between variables, and a word about variables that nobody reads.
package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Prefix begins the name of every variable, with an underscore behind it.
const Prefix = "COLUMNSTORE_EXPORTER"

// Validated holds settings that passed every check. Only Load makes one that can be used.
type Validated struct {
	settings *Settings
	// given tells by full name which variables the environment has set.
	given map[string]bool
}

// Settings returns a copy that shares nothing with v.
func (v Validated) Settings() Settings {
	if v.settings == nil {
		panic("config: a Validated that Load did not return")
	}
	s := *v.settings
	s.Web.ListenAddresses = slices.Clone(s.Web.ListenAddresses)
	s.Discovery.DBRoots = slices.Clone(s.Discovery.DBRoots)
	s.Discovery.Extra = slices.Clone(s.Discovery.Extra)
	s.Throughput.Tests = slices.Clone(s.Throughput.Tests)
	return s
}

// Warning is something in the environment that has no effect, or not the one it seems to have.
type Warning struct {
	// Variable is the full name.
	Variable string
	// Text says what is odd and what to do. It holds nothing secret.
	Text string
}

// String returns the name and the text.
func (w Warning) String() string { return w.Variable + ": " + w.Text }

// Load reads the settings from environ, which has the form of os.Environ; of two entries with one name the last counts.
// It does not look at the process's own environment. The error joins everything that is wrong, each line beginning with
// the variable's full name. Warnings are returned with an error too.
func Load(environ []string) (Validated, []Warning, error) {
	env := prefixed(environ)
	settings, broken, errs := decode(env)
	settings.Discovery.complete()
	errs = append(errs, settings.check(broken)...)

	strangers := unknown(env)
	warnings := settings.oddities(given(env))
	if settings.Strict {
		for _, stranger := range strangers {
			errs = append(errs, errors.New(stranger.String()))
		}
	} else {
		warnings = append(strangers, warnings...)
	}
	if len(errs) > 0 {
		return Validated{}, warnings, errors.Join(errs...)
	}
	return Validated{settings, given(env)}, warnings, nil
}

// prefixed returns the variables with the prefix, in whatever case, by name and without blanks around the value.
func prefixed(environ []string) map[string]string {
	env := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(strings.ToUpper(name), Prefix+"_") {
			env[name] = strings.TrimSpace(value)
		}
	}
	return env
}

// given returns the full names of the variables whose text counts.
func given(env map[string]string) map[string]bool {
	names := map[string]bool{}
	for _, v := range variables() {
		names[v.fullName()] = len(v.entries(env[v.fullName()])) > 0
	}
	return names
}

// decode reads each variable for itself. A variable that cannot be read keeps its default and is named in broken.
func decode(env map[string]string) (settings *Settings, broken map[string]bool, errs []error) {
	settings, broken = new(Settings), map[string]bool{}
	root := reflect.ValueOf(settings).Elem()
	for _, v := range variables() {
		value, err := v.decode(env[v.fullName()])
		if err != nil {
			errs = append(errs, err)
			broken[v.name()] = true
			value, err = v.decode("")
		}
		if err != nil {
			panic(fmt.Sprintf("config: the tags of %s contradict one another: %v", v.name(), err))
		}
		root.FieldByIndex(v.index).Set(value)
	}
	return settings, broken, errs
}
