package figures_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/figures"
)

func TestReplace(t *testing.T) {
	const section = "## B\n\nnew\n"
	for name, test := range map[string]struct{ document, want string }{
		"no such section": {"# Head\n\n## A\n\na\n", "# Head\n\n## A\n\na\n\n## B\n\nnew\n"},
		"in the middle":   {"# Head\n\n## A\n\na\n\n## B\n\nold\n\n## C\n\nc\n", "# Head\n\n## A\n\na\n\n## B\n\nnew\n\n## C\n\nc\n"},
		"at the end":      {"# Head\n\n## B\n\nold\nolder\n", "# Head\n\n## B\n\nnew\n"},
		"a longer title":  {"## B and C\n\nb\n", "## B and C\n\nb\n\n## B\n\nnew\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, figures.Replace(test.document, "B", section)); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
		})
	}
}
