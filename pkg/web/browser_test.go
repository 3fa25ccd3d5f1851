//go:build chromium

package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// startChromium returns the context of a browser that asks nobody else for anything.
func startChromium(t *testing.T) context.Context {
	t.Helper()
	const path = "/usr/bin/chromium"
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		t.Fatal("no /usr/bin/chromium: apt-get install -y --no-install-recommends chromium fonts-dejavu-core")
	}
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
	})
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	browser, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return browser
}

// watch collects what a tab complains of from now on: console messages, failed requests, and requests to anyone but url.
func watch(tab context.Context, t *testing.T, url string) func() []string {
	t.Helper()
	var mu sync.Mutex
	var complaints []string
	err := chromedp.Listen(tab, func(event any) {
		if text := complaint(event, url); text != "" {
			mu.Lock()
			defer mu.Unlock()
			complaints = append(complaints, text)
		}
	})
	if err != nil {
		t.Fatalf("listen to the tab: %v", err)
	}
	if _, err := chromedp.Call(tab, network.Enable, network.EnableParams{}); err != nil {
		t.Fatalf("watch the network: %v", err)
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(complaints)
	}
}

// complaint words an event that must not happen; empty for others.
func complaint(event any, url string) string {
	switch e := event.(type) {
	case *log.EventEntryAdded:
		return "log: " + e.Entry.Text
	case *runtime.EventConsoleAPICalled:
		text, err := json.Marshal(e.Args)
		return fmt.Sprintf("console: %s %v", text, err)
	case *runtime.EventExceptionThrown:
		return "exception: " + e.ExceptionDetails.Text
	case *network.EventLoadingFailed:
		return "request failed: " + e.ErrorText
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, url+"/") {
			return "request to " + e.Request.URL
		}
	}
	return ""
}
