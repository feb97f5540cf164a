package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
	"atelier/internal/trace"
	"atelier/llm"
)

// ErrCanceled is why the context of a job ends that was canceled from elsewhere.
var ErrCanceled = errors.New("canceled with atelier cluster cancel; the same command continues")

// patience is how long a job waits for a worker before it ends.
const patience = 10 * time.Minute

// mostDeaths is how many workers may begin the same request before it fails: one that
// ends each worker would otherwise end all.
const mostDeaths = 5

// Job is a job at work: a client that sends each request to a worker. It is safe for
// concurrent use.
type Job struct {
	q      *Queue
	target Target
	token  string // of its subject, another one each time that the job is started
	subs   []*nats.Subscription
	ctx    context.Context
	cancel context.CancelCauseFunc
	ended  chan struct{} // the record is not kept any more

	mu     sync.Mutex
	info   JobInfo
	open   map[string]*flight
	dirty  bool
	lately time.Time // a worker said something, or nothing waited
	told   bool      // that there is no worker
	notify func(string)

	preparing  int          // admitted, and not in the queue yet
	applicants []*applicant // who wait in Admit, by their order
}

// flight is a request that has no answer yet.
type flight struct {
	sequence uint64    // in the queue
	heard    time.Time // something was last known of it
	worker   string    // "": it waits
	begins   int
	done     chan answer
}

// Begin begins a job, or continues it. Requests go to workers for the target. notify is
// called with what a person should know, such as that there is no worker; nil: nobody is
// told.
func (q *Queue) Begin(ctx context.Context, info JobInfo, target Target, notify func(string)) (*Job, error) {
	now := time.Now()
	info.State, info.Started, info.Updated, info.Error = JobRunning, now, now, ""
	if notify == nil {
		notify = func(string) {}
	}
	j := &Job{q: q, target: target, token: uuid.NewString(), info: info, open: map[string]*flight{}, ended: make(chan struct{}), lately: now, notify: notify}
	j.ctx, j.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	for _, subject := range []string{jobSubject + j.token, jobSubject + key(info.ID)} {
		sub, err := q.c.Conn().Subscribe(subject, j.called)
		if err != nil {
			return nil, cluster.Classified("listening for workers", err)
		}
		j.subs = append(j.subs, sub)
	}
	if err := cluster.Patiently(ctx, awaited, func() error { return j.save(ctx) }); err != nil {
		j.unsubscribe()
		return nil, err
	}
	go j.keep()
	return j, nil
}

// Context ends when the job is canceled from elsewhere or no worker takes its requests;
// its cause says which.
func (j *Job) Context() context.Context { return j.ctx }

// Update tells the cluster how far the job is.
func (j *Job) Update(f Figures) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.info.Figures, j.dirty = f, true
}

// End ends the job. message says why, if it was not complete.
func (j *Job) End(state JobState, message string) {
	j.cancel(nil)
	<-j.ended
	j.unsubscribe()
	j.mu.Lock()
	j.info.State, j.info.Error = state, message
	j.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = j.save(ctx) // the job is done here; the record says that it is interrupted
}

func (j *Job) unsubscribe() {
	for _, s := range j.subs {
		_ = s.Unsubscribe() // fails when the connection is closed
	}
}

// save writes the record of the job.
func (j *Job) save(ctx context.Context) error {
	j.mu.Lock()
	j.info.Updated, j.dirty = time.Now(), false
	info := j.info
	info.Waiting, info.AtWork = 0, 0
	for _, f := range j.open {
		if f.worker == "" {
			info.Waiting++
		} else {
			info.AtWork++
		}
	}
	j.mu.Unlock()
	kv, err := j.q.jobs(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err = kv.Put(ctx, key(info.ID), encode(info))
	return cluster.Classified("job "+info.ID, err)
}

// keep writes the record of the job while it works, and watches for workers.
func (j *Job) keep() {
	defer close(j.ended)
	t := time.NewTicker(j.q.beat / 2)
	defer t.Stop()
	for saved := time.Now(); ; {
		select {
		case <-j.ctx.Done():
			return
		case <-t.C:
		}
		j.watch()
		j.mu.Lock()
		dirty := j.dirty
		j.mu.Unlock()
		if dirty || time.Since(saved) > j.q.silence()/2 {
			saved = time.Now()
			_ = j.save(j.ctx) // the cluster may be away for a moment: the next one tells
		}
	}
}

// watch tells the person when nobody takes requests, and ends the job after patience.
func (j *Job) watch() {
	j.mu.Lock()
	working := len(j.open) == 0
	for _, f := range j.open {
		working = working || f.worker != ""
	}
	if working {
		j.lately = time.Now()
	}
	idle, told := time.Since(j.lately), j.told
	j.mu.Unlock()
	if idle < 2*j.q.silence() || told && idle < patience {
		return
	}
	if n, err := j.serving(); err != nil || n > 0 {
		if err == nil { // they are busy with other jobs
			j.mu.Lock()
			j.lately = time.Now()
			j.mu.Unlock()
		}
		return
	}
	message := fmt.Sprintf("no worker of the cluster asks %s; start one: atelier worker --cluster … --model %s", j.target, j.target.Model)
	if idle >= patience {
		j.cancel(errors.New(message))
		return
	}
	j.mu.Lock()
	j.told = true
	j.mu.Unlock()
	j.notify(message)
}

// serving counts the workers for the target.
func (j *Job) serving() (n int, err error) {
	list, err := j.q.Workers(j.ctx)
	for _, w := range list {
		if w.Target == j.target && !w.Draining {
			n++
		}
	}
	return n, err
}

// Chat implements llm.Client.
func (j *Job) Chat(ctx context.Context, r llm.Request) (_ llm.ChatResponse, err error) {
	ctx, span := trace.StartKind(ctx, trace.Client, "wait for a worker")
	defer func() {
		span.FailIf(err, "failed")
		span.End()
	}()
	w := requestOf(r)
	w.ID, w.Job, w.Title, w.Limit, w.Effort = uuid.NewString(), j.token, j.info.Title, llm.Limit(ctx), llm.Effort(ctx)
	data := encode(w)
	if most := j.q.c.Conn().MaxPayload(); int64(len(data)) > most {
		return llm.ChatResponse{}, &llm.Error{Kind: llm.KindInvalid, Message: fmt.Sprintf("a request of %d bytes is larger than the cluster takes; set max_payload of its servers above %d", len(data), most)}
	}
	f := &flight{heard: time.Now(), done: make(chan answer, 1)}
	j.mu.Lock()
	j.open[w.ID] = f
	if p, ok := ctx.Value(admittedKey{}).(*admitted); ok && p.job == j {
		p.begin()
	}
	j.mu.Unlock()
	defer func() {
		j.mu.Lock()
		span.Set(trace.Int("atelier.workers_that_began", f.begins))
		delete(j.open, w.ID)
		j.admit()
		j.mu.Unlock()
	}()
	t := time.NewTicker(j.q.beat)
	defer t.Stop()
	put := false
	for {
		if !put {
			put = j.put(ctx, w.ID, f, data)
		}
		select {
		case a := <-f.done:
			return a.result()
		case <-ctx.Done():
			return llm.ChatResponse{}, &llm.Error{Kind: llm.KindCanceled, Message: context.Cause(ctx).Error(), Err: ctx.Err()}
		case <-j.ctx.Done():
			cause := context.Cause(j.ctx)
			return llm.ChatResponse{}, &llm.Error{Kind: llm.KindRefused, Message: cause.Error(), Err: cause}
		case <-t.C:
			put = put && j.there(ctx, w.ID, f)
		}
	}
}

// traceHeader has the span that a worker continues.
const traceHeader = "Traceparent"

// put puts a request into the queue, and reports whether the cluster took it.
func (j *Job) put(ctx context.Context, id string, f *flight, data []byte) bool {
	msg := nats.NewMsg(queueSubject + j.target.token())
	msg.Data = data
	msg.Header.Set("Id", id)
	if parent := trace.Parent(ctx); parent != "" {
		msg.Header.Set(traceHeader, parent)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	ack, err := j.q.c.JetStream().PublishMsg(ctx, msg)
	if err != nil {
		if errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders) {
			_, _ = j.q.requests(ctx) // the servers have forgotten it; the next attempt shows whether it is there
		}
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	f.sequence, f.heard, f.worker = ack.Sequence, time.Now(), ""
	return true
}

// there reports whether a request that nothing was heard of for a while is still in the
// queue, and true where that cannot be known now.
func (j *Job) there(ctx context.Context, id string, f *flight) bool {
	j.mu.Lock()
	quiet, sequence := time.Since(f.heard), f.sequence
	j.mu.Unlock()
	if quiet < j.q.silence() {
		return true
	}
	s, err := j.q.requests(ctx)
	if err != nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	msg, err := s.GetMsg(ctx, sequence)
	if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
		return true
	}
	found := err == nil && msg.Header.Get("Id") == id
	if found {
		j.mu.Lock()
		f.heard, f.worker = time.Now(), "" // it waits, or its worker is silent
		j.mu.Unlock()
	}
	return found
}

// called answers a call of a worker or a command.
func (j *Job) called(msg *nats.Msg) {
	var c call
	if json.Unmarshal(msg.Data, &c) != nil {
		return
	}
	_ = msg.Respond(encode(reply{Go: j.call(c)})) // a caller without the reply calls again
}

func (j *Job) call(c call) (wanted bool) {
	if c.Op == opCancel {
		j.cancel(ErrCanceled)
		return true
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	f := j.open[c.ID]
	if f == nil {
		return false
	}
	j.lately, j.told = time.Now(), false
	switch c.Op {
	case opBegin:
		if f.worker != "" && f.worker != c.Worker && time.Since(f.heard) < j.q.silence()*3/4 {
			return false // it was put in twice, and another works on it
		}
		if f.begins++; f.begins > mostDeaths {
			j.settle(c.ID, f, answerOf(llm.ChatResponse{}, &llm.Error{Kind: llm.KindInvalid, Message: fmt.Sprintf("%d workers died or were silent while they asked this", mostDeaths)}))
			return false
		}
	case opAnswer:
		if c.Answer == nil {
			return false
		}
		j.settle(c.ID, f, *c.Answer)
		return true
	}
	f.worker, f.heard = c.Worker, time.Now()
	j.admit()
	return true
}

// settle gives a request its answer; the first counts. j.mu is held.
func (j *Job) settle(id string, f *flight, a answer) {
	delete(j.open, id)
	f.done <- a
	j.admit()
}
