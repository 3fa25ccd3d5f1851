//go:build linux

package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
)

// Colours say how good something is; blue and none pass no judgement.
const (
	good    = "green"
	bad     = "orange"
	worst   = "red"
	neutral = "blue"
	plain   = "transparent"
)

// base is the colour below all other steps.
func base(color string) dashboard.Threshold { return dashboard.Threshold{Color: color} }

// at is the colour from a value on.
func at(value float64, color string) dashboard.Threshold {
	return dashboard.Threshold{Value: &value, Color: color}
}

// none is for what must not be: green at 0, red from 1 on.
func none() []dashboard.Threshold { return []dashboard.Threshold{base(good), at(1, worst)} }

func thresholds(steps []dashboard.Threshold) *dashboard.ThresholdsConfigBuilder {
	if len(steps) == 0 {
		steps = []dashboard.Threshold{base(neutral)}
	}
	return dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).Steps(steps)
}

// yesOr shows 1 as yes, and 0 as what it is the opposite of.
func yesOr(no string) []dashboard.ValueMapping {
	word := func(text, color string) dashboard.ValueMappingResult {
		return dashboard.ValueMappingResult{Text: &text, Color: &color}
	}
	return []dashboard.ValueMapping{{ValueMap: &dashboard.ValueMap{
		Type:    dashboard.MappingTypeValueToText,
		Options: map[string]dashboard.ValueMappingResult{"0": word(no, worst), "1": word("yes", good)},
	}}}
}

// properties are settings of some series or columns of a panel.
type properties = []dashboard.DynamicConfigValue

func fixedColor(color string) dashboard.DynamicConfigValue {
	return dashboard.DynamicConfigValue{Id: "color", Value: dashboard.FieldColor{
		Mode: dashboard.FieldColorModeIdFixed, FixedColor: &color,
	}}
}

// dashed is the look of what measurements are held against.
func dashed(more ...dashboard.DynamicConfigValue) properties {
	style := common.LineStyle{Fill: new(common.LineStyleFillDash), Dash: []float64{10, 10}}
	return append(properties{{Id: "custom.lineStyle", Value: style}}, more...)
}

// layoutColor is the colour of a published layout, the same on all dashboards.
func layoutColor(name string) dashboard.DynamicConfigValue {
	colors := map[string]string{
		baseline.Local:                       "green",
		baseline.NFSHALowLatencyBulkRollback: "purple",
		baseline.NFSHA:                       "orange",
	}
	return fixedColor(colors[name])
}
