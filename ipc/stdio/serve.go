package stdio

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"atelier/engine"
	"atelier/ipc/jsonrpc"
)

// MaxLine is the maximum length of a line in bytes (I-05).
const MaxLine = jsonrpc.MaxMessage

// Options configure Serve; the zero value works.
type Options struct {
	Log *slog.Logger
	// Drain is how long calls in progress may continue after ctx is done;
	// then they are canceled. 0 cancels them at once.
	Drain time.Duration
	// Hurry, when closed, ends that time early; it may be nil.
	Hurry <-chan struct{}
}

// ErrStillRunning says that calls did not end although they were canceled. The
// process must end without waiting for them: what they stored is kept, as after
// a crash.
var ErrStillRunning = errors.New("calls in progress did not end after they were canceled")

// How long Serve waits for canceled calls.
const (
	afterDrain = 15 * time.Second // when their time was over
	afterHurry = 2 * time.Second  // when a person asked again
)

// lastWords is how long the client has to read the last answers after calls
// were canceled.
const lastWords = 2 * time.Second

// Serve answers requests from in on out until in ends or ctx is done, and
// returns nil after every pending call was answered. When ctx is done, it
// reads no more requests, and calls in progress have Options.Drain. If one
// ignores its cancellation, the error is ErrStillRunning.
func Serve(ctx context.Context, eng *engine.Engine, in io.Reader, out io.Writer, opt Options) error {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	box := jsonrpc.NewOutbox(func(message []byte) error {
		_, err := out.Write(append(message, '\n'))
		return err
	})
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := eng.Subscribe(box.Notify)
	lines := bufio.NewReaderSize(newUntil(ctx, in), 64<<10)
	// After the end of input, questions can get no answers.
	wait := jsonrpc.Start(work, eng, func() ([]byte, error) { return jsonrpc.ReadLine(lines) }, box, eng.Unattended, opt.Log)
	ended, late, stuck := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
		case <-ended:
			return
		}
		opt.Log.Info("stopping; calls and runs in progress are let end", "for", opt.Drain)
		grace := afterDrain
		select {
		case <-time.After(opt.Drain):
		case <-opt.Hurry:
			grace = afterHurry
		case <-ended:
		}
		cancel()
		time.AfterFunc(lastWords, func() { close(late) })
		select {
		case <-time.After(grace):
		case <-opt.Hurry:
			time.Sleep(min(grace, afterHurry))
		case <-ended:
		}
		close(stuck)
	}()
	answered := make(chan error, 1)
	go func() { answered <- wait() }()
	var err error
	select {
	case err = <-answered:
	case <-stuck:
		return ErrStillRunning
	}
	stop()
	close(ended)
	written := make(chan error, 1)
	go func() { written <- box.Close() }()
	select {
	case werr := <-written:
		err = cmp.Or(err, werr)
	case <-late:
		opt.Log.Warn("the last answers were not read")
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}
