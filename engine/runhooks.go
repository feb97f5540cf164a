package engine

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
)

// RunHooks are what a client in this process adds to its calls of
// WorkshopRunAgent. A nil hook does nothing.
type RunHooks struct {
	// Thought is called with each piece of reasoning text of the model, where its
	// endpoint sends some. It must not block.
	Thought func(text string)
	// EditorText returns the text that the user's editor has for a file of the
	// workbench, saved or not; false: what is on disk counts. It is asked when a tool
	// opens the file, unless the draft has the file: then the draft counts, into
	// which the editor's text came with the first change.
	EditorText func(ctx context.Context, p workshop.Path) (text string, ok bool)
	// BeforeCalls is agent.Config.BeforeCalls.
	BeforeCalls func(ctx context.Context) error
}

type runHooksKey struct{}

// WithRunHooks returns a context for calls with hooks.
func WithRunHooks(ctx context.Context, h RunHooks) context.Context {
	return context.WithValue(ctx, runHooksKey{}, h)
}

// addHooks puts the hooks of a context into the configuration of a run.
func addHooks(ctx context.Context, wb *openWorkbench, cfg *agent.Config) {
	h, ok := ctx.Value(runHooksKey{}).(RunHooks)
	if !ok {
		return
	}
	cfg.OnThought, cfg.BeforeCalls = h.Thought, h.BeforeCalls
	if h.EditorText == nil {
		return
	}
	narrow, drafts := cfg.View, wb.DraftView(workshop.Cause{})
	cfg.View = func(v workshop.View) workshop.View {
		if narrow != nil {
			v = narrow(v)
		}
		return workshop.Intercept(v, workshop.Hooks{Replace: func(ctx context.Context, p workshop.Path) ([]byte, bool) {
			if e, err := drafts.Stat(ctx, p); err != nil || e.InDraft || e.IsDir {
				return nil, false
			}
			text, ok := h.EditorText(ctx, p)
			return []byte(text), ok
		}})
	}
}

// readingRules tell the model of a run with read_only.
const readingRules = "The user only asks: answer from the files. In this run you have no tools that change files; if a change is wanted, say what you would change."

// readOnly takes the tools that change files away from a run.
func readOnly(cfg *agent.Config, p RunAgentParams) error {
	c, ok := cfg.Catalogue.(*tools.Catalogue)
	if !ok || p.Workflow != "" && p.Workflow != agent.WorkflowAgent {
		return validation("read_only goes with the workflow agent only")
	}
	cfg.Catalogue = c.Reading()
	if s, ok := cfg.Servers.(*runServers); ok {
		s.reading = true
	}
	cfg.Context = addContext(cfg.Context, readingRules)
	return nil
}

func addContext(before func(context.Context) (string, error), text string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		if before == nil {
			return text, nil
		}
		s, err := before(ctx)
		if s != "" {
			s += "\n\n"
		}
		return s + text, err
	}
}
