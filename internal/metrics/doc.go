// Package metrics counts what a process does and writes the figures in the text format of
// Prometheus (version 0.0.4).
//
//	set := metrics.NewSet()
//	calls := set.Counter("atelier_tool_calls_total", "Tool calls.", "tool", "outcome")
//	calls.Add(1, "read", "ok")
//	set.Gauge("atelier_runs", "Runs in progress.", func() float64 { return n })
//	err := set.Write(w)
//
// A nil *Set makes nil counters and histograms, which count nothing: a program whose
// figures nobody reads pays one comparison for each.
//
// # Bounds
//
// The values of labels must come from a known list, such as the patterns of routes, since
// each new one is kept for ever. As a guard, a figure has at most MaxSeries series; what
// comes later is counted with "other" as the value of every label.
package metrics
