package deploy_test

import (
	"bytes"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/distribution/reference"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// stages returns the Dockerfile's stages as BuildKit reads them. What BuildKit's own linter has to say fails the test.
func stages(t *testing.T) []instructions.Stage {
	t.Helper()
	ast, err := parser.Parse(bytes.NewReader(read(t, "../../Dockerfile")))
	if err != nil {
		t.Fatal(err)
	}
	for _, warning := range ast.Warnings {
		t.Error(warning.Short)
	}
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, message string, at []parser.Range) { t.Errorf("%s: %s (%v)", rule, message, at) }})
	stages, _, err := instructions.Parse(ast.AST, lint)
	if err != nil {
		t.Fatal(err)
	}
	return stages
}

// TestDockerfileKeepsToCustom asks what hadolint asks: DL3000, DL3002, DL3006, DL3007, DL3020, DL3022, DL3025, DL3045.
func TestDockerfileKeepsToCustom(t *testing.T) {
	all := stages(t)
	names := map[string]bool{}
	for _, stage := range all {
		pinned(t, stage.BaseName)
		workdir := ""
		for _, command := range stage.Commands {
			switch c := command.(type) {
			case *instructions.WorkdirCommand:
				if workdir = c.Path; !path.IsAbs(workdir) {
					t.Errorf("%s: relative", c)
				}
			case *instructions.AddCommand:
				t.Errorf("%s: COPY does what is needed, and no more", c)
			case *instructions.CopyCommand:
				if c.From != "" && !names[c.From] {
					t.Errorf("%s: there is no stage %s before", c, c.From)
				}
				if workdir == "" && !path.IsAbs(c.DestPath) {
					t.Errorf("%s: relative to nothing that is said", c)
				}
			case *instructions.CmdCommand:
				directly(t, c, c.PrependShell)
			case *instructions.EntrypointCommand:
				directly(t, c, c.PrependShell)
			}
		}
		names[stage.Name] = true
	}
	if user := lastUser(all[len(all)-1]); user == "" || strings.HasPrefix(user, "0") || strings.HasPrefix(user, "root") {
		t.Errorf("the container runs as %q", user)
	}
}

// directly complains of a command that a shell would run, which keeps signals to itself.
func directly(t *testing.T, command instructions.Command, shell bool) {
	t.Helper()
	if shell {
		t.Errorf("%s: run by a shell", command)
	}
}

// pinned complains of an image without a tag, or with one that moves to whatever comes next.
func pinned(t *testing.T, image string) {
	t.Helper()
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		t.Fatal(err)
	}
	if tagged, ok := named.(reference.Tagged); !ok || tagged.Tag() == "latest" {
		t.Errorf("FROM %s: which one?", image)
	}
}

func lastUser(stage instructions.Stage) (user string) {
	for _, command := range stage.Commands {
		if u, ok := command.(*instructions.UserCommand); ok {
			user = u.User
		}
	}
	return user
}

// TestDockerfileRunsCleanShell gives each RUN to shellcheck, as hadolint does.
func TestDockerfileRunsCleanShell(t *testing.T) {
	runs := 0
	for _, stage := range stages(t) {
		for _, command := range stage.Commands {
			run, ok := command.(*instructions.RunCommand)
			if !ok {
				continue
			}
			runs++
			script := strings.Join(run.CmdLine, " ")
			// Build arguments are variables of its environment.
			cmd := exec.CommandContext(t.Context(), "shellcheck", "--shell=sh", "--exclude=SC2154", "-")
			cmd.Stdin = strings.NewReader(script + "\n")
			if output, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("shellcheck: %v (is it installed? `make deps`)\n%s", err, output)
			}
		}
	}
	if runs == 0 {
		t.Error("nothing is run")
	}
}
