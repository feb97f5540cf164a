package toolservers

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// sdkLog keeps which tools the SDK leaves out of a list: it tells its log only.
type sdkLog struct {
	slog.Handler
	x *session
}

// Enabled implements slog.Handler.
func (*sdkLog) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }

// Handle implements slog.Handler.
func (h *sdkLog) Handle(_ context.Context, rec slog.Record) error {
	if !strings.HasPrefix(rec.Message, "excluding") {
		return nil
	}
	what := "a tool is left out"
	rec.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "tool":
			what = fmt.Sprintf("tool %q is left out", line(a.Value.String(), 60))
		case "error":
			what += ": " + line(a.Value.String(), 200)
		}
		return true
	})
	h.x.mu.Lock()
	defer h.x.mu.Unlock()
	if len(h.x.left) < maxNotes {
		h.x.left = append(h.x.left, what)
	}
	return nil
}

// WithAttrs implements slog.Handler.
func (h *sdkLog) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h *sdkLog) WithGroup(string) slog.Handler { return h }
