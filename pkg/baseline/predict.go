//go:build linux

package baseline

// The published table has three layouts, and so determines three unknowns: an import of 10,000 rows x 250 columns takes
// T = PublishedConstant + dbrootLatencies · L(dbroot) + rollbackLatencies · L(bulkRollback), L being the mean read latency
// over the DBroots. Imports of the real engine on storage of known latency are linear in it and pay about as many latencies
// in all; their constant is the host's own.
const (
	dbrootLatencies   = 2828
	rollbackLatencies = 5944
	// PublishedConstant is the part of the published import, in seconds, that does not depend on latency.
	PublishedConstant = 1.55
)

// LowLatency is the bulkRollback latency in seconds that the published low-latency layout reached at worst.
const LowLatency = 590e-6

// Scenario is a value of the label scenario: for which storage an import time is predicted.
type Scenario string

const (
	// Now is the storage as it is.
	Now Scenario = "now"
	// FastRollback is the storage as it is, with every bulkRollback on low-latency storage.
	FastRollback Scenario = "low_latency_bulkrollback"
	// AllLocal is everything on the published local storage.
	AllLocal Scenario = "local"
)

// Prediction is the estimated time of one import in seconds.
type Prediction struct {
	Scenario Scenario `json:"scenario"`
	Seconds  float64  `json:"seconds"`
}

// Forecast is what imports should take, and on what the estimate rests.
type Forecast struct {
	Constant Constant `json:"constant"`
	// Means are the measured latencies behind Now.
	Means Means `json:"means"`
	// Fast is the bulkRollback latency in seconds that FastRollback reckons with: LowLatency, or that of the fastest
	// directory measured on the node when it is lower. FastLike names that directory; empty for LowLatency.
	Fast     float64 `json:"fast_bulkrollback_seconds"`
	FastLike string  `json:"fast_bulkrollback_like,omitempty"`
	// Predictions hold only what could be estimated: Now and FastRollback need a latency of every DBroot.
	Predictions []Prediction `json:"predictions"`
}

// Seconds returns the prediction for a scenario, false when it could not be estimated.
func (f Forecast) Seconds(scenario Scenario) (float64, bool) {
	for _, p := range f.Predictions {
		if p.Scenario == scenario {
			return p.Seconds, true
		}
	}
	return 0, false
}

// Predict estimates the import time on a node with these directories, whose finished trials are given oldest first. Columns
// is the width of the trial table; the number of latencies scales with it.
func Predict(directories []Directory, trials []Trial, columns int) Forecast {
	forecast := Forecast{
		Constant: fit(trials, columns),
		Means:    MeansOf(directories),
	}
	forecast.Fast, forecast.FastLike = fastest(directories)
	predict := func(scenario Scenario, means Means) {
		seconds := forecast.Constant.Seconds + latencySeconds(means, columns)
		forecast.Predictions = append(forecast.Predictions, Prediction{Scenario: scenario, Seconds: seconds})
	}
	if forecast.Means.Complete {
		fast := forecast.Means
		fast.BulkRollback = forecast.Fast
		predict(Now, forecast.Means)
		predict(FastRollback, fast)
	}
	predict(AllLocal, local().Means())
	return forecast
}

// latencySeconds is the part of an import that is spent waiting for the storage.
func latencySeconds(means Means, columns int) float64 {
	scale := float64(columns) / PublishedColumns
	return scale * (dbrootLatencies*means.DBRoot + rollbackLatencies*means.BulkRollback)
}

// fastest returns the latency that bulkRollback could have here, and the directory that shows it.
func fastest(directories []Directory) (seconds float64, like string) {
	seconds = LowLatency
	for _, d := range directories {
		if own, ok := d.latency(); ok && own < seconds {
			seconds, like = own, d.Label()
		}
	}
	return seconds, like
}
