package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/config"
)

func TestWarnings(t *testing.T) {
	tests := []struct {
		name    string
		environ []string
		// want are the warnings without the prefix of variables.
		want []string
	}{
		{"typing error", []string{"LATENCY_INTERVALL=5m"}, []string{"LATENCY_INTERVALL: no such variable; did you mean COLUMNSTORE_EXPORTER_LATENCY_INTERVAL?"}},
		{"split word", []string{"DB_ROOTS=/a"}, []string{"DB_ROOTS: no such variable; did you mean COLUMNSTORE_EXPORTER_DBROOTS?"}},
		{"of several, all and in order", []string{"STRICKT=true", "LISTEN_ADDRESSES=:1"}, []string{
			"LISTEN_ADDRESSES: no such variable; did you mean COLUMNSTORE_EXPORTER_LISTEN_ADDRESS?",
			"STRICKT: no such variable; did you mean COLUMNSTORE_EXPORTER_STRICT?",
		}},
		{"longer guess", []string{"WEB_LISTEN_ADDRESS=:1"}, []string{"WEB_LISTEN_ADDRESS: no such variable; did you mean COLUMNSTORE_EXPORTER_LISTEN_ADDRESS?"}},
		{"like none", []string{"FOO=1"}, []string{"FOO: no such variable; the command config --markdown lists them all"}},
		{"nothing behind the prefix", []string{"=1"}, []string{": no such variable; the command config --markdown lists them all"}},
		{"port that is no service link", []string{"PORT=9000"}, []string{"PORT: no such variable; the command config --markdown lists them all"}},
		{"not even empty", []string{"INGEST_DNS="}, []string{"INGEST_DNS: no such variable; did you mean COLUMNSTORE_EXPORTER_INGEST_DSN?"}},
		{
			"two sockets",
			[]string{"WEB_SYSTEMD_SOCKET=true", "LISTEN_ADDRESS=:1"},
			[]string{"LISTEN_ADDRESS: not used beside COLUMNSTORE_EXPORTER_WEB_SYSTEMD_SOCKET=true"},
		},
		{"extra that is a DBroot", []string{"DBROOTS=/a,/b", "EXTRA_DIRECTORIES=/a/,r=/b/bulkRollback,/c"}, []string{
			`EXTRA_DIRECTORIES: "/a/" belongs to COLUMNSTORE_EXPORTER_DBROOTS too and is probed twice; leave it out`,
			`EXTRA_DIRECTORIES: "/b/bulkRollback" belongs to COLUMNSTORE_EXPORTER_DBROOTS too and is probed twice; leave it out`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, warnings, err := config.Load(environ(test.environ...))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, warning := range warnings {
				got = append(got, warning.String())
			}
			if diff := cmp.Diff(environ(test.want...), got); diff != "" {
				t.Errorf("warnings about %q (-want +got):\n%s", test.environ, diff)
			}
		})
	}
}

func TestStrict(t *testing.T) {
	want := environ("LATENCY_COUNTS: no such variable; did you mean COLUMNSTORE_EXPORTER_LATENCY_COUNT?")
	if diff := cmp.Diff(want, refuse(t, "STRICT=true", "LATENCY_COUNTS=5")); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

func TestLowerCaseIsUnknown(t *testing.T) {
	_, warnings, err := config.Load([]string{"columnstore_exporter_latency_count=5", "HOME=/root", "COLUMNSTORE_EXPORTERX=1", "COLUMNSTORE_EXPORTER=1"})
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Warning{{Variable: "columnstore_exporter_latency_count", Text: "no such variable; did you mean COLUMNSTORE_EXPORTER_LATENCY_COUNT?"}}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestServiceLinksAreIgnored(t *testing.T) {
	var links []string
	for _, service := range []string{"", "FOO_", "READ_REPLICA_2_"} {
		for _, link := range []string{
			"SERVICE_HOST=10.0.0.1", "SERVICE_PORT=10570", "SERVICE_PORT_HTTP_METRICS=10570", "PORT=tcp://10.0.0.1:10570",
			"PORT_10570_TCP=tcp://10.0.0.1:10570", "PORT_10570_TCP_PROTO=tcp", "PORT_10570_TCP_PORT=10570", "PORT_10570_TCP_ADDR=10.0.0.1",
			"PORT_53_UDP=udp://10.0.0.1:53",
		} {
			links = append(links, service+link)
		}
	}
	load(t, append(links, "STRICT=true")...)
}
