package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
)

// Options configure a queue. All processes of a cluster need the same.
type Options struct {
	Beat time.Duration // how often a worker says that it is at work; 0: 2 seconds
}

// Queue is the queue of a cluster, with its jobs and workers. It is safe for concurrent
// use.
type Queue struct {
	c     *cluster.Cluster
	beat  time.Duration
	looks bool // it makes nothing
}

const (
	queueSubject = "atelier-requests."
	jobSubject   = "atelier-job."
	mostQueued   = 20_000           // requests; a job that would put in more waits
	longestQueue = 15 * time.Minute // a request that no worker took is put in again after that
	jobsLast     = 30 * 24 * time.Hour
)

// Open returns the queue of a cluster, and makes what it needs there.
func Open(ctx context.Context, c *cluster.Cluster, opt Options) (*Queue, error) {
	q := Look(c, opt)
	q.looks = false
	err := cluster.Patiently(ctx, awaited, func() error {
		_, err := q.requests(ctx)
		if err == nil {
			_, err = q.jobs(ctx)
		}
		if err == nil {
			_, err = q.workers(ctx)
		}
		return err
	})
	return q, err
}

// Look returns the queue of a cluster for Jobs, Workers and Cancel. It makes nothing there; where
// nothing was made yet there are no jobs and no workers.
func Look(c *cluster.Cluster, opt Options) *Queue {
	q := &Queue{c: c, beat: opt.Beat, looks: true}
	if q.beat == 0 {
		q.beat = 2 * time.Second
	}
	return q
}

// awaited is how long a process that begins waits for a cluster that does not answer.
const awaited = 30 * time.Second

// silence is how long a worker may be silent before another gets its request.
func (q *Queue) silence() time.Duration { return 5 * q.beat }

func (q *Queue) requests(ctx context.Context) (jetstream.Stream, error) {
	return q.c.Stream(ctx, "requests", jetstream.StreamConfig{Subjects: []string{queueSubject + "*"}, Retention: jetstream.WorkQueuePolicy,
		Storage: jetstream.MemoryStorage, MaxMsgs: mostQueued, Discard: jetstream.DiscardNew, MaxAge: longestQueue})
}

func (q *Queue) jobs(ctx context.Context) (jetstream.KeyValue, error) {
	if q.looks {
		return q.c.FindKeys(ctx, "jobs")
	}
	return q.c.Keys(ctx, "jobs", jobsLast)
}

// workers is the bucket of the workers that live.
func (q *Queue) workers(ctx context.Context) (jetstream.KeyValue, error) {
	if q.looks {
		return q.c.FindKeys(ctx, "workers")
	}
	return q.c.VolatileKeys(ctx, "workers", max(q.silence(), time.Second)*3/2)
}

// JobState is what became of a job.
type JobState string

// The states of a job.
const (
	JobRunning     JobState = "running"
	JobComplete    JobState = "complete"
	JobCanceled    JobState = "canceled"
	JobStopped     JobState = "stopped"     // by a signal, a failure or a budget: the same command continues it
	JobInterrupted JobState = "interrupted" // its process is silent: the same command continues it
)

// JobInfo is a job as the cluster knows it.
type JobInfo struct {
	ID        string    `json:"job_id"`
	Title     string    `json:"title"`
	Host      string    `json:"host"` // where it was started
	Model     string    `json:"model"`
	Languages []string  `json:"languages,omitempty"`
	State     JobState  `json:"state"`
	Started   time.Time `json:"started_at"`
	Updated   time.Time `json:"updated_at"`
	Figures
	Error string `json:"error,omitempty"`
}

// Figures say how far a job is.
type Figures struct {
	Documents int     `json:"documents"` // documents × languages
	Done      int     `json:"done"`
	Words     int     `json:"words"` // of the documents that are done
	Requests  int     `json:"requests"`
	Tokens    int     `json:"tokens"`
	Cost      float64 `json:"cost,omitempty"`
	Currency  string  `json:"currency,omitempty"`
	Waiting   int     `json:"waiting"` // requests that wait for a worker
	AtWork    int     `json:"at_work"` // requests that workers work on
}

// WorkerInfo is a worker that lives.
type WorkerInfo struct {
	Name     string    `json:"name"`
	Host     string    `json:"host"`
	Target   Target    `json:"target"`
	AtOnce   int       `json:"at_once"` // requests at most
	Working  int       `json:"working"` // requests now
	Answered int       `json:"answered"`
	Since    time.Time `json:"since"`
	Draining bool      `json:"draining,omitempty"` // it takes no more requests
}

// Jobs returns the jobs of the last 30 days, the newest first.
func (q *Queue) Jobs(ctx context.Context) ([]JobInfo, error) {
	kv, err := q.jobs(ctx)
	if q.looks && errors.Is(err, cluster.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	jobs, written, err := values[JobInfo](ctx, q.c, kv)
	if err != nil {
		return nil, err
	}
	now, err := q.clock(ctx, kv)
	if err != nil {
		return nil, err
	}
	for i := range jobs {
		if j := &jobs[i]; j.State == JobRunning && now.Sub(written[i]) > 3*q.silence() {
			j.State = JobInterrupted
		}
	}
	slices.SortFunc(jobs, func(a, b JobInfo) int { return b.Started.Compare(a.Started) })
	return jobs, nil
}

// clock is the time of the servers of a bucket. Times of processes are not compared, since
// their clocks may differ.
func (q *Queue) clock(ctx context.Context, kv jetstream.KeyValue) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	s, err := q.c.JetStream().Stream(ctx, "KV_"+kv.Bucket())
	if err != nil {
		return time.Time{}, cluster.Classified("bucket "+kv.Bucket(), err)
	}
	return s.CachedInfo().TimeStamp, nil
}

// Workers returns the workers that live, by name.
func (q *Queue) Workers(ctx context.Context) ([]WorkerInfo, error) {
	kv, err := q.workers(ctx)
	if q.looks && errors.Is(err, cluster.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, _, err := values[WorkerInfo](ctx, q.c, kv)
	slices.SortFunc(list, func(a, b WorkerInfo) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// values returns the values of a bucket, and when each was written by the clock of its servers.
func values[T any](ctx context.Context, c *cluster.Cluster, kv jetstream.KeyValue) (out []T, written []time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	lister, err := kv.ListKeys(ctx)
	if err != nil {
		return nil, nil, cluster.Classified("listing "+kv.Bucket(), err)
	}
	var keys []string
	for k := range lister.Keys() {
		keys = append(keys, k)
	}
	entries, err := c.Last(ctx, kv, keys)
	if err != nil {
		return nil, nil, err
	}
	for k, e := range entries {
		if e.Value == nil {
			continue
		}
		var v T
		if err := json.Unmarshal(e.Value, &v); err != nil {
			return nil, nil, fmt.Errorf("%s: %s is not valid: %w", kv.Bucket(), k, err)
		}
		out, written = append(out, v), append(written, e.At)
	}
	return out, written, nil
}

// ErrNotRunning says that a job cannot be canceled, since no process works for it.
var ErrNotRunning = errors.New("no process works for it")

// Cancel asks a job to end; what it has done is kept, and the same command continues it.
func (q *Queue) Cancel(ctx context.Context, id string) error {
	kv, err := q.jobs(ctx)
	if err != nil {
		return err
	}
	get, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := kv.Get(get, key(id)); err != nil {
		return cluster.Classified("job "+id, err)
	}
	_, err = q.tell(ctx, jobSubject+key(id), call{Op: opCancel}, 5*time.Second)
	if errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("job %s: %w", id, ErrNotRunning)
	}
	return cluster.Classified("job "+id, err)
}

// key is an id as part of a subject; a person may give one with any character.
func key(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
}

// tell sends a call to a job and returns its reply.
func (q *Queue) tell(ctx context.Context, subject string, c call, within time.Duration) (r reply, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	msg, err := q.c.Conn().RequestWithContext(ctx, subject, encode(c))
	if err != nil {
		return r, err
	}
	err = json.Unmarshal(msg.Data, &r)
	return r, err
}
