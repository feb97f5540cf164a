//go:build purepdf

package pdf

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	lpdf "github.com/ledongthuc/pdf"

	"atelier/formats"
)

// stepLimit is how long opening a document, or one page of it, may take.
const stepLimit = 20 * time.Second

// pureEngine reads with ledongthuc/pdf, which panics and loops on some files:
// every call into it goes through step.
type pureEngine struct{}

func newEngine(Options) engine { return pureEngine{} }

func (pureEngine) use(ctx context.Context, src formats.Source, fn func(context.Context, document) error) error {
	d, err := step(ctx, func() (*pureDoc, error) {
		r, err := lpdf.NewReader(src, src.Size())
		if err != nil {
			return nil, err
		}
		d := &pureDoc{r: r, count: r.NumPage(), locked: !r.Trailer().Key("Encrypt").IsNull()}
		if d.count <= 0 {
			return nil, errors.New("it has no pages")
		}
		d.name = r.Trailer().Key("Info").Key("Title").Text()
		w := pureWalk{}
		w.children(r.Trailer().Key("Root").Key("Outlines"), 1)
		d.titles = w.titles
		return d, nil
	})
	switch {
	case err == nil:
		return fn(ctx, d)
	case errors.Is(err, lpdf.ErrInvalidPassword), strings.Contains(err.Error(), "ncrypt"):
		return needsPassword(src)
	}
	return err
}

// pureDoc has read all that Map wants when it was opened, but for the text.
type pureDoc struct {
	r      *lpdf.Reader
	count  int
	locked bool
	name   string
	titles []Title
}

func (d *pureDoc) pages() int       { return d.count }
func (d *pureDoc) encrypted() bool  { return d.locked }
func (d *pureDoc) title() string    { return d.name }
func (d *pureDoc) outline() []Title { return d.titles }

func (d *pureDoc) text(ctx context.Context, page int) (string, error) {
	s, err := step(ctx, func() (string, error) {
		p := d.r.Page(page + 1)
		if p.V.IsNull() {
			return "", nil
		}
		s, err := p.GetPlainText(nil)
		return strings.Trim(s, "\n"), err
	})
	if err != nil && ctx.Err() == nil {
		err = formats.Errorf(formats.CodeCorrupt, "page %d cannot be read: %w", page+1, err)
	}
	return s, err
}

type pureWalk struct{ titles []Title }

func (w *pureWalk) children(of lpdf.Value, level int) {
	for b, n := of.Key("First"), 0; b.Kind() == lpdf.Dict && len(w.titles) <= maxOutline && n <= maxOutline; b, n = b.Key("Next"), n+1 {
		w.titles = append(w.titles, Title{b.Key("Title").Text(), level})
		if level < maxOutlineLvl {
			w.children(b, level+1)
		}
	}
}

// step runs fn with a limit and turns a panic into an error. A fn that
// overruns is left behind with its goroutine.
func step[T any](ctx context.Context, fn func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("%v", p)
			}
			done <- r
		}()
		r.v, r.err = fn()
	}()
	limit := time.NewTimer(stepLimit)
	defer limit.Stop()
	var zero T
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		return zero, ctx.Err()
	case <-limit.C:
		return zero, fmt.Errorf("it took longer than %s to read", stepLimit)
	}
}
