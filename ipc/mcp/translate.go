package mcpserver

import (
	"context"
	"fmt"
	"time"

	"atelier/engine"
)

type translateArgs struct {
	To           string   `json:"to" jsonschema:"language, such as en, de-CH or French"`
	Paths        []string `json:"paths,omitempty" jsonschema:"files and folders; empty: every document"`
	From         string   `json:"from,omitempty" jsonschema:"language of the documents; default: as they say"`
	InPlace      bool     `json:"in_place,omitempty" jsonschema:"the translation takes the place of the original; else it goes into the folder translated"`
	Glossary     string   `json:"glossary,omitempty" jsonschema:"a CSV or TBX file of the folder with terms"`
	Instructions string   `json:"instructions,omitempty" jsonschema:"tone and wishes of the user"`
	WaitSeconds  int      `json:"wait_seconds,omitempty" jsonschema:"how long to wait for the end, 1 to 600, default 45"`
	Stop         bool     `json:"stop,omitempty" jsonschema:"stop this job; what is done is kept, and the same call without stop continues"`
}

type translateResult struct {
	engine.TranslateStatusResult
	Next string `json:"next,omitempty"` // what to do now
}

// translate starts a translation or finds the one with the same arguments, and waits for
// its end. The job outlives the call.
func (s *Server) translate(ctx context.Context, c ownCall, a translateArgs) (r translateResult, err error) {
	if a.WaitSeconds == 0 {
		a.WaitSeconds = 45
	}
	if a.WaitSeconds < 1 || a.WaitSeconds > 600 {
		return r, fmt.Errorf("wait_seconds must be from 1 to 600")
	}
	events := make(chan engine.TranslateProgress, 1)
	defer s.opt.Engine.Subscribe(func(n engine.Notification) { // never waits: the newest counts
		if p, ok := n.Params.(engine.TranslateProgress); ok && p.WorkbenchID == c.id {
			select {
			case <-events:
			default:
			}
			select {
			case events <- p:
			default:
			}
		}
	})()
	p := engine.TranslateStartParams{WorkbenchID: c.id, Paths: a.Paths, To: []string{a.To}, From: a.From, InPlace: a.InPlace, Glossary: a.Glossary, Instructions: a.Instructions}
	ref := engine.TranslateRef{WorkbenchID: c.id}
	if a.Stop {
		if ref.JobID, err = engine.TranslateJobID(p); err == nil {
			if t := s.opt.Translations; t != nil {
				t.Stops(c.id, ref.JobID)
			}
			_, err = engine.CallAs[engine.CancelRunResult](ctx, s.opt.Engine, "TranslateCancel", ref)
		}
	} else {
		err = s.withConsent(ctx, c, func() error {
			started, err := s.startTranslation(ctx, c, p)
			ref.JobID = started.JobID
			return err
		})
	}
	if err != nil {
		return r, err
	}
	s.awaitTranslation(ctx, c, ref, events, time.Duration(a.WaitSeconds)*time.Second)
	r.TranslateStatusResult, err = engine.CallAs[engine.TranslateStatusResult](context.WithoutCancel(ctx), s.opt.Engine, "TranslateStatus", engine.TranslateStatusParams{WorkbenchID: c.id, JobID: ref.JobID, Limit: reviewFiles})
	switch {
	case err != nil:
	case r.Status == "running":
		r.Next = "The translation continues. Make the same call again to wait for its end."
	case r.Status == "complete":
		r.Next = "The translations are in the draft: call review."
	default:
		r.Next = "The same call continues where the job ended."
	}
	return r, err
}

func (s *Server) startTranslation(ctx context.Context, c ownCall, p engine.TranslateStartParams) (engine.TranslateStarted, error) {
	if s.opt.Translations == nil {
		return engine.CallAs[engine.TranslateStarted](ctx, s.opt.Engine, "TranslateStart", p)
	}
	user := ""
	if extra := c.GetExtra(); extra != nil && extra.TokenInfo != nil {
		user = extra.TokenInfo.UserID
	}
	return s.opt.Translations.Start(ctx, user, p)
}

// awaitTranslation tells the client how far a job is until it has ended, the time is over
// or the client goes.
func (s *Server) awaitTranslation(ctx context.Context, c ownCall, ref engine.TranslateRef, events <-chan engine.TranslateProgress, most time.Duration) {
	over := time.After(most)
	tick := time.NewTicker(s.opt.Every / 4)
	defer tick.Stop()
	token := c.Params.GetProgressToken()
	for step := 1.0; ; {
		select {
		case <-ctx.Done():
			return
		case <-over:
			return
		case p := <-events:
			if token != nil && p.JobID == ref.JobID {
				s.tell(ctx, c.CallToolRequest, token, step, 0, fmt.Sprintf("%s (%s): %d of %d texts; %d of %d files", p.Path, p.Language, p.Done, p.Segments, p.FilesDone, p.Files))
				step++
			}
		case <-tick.C:
			st, err := engine.CallAs[engine.TranslateStatusResult](ctx, s.opt.Engine, "TranslateStatus", engine.TranslateStatusParams{WorkbenchID: ref.WorkbenchID, JobID: ref.JobID, Limit: 1})
			if err != nil || st.Status != "running" {
				return
			}
		}
	}
}
