package translate

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"atelier/workshop/translate/translator"
)

// ask asks for open texts in batches, Options.Batches at once, and returns what to wait
// for: texts that others ask for. Texts that are claimed wait until they fill a batch, since
// the same number of texts in more batches would be more requests.
func (w *work) ask(ctx context.Context, open []int32) (waits []wait, err error) {
	var g errgroup.Group
	g.SetLimit(max(1, w.opt.Batches))
	var failed atomic.Bool // then no more are begun; those on their way are paid for, and kept
	var next *admission    // for the batch that is filled
	defer func() { next.close() }()
	send := func(batch []text) error {
		admitted := next
		next = nil
		each := func() (err error) {
			defer admitted.close()
			defer func() { err = errors.Join(err, w.release(ctx, batch)) }()
			return w.batch(admitted.in(ctx), batch)
		}
		if w.opt.Batches < 2 {
			return each()
		}
		g.Go(func() error {
			err := guardedBatch(each)
			if err != nil {
				failed.Store(true)
			}
			return err
		})
		return nil
	}
	size := w.opt.Engine.Size()
	var held []text // claimed, and in no batch yet
	defer func() {
		if len(held) > 0 {
			err = errors.Join(err, w.release(ctx, held))
		}
	}()
	err = w.batches(open, size, func(batch []text) error {
		if failed.Load() {
			return errors.New("another batch of the document failed")
		}
		if err := w.admit(ctx, &next); err != nil {
			return err
		}
		mine, others, err := w.claim(ctx, batch)
		waits = append(waits, others...)
		held = append(held, mine...)
		for n := filled(held, size); n > 0 && err == nil; n = filled(held, size) {
			full := held[:n:n]
			held = held[n:]
			if err = send(full); err == nil && filled(held, size) > 0 {
				err = w.admit(ctx, &next)
			}
		}
		return err
	})
	if len(held) > 0 && err == nil {
		err = w.admit(ctx, &next)
	}
	if rest := held; err == nil && len(rest) > 0 {
		held = nil
		err = send(rest)
	}
	if first := g.Wait(); first != nil {
		err = first
	}
	return waits, err
}

// release ends the claims on texts, also when the job is being stopped.
func (w *work) release(ctx context.Context, batch []text) error {
	return w.store.release(context.WithoutCancel(ctx), w.made(), keys(batch))
}

// filled is how many of the first texts fill a batch; 0: they leave room for more.
func filled(texts []text, size translator.Size) int {
	chars := 0
	for i, t := range texts {
		n := utf8.RuneCountInString(t.Text)
		if i > 0 && (i >= size.Segments || chars+n > size.Chars) {
			return i
		}
		chars += n
	}
	if len(texts) > 0 && (len(texts) >= size.Segments || chars >= size.Chars) {
		return len(texts)
	}
	return 0
}

// guardedBatch turns a panic in a goroutine into an error, as runner.guarded does.
func guardedBatch(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return do()
}

// admission is what Options.Admit returned; nil: there is none.
type admission struct {
	ctx  context.Context
	done func()
}

// admit waits until the next batch may be begun, unless it may already.
func (w *work) admit(ctx context.Context, next **admission) error {
	if w.opt.Admit == nil || *next != nil {
		return nil
	}
	within, done, err := w.opt.Admit(ctx, w.number)
	if err == nil {
		*next = &admission{within, done}
	}
	return err
}

// in is the context of a batch.
func (a *admission) in(ctx context.Context) context.Context {
	if a == nil {
		return ctx
	}
	return a.ctx
}

func (a *admission) close() {
	if a != nil {
		a.done()
	}
}

// claim takes the texts of a batch that no other worker is asking for, and takes over what
// other workers of this process got; see textStore.claim. With an error it has taken none.
func (w *work) claim(ctx context.Context, batch []text) (mine []text, others []wait, err error) {
	m := w.made()
	got, others := w.store.claimHere(m, keys(batch))
	mine = only(batch, got)
	if len(mine) == 0 {
		return nil, others, nil
	}
	w.state.Lock()
	rest, err := w.found(ctx, mine, w.store.unitsHere)
	w.state.Unlock()
	if err != nil {
		w.store.releaseHere(m, got)
		return nil, others, err
	}
	if len(rest) < len(mine) {
		w.store.releaseHere(m, keys(without(mine, rest)))
	}
	got, waits, err := w.store.claimShared(ctx, m, keys(rest))
	return only(rest, got), append(others, waits...), err
}

// only returns those of texts that have one of the keys.
func only(texts []text, those []key) []text {
	if len(those) == len(texts) {
		return texts
	}
	have := make(map[key]bool, len(those))
	for _, k := range those {
		have[k] = true
	}
	var some []text
	for _, t := range texts {
		if have[t.key] {
			some = append(some, t)
		}
	}
	return some
}

// without returns the texts that are not in rest, some of them in the same order.
func without(texts, rest []text) (gone []text) {
	for _, t := range texts {
		if len(rest) > 0 && rest[0].key == t.key {
			rest = rest[1:]
			continue
		}
		gone = append(gone, t)
	}
	return gone
}
