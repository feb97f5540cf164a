package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
	"atelier/internal/trace"
	"atelier/llm"
)

// WorkerOptions configure a worker.
type WorkerOptions struct {
	Name   string // for people; need not be unique
	Host   string
	AtOnce int        // requests at a time
	Target Target     // which requests it takes
	Client llm.Client // that asks the model; the worker sets no key and no model
	// Drain is how long requests may take that are on their way when the worker is to
	// stop; the others go back to the queue. 0: a minute.
	Drain time.Duration
	// Stop, when closed, ends the drain; nil: nothing does.
	Stop <-chan struct{}
	Log  *slog.Logger // nil: nobody is told
}

// worker is a worker at work.
type worker struct {
	q     *Queue
	opt   WorkerOptions
	id    string
	since time.Time
	work  context.Context // of requests; it ends after the drain

	working, answered atomic.Int64
	draining          atomic.Bool
}

// Work takes requests until ctx ends; then it finishes those that it has. The error is nil
// then. A cluster that cannot be reached later is waited for.
func (q *Queue) Work(ctx context.Context, opt WorkerOptions) error {
	if opt.Drain == 0 {
		opt.Drain = time.Minute
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	w := &worker{q: q, opt: opt, id: uuid.NewString(), since: time.Now()}
	err := cluster.Patiently(ctx, awaited, func() error {
		_, err := w.consumer(ctx)
		return err
	})
	if err != nil {
		return err
	}
	work, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	w.work = work
	gone := make(chan struct{})
	present, stopPresent := context.WithCancel(work)
	go func() {
		defer close(gone)
		w.present(present)
	}()
	defer func() {
		stopPresent()
		<-gone
	}()
	stop := context.AfterFunc(ctx, func() {
		w.draining.Store(true)
		select {
		case <-opt.Stop:
		case <-time.After(opt.Drain):
		case <-work.Done():
		}
		end(errDrained)
	})
	defer stop()
	var slots sync.WaitGroup
	for range max(opt.AtOnce, 1) {
		slots.Go(func() { w.slot(ctx) })
	}
	slots.Wait()
	return nil
}

var (
	errDrained   = errors.New("the worker stops")
	errNotWanted = errors.New("the job does not want it any more")
)

func (w *worker) consumer(ctx context.Context) (jetstream.Consumer, error) {
	s, err := w.q.requests(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	token := w.opt.Target.token()
	c, err := s.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "for-" + token, FilterSubject: queueSubject + token, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: w.q.silence(), MaxAckPending: mostQueued, MaxDeliver: -1, MemoryStorage: true, InactiveThreshold: 24 * time.Hour})
	return c, cluster.Classified("taking requests", err)
}

// slot takes one request after the other.
func (w *worker) slot(ctx context.Context) {
	var c jetstream.Consumer
	var err error
	for empty := 0; ctx.Err() == nil; {
		if c == nil {
			if c, err = w.consumer(ctx); err != nil {
				if ctx.Err() == nil {
					w.opt.Log.Warn("the cluster does not answer", "err", err)
				}
				sleep(ctx, w.q.beat/2)
				continue
			}
		}
		msg, err := c.Next(jetstream.FetchMaxWait(max(w.q.beat, time.Second)))
		switch {
		case err == nil:
			empty = 0
			w.take(ctx, msg)
		case errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoMessages):
			// Servers that have forgotten the queue may be silent: the consumer is looked up
			// again from time to time.
			if empty++; empty%3 == 0 {
				c = nil
			}
		default:
			c = nil
			sleep(ctx, w.q.beat/4)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// take works on one request.
func (w *worker) take(ctx context.Context, msg jetstream.Msg) {
	var r request
	if err := json.Unmarshal(msg.Data(), &r); err != nil {
		w.opt.Log.Warn("a request is not valid", "err", err)
		_ = msg.Term()
		return
	}
	if ctx.Err() != nil {
		_ = msg.Nak()
		return
	}
	subject := jobSubject + key(r.Job)
	ok, err := w.q.tell(w.work, subject, call{Op: opBegin, ID: r.ID, Worker: w.id}, w.q.silence()/2)
	switch {
	case err != nil: // its job has ended, or is cut off: then it puts the request in again
		w.giveUp(msg)
		return
	case !ok.Go:
		_ = msg.Ack()
		return
	}
	w.working.Add(1)
	defer w.working.Add(-1)
	a, err := w.ask(msg, subject, r)
	switch {
	case errors.Is(err, errDrained):
		_ = msg.Nak() // another worker takes it at once
		return
	case err == nil && w.deliver(msg, subject, call{Op: opAnswer, ID: r.ID, Worker: w.id, Answer: &a}):
		w.answered.Add(1)
	}
	_ = msg.Ack() // a lost one comes again, and the job does not want it
}

// mostTried is how often a request is taken whose job does not answer: each time takes a beat
// at least, and so all of them as long as a job that lives would not let it wait. The time of
// the message cannot be used, since it is another machine's.
const mostTried = 15

// giveUp lets go of a request whose job does not answer: soon it comes again, and it ends
// when it was tried often.
func (w *worker) giveUp(msg jetstream.Msg) {
	if meta, err := msg.Metadata(); err == nil && meta.NumDelivered > mostTried {
		_ = msg.Term()
		return
	}
	_ = msg.NakWithDelay(w.q.beat)
}

// ask asks the model. The error is errDrained, or errNotWanted.
func (w *worker) ask(msg jetstream.Msg, subject string, r request) (answer, error) {
	ctx, span := trace.StartKind(trace.Continue(w.work, msg.Headers().Get(traceHeader)), trace.Server, "worker request", trace.String("gen_ai.operation.name", "chat"), trace.String("gen_ai.request.model", w.opt.Target.Model))
	defer span.End()
	ctx, cancel := context.WithCancelCause(llm.WithEffort(llm.WithLimit(ctx, r.Limit), r.Effort))
	defer cancel(nil)
	beating := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(beating)
		t := time.NewTicker(w.q.beat)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
			}
			_ = msg.InProgress()
			// A job that does not answer may be cut off for a moment. What is on its way
			// is paid for: it is finished, and offered to the job for a while.
			if ok, err := w.q.tell(ctx, subject, call{Op: opGoing, ID: r.ID, Worker: w.id}, w.q.beat); err == nil && !ok.Go {
				cancel(errNotWanted)
				return
			}
		}
	}()
	resp, err := w.opt.Client.Chat(ctx, r.llm())
	span.Set(trace.Int("gen_ai.usage.input_tokens", resp.Usage.PromptTokens), trace.Int("gen_ai.usage.output_tokens", resp.Usage.CompletionTokens))
	var failed *llm.Error
	if errors.As(err, &failed) {
		span.Fail(string(failed.Kind))
	}
	close(done)
	<-beating
	if cause := context.Cause(ctx); err != nil && (errors.Is(cause, errDrained) || errors.Is(cause, errNotWanted)) {
		return answer{}, cause
	}
	a := answerOf(resp, err)
	if n, most := len(encode(a)), w.q.c.Conn().MaxPayload(); int64(n)+1000 > most {
		a = answerOf(llm.ChatResponse{}, &llm.Error{Kind: llm.KindTooLarge, Message: fmt.Sprintf("an answer of %d bytes is larger than the cluster takes; raise max_payload of its servers", n)})
		a.Usage = resp.Usage
	}
	return a, nil
}

// deliver brings the answer to the job, and tries for three times the silence.
func (w *worker) deliver(msg jetstream.Msg, subject string, c call) bool {
	for end := time.Now().Add(3 * w.q.silence()); ; {
		r, err := w.q.tell(w.work, subject, c, w.q.beat)
		switch {
		case err == nil:
			return r.Go
		case w.work.Err() != nil || time.Now().After(end):
			w.opt.Log.Warn("an answer is lost, since its job does not answer", "err", err)
			return false
		}
		_ = msg.InProgress()
		sleep(w.work, w.q.beat/4)
	}
}

// present tells the cluster that the worker lives, until ctx ends.
func (w *worker) present(ctx context.Context) {
	var kv jetstream.KeyValue
	for {
		var err error
		if kv == nil {
			kv, err = w.q.workers(ctx)
		}
		if err == nil {
			info := WorkerInfo{Name: w.opt.Name, Host: w.opt.Host, Target: w.opt.Target, AtOnce: max(w.opt.AtOnce, 1), Working: int(w.working.Load()), Answered: int(w.answered.Load()),
				Since: w.since, Draining: w.draining.Load()}
			put, cancel := context.WithTimeout(ctx, w.q.beat)
			_, err = kv.Put(put, w.id, encode(info))
			cancel()
		}
		if err != nil {
			kv = nil
		}
		select {
		case <-ctx.Done():
			if kv != nil {
				gone, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
				_ = kv.Delete(gone, w.id) // else it expires
				cancel()
			}
			return
		case <-time.After(w.q.beat):
		}
	}
}
