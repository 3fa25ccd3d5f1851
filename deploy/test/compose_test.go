package deploy_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// compose returns the project as `docker compose` reads it.
func compose(t *testing.T, environment ...string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{"../container/compose.yml"}, cli.WithEnv(environment))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func TestComposeMountsWhatThereIs(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	project := compose(t)
	for name, service := range project.Services {
		for _, v := range service.Volumes {
			if v.Type == types.VolumeTypeBind && strings.HasPrefix(v.Source, root) {
				if _, err := os.Stat(v.Source); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		if service.NetworkMode != "host" {
			t.Errorf("%s: the shipped files look for the others on this host", name)
		}
	}
	if _, err := os.Stat(filepath.Join(project.Services["exporter"].Build.Context, "Dockerfile")); err != nil {
		t.Error(err)
	}
}

func TestComposeRunsTheExporterAsItsOwner(t *testing.T) {
	e := compose(t, "MYSQL_UID=27", "MYSQL_GID=28").Services["exporter"]
	if e.User != "27:28" || !slices.Contains(e.Tmpfs, "/var/lib/columnstore_exporter:uid=27,gid=28,mode=0750") {
		t.Errorf("user %s, tmpfs %q", e.User, e.Tmpfs)
	}
	if !e.ReadOnly || !slices.Equal(e.CapDrop, []string{"ALL"}) || e.Pid != "host" {
		t.Errorf("read-only %v, dropped %q, processes of %q", e.ReadOnly, e.CapDrop, e.Pid)
	}
	i := slices.IndexFunc(e.Volumes, func(v types.ServiceVolumeConfig) bool { return v.Target == data })
	if i < 0 || e.Volumes[i].ReadOnly || e.Volumes[i].Bind.Propagation != types.PropagationRSlave {
		t.Errorf("volumes %+v", e.Volumes)
	}
	for name := range e.Environment {
		holdUnknown(t, name)
	}
}

// TestComposeProvisionsGrafana follows Grafana's path to the dashboards.
func TestComposeProvisionsGrafana(t *testing.T) {
	var provider struct {
		Providers []struct{ Options struct{ Path string } }
	}
	decodeYAML(t, "../grafana/provisioning/dashboards/columnstore.yml", &provider)
	for _, v := range compose(t).Services["grafana"].Volumes {
		if v.Target == provider.Providers[0].Options.Path {
			files(t, filepath.Join(v.Source, "*.json"))
			return
		}
	}
	t.Errorf("nothing is mounted at %s", provider.Providers[0].Options.Path)
}
