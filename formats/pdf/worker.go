package pdf

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"

	"atelier/formats"
)

// workerVar makes a process a worker; its value is how many seconds of
// processor time it may take in its life.
const workerVar = "ATELIER_PDF_WORKER"

// init makes any program that contains this package, tests too, a worker when
// it is started as one. It never returns then: what the program does otherwise
// must not begin.
func init() {
	seconds, err := strconv.ParseUint(os.Getenv(workerVar), 10, 32)
	if err != nil {
		return
	}
	limitSelf(seconds)
	debug.SetMemoryLimit(workerMemory / 4 * 3)
	debug.SetMaxStack(64 << 20) // for recursion in Go; 1 GB otherwise
	out := os.Stdout
	os.Stdout = os.Stderr // out is for messages alone
	os.Exit(serve(newWire(os.Stdin, out)))
}

// serve does jobs until the program that started the worker ends.
func serve(w *wire) int {
	from := make(chan message)
	go func() {
		for {
			m, err := w.receive()
			if err != nil {
				// In the middle of a job too: no one waits for it.
				os.Exit(0)
			}
			from <- m
		}
	}()
	m := <-from
	if m.Start == nil {
		return 1
	}
	var r ready
	e, err := newEngine(m.Start.CacheDir)
	if err != nil {
		r.Failed = err.Error()
	}
	if w.send(message{Ready: &r}) != nil || err != nil {
		return 1
	}
	for m := range from {
		if m.Job == nil {
			return 1
		}
		src := &remote{job: *m.Job, blocks: map[int64][]byte{}, ask: func(want want) (content, error) {
			if err := w.send(message{Want: &want}); err != nil {
				return content{}, err
			}
			m := <-from
			if m.Bytes == nil {
				return content{}, errors.New("no bytes came")
			}
			return *m.Bytes, nil
		}}
		r := doJob(e, src, w.send)
		if w.send(message{Reply: &r}) != nil || r.Last {
			return 1
		}
		if !r.Open {
			debug.FreeOSMemory()
		}
	}
	return 0
}

// lastError is an error after which the engine cannot be used again.
type lastError struct{ error }

func (e *lastError) Unwrap() error { return e.error }

// doJob does one job; every failure of an engine becomes a typed error.
func doJob(e engine, src *remote, send func(message) error) (r reply) {
	defer func() {
		if p := recover(); p != nil {
			r = replyError(src, &lastError{unreadable(src)})
		}
	}()
	open, err := e.use(context.Background(), src, func(ctx context.Context, d document) (err error) {
		switch j := src.job; j.Op {
		case opMap:
			r.Info, err = mapOf(ctx, d)
		case opPages:
			err = pagesOf(ctx, d, j, func(count int) error { return send(message{Opened: count}) },
				func(p *pageRead) error { return send(message{Page: p}) })
		case opRender:
			r.Picture, err = pictureOf(ctx, d, j.Page, j.Scale)
		default:
			err = fmt.Errorf("unknown operation %q", j.Op)
		}
		return err
	})
	if err != nil {
		pages := r.Picture.Pages
		r = replyError(src, err)
		r.Picture.Pages = pages // how many there are is known of a page that is not there
	}
	r.Open = open
	return r
}

func replyError(src *remote, err error) reply {
	var last *lastError
	var typed *formats.Error
	if !errors.As(err, &typed) {
		errors.As(corrupt(src, err), &typed)
	}
	return reply{Code: typed.Code, Message: typed.Message, Last: errors.As(err, &last)}
}
