package tools

import (
	"context"

	"atelier/internal/trace"
	"atelier/workshop"
)

// traced begins the span of a call. A tool that is not in the catalogue has no name in it,
// since a model may write anything there.
func (c *Catalogue) traced(ctx context.Context, name string) (context.Context, *trace.Span) {
	if _, ok := c.find[name]; ok {
		name = c.Resolve(name)
	} else {
		name = "unknown"
	}
	return trace.Start(ctx, "tool call", trace.String("gen_ai.tool.name", name))
}

// codeOf is the code of the failure of a call.
func codeOf(r Result) string {
	if r.Fault == nil {
		return string(workshop.Internal)
	}
	return string(r.Fault.Code)
}
