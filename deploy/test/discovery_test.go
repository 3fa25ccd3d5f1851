package deploy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/relabel"
	"go.yaml.in/yaml/v2"
)

// decodeYAML reads the known fields of a YAML file.
func decodeYAML(t *testing.T, file string, into any) {
	t.Helper()
	if err := yaml.Unmarshal(read(t, file), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// TestDiscoveryNamesNodes relabels what Prometheus discovers as its configuration says. Whether the rest of it is well-formed
// is promtool's to say, which in Debian knows no Kubernetes.
func TestDiscoveryNamesNodes(t *testing.T) {
	pod := func(kind, name, port, phase string) map[string]string {
		return map[string]string{
			"__meta_kubernetes_pod_container_port_name": port, "__meta_kubernetes_pod_phase": phase,
			"__meta_kubernetes_pod_controller_kind": kind, "__meta_kubernetes_pod_name": name,
			"__meta_kubernetes_pod_node_name": "node7", "__meta_kubernetes_namespace": "ns",
			"__meta_kubernetes_pod_label_app_kubernetes_io_instance": "cs",
		}
	}
	for name, c := range map[string]struct {
		file       string
		discovered map[string]string
		want       map[string]string // nil: dropped
	}{
		"a pod of a DaemonSet":   {"kubernetes", pod("DaemonSet", "x-1", "columnstore-exp", "Running"), map[string]string{"instance": "node7", "namespace": "ns", "cluster": "ns/cs"}},
		"a pod of a StatefulSet": {"kubernetes", pod("StatefulSet", "cs-0", "columnstore-exp", "Running"), map[string]string{"instance": "cs-0", "namespace": "ns", "cluster": "ns/cs"}},
		"another port":           {"kubernetes", pod("StatefulSet", "cs-0", "mysql", "Running"), nil},
		"a pod that has ended":   {"kubernetes", pod("StatefulSet", "cs-0", "columnstore-exp", "Succeeded"), nil},
		"a file":                 {"files", map[string]string{"__meta_filepath": "/etc/prometheus/columnstore/analytics.yml"}, map[string]string{"cluster": "analytics"}},
		"a file that says more":  {"files", map[string]string{"__meta_filepath": "/x/a.json", "cluster": "b"}, map[string]string{"cluster": "b"}},
		"a record":               {"dns", nil, map[string]string{"cluster": "analytics"}},
	} {
		t.Run(name, func(t *testing.T) {
			var file struct {
				Jobs []struct {
					Name      string                  `yaml:"job_name"`
					Relabel   []*relabel.Config       `yaml:"relabel_configs"`
					Discovery []struct{ Role string } `yaml:"kubernetes_sd_configs"`
				} `yaml:"scrape_configs"`
			}
			decodeYAML(t, "../prometheus/discovery/"+c.file+".yml", &file)
			job := file.Jobs[0]
			if job.Name != "columnstore_exporter" {
				t.Errorf("job %s", job.Name)
			}
			for _, r := range job.Relabel {
				if err := r.Validate(model.UTF8Validation); err != nil {
					t.Fatal(err)
				}
			}
			builder := labels.NewBuilder(labels.FromMap(c.discovered))
			kept := relabel.ProcessBuilder(builder, job.Relabel...)
			if kept != (c.want != nil) {
				t.Fatalf("kept: %v", kept)
			}
			if diff := cmp.Diff(c.want, shown(builder.Labels())); kept && diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
		})
	}
}

// shown are the labels that stay once the target is made.
func shown(all labels.Labels) map[string]string {
	shown := map[string]string{}
	all.Range(func(l labels.Label) {
		if len(l.Name) < 2 || l.Name[:2] != "__" {
			shown[l.Name] = l.Value
		}
	})
	return shown
}
