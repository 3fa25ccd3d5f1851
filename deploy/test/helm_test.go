package deploy_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

const chartDirectory = "../kubernetes/chart"

func load(t *testing.T, directory string) *chart.Chart {
	t.Helper()
	c, err := loader.LoadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return c
}

// render returns what `helm template` makes with values, which are YAML.
func render(c *chart.Chart, values string) (string, error) {
	var given map[string]any
	if err := yaml.Unmarshal([]byte(values), &given); err != nil {
		return "", err
	}
	if err := chartutil.ProcessDependencies(c, given); err != nil {
		return "", err
	}
	release := chartutil.ReleaseOptions{Name: "cs", Namespace: "columnstore", IsInstall: true}
	all, err := chartutil.ToRenderValues(c, given, release, chartutil.DefaultCapabilities)
	if err != nil {
		return "", err
	}
	texts, err := engine.Engine{Strict: true}.Render(c, all)
	if err != nil {
		return "", err
	}
	var stream strings.Builder
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if strings.HasSuffix(name, ".yaml") && strings.TrimSpace(texts[name]) != "" {
			stream.WriteString("---\n" + texts[name] + "\n")
		}
	}
	return stream.String(), nil
}

func helm(t *testing.T, c *chart.Chart, values string) []runtime.Object {
	t.Helper()
	stream, err := render(c, values)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, []byte(stream))
}

func TestHelmOnNodes(t *testing.T) {
	objects := helm(t, load(t, chartDirectory), "")
	if len(objects) != 1 {
		t.Errorf("%d objects where nothing but a DaemonSet is asked for", len(objects))
	}
	holdDaemonSet(t, one[*apps.DaemonSet](t, objects))
}

func TestHelmWithAllThereIs(t *testing.T) {
	objects := helm(t, load(t, chartDirectory), `
image: {repository: registry.example.com/columnstore_exporter, tag: 1.2.3}
imagePullSecrets: [{name: registry}]
settings: {LATENCY_TARGET: 4ms, INGEST_ROWS: "1000000", STRICT: true}
ingest: {secretName: trials}
tolerations: [{operator: Exists}]
affinity: {nodeAffinity: {}}
priorityClassName: system-node-critical
podAnnotations: {note: text}
podMonitor: {enabled: true, labels: {release: prometheus}}
prometheusRule: {enabled: true, labels: {release: prometheus}}
dashboards: {enabled: true}
`)
	d := one[*apps.DaemonSet](t, objects)
	holdDaemonSet(t, d)
	c := exporter(t, d.Spec.Template.Spec)
	if c.Image != "registry.example.com/columnstore_exporter:1.2.3" {
		t.Errorf("image %s", c.Image)
	}
	want := []core.EnvVar{
		{Name: "COLUMNSTORE_EXPORTER_INGEST_ROWS", Value: "1000000"},
		{Name: "COLUMNSTORE_EXPORTER_LATENCY_TARGET", Value: "4ms"},
		{Name: "COLUMNSTORE_EXPORTER_STRICT", Value: "true"},
		{Name: "COLUMNSTORE_EXPORTER_INGEST_DSN", ValueFrom: &core.EnvVarSource{SecretKeyRef: &core.SecretKeySelector{
			LocalObjectReference: core.LocalObjectReference{Name: "trials"}, Key: "dsn",
		}}},
	}
	if diff := cmp.Diff(want, c.Env); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	holdMonitor(t, objects, d.Spec.Template)
	rule := one[*monitoring.PrometheusRule](t, objects)
	if rule.Labels["release"] != "prometheus" {
		t.Errorf("labels of the rules: %v", rule.Labels)
	}
	holdRules(t, rule)
	dashboards := of[*core.ConfigMap](objects)
	for _, d := range dashboards {
		for name := range d.Data {
			d.Data[name] += "\n" // the template takes the last one
		}
	}
	holdDashboards(t, dashboards)
}

// TestHelmAsSidecar renders a chart of ColumnStore that has this one as a dependency.
func TestHelmAsSidecar(t *testing.T) {
	parent := load(t, "testdata/columnstore")
	parent.AddDependency(load(t, chartDirectory))
	objects := helm(t, parent, "columnstore-exporter: {podMonitor: {enabled: true}}")
	s := one[*apps.StatefulSet](t, objects)
	holdPod(t, s.Spec.Template.Spec)
	holdMonitor(t, objects, s.Spec.Template)
	if len(of[*apps.DaemonSet](objects)) > 0 {
		t.Error("there is a DaemonSet besides")
	}
}

func TestHelmAgreesWithKustomize(t *testing.T) {
	rendered := one[*apps.DaemonSet](t, helm(t, load(t, chartDirectory), "image: {tag: same}")).Spec.Template.Spec
	base := one[*apps.DaemonSet](t, kustomize(t, "testdata/nodes")).Spec.Template.Spec
	for _, pod := range []*core.PodSpec{&rendered, &base} {
		pod.Containers[0].Image, pod.Containers[0].ImagePullPolicy = "", ""
	}
	if diff := cmp.Diff(base, rendered); diff != "" {
		t.Errorf("different pods (-kustomize +helm):\n%s", diff)
	}
}

func TestHelmRefusesWrongValues(t *testing.T) {
	if _, err := render(load(t, chartDirectory), "settings: {STRICT: true}"); err != nil {
		t.Fatal(err)
	}
	for name, values := range map[string]string{
		"a typing error":       "podmonitor: {enabled: true}",
		"another mode":         "mode: deployment",
		"root":                 "runAs: {user: 0}",
		"a prefix":             "settings: {COLUMNSTORE_EXPORTER_STRICT: true}",
		"a number":             "settings: {INGEST_ROWS: 1000000}",
		"a relative directory": "directories: [{name: data, path: data}]",
	} {
		if _, err := render(load(t, chartDirectory), values); err == nil {
			t.Errorf("the chart takes %s", name)
		}
	}
}
