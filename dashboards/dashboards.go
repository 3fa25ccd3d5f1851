//go:build linux

// Package dashboards makes the Grafana dashboards of columnstore_exporter: one file per dashboard, and what they share.
// The JSON beside it is what it made; `go generate` makes it anew.
//
// Panels ask for the exporter's series alone and not for recording rules, so that a dashboard works where no rules are
// loaded. Each expression answers for classic and for native histograms, and keeps to PromQL of Prometheus 2.42.
package dashboards

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

//go:generate go run ./generate .

// The classic schema: deprecated for one that older Grafanas do not read, and that files are not provisioned from.
type (
	builder = dashboard.DashboardBuilder //nolint:staticcheck // see above
	model   = dashboard.Dashboard        //nolint:staticcheck // see above
)

// All returns each dashboard's JSON by the name of its file.
func All() (map[string][]byte, error) {
	files := make(map[string][]byte)
	for _, b := range []*builder{storage(), imports(), streams(), exporter()} {
		d, err := b.Build()
		if err != nil {
			return nil, fmt.Errorf("build a dashboard: %w", err)
		}
		finish(&d)
		text, err := encode(d)
		if err != nil {
			return nil, fmt.Errorf("encode the dashboard %s: %w", *d.Uid, err)
		}
		files[*d.Uid+".json"] = text
	}
	return files, nil
}

// encode writes expressions as they are read: with <, > and & instead of their codes, which the encoder of a part brings in.
func encode(d model) ([]byte, error) {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller says of what
	}
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(text))
	return []byte(plain + "\n"), nil
}

// finish adds what the SDK's builders leave out, the numbers of panels and the refresh of the data sources, and takes back
// what they put in: a place in the menu of controls, which hides links.
func finish(d *model) {
	shown(d.Links)
	for i, p := range d.Panels {
		id := uint32(i + 1)
		if p.RowPanel != nil {
			p.RowPanel.Id = id
			continue
		}
		p.Panel.Id = &id
		shown(p.Panel.Links)
	}
	for i := range d.Templating.List {
		v := &d.Templating.List[i]
		if v.Type == dashboard.VariableTypeDatasource {
			onLoad := dashboard.VariableRefreshOnDashboardLoad
			v.Refresh = &onLoad
		}
	}
	for i := range d.Annotations.List {
		d.Annotations.List[i].Placement = nil
	}
}

func shown(links []dashboard.DashboardLink) {
	for i := range links {
		links[i].Placement = nil
	}
}
