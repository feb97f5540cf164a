package engine

import (
	"context"

	"atelier/formats/password"
	"atelier/llm/models"
)

// As returns an engine that does the calls of another caller, with the settings that
// the caller has: models, endpoints, keys, limits, what may leave the machine. It has
// the workbenches of e: they are open once, their notifications go to all subscribers,
// and what one caller allows or revokes holds for all. The passwords of e open files for
// both, those of opt for the caller. Home, Keys, Now, ReadOnly,
// Ceiling and IdleAfter of opt are those of e. It must not be closed, and not be used
// after e was closed.
func (e *Engine) As(opt Options) (*Engine, error) {
	opt.Home, opt.Keys, opt.Now = e.opt.Home, e.opt.Keys, e.opt.Now
	opt.ReadOnly, opt.Ceiling, opt.IdleAfter = e.opt.ReadOnly, e.opt.Ceiling, e.opt.IdleAfter
	opt.Address, opt.Dial, opt.MayOpen = "", nil, e.opt.MayOpen
	if opt.Log == nil {
		opt.Log = e.opt.Log
	}
	if err := opt.check(); err != nil {
		return nil, err
	}
	c := &Engine{shared: e.shared, base: e, passwords: map[string]*password.Keeper{}, opt: opt, formats: e.formats, log: opt.Log, models: models.Builtin().With(opt.Models...)}
	if opt.Limits.ToolTimeout != e.opt.Limits.ToolTimeout || opt.Language != e.opt.Language {
		c.formats = opt.formats(e.home)
	}
	c.openEgress(e)
	return c, nil
}

// Open opens a workbench for writing, if this engine does not have it open yet.
func (e *Engine) Open(ctx context.Context, workbench string) error {
	ctx, end := e.begin(ctx)
	defer end()
	_, err := e.workbench(ctx, workbench)
	return err
}
