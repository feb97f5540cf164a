package httpapi

import (
	"context"

	"atelier/engine"
	"atelier/workshop"
)

// GuestTranslations starts the translations of agents at /mcp as those of other callers: they
// are runs, which have their turns, are the user's to pay for, and are continued by another
// server of the cluster.
type GuestTranslations struct{ s *Server }

// Start implements mcpserver.Translations.
func (g GuestTranslations) Start(ctx context.Context, user string, p engine.TranslateStartParams) (engine.TranslateStarted, error) {
	job, err := engine.TranslateJobID(p)
	if err != nil {
		return engine.TranslateStarted{}, err
	}
	if st, err := g.s.runs.call(ctx, "TranslateStatus", engine.TranslateStatusParams{WorkbenchID: p.WorkbenchID, JobID: job, Limit: 1}); err == nil {
		if st, ok := st.(engine.TranslateStatusResult); ok && st.Status == "running" { // the agent waits for it
			return engine.TranslateStarted{JobID: job}, nil
		}
	}
	ctx = g.s.paying(ctx, user)
	if g.s.placing == nil {
		started, err := g.s.runs.translate(ctx, p, user)
		return started, asErrorInfo(err)
	}
	ws, err := g.s.placing.at.Find(ctx, p.WorkbenchID) // the request came here because it is here
	if err != nil {
		return engine.TranslateStarted{}, err
	}
	var started engine.TranslateStarted
	kept := ws.Do(ctx, func(ctx context.Context, _ *workshop.Workbench) error {
		started, err = g.s.runs.translate(context.WithValue(ctx, ownedKey{}, ws), p, user)
		return nil
	})
	if kept != nil {
		return started, kept
	}
	return started, asErrorInfo(err)
}

// Stops implements mcpserver.Translations.
func (g GuestTranslations) Stops(workspace, job string) { g.s.runs.dropJob(workspace, job) }
