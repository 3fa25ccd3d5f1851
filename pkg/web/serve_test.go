package web_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/columnstore/columnstore_exporter/pkg/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs Serve on free ports of localhost, and returns where it listens and how it is ended.
func serve(t *testing.T, h http.Handler, o web.ListenOptions) (addresses []string, stop func() error) {
	t.Helper()
	core, logs := observer.New(zapcore.InfoLevel)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ctx, h, o, zap.New(core)) }()
	deadline := time.After(10 * time.Second)
	for len(addresses) < len(o.Addresses) {
		select {
		case err := <-ended:
			t.Fatalf("serve: %v", err)
		case <-deadline:
			t.Fatalf("listens on %q alone", addresses)
		case <-time.After(time.Millisecond):
		}
		addresses = nil
		for _, entry := range logs.FilterMessage("Listening on").All() {
			addresses = append(addresses, fmt.Sprint(entry.ContextMap()["address"]))
		}
	}
	return addresses, func() error {
		cancel()
		return <-ended
	}
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	r, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestServeOnEveryAddress(t *testing.T) {
	addresses, stop := serve(t, newHandler(t, web.Options{}), web.ListenOptions{Addresses: []string{"127.0.0.1:0", "127.0.0.1:0"}})
	for _, address := range addresses {
		if text := fetch(t, "http://"+address+"/-/healthy"); text != "healthy\n" {
			t.Errorf("%s answers %q", address, text)
		}
	}
	if err := stop(); err != nil {
		t.Errorf("a stop is no error, got %v", err)
	}
	for _, address := range addresses {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Errorf("the port is not free after the stop: %v", err)
			continue
		}
		listener.Close()
	}
}

func TestServeTellsOnceThatItListensEverywhere(t *testing.T) {
	told := make(chan struct{}, 3)
	_, stop := serve(t, http.NotFoundHandler(), web.ListenOptions{
		Addresses: []string{"127.0.0.1:0", "127.0.0.1:0"}, Listening: func() { told <- struct{}{} },
	})
	<-told
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if n := len(told); n != 0 {
		t.Errorf("told %d times more", n)
	}
}

func TestServeTellsNothingBeforeItListensEverywhere(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	err = web.Serve(t.Context(), http.NotFoundHandler(), web.ListenOptions{
		Addresses: []string{"127.0.0.1:0", taken.Addr().String()}, Listening: func() { t.Error("told that it listens") },
	}, zap.NewNop())
	if !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("got %v", err)
	}
}

// An answer that never ends must not hold up the exit for longer than a second.
func TestServeCutsOffWhatDoesNotEnd(t *testing.T) {
	begun := make(chan struct{})
	hanging := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
	})
	addresses, stop := serve(t, hanging, web.ListenOptions{Addresses: []string{"127.0.0.1:0"}})
	cut := make(chan error, 1)
	go func() {
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		r, err := client.Get("http://" + addresses[0])
		if err == nil {
			_, err = io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
		cut <- err
	}()
	<-begun
	start := time.Now()
	if err := stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("the stop took %v", took)
	}
	if err := <-cut; err == nil {
		t.Error("the hanging answer was not cut off")
	}
}

func TestServeRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "web.yml")
	if err := os.WriteFile(file, []byte("basic_auth_users: {admin: plain}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		options web.ListenOptions
		names   string
		is      error
	}{
		{"a port in use, and ends the others", web.ListenOptions{Addresses: []string{"127.0.0.1:0", taken.Addr().String()}}, taken.Addr().String(), syscall.EADDRINUSE},
		{"no address", web.ListenOptions{}, "address", nil},
		{"a password that is no hash", web.ListenOptions{Addresses: []string{"127.0.0.1:0"}, ConfigFile: file}, file, nil},
		{"a file that is not there", web.ListenOptions{Addresses: []string{"127.0.0.1:0"}, ConfigFile: file + "x"}, file + "x", os.ErrNotExist},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := web.Serve(t.Context(), newHandler(t, web.Options{}), test.options, zap.NewNop())
			if err == nil || !strings.Contains(err.Error(), test.names) {
				t.Errorf("error %v, want one that names %q", err, test.names)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("error %v, want one that wraps %v", err, test.is)
			}
		})
	}
}

func TestServeWithBasicAuthentication(t *testing.T) {
	file := filepath.Join(t.TempDir(), "web.yml")
	// The bcrypt hash of "secret".
	config := "basic_auth_users:\n  admin: $2y$04$Zs8mPY2wDxwsxXH7GBdQeuQdy1c3EKYKCfGwCZxVwkGc7i1TWZZSG\n"
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	addresses, stop := serve(t, newHandler(t, web.Options{}), web.ListenOptions{
		Addresses: []string{"127.0.0.1:0", "127.0.0.1:0"}, ConfigFile: file,
	})
	for _, address := range addresses {
		if text := fetch(t, "http://"+address+"/metrics"); !strings.Contains(text, "Unauthorized") {
			t.Errorf("%s answers %q without a password", address, text)
		}
	}
	if err := stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}
