//go:build packages

package packages_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/config"
)

const manPage = "columnstore_exporter.1"

var update = flag.Bool("update", false, "write the settings into the man page")

// settings is the reference of the settings in mdoc(7).
func settings() string {
	code := regexp.MustCompile("`([^`]+)`")
	var out strings.Builder
	out.WriteString(".Bl -tag -width indent\n")
	for _, v := range config.Reference() {
		out.WriteString(".It Ev " + v.Name)
		if v.Default != "" {
			out.WriteString(" Pq " + v.Default)
		}
		meaning := code.ReplaceAllString(strings.ReplaceAll(v.Meaning, `\`, `\e`), `\fB$1\fR`)
		// A sentence a line, as mdoc spaces sentences itself.
		out.WriteString("\n" + regexp.MustCompile(`\. ([A-Z])`).ReplaceAllString(meaning, ".\n$1") + "\n")
	}
	out.WriteString(".El\n")
	return out.String()
}

func TestManPageHasTheSettings(t *testing.T) {
	page, err := os.ReadFile(manPage)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(page), "-update`\n")
	got, tail, closed := strings.Cut(rest, `.\" end of settings`)
	if !found || !closed {
		t.Fatalf("%s has no place for the settings", manPage)
	}
	if *update {
		page := head + "-update`\n" + settings() + `.\" end of settings` + tail
		if err := os.WriteFile(manPage, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(settings(), got); diff != "" {
		t.Errorf("run `make generate` (-want +got):\n%s", diff)
	}
}

func TestManPageIsWellFormed(t *testing.T) {
	run(t, "mandoc", "-T", "lint", "-W", "warning", manPage)
}

// TestManPageHasTheCommands holds the synopsis against what the commands themselves say.
func TestManPageHasTheCommands(t *testing.T) {
	page, err := os.ReadFile(manPage)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dist, "linux-"+runtime.GOARCH, "columnstore_exporter")
	help := func(args ...string) string { return run(t, program, append(args, "--help")...) }
	command := regexp.MustCompile(`(?m)^ {2}([a-z]+) {2,}`)
	option := regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z-]+)`)
	for _, c := range command.FindAllStringSubmatch(help(), -1) {
		if name := c[1]; name != "help" && name != "completion" {
			if !bytes.Contains(page, []byte(".It Cm "+name+"\n")) {
				t.Errorf("%s does not explain the command %s", manPage, name)
			}
			for _, o := range option.FindAllStringSubmatch(help(name), -1) {
				if o[1] != "help" && !bytes.Contains(page, []byte("Fl -"+o[1])) {
					t.Errorf("%s does not name the option --%s of %s", manPage, o[1], name)
				}
			}
		}
	}
}
