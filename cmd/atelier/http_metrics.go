package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"time"

	"atelier/engine"
	"atelier/internal/budget"
	"atelier/internal/buildinfo"
	"atelier/internal/metrics"
	httpapi "atelier/ipc/http"
)

// httpMetrics are the figures of a server at a separate address, for Prometheus.
type httpMetrics struct {
	set     *metrics.Set     // nil: nobody reads them, and nothing is counted
	figures *httpapi.Figures // likewise
}

// newHTTPMetrics returns the figures of a server whose --metrics is addr.
func newHTTPMetrics(addr string) httpMetrics {
	if addr == "" {
		return httpMetrics{}
	}
	set := metrics.NewSet()
	set.AddProcess()
	set.Gauges("atelier_build_info", "The version that runs.", []string{"version", "os", "arch"}, func(emit func(float64, ...string)) {
		emit(1, buildinfo.Version(), runtime.GOOS, runtime.GOARCH)
	})
	mem := func(name, help string, of func(budget.Stats) int64) {
		set.Gauge(name, help, func() float64 { return float64(of(budget.Process.Stats())) })
	}
	mem("atelier_memory_budget_limit_bytes", "Memory that work and caches share.", func(s budget.Stats) int64 { return s.Limit })
	mem("atelier_memory_budget_work_bytes", "Memory that work in progress has reserved.", func(s budget.Stats) int64 { return s.Work })
	mem("atelier_memory_budget_cached_bytes", "Memory that caches keep until work needs it.", func(s budget.Stats) int64 { return s.Cached })
	mem("atelier_memory_budget_waiting", "Work that waits for memory.", func(s budget.Stats) int64 { return int64(s.Waiting) })
	return httpMetrics{set, httpapi.NewFigures(set)}
}

// watch is what an engine tells the figures.
func (m httpMetrics) watch() engine.Watch {
	if m.figures == nil {
		return engine.Watch{}
	}
	return m.figures.Watch()
}

// serve answers at addr until stop is called. Only figures are there: no document, name of
// a file, or user.
func (m httpMetrics) serve(addr string, e *engine.Engine, log *slog.Logger) (at net.Addr, stop func(), err error) {
	if m.set == nil {
		return nil, func() {}, nil
	}
	m.set.Gauge("atelier_workspaces_open", "Workspaces that are open.", func() float64 { return float64(e.Figures().Workbenches) })
	m.set.Gauge("atelier_questions_waiting", "Questions that wait for an answer of a person.", func() float64 { return float64(e.Figures().Questions) })
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot listen on %s: %w; choose another with --metrics", addr, err)
	}
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		log.Warn("other machines can read the figures of this server without a token", "metrics", addr)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", metrics.ContentType)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if err := m.set.Write(w); err != nil {
			log.Debug("the figures could not be written", "err", err)
		}
	})
	srv := &http.Server{Handler: mux, ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	go func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the figures are not served any more", "err", err)
		}
	}()
	return l.Addr(), func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if srv.Shutdown(ctx) != nil {
			srv.Close()
		}
	}, nil
}
