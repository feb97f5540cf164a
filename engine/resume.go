package engine

import (
	"context"

	"atelier/engine/eventlog"
)

// Connection is a client's connection that takes notifications. A transport
// puts it into the context of the calls that come over it.
type Connection interface {
	// Resume queues what the client missed of a workbench, in order; what is
	// emitted later comes after it. The params are encoded JSON. It must not
	// block or call the engine.
	Resume(workbenchID string, missed []Notification)
}

type connectionKey struct{}

// WithConnection returns a context for calls that come over c.
func WithConnection(ctx context.Context, c Connection) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// EventsResumeParams are the params of EventsResume.
type EventsResumeParams struct {
	WorkbenchID string `json:"workbench_id"`
	Position    *int64 `json:"position,omitempty"` // of the last notification that the client has; nil: it wants later ones only
}

// EventsResumed is the result of EventsResume.
type EventsResumed struct {
	Position int64 `json:"position"` // the latest of the workbench
	Resumed  bool  `json:"resumed"`  // the notifications that were missed came, all and in order
	Sent     int   `json:"sent"`
}

func eventMethods() []*Method {
	return []*Method{
		method("EventsResume", "Sends the workbench's notifications after a position again, before later ones; a client that connects again calls it first.", (*Engine).resumeEvents),
	}
}

func (e *Engine) resumeEvents(ctx context.Context, p EventsResumeParams) (EventsResumed, error) {
	c, ok := ctx.Value(connectionKey{}).(Connection)
	if !ok {
		return EventsResumed{}, validation("EventsResume works on a connection that takes notifications")
	}
	if p.Position != nil && *p.Position < 0 {
		return EventsResumed{}, validation("position cannot be below 0")
	}
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return EventsResumed{}, err
	}
	var r EventsResumed
	err = e.hub.logOf(wb.ID()).Since(p.Position, func(events []eventlog.Event, last int64, complete bool) {
		missed := make([]Notification, len(events))
		for i, ev := range events {
			missed[i] = Notification{Method: ev.Method, Params: ev.Params, Position: ev.Position}
		}
		c.Resume(wb.ID(), missed)
		r = EventsResumed{Position: last, Resumed: complete, Sent: len(events)}
	})
	if err != nil {
		e.log.Warn("the event log of a workbench", "workbench", wb.ID(), "err", err)
	}
	return r, nil
}
