package pdf

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"atelier/formats"
	"atelier/internal/budget"
)

const (
	// workerMemory bounds what a worker takes of the machine's memory; a program
	// of usual size beside it is below 512 MB with it.
	workerMemory = 416 << 20
	// tidyMemory is the memory up to which a worker is reused.
	tidyMemory = 160 << 20

	// usualMemory is what a job waits for. One that takes more gets it if it is free;
	// else it is done again with all that a worker may take, once that is.
	usualMemory = tidyMemory
	growBy      = 64 << 20

	defaultTimeout = 30 * time.Second
	startLimit     = 2 * time.Minute // for a worker to get ready
	idleFor        = 30 * time.Second
	workerAge      = 10 * time.Minute // after which a worker is not used again
)

// pool keeps workers. Each handles one document at a time; a killed worker is
// replaced by the next call.
type pool struct {
	opt      Options
	slots    chan struct{} // a token for each document that is being worked on
	starting chan struct{} // one worker starts at a time: the next finds compiled code

	mu   sync.Mutex // guards idle
	idle []*process
}

func newPool(o Options) *pool {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	return &pool{
		opt: o,
		// More than cores: documents that use up their time must not keep others
		// from being read.
		slots:    make(chan struct{}, max(4, runtime.GOMAXPROCS(0))),
		starting: make(chan struct{}, 1),
	}
}

// do runs a job on a worker, and stops when ctx is done.
func (p *pool) do(ctx context.Context, src formats.Source, j job, each func(message) error) (reply, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return reply{}, ctx.Err()
	}
	again := false
	need, each := int64(usualMemory), onceEach(each)
	for {
		mem, err := p.reserve(ctx, need)
		if err != nil {
			return reply{}, err
		}
		w, fresh, err := p.worker(ctx, j.Key)
		if err != nil {
			mem.Release()
			return reply{}, err
		}
		r, err := p.runJob(ctx, w, src, j, each, mem)
		mem.Release()
		switch {
		case err == errMore && need < workerMemory:
			need = workerMemory
			continue
		case (err == errGone || err == errGoneKilled) && !fresh:
			continue // it ended while it had nothing to do
		case (err == errKilled || err == errGoneKilled) && !again:
			again = true
			continue
		case err == errKilled || err == errGoneKilled:
			err = killed(src, "twice")
		case err == errGone:
			err = unreadable(src)
		}
		return r, err
	}
}

// reserve waits for the memory of a worker.
func (p *pool) reserve(ctx context.Context, n int64) (*budget.Reservation, error) {
	_, mem, err := budget.Process.Reserve(ctx, n)
	if err == nil {
		mem.Outside()
	}
	return mem, err
}

// onceEach leaves out pages that a job has sent before it was done again.
func onceEach(each func(message) error) func(message) error {
	if each == nil {
		return nil
	}
	sent := map[int]bool{}
	return func(m message) error {
		if m.Page != nil {
			if sent[m.Page.Page] {
				return nil
			}
			sent[m.Page.Page] = true
		}
		return each(m)
	}
}

var (
	// errMore means that a job takes more memory than it waited for, and more is not
	// free.
	errMore = errors.New("the job needs more memory")
	// errGone means that a worker ended before it did anything.
	errGone = errors.New("the worker is gone")
	// errGoneKilled means that another process, or the system, killed it before that.
	errGoneKilled = errors.New("the worker is gone, killed")
	// errKilled means that another process killed a worker during its job.
	errKilled = errors.New("the worker was killed")
)

// runJob runs a job on one worker, within the limits.
func (p *pool) runJob(ctx context.Context, w *process, src formats.Source, j job, each func(message) error, mem *budget.Reservation) (reply, error) {
	until := j.until
	if until.IsZero() {
		until = time.Now().Add(p.opt.Timeout)
	}
	work, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	stop := context.AfterFunc(work, w.kill)
	var over, more atomic.Bool
	unwatch := w.watch(mem, &over, &more)
	r, heard, err := w.exchange(src, j, each)
	unwatch()
	untouched := stop() && !over.Load() && !more.Load()
	if err == nil {
		if untouched && !r.Last {
			w.open = ""
			if r.Open {
				w.open = j.Key
			}
			mem.Release() // what an idle worker has is counted as kept
			p.release(w)
		} else {
			w.end()
		}
		if r.Message != "" {
			return r, &formats.Error{Code: r.Code, Message: r.Message}
		}
		return r, nil
	}
	w.end()
	var own emitError
	switch {
	case errors.As(err, &own):
		return reply{}, own.error
	case ctx.Err() != nil:
		return reply{}, ctx.Err()
	case more.Load():
		return reply{}, errMore
	case over.Load() || work.Err() == nil && w.refused():
		return reply{}, tooMuchMemory(src)
	case work.Err() != nil:
		return reply{}, tooLong(src, p.opt.Timeout)
	case !heard && w.killed():
		return reply{}, errGoneKilled
	case !heard:
		return reply{}, errGone
	case w.killed() && w.most.Load() > workerMemory/2:
		// A second try could take the memory of others.
		return reply{}, killed(src, fmt.Sprintf("when it had %d MB", w.most.Load()>>20))
	case w.killed():
		return reply{}, errKilled
	}
	return reply{}, unreadable(src)
}

// watch kills the worker when it takes too much memory: more than a PDF may take, or
// more than is reserved when no more is free.
func (w *process) watch(mem *budget.Reservation, over, more *atomic.Bool) (stop func()) {
	done, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				has := resident(w.cmd.Process.Pid)
				w.most.Store(max(has, w.most.Load()))
				if has > workerMemory {
					over.Store(true)
					w.kill()
					return
				}
				reserved := mem.Bytes()
				if has > reserved && reserved < workerMemory && !mem.Grow(min(has+growBy, workerMemory)-reserved) {
					more.Store(true)
					w.kill()
					return
				}
			}
		}
	}()
	return func() { close(done); <-left }
}

// worker returns one that is ready; fresh says that it has done nothing yet.
func (p *pool) worker(ctx context.Context, key string) (w *process, fresh bool, err error) {
	if w := p.takeIdle(key); w != nil {
		return w, false, nil
	}
	select {
	case p.starting <- struct{}{}:
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	if w := p.takeIdle(key); w != nil {
		<-p.starting
		return w, false, nil
	}
	type started struct {
		w   *process
		err error
	}
	ch := make(chan started)
	go func() {
		w, err := startProcess(p.opt)
		<-p.starting
		select {
		case ch <- started{w, err}:
		case <-ctx.Done():
			// It is for the next call: else a short timeout would never see the
			// first worker ready.
			if w != nil {
				p.release(w)
			}
		}
	}()
	select {
	case s := <-ch:
		if s.err != nil {
			return nil, true, formats.Errorf(formats.CodeUnavailable, "the program that reads PDF did not start (%w): memory may be short on this machine, the log of the system says so; try again later", s.err)
		}
		return s.w, true, nil
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

// takeIdle returns a worker that has nothing to do, nil when there is none:
// one that has the document with the key open before others.
func (p *pool) takeIdle(key string) *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	i := len(p.idle) - 1
	if key != "" {
		if at := slices.IndexFunc(p.idle, func(w *process) bool { return w.open == key }); at >= 0 {
			i = at
		}
	}
	w := p.idle[i]
	p.idle = slices.Delete(p.idle, i, i+1)
	w.idle.Stop()
	w.kept.Forget()
	return w
}

// release keeps a worker for the next document, for a while.
func (p *pool) release(w *process) {
	if time.Since(w.started) > workerAge || resident(w.cmd.Process.Pid) > tidyMemory {
		w.end()
		return
	}
	p.mu.Lock()
	if w.kept = budget.Process.KeepOutside(resident(w.cmd.Process.Pid), func() { p.endIdle(w) }); w.kept == nil {
		p.mu.Unlock()
		w.end() // others need the memory
		return
	}
	defer p.mu.Unlock()
	w.idle = time.AfterFunc(idleFor, func() { p.endIdle(w) })
	p.idle = append(p.idle, w)
}

// endIdle ends a worker if it has nothing to do.
func (p *pool) endIdle(w *process) {
	p.mu.Lock()
	i := slices.Index(p.idle, w)
	if i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
		w.kept.Forget()
	}
	p.mu.Unlock()
	if i >= 0 {
		w.end()
	}
}
