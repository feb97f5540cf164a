package main

import (
	"context"
	"log/slog"
	"os"
	"time"

	"atelier/internal/metrics"
	"atelier/internal/trace/otlp"
)

// closeTraces is how long the last spans of a process may take.
const closeTraces = 2 * time.Second

// startTraces sends spans where the variables of OpenTelemetry say; nil where they ask for
// none. What of them cannot be used is no reason not to start: the log says it.
func startTraces(log *slog.Logger, set *metrics.Set) *otlp.Exporter {
	how, problems, err := otlp.FromEnv(os.Getenv)
	if err != nil {
		log.Warn("no traces are sent", "err", err)
		return nil
	}
	for _, p := range problems {
		log.Warn("a setting of traces is not used", "problem", p)
	}
	if how == nil {
		return nil
	}
	e := otlp.Start(how, otlp.Options{Log: log, Metrics: set})
	log.Info("traces are sent", "collector", e.Where())
	return e
}

// traced has a translation by a cluster send its spans. Without --cluster it sends none: what
// one machine does for itself sends nothing because of a variable.
func (f *translateFlags) traced(ctx context.Context, s *settings) (_ context.Context, end func(), err error) {
	if !f.cluster.on() {
		return ctx, func() {}, nil
	}
	if err := s.resolve(); err != nil {
		return ctx, nil, err
	}
	log, err := s.logger()
	if err != nil {
		return ctx, nil, err
	}
	e := startTraces(log, nil)
	e.Instance("atelier translate on " + hostName())
	return e.Tracer().Into(ctx), func() { e.Close(closeTraces) }, nil
}
