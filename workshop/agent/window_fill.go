package agent

import (
	"context"

	"atelier/llm"
	"atelier/llm/tokens"
	"atelier/workshop"
	"atelier/workshop/provenance"
)

// WindowFill says how full a model's window would be with the next request of a
// conversation. Numbers are tokens, estimated.
type WindowFill struct {
	Tokens   int      // of the whole request: instructions, tools, files, conversation
	Window   int      // the model's; assumedWindow when it is not known
	Known    bool     // Window is the model's own
	Messages int      // of the conversation as the model would see it
	Standing int      // of the standing context in it
	Cut      []string // files of standing context that are not told whole
}

// Share returns a part of the window, from 0 to 1.
func (p WindowFill) Share(tokens int) float64 {
	return min(max(float64(tokens)/float64(p.Window), 0), 1)
}

// Measure estimates the next request of a plain run with cfg, of which it needs
// no Client. It changes nothing.
func Measure(ctx context.Context, cfg Config) (WindowFill, error) {
	r := &run{cfg: cfg.withDefaults(), wb: cfg.Workbench, phase: plain, trail: provenance.NewTrail()}
	r.cfg.Events = discard{}
	p := WindowFill{Window: r.cfg.Window, Known: r.cfg.Window > 0}
	if err := r.chooseTools(ctx, r.wb.DraftView(workshop.Cause{})); err != nil {
		return p, err
	}
	if err := r.meetServers(ctx); err != nil {
		return p, err
	}
	r.tools = append(r.cfg.Catalogue.Tools(), r.servers.Offered(nil)...)
	if !p.Known {
		p.Window = assumedWindow
	}
	var err error
	if p.Cut, err = r.tellStanding(ctx); err != nil {
		return p, err
	}
	view, err := r.marked(ctx, r.wb.DraftView(workshop.Cause{}))
	if err != nil {
		return p, readError("what is kept from the model cannot be read", err)
	}
	if r.files, err = manifestIn(ctx, view, r.cfg.Names, r.cfg.Window); err != nil {
		return p, readError("the files of the workbench cannot be listed", err)
	}
	records, err := r.wb.Conversation().Records()
	if err != nil {
		return p, readError("the conversation cannot be read", err)
	}
	r.msgs = r.loadImages(ctx, messages(records))
	if err := r.tellSession(ctx); err != nil {
		return p, err
	}
	p.Tokens, p.Messages, p.Standing = r.estimate(), tokens.OfMessages(r.msgs), 0
	if r.told != "" {
		p.Standing = tokens.OfMessage(llm.Message{Content: r.told}) - tokens.PerMessage
	}
	return p, nil
}
