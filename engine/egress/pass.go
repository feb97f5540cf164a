package egress

import (
	"context"
	"net/url"

	"atelier/llm"
)

// Pass is RoundTrip for content that other processes of the user send to an endpoint at
// to: send hands it to them if it may go there. out is about its size in bytes; send
// returns that of the answer. It always counts as leaving this machine.
func (t *Transport) Pass(ctx context.Context, to *url.URL, out int64, send func() (in int64, err error)) error {
	p := purposeOf(ctx)
	e := Event{At: t.opt.Now(), Kind: p.Kind, Provider: p.Provider, Model: p.Model, Workbench: p.Workbench, ScopeHash: p.ScopeHash,
		Host: to.Host, Files: p.Files, FileCount: p.FileCount, BytesOut: out}
	var refused *Refused
	switch {
	case t.opt.LocalOnly:
		refused = &Refused{Host: e.Host, Policy: true}
	case len(p.Withheld) > 0:
		refused = &Refused{Host: e.Host, Files: p.Withheld}
	case p.Origin == "" || OriginOf(to) != p.Origin:
		refused = &Refused{Host: e.Host}
	}
	if refused != nil {
		e.Error, e.Ended, e.BytesOut = "refused", true, 0
	}
	log, err := t.opt.Logs(p.Workbench)
	if err == nil {
		e.ID, err = log.begin(e)
	}
	switch {
	case refused != nil:
		return &llm.Error{Kind: llm.KindRefused, Message: refused.Error(), Err: refused}
	case err != nil:
		return &llm.Error{Kind: llm.KindRefused, Message: "nothing was sent: " + err.Error(), Err: &Unlogged{err}}
	}
	x := &exchange{t: t, log: log, event: e}
	x.out.Store(out)
	in, err := send()
	x.in.Store(in)
	x.end(err)
	return err
}
