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
	send := func(batch []text) error {
		each := func() (err error) {
			defer func() { err = errors.Join(err, w.release(ctx, batch)) }()
			return w.batch(ctx, batch)
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
		mine, others, err := w.claim(ctx, batch)
		waits = append(waits, others...)
		if err == nil {
			mine, err = w.stillOpen(ctx, mine)
		}
		held = append(held, mine...)
		for n := filled(held, size); n > 0 && err == nil; n = filled(held, size) {
			full := held[:n:n]
			held = held[n:]
			err = send(full)
		}
		return err
	})
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

// claim takes the texts of a batch that no other worker is asking for; see textStore.claim.
func (w *work) claim(ctx context.Context, batch []text) (mine []text, others []wait, err error) {
	got, others, err := w.store.claim(ctx, w.made(), keys(batch))
	if err != nil || len(got) == len(batch) {
		return batch[:len(got)], others, err
	}
	have := make(map[key]bool, len(got))
	for _, k := range got {
		have[k] = true
	}
	for _, t := range batch {
		if have[t.key] {
			mine = append(mine, t)
		}
	}
	return mine, others, nil
}

// stillOpen takes over what other workers got just before texts were claimed, and returns
// the rest.
func (w *work) stillOpen(ctx context.Context, mine []text) ([]text, error) {
	if len(mine) == 0 {
		return nil, nil
	}
	w.state.Lock()
	rest, err := w.found(ctx, mine, w.store.unitsHere)
	w.state.Unlock()
	if err != nil {
		return mine, err
	}
	open := make(map[key]bool, len(rest))
	for _, t := range rest {
		open[t.key] = true
	}
	var gone []text
	for _, t := range mine {
		if !open[t.key] {
			gone = append(gone, t)
		}
	}
	if len(gone) > 0 {
		err = w.release(ctx, gone)
	}
	return rest, err
}
