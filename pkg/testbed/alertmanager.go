//go:build linux

package testbed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// Alertmanager is an Alertmanager of the test's own.
type Alertmanager struct {
	// Address is where it serves, as host:port.
	Address string
}

// Alert is an alert as Alertmanager's API has it.
type Alert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Status      AlertStatus       `json:"status,omitzero"`
}

// AlertStatus is what Alertmanager makes of an alert.
type AlertStatus struct {
	// InhibitedBy names the alerts that keep it from being notified.
	InhibitedBy []string `json:"inhibitedBy"`
}

// StartAlertmanager runs Debian's Alertmanager with a configuration file until the test ends. It is alone and knows no alert.
func StartAlertmanager(t testing.TB, config string) *Alertmanager {
	t.Helper()
	a := &Alertmanager{Address: FreeAddress(t)}
	serve(t, a.url("/-/ready"), "prometheus-alertmanager", "--config.file="+config, "--storage.path="+t.TempDir(),
		"--web.listen-address="+a.Address, "--cluster.listen-address=", "--log.level=warn")
	return a
}

func (a *Alertmanager) url(path string) string { return "http://" + a.Address + path }

// Alerts returns the alerts that have not been resolved.
func (a *Alertmanager) Alerts(t testing.TB) []Alert {
	t.Helper()
	var alerts []Alert
	a.call(t, http.MethodGet, nil, &alerts)
	return alerts
}

// Raise brings up alerts, as a Prometheus does.
func (a *Alertmanager) Raise(t testing.TB, alerts ...Alert) {
	t.Helper()
	a.call(t, http.MethodPost, alerts, nil)
}

// call sends a value to where the API has alerts and, unless into is nil, decodes the answer.
func (a *Alertmanager) call(t testing.TB, method string, value, into any) {
	t.Helper()
	if err := a.do(t, method, value, into); err != nil {
		t.Fatalf("%s alerts: %v", method, err)
	}
}

func (a *Alertmanager) do(t testing.TB, method string, value, into any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(t.Context(), method, a.url("/api/v2/alerts"), bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", response.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(into)
}
