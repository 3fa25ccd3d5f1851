package deploy_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// kustomize returns what `kubectl kustomize` prints for a directory, under its default restrictions.
func kustomize(t *testing.T, directory string) []runtime.Object {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), directory)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := resources.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, stream)
}

func TestKustomizeOnNodes(t *testing.T) {
	objects := kustomize(t, "testdata/nodes")
	d := one[*apps.DaemonSet](t, objects)
	holdDaemonSet(t, d)
	holdMonitor(t, objects, d.Spec.Template)
	holdRules(t, one[*monitoring.PrometheusRule](t, objects))
	holdDashboards(t, of[*core.ConfigMap](objects))
}

func TestKustomizeAsSidecar(t *testing.T) {
	objects := kustomize(t, "testdata/pods")
	for _, s := range of[*apps.StatefulSet](objects) {
		if s.Name == "other" {
			if len(s.Spec.Template.Spec.Containers) != 1 {
				t.Error("the sidecar is in a pod that did not ask for it")
			}
			continue
		}
		if n := len(s.Spec.Template.Spec.Containers); n != 2 {
			t.Errorf("%d containers", n)
		}
		holdPod(t, s.Spec.Template.Spec)
		holdMonitor(t, objects, s.Spec.Template)
	}
}

// rules returns the groups of all rules for Prometheus.
func rules(t *testing.T) (spec monitoring.PrometheusRuleSpec) {
	t.Helper()
	for _, file := range files(t, "../prometheus/rules/*.yml") {
		var one monitoring.PrometheusRuleSpec
		if err := yaml.UnmarshalStrict(read(t, file), &one); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		spec.Groups = append(spec.Groups, one.Groups...)
	}
	return spec
}

// holdRules holds a PrometheusRule to the rules for Prometheus.
func holdRules(t *testing.T, got *monitoring.PrometheusRule) {
	t.Helper()
	if diff := cmp.Diff(rules(t), got.Spec); diff != "" {
		t.Errorf("not Prometheus's rules: run `make generate` (-want +got):\n%s", diff)
	}
}

// holdDashboards holds the ConfigMaps to the dashboards.
func holdDashboards(t *testing.T, configMaps []*core.ConfigMap) {
	t.Helper()
	got, want := map[string]string{}, map[string]string{}
	for _, m := range configMaps {
		if m.Labels["grafana_dashboard"] != "1" {
			t.Errorf("Grafana's sidecar does not find the ConfigMap %s", m.Name)
		}
		maps.Copy(got, m.Data)
	}
	for _, file := range files(t, "../../dashboards/*.json") {
		want[filepath.Base(file)] = string(read(t, file))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("other dashboards (-want +got):\n%s", diff)
	}
}

func TestPrometheusRuleIsGenerated(t *testing.T) {
	const file = "../kubernetes/operator/prometheusrule.yaml"
	if !*update {
		holdRules(t, one[*monitoring.PrometheusRule](t, decode(t, read(t, file))))
		return
	}
	spec, err := yaml.Marshal(map[string]any{
		"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule", "spec": rules(t),
		"metadata": map[string]any{"name": "columnstore-exporter", "labels": map[string]string{"app.kubernetes.io/name": "columnstore-exporter"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	head := []byte("# Made from deploy/prometheus/rules: `go test -run=RuleIsGenerated . -update` in deploy/test.\n")
	if err := os.WriteFile(file, append(head, spec...), 0o600); err != nil {
		t.Fatal(err)
	}
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("no file is %s (error %v)", pattern, err)
	}
	return found
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
