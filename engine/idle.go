package engine

import (
	"context"
	"sync"
	"time"
)

// uses are the workbenches that one call works with: none of them is closed
// before the call has ended.
type uses struct {
	mu   sync.Mutex // protects list
	list []*openWorkbench
}

type usesKey struct{}

// begin starts a call; end must be called when it has ended.
func (e *Engine) begin(ctx context.Context) (_ context.Context, end func()) {
	u := &uses{}
	e.prepare.touch()
	return context.WithValue(ctx, usesKey{}, u), func() { e.release(u); e.prepare.touch() }
}

// use counts the call of ctx among those who work with wb. A workbench that is
// used outside of any call stays open. e.mu is held.
func (e *Engine) use(ctx context.Context, wb *openWorkbench) *openWorkbench {
	wb.users++
	if u, ok := ctx.Value(usesKey{}).(*uses); ok {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.list = append(u.list, wb)
	}
	return wb
}

func (e *Engine) release(u *uses) {
	u.mu.Lock()
	defer u.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, wb := range u.list {
		wb.users--
		wb.lastUse = e.opt.Now()
	}
	if len(u.list) > 0 && e.opt.IdleAfter > 0 && e.sweep == nil {
		e.sweep = time.AfterFunc(e.opt.IdleAfter, e.closeIdle)
	}
}

// Forget lets go of a workbench that its owner is about to close, after the last call on
// it has ended, and of the consents that do not last.
func (e *Engine) Forget(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if wb := e.open[id]; wb != nil {
		wb.cancelRun()
		wb.stopEvents()
		delete(e.open, id)
	}
	e.consents.Forget(id)
}

// closeIdle closes the workbenches that no call has used for Options.IdleAfter,
// so that a server of many does not hold them all, and other programs may have
// them. The next call opens them again.
func (e *Engine) closeIdle() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sweep = nil
	left := false
	for id, wb := range e.open {
		if wb.users > 0 || e.opt.Now().Sub(wb.lastUse) < e.opt.IdleAfter {
			left = true
			continue
		}
		wb.stopEvents()
		delete(e.open, id)
		if err := e.home.CloseWorkbench(id); err != nil {
			e.log.Warn("an idle workbench did not close well", "workbench", id, "err", err)
		}
	}
	if left {
		e.sweep = time.AfterFunc(e.opt.IdleAfter, e.closeIdle)
	}
}
