//go:build chromium

package web_test

import (
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// screenshots is where the pictures are kept; none are when it is empty.
var screenshots = flag.String("screenshots", "", "directory for screenshots of the status page")

// TestPageInChromium looks at the page as its readers do: both widths, both colour schemes, several nodes.
func TestPageInChromium(t *testing.T) {
	browser := startChromium(t)
	for _, directories := range []int{0, 1, 3, 16} {
		snapshot := node(directories)
		server := httptest.NewServer(handler(t, snapshot))
		t.Cleanup(server.Close)
		for _, width := range []int64{375, 1440} {
			for _, scheme := range []string{"light", "dark"} {
				window := window{url: server.URL, width: width, scheme: scheme}
				name := fmt.Sprintf("%d-%d-%s", directories, width, scheme)
				t.Run(name, func(t *testing.T) {
					seen := look(browser, t, window)
					keep(t, name, seen.picture)
					mustFit(t, seen, scheme)
					mustShowFigures(t, seen.Text, snapshot)
				})
			}
		}
	}
}

// window is how a page is looked at.
type window struct {
	url    string
	width  int64
	scheme string
}

// sight is what was seen.
type sight struct {
	ScrollWidth, ClientWidth int
	// Outside are elements that reach out of the window, or texts that reach out of their chart.
	Outside    []string
	Text       string
	Background string
	complaints []string
	picture    []byte
}

// inspection is the part of a sight that the page itself can tell.
const inspection = `(() => {
	const width = document.documentElement.clientWidth;
	const outside = [...document.querySelectorAll("body *")].filter(e => {
		const box = e.getBoundingClientRect();
		const chart = e.closest("figure svg");
		const frame = chart ? chart.getBoundingClientRect() : {left: 0, right: width};
		return box.width > 1 && !e.closest(".scroll") && (box.right > frame.right + 1 || box.left < frame.left - 1);
	});
	return {
		ScrollWidth: document.documentElement.scrollWidth,
		ClientWidth: width,
		Outside: outside.map(e => e.tagName + "." + (e.getAttribute("class") || "") + ": " + e.textContent.slice(0, 60)),
		Text: document.body.innerText,
		Background: getComputedStyle(document.body).backgroundColor,
	};
})()`

func look(browser context.Context, t *testing.T, w window) sight {
	t.Helper()
	tab, cancel := chromedp.NewContext(browser)
	defer cancel()
	complaints := watch(tab, t, w.url)
	tab, cancel = context.WithTimeout(tab, time.Minute)
	defer cancel()
	scheme := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: w.scheme}}}
	if _, err := chromedp.Call(tab, emulation.SetEmulatedMedia, scheme); err != nil {
		t.Fatalf("emulate the %s scheme: %v", w.scheme, err)
	}
	if err := chromedp.Do(tab, chromedp.EmulateViewport(w.width, 900), chromedp.Navigate(w.url)); err != nil {
		t.Fatalf("open %s: %v", w.url, err)
	}
	seen, err := chromedp.Run(tab, chromedp.Evaluate[sight](inspection))
	if err != nil {
		t.Fatalf("inspect the page: %v", err)
	}
	if seen.picture, err = chromedp.Run(tab, chromedp.FullScreenshot(100)); err != nil {
		t.Fatalf("take a screenshot: %v", err)
	}
	seen.complaints = complaints()
	return seen
}

func mustFit(t *testing.T, seen sight, scheme string) {
	t.Helper()
	if seen.ScrollWidth > seen.ClientWidth || len(seen.Outside) > 0 {
		t.Errorf("the page is %d wide in a window of %d; outside: %q", seen.ScrollWidth, seen.ClientWidth, seen.Outside)
	}
	if dark := seen.Background == "rgb(20, 24, 27)"; dark != (scheme == "dark") {
		t.Errorf("background %s in the %s scheme: the stylesheet did not apply", seen.Background, scheme)
	}
	for _, complaint := range seen.complaints {
		t.Error(complaint)
	}
}

// keep stores a picture for people.
func keep(t *testing.T, name string, picture []byte) {
	t.Helper()
	if *screenshots == "" {
		return
	}
	path := filepath.Join(*screenshots, name+".png")
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		t.Fatal(err)
	}
}
