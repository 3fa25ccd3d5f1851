//go:build deploy

// Package container_test replays what the Dockerfile does to the sources. How the files work together in Compose is tested in
// deploy/test, where its parser is.
package container_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const repository = "../.."

// dockerfile returns the Dockerfile with its lines unfolded.
func dockerfile(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\\\n", "")
}

// buildContext copies what .dockerignore lets through into a directory: all that it lists after the star.
func buildContext(t *testing.T) string {
	t.Helper()
	ignored, err := os.ReadFile(filepath.Join(repository, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	rest, found := strings.CutPrefix(string(ignored), "*\n")
	if !found {
		t.Fatal("the .dockerignore does not begin with a star")
	}
	src := t.TempDir()
	for name := range strings.FieldsSeq(rest) {
		from, to := filepath.Join(repository, strings.TrimPrefix(name, "!")), filepath.Join(src, strings.TrimPrefix(name, "!"))
		if err := exec.CommandContext(t.Context(), "cp", "-r", from, to).Run(); err != nil {
			t.Fatalf("copy %s: %v", from, err)
		}
	}
	return src
}

func TestDockerfileBuilds(t *testing.T) {
	text, src := dockerfile(t), buildContext(t)
	// The last command of the first stage; the one before it fills the module cache.
	steps := regexp.MustCompile(`(?m)^RUN (.*)$`).FindAllStringSubmatch(text, -1)
	step := steps[len(steps)-1][1]
	cmd := exec.CommandContext(t.Context(), "bash", "-ec", step)
	cmd.Dir = src
	cmd.Env = append(os.Environ(), "VERSION=1.2.3", "REVISION=abc", "BRANCH=main", "MAKEFLAGS=")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", step, err, output)
	}
	for _, c := range regexp.MustCompile(`(?m)^COPY --from=build .*?/src/(\S+) (\S+)$`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(src, c[1])); err != nil {
			t.Errorf("nothing to copy to %s: %v", c[2], err)
		}
	}
	output, err := exec.CommandContext(t.Context(), filepath.Join(src, "columnstore_exporter"), "version").Output()
	if err != nil || !strings.Contains(string(output), "1.2.3") || !strings.Contains(string(output), "abc") {
		t.Errorf("it says of itself %q (error %v)", output, err)
	}
}

// TestDockerfileRunsWhatItCopies holds the entry point and the health check to the copied program.
func TestDockerfileRunsWhatItCopies(t *testing.T) {
	text := dockerfile(t)
	for _, want := range []string{
		"/columnstore_exporter /usr/bin/columnstore_exporter\n", `ENTRYPOINT ["/usr/bin/columnstore_exporter"]`,
		`CMD ["/usr/bin/columnstore_exporter", "healthcheck"]`, "USER 65532:65532\n", " /var/lib/columnstore_exporter\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the Dockerfile has no %q", want)
		}
	}
}
