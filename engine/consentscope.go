package engine

import (
	"context"
	"slices"

	"atelier/engine/egress"
	"atelier/llm"
	"atelier/workshop"
)

// The author of what models do.
const agentAuthor = "agent"

// scopeOf is what of a workbench could be sent to a model: its files, the
// standing context, and what the user has open beside them. What a model itself
// added to the draft is no news to it.
func (e *Engine) scopeOf(ctx context.Context, wb *openWorkbench) (egress.Scope, error) {
	view := wb.DraftView(workshop.Cause{})
	entries, err := view.List(ctx, "", workshop.ListOptions{Recursive: true, NoHash: true})
	if err != nil {
		return egress.Scope{}, err
	}
	made, err := wb.Drafted(ctx, agentAuthor)
	if err != nil {
		return egress.Scope{}, err
	}
	var files []string
	for _, en := range entries {
		if _, own := slices.BinarySearch(made, en.Path); !en.IsDir && !own {
			files = append(files, string(en.Path))
		}
	}
	standing, err := wb.Standing(ctx)
	if err != nil {
		return egress.Scope{}, err
	}
	for _, f := range standing {
		files = append(files, workshop.StandingDir+"/"+f.Name)
	}
	for _, f := range e.activeOf(wb.ID()).All() {
		if !f.IsActive {
			continue // the workbench's copy counts
		}
		_, err := wb.FindDoc(ctx, view, workshop.DocPath(f.DocPath))
		switch {
		case workshop.IsFault(err, workshop.NotFound):
			files = append(files, "open in the editor: "+f.DocPath)
		case err != nil:
			return egress.Scope{}, err
		}
	}
	return egress.NewScope(files), nil
}

// viewOf keeps files that come during a run from a model that needs consent for
// them; nil where it needs none.
func (e *Engine) viewOf(ctx context.Context, wb *openWorkbench, c *consent) (func(workshop.View) workshop.View, error) {
	if c.local || c.mode != EgressAsk {
		return nil, nil
	}
	made, err := wb.Drafted(ctx, agentAuthor)
	if err != nil {
		return nil, err
	}
	for _, f := range c.scope.Files {
		made = append(made, workshop.Path(f))
	}
	return egress.NewKnown(made).Over, nil
}

// consentOf is consentFor with the files of a workbench.
func (e *Engine) consentOf(ctx context.Context, wb *openWorkbench, model string) (*consent, error) {
	return e.consentFor(ctx, wb.ID(), model, func() (egress.Scope, error) { return e.scopeOf(ctx, wb) })
}

// keepMade adds what a model made to what it may be sent, so that publishing it
// does not make it a file that nobody consented to. Where this fails, the next
// run asks.
func (e *Engine) keepMade(ctx context.Context, wb *openWorkbench, client llm.Client) {
	a, ok := client.(*announced)
	if !ok || a.consent.local || a.consent.mode != EgressAsk {
		return
	}
	ctx = context.WithoutCancel(ctx)
	made, err := wb.Drafted(ctx, agentAuthor)
	if err == nil && len(made) == 0 {
		return
	}
	c := a.consent
	if err == nil {
		c, err = e.consentOf(ctx, wb, c.model)
	}
	if err == nil && c.asked { // and not taken back meanwhile
		files := make([]string, len(made))
		for i, p := range made {
			files[i] = string(p)
		}
		err = e.grant(ctx, c, files, c.persisted)
	}
	if err != nil {
		e.log.Warn("what a run made is not in its consent", "workbench", wb.ID(), "err", err)
	}
}
