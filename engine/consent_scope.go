package engine

import (
	"context"
	"sync"

	"atelier/engine/egress"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/openfiles"
)

// The author of what models do.
const agentAuthor = "agent"

// scopeOf returns what of a workbench could be sent to a model: its files, the
// standing context, and what the user has open beside them.
func (e *Engine) scopeOf(ctx context.Context, wb *openWorkbench) (egress.Scope, error) {
	view := wb.DraftView(workshop.Cause{})
	entries, err := view.List(ctx, "", workshop.ListOptions{Recursive: true, NoHash: true})
	if err != nil {
		return egress.Scope{}, err
	}
	var files []string
	for _, en := range entries {
		if !en.IsDir {
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
			files = append(files, openfiles.Elsewhere+f.DocPath)
		case err != nil:
			return egress.Scope{}, err
		}
	}
	secret, err := secretNames(ctx, wb, files, nil)
	return egress.NewScope(append(files, secret...)), err
}

// knownTo returns what a run may see, nil where it needs no consent: files that come
// while it is at work are kept from it. The consent then covers what it writes.
func knownTo(c *consent) *egress.Known {
	if c.local || c.mode != EgressAsk {
		return nil
	}
	files := make([]workshop.Path, len(c.scope.Files))
	for i, f := range c.scope.Files {
		files[i] = workshop.Path(f)
	}
	c.known = egress.NewKnown(files)
	return c.known
}

// limit keeps from a run what is not known to it: files, standing context, and
// what the user opens.
func (e *Engine) limit(ctx context.Context, cfg *agent.Config, wb *openWorkbench, known *egress.Known) {
	cfg.View = known.Over
	cfg.Standing = func(f workshop.StandingFile) bool {
		return known.Has(workshop.Path(workshop.StandingDir + "/" + f.Name))
	}
	view, seen := wb.DraftView(workshop.Cause{}), sync.Map{} // docPaths that were found to be known
	cfg.Session.Active = cfg.Session.Active.Only(func(f openfiles.File) bool {
		if _, ok := seen.Load(f.DocPath); ok || !f.IsActive {
			return true
		}
		p, err := wb.FindDoc(ctx, view, workshop.DocPath(f.DocPath))
		if workshop.IsFault(err, workshop.NotFound) {
			p, err = workshop.Path(openfiles.Elsewhere+f.DocPath), nil
		}
		ok := err == nil && known.Has(p)
		if ok {
			seen.Store(f.DocPath, true)
		}
		return ok
	})
}

// consentOf is consentFor with what a run could send: the files of a workbench,
// and those that its conversation has content of.
func (e *Engine) consentOf(ctx context.Context, wb *openWorkbench, model string) (*consent, error) {
	return e.guardedConsent(ctx, wb, model, func() (egress.Scope, error) { return e.runScope(ctx, wb) })
}

// runScope returns what a run could send.
func (e *Engine) runScope(ctx context.Context, wb *openWorkbench) (egress.Scope, error) {
	s, err := e.scopeOf(ctx, wb)
	if err != nil {
		return s, err
	}
	said, err := agent.Sources(ctx, wb.Workbench)
	if err != nil {
		return s, err
	}
	secret, err := secretNames(ctx, wb, nil, said)
	return s.And(secret).With(said), err
}

// guardedConsent is consentFor with what a consent to the files of a workbench
// does not extend to.
func (e *Engine) guardedConsent(ctx context.Context, wb *openWorkbench, model string, scope func() (egress.Scope, error)) (*consent, error) {
	c, err := e.consentFor(ctx, wb.ID(), model, scope)
	if err == nil && !c.local {
		c.guard, err = guardOf(ctx, wb, true)
	}
	return c, err
}

// filesOf is consentFor with the files of a workbench only, for work that sends
// no conversation.
func (e *Engine) filesOf(ctx context.Context, wb *openWorkbench, model string) (*consent, error) {
	return e.guardedConsent(ctx, wb, model, func() (egress.Scope, error) { return e.scopeOf(ctx, wb) })
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
	e.gate.granting.Lock()
	defer e.gate.granting.Unlock()
	var c *consent
	if err == nil {
		c, err = e.consentFor(ctx, wb.ID(), a.consent.model, noFiles)
	}
	if err == nil && c.asked { // and not taken back meanwhile
		files := make([]string, len(made))
		for i, p := range made {
			files[i] = string(p)
		}
		err = e.grant(ctx, c, files, a.consent.persisted && c.persisted)
	}
	if err != nil {
		e.log.Warn("what a run made is not in its consent", "workbench", wb.ID(), "err", err)
	}
}

// noFiles is for the question whether there is a consent at all.
func noFiles() (egress.Scope, error) { return egress.NewScope(nil), nil }
