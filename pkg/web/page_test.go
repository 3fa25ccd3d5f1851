package web_test

import (
	"crypto/sha256"
	"encoding/base64"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// open parses the page of a snapshot.
func open(t *testing.T, snapshot status.Snapshot) *html.Node {
	t.Helper()
	got := ask(t, handler(t, snapshot), http.MethodGet, "/")
	if got.status != http.StatusOK {
		t.Fatalf("status %d: %s", got.status, got.text)
	}
	page, err := html.Parse(strings.NewReader(got.text))
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// text is what a reader sees, white space folded.
func text(n *html.Node) string {
	var parts []string
	for d := range n.Descendants() {
		hidden := d.Parent.DataAtom == atom.Style || d.Parent.DataAtom == atom.Title
		if d.Type == html.TextNode && !hidden {
			parts = append(parts, d.Data)
		}
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// mustShowFigures wants every directory's path, verdict and four figures in the text of the page.
func mustShowFigures(t *testing.T, text string, snapshot status.Snapshot) {
	t.Helper()
	for _, target := range snapshot.Targets {
		want := []string{target.Directory, string(target.Verdict.Word), target.Verdict.Sentence}
		if r := target.Read; r != nil {
			want = append(want, human.Seconds(r.Min), human.Seconds(r.Avg), human.Seconds(r.Max), human.Seconds(r.Mdev))
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s %s: the page does not show %q", target.Kind, target.Directory, w)
			}
		}
	}
}

func TestPageShowsEveryDirectory(t *testing.T) {
	for _, directories := range []int{0, 1, 3, 16} {
		t.Run(strconv.Itoa(directories), func(t *testing.T) {
			snapshot := node(directories)
			seen := text(open(t, snapshot))
			mustShowFigures(t, seen, snapshot)
			for _, want := range []string{snapshot.Host, string(snapshot.Verdict.Word), snapshot.Verdict.Sentence} {
				if !strings.Contains(seen, want) {
					t.Errorf("the page does not show %q", want)
				}
			}
		})
	}
}

func TestPageTellsWhatIsWrong(t *testing.T) {
	snapshot := node(16)
	snapshot.Discovery = "read /etc/columnstore/Columnstore.xml: permission denied"
	snapshot.Targets[0].Success = new(false)
	snapshot.Targets[0].Error = "open probe file /var/lib/columnstore/data1/x: input/output error"
	snapshot.Targets[0].Failed = map[string]uint64{"eio": 3, "enospc": 0}
	snapshot.Targets[1].DeviceRatio = new(0.02)
	snapshot.Notes = []string{"Columnstore.xml names no module file."}
	snapshot.Targets[15].Throughput.Results[0].DeviceRatio = new(0.1)
	snapshot = snapshot.Assess(baseline.Published(), "")
	seen := text(open(t, snapshot))
	for _, want := range []string{
		"Notes Columnstore.xml names no module file.", "bytes of the", "test reached storage: the figures are of a cache.",
		"Discovery: read /etc/columnstore/Columnstore.xml: permission denied",
		"open probe file /var/lib/columnstore/data1/x: input/output error", "eio 3",
		"direct; 2 % of the bytes came from the device", "unproven",
		"read in flight since 11:29:00 (31 min 0 s)", "in_flight 30, trial 4",
		"WriteEngine/BulkRollbackDir", "cpimport uses bulkRollback in each DBroot",
		"locked 1", "other_import 2", "There is no estimate for the storage as it is",
		"the published ones measured on AWS, 4 vCPU, 16 GB",
		"nfs4 on nas.example:/columnstore/data1 at /var/lib/columnstore/data1",
	} {
		if !strings.Contains(seen, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	if strings.Contains(seen, "enospc") {
		t.Error("the page shows a reason that never occurred")
	}
}

func TestPageBeforeTheFirstRound(t *testing.T) {
	snapshot := status.Snapshot{Time: noon, Host: "db-2.example", Targets: []status.Target{{
		Target: topology.Target{DBRoot: "1", Kind: topology.KindDBRoot, Directory: "/data1"},
	}}}
	for name, s := range map[string]status.Snapshot{"not assessed": snapshot, "assessed": snapshot.Assess(baseline.Published(), ""), "empty": {}} {
		t.Run(name, func(t *testing.T) {
			if seen := text(open(t, s)); !strings.Contains(seen, "waiting") {
				t.Errorf("the page does not say that it waits: %s", seen)
			}
		})
	}
}

func TestPageNeverShowsNaN(t *testing.T) {
	snapshot := node(3)
	for i, v := range []float64{math.NaN(), math.Inf(1), 0} {
		target := &snapshot.Targets[i]
		*target.Read = status.Run{Count: 29, Min: v, Avg: v, Max: v, Mdev: v}
		target.Recent = []float64{v, -1, 1e-3}
		target.History = append(target.History, status.Point{Time: noon, Avg: v})
		target.DeviceRatio = &v
		snapshot.Ingest.Trials[i].Seconds = v
	}
	snapshot.Targets[2].Throughput.Results[0].Seconds = math.NaN()
	page := open(t, snapshot.Assess(baseline.Published(), ""))
	for d := range page.Descendants() {
		for _, attribute := range append(d.Attr, html.Attribute{Val: d.Data}) {
			if strings.Contains(attribute.Val, "NaN") || strings.Contains(attribute.Val, "Inf") {
				t.Errorf("<%s> holds %q", d.Parent.Data, attribute.Val)
			}
		}
	}
}

// A path may hold anything but NUL, and so may what the kernel and the configuration say of it.
func TestPageHoldsHostileText(t *testing.T) {
	const hostile = "/data1/\"><script>alert(1)</script>\n<img src=x onerror=alert(2)>&amp;'\u202e\xff{{.}}"
	snapshot := node(3)
	snapshot.Host, snapshot.Module, snapshot.Version, snapshot.Discovery = hostile, hostile, hostile, hostile
	snapshot.Ignored[0] = topology.Ignored{Element: hostile, Value: hostile, Reason: hostile}
	snapshot.Ingest.Trials[16].Failure, snapshot.Ingest.Trials[16].Error = hostile, hostile
	for i := range snapshot.Targets {
		target := &snapshot.Targets[i]
		target.Directory, target.Name, target.Error, target.IO = hostile, hostile, hostile, hostile
		target.Facts.Source, target.Facts.Mountpoint, target.Facts.FSType, target.Facts.Resolved = hostile, hostile, hostile, hostile+"!"
		target.Skipped = map[string]uint64{hostile: 1}
		target.InFlight = &status.Operation{Name: hostile, Since: noon.Add(-time.Hour)}
	}
	layouts := append(baseline.Published(), baseline.Published()[0])
	layouts[3].Name, layouts[3].Title, layouts[3].Host = hostile, hostile, hostile
	page := open(t, snapshot.Assess(layouts, ""))
	for d := range page.Descendants() {
		if d.Type != html.ElementNode {
			continue
		}
		if d.DataAtom == atom.Script || d.DataAtom == atom.Img {
			t.Errorf("<%s> got into the page", d.Data)
		}
		for _, attribute := range d.Attr {
			if strings.HasPrefix(attribute.Key, "on") || attribute.Key == "style" {
				t.Errorf("attribute %s=%q got into <%s>", attribute.Key, attribute.Val, d.Data)
			}
		}
	}
	if !strings.Contains(text(page), "<script>alert(1)</script>") {
		t.Error("the path is not shown as text")
	}
}

func TestPolicyAllowsTheStylesheetAlone(t *testing.T) {
	policy := ask(t, handler(t, node(3)), http.MethodGet, "/").header.Get("Content-Security-Policy")
	styles := 0
	for d := range open(t, node(3)).Descendants() {
		if d.DataAtom != atom.Style {
			continue
		}
		styles++
		hash := sha256.Sum256([]byte(d.FirstChild.Data))
		if want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("policy %q does not allow the stylesheet by %s", policy, want)
		}
	}
	if styles != 1 {
		t.Errorf("%d stylesheets, want 1", styles)
	}
}

func TestPageNamesNoOtherHost(t *testing.T) {
	for d := range open(t, node(16)).Descendants() {
		for _, attribute := range d.Attr {
			if (attribute.Key == "href" || attribute.Key == "src") && (strings.Contains(attribute.Val, "//") || strings.HasPrefix(attribute.Val, "data:")) {
				t.Errorf("<%s %s=%q>", d.Data, attribute.Key, attribute.Val)
			}
		}
	}
}

// A drawing needs words for those who cannot see it, and each of its texts must be able to take the reader's colours.
func TestChartsAreAccessible(t *testing.T) {
	charts := 0
	for d := range open(t, node(3)).Descendants() {
		if d.Data != "svg" || d.Parent.DataAtom != atom.Figure {
			continue
		}
		charts++
		attributes := make(map[string]string)
		for _, a := range d.Attr {
			attributes[a.Key] = a.Val
		}
		if attributes["role"] != "img" || attributes["aria-label"] == "" {
			t.Errorf("chart without role or label: %v", attributes)
		}
		if title := d.FirstChild; title.Data != "title" || title.FirstChild.Data != attributes["aria-label"] {
			t.Errorf("chart %q has no title of the same words", attributes["aria-label"])
		}
	}
	if want := 1 + 3*2 + 1; charts != want {
		t.Errorf("%d charts, want %d: imports, two for each directory, throughput", charts, want)
	}
}
