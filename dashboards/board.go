//go:build linux

package dashboards

import "github.com/grafana/grafana-foundation-sdk/go/dashboard"

// tag is what the dashboards know one another by.
const tag = "columnstore"

// board is an empty dashboard that shows what was since a time, such as now-6h.
func board(uid, title, description, since string) *builder {
	b := dashboard.NewDashboardBuilder(title) //nolint:staticcheck // see builder
	return b.
		Uid(uid).
		Description(description).
		Tags([]string{tag}).
		Readonly().
		Time(since, "now").
		Timezone("browser").
		Refresh("1m").
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Link(dashboard.NewDashboardLinkBuilder("ColumnStore").
			Type(dashboard.DashboardLinkTypeDashboards).Tags([]string{tag}).IncludeVars(true).KeepTime(true)).
		Link(dashboard.NewDashboardLinkBuilder("Runbook").
			Type(dashboard.DashboardLinkTypeLink).Url(runbook).Icon("doc").TargetBlank(true)).
		Annotation(trials()).
		WithVariable(dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus").
			Current(option("default", "default"))).
		WithVariable(labelValues("job", "Job", "columnstore_exporter_build_info", ".+")).
		WithVariable(labelValues("instance", "Instance", `columnstore_exporter_build_info{job=~"$job"}`, ".+"))
}

// dbroots lets the reader choose DBroots. "All" takes in directories that belong to none, whose label dbroot is empty.
func dbroots() *dashboard.QueryVariableBuilder {
	return labelValues("dbroot", "DBroot", onNode("columnstore_storage_target_info", `dbroot!=""`), ".*").
		Sort(dashboard.VariableSortNumericalAsc)
}

func labelValues(label, title, series, all string) *dashboard.QueryVariableBuilder {
	query := "label_values(" + series + ", " + label + ")"
	return dashboard.NewQueryVariableBuilder(label).
		Label(title).
		Datasource(source()).
		Query(dashboard.StringOrMap{String: &query}).
		Definition(query).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).
		Sort(dashboard.VariableSortAlphabeticalAsc).
		Multi(true).
		IncludeAll(true).
		AllValue(all).
		Current(option("All", "$__all"))
}

func option(text, value string) dashboard.VariableOption {
	return dashboard.VariableOption{
		Selected: new(true),
		Text:     dashboard.StringOrArrayOfString{String: &text},
		Value:    dashboard.StringOrArrayOfString{String: &value},
	}
}

// trials marks the import trials: while one runs, no latency is measured.
func trials() *dashboard.AnnotationQueryBuilder {
	return dashboard.NewAnnotationQueryBuilder().
		Name("Import trials").
		Datasource(source()).
		Enable(true).
		IconColor(neutral).
		Expr("changes(" + onNode("columnstore_ingest_last_success_timestamp_seconds") + "[" + window + "]) > 0").
		Step(minimumStep).
		TitleFormat("Import trial").
		TextFormat("{{instance}}")
}
