//go:build linux

package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/table"
)

// label is a column of a table that says whose row it is.
type label struct{ name, title string }

// column is a figure of each row. Each column is one query; all give the same labels, which the rows are made of.
type column struct {
	title string // empty: the column is not shown
	expr  string
	unit  string
	steps []dashboard.Threshold // colour the cell
	words []dashboard.ValueMapping
}

// directories are the labels of a directory's row.
func directories() []label {
	return []label{{"job", "Job"}, {"instance", "Node"}, {"dbroot", "DBroot"}, {"kind", "Kind"}, {"directory", "Directory"}}
}

// rows shows what is now, one row per set of labels.
func rows(p panel, labels []label, columns []column) *table.PanelBuilder {
	for _, c := range columns {
		p.queries = append(p.queries, query{expr: c.expr})
	}
	t := build(table.NewPanelBuilder(), p, graphHeight, func(q *prometheus.DataqueryBuilder) {
		q.Instant().Format(prometheus.PromQueryFormatTable)
	})
	t = t.Footer(common.NewTableFooterOptionsBuilder().Show(false).Reducer([]string{})).
		WithTransformation(dashboard.DataTransformerConfig{Id: "merge", Options: struct{}{}}).
		WithTransformation(dashboard.DataTransformerConfig{Id: "organize", Options: arrange(labels, columns)})
	for _, c := range columns {
		if c.title != "" {
			t = t.OverrideByName(c.title, c.look())
		}
	}
	return t
}

// organize are the options of the transformation of that name.
type organize struct {
	Excluded map[string]bool   `json:"excludeByName"`
	Places   map[string]int    `json:"indexByName"`
	Titles   map[string]string `json:"renameByName"`
}

// arrange names and orders the columns. Grafana calls the values of query A "Value #A", or "Value" if it is the only one.
func arrange(labels []label, columns []column) organize {
	o := organize{map[string]bool{"Time": true}, make(map[string]int), make(map[string]string)}
	for i, l := range labels {
		o.Places[l.name] = i
		o.Titles[l.name] = l.title
	}
	for i, c := range columns {
		value := "Value"
		if len(columns) > 1 {
			value += " #" + refID(i)
		}
		if c.title == "" {
			o.Excluded[value] = true
			continue
		}
		o.Places[value] = len(labels) + i
		o.Titles[value] = c.title
	}
	return o
}

func (c column) look() properties {
	look := properties{{Id: "unit", Value: c.unit}}
	if len(c.words) > 0 {
		look = append(look, dashboard.DynamicConfigValue{Id: "mappings", Value: c.words})
	}
	if len(c.steps) == 0 {
		return look
	}
	return append(look,
		dashboard.DynamicConfigValue{Id: "thresholds", Value: dashboard.ThresholdsConfig{
			Mode: dashboard.ThresholdsModeAbsolute, Steps: c.steps,
		}},
		dashboard.DynamicConfigValue{Id: "custom.cellOptions", Value: common.TableColoredBackgroundCellOptions{
			Type: common.TableCellDisplayModeColorBackground, Mode: new(common.TableCellBackgroundDisplayModeBasic),
		}})
}
