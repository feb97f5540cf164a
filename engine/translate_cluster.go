package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"atelier/internal/cluster"
	"atelier/llm"
	"atelier/llm/relay"
	"atelier/workshop"
	"atelier/workshop/translate"
	"atelier/workshop/translate/sharedtexts"
)

// Cluster is where workers (WorkerModel) take the requests of translations.
type Cluster interface {
	// Address is one of its servers, for people and consent.
	Address() (*url.URL, error)
	Connect(ctx context.Context, name string) (*cluster.Cluster, error)
}

// What a translation in a cluster has at work at once where its params do not say it: what
// waits for a worker costs little.
const (
	clusterJobs    = 16 // documents
	clusterBatches = 8  // of each
)

// clusterJob is a translation whose requests go to the workers of a cluster.
type clusterJob struct {
	id     string
	c      *cluster.Cluster
	q      *relay.Queue
	texts  *sharedtexts.Texts
	target relay.Target
	job    *relay.Job
}

// enterCluster connects to a cluster. m is then a model that its workers ask for the job
// with this id.
func enterCluster(ctx context.Context, by Cluster, id string, p *TranslateStartParams, m *resolvedModel, param string) (_ *clusterJob, err error) {
	if !asksModel(*p, *m) {
		return nil, workshop.Faultf(workshop.Invalid, "%s needs a model that is not built in: only requests to a model go to other machines", param)
	}
	j := &clusterJob{id: id}
	defer func() {
		if err != nil {
			j.close()
		}
	}()
	address, err := by.Address()
	if err != nil {
		return nil, err
	}
	if j.c, err = by.Connect(ctx, "atelier translate on "+hostName()); err != nil {
		return nil, err
	}
	if j.q, err = relay.Open(ctx, j.c, relay.Options{}); err != nil {
		return nil, err
	}
	if j.texts, err = sharedtexts.Join(ctx, j.c, sharedtexts.Options{Job: id, Process: hostName()}); err != nil {
		return nil, err
	}
	m.by = &modelsElsewhere{address, func(at ModelAt) llm.Client {
		j.target = relay.Target{Model: at.Model, Origin: at.Origin}
		return j
	}}
	if p.Jobs == 0 {
		p.Jobs = clusterJobs
	}
	return j, nil
}

// clusterJobID names a job of a workbench in a cluster: started again on this machine, it
// is the same job.
func clusterJobID(workbench, job string) string {
	h := sha256.Sum256([]byte(strings.Join([]string{hostName(), workbench, job}, "\x00")))
	return hex.EncodeToString(h[:6])
}

// hostName is the name of this machine, for people.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}

// Chat implements llm.Client.
func (j *clusterJob) Chat(ctx context.Context, r llm.Request) (llm.ChatResponse, error) {
	return j.job.Chat(ctx, r)
}

// admit waits until workers will soon take a request for the document.
func (j *clusterJob) admit(ctx context.Context, document int) (context.Context, func(), error) {
	return j.job.Admit(ctx, document)
}

// close closes the connection; a nil job has none.
func (j *clusterJob) close() {
	if j == nil {
		return
	}
	if j.texts != nil {
		j.texts.Close()
	}
	if j.c != nil {
		j.c.Close()
	}
}

// runInCluster is run for a job of a cluster.
func (w *translateWork) runInCluster(ctx context.Context) (out translateOutcome) {
	j := w.cluster
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	say := w.say
	if say == nil {
		say = func(string) {}
	}
	var err error
	if j.job, err = j.q.Begin(ctx, relay.JobInfo{ID: j.id, Title: w.at.title, Host: hostName(), Model: j.target.String(), Languages: w.params.To}, j.target, say); err != nil {
		return translateOutcome{err: err}
	}
	say("Job " + j.id + " of the cluster: atelier cluster status shows it everywhere.")
	defer context.AfterFunc(j.job.Context(), func() { stop(context.Cause(j.job.Context())) })()
	progress := w.opt.Progress
	w.opt.Progress = func(p translate.Progress) {
		if progress != nil {
			progress(p)
		}
		j.step(p, w.opt.Price)
	}
	out = w.runHere(ctx)
	out.ended = j.end(ctx, out)
	return out
}

// step tells the cluster how far the job is.
func (j *clusterJob) step(p translate.Progress, price translate.Price) {
	u := p.Usage
	j.job.Update(relay.Figures{Documents: p.Files, Done: p.FilesDone, Words: p.Words, Requests: u.Requests, Tokens: u.PromptTokens + u.CompletionTokens,
		Cost: price.Of(u.PromptTokens, u.CachedTokens, u.WrittenTokens, u.CompletionTokens), Currency: price.Currency})
}

// end ends the job in the cluster. The error is why the cluster ended it, nil if it did
// not.
func (j *clusterJob) end(ctx context.Context, out translateOutcome) error {
	ended := context.Cause(j.job.Context())
	switch {
	case errors.Is(ended, relay.ErrCanceled):
		j.job.End(relay.JobCanceled, "")
	case ended != nil:
		j.job.End(relay.JobStopped, ended.Error())
	case ctx.Err() != nil:
		j.job.End(relay.JobStopped, "stopped where it was started")
	case out.over != nil:
		j.job.End(relay.JobStopped, out.over.Error())
	case out.err != nil:
		j.job.End(relay.JobStopped, out.err.Error())
	case out.report.Failed() > 0:
		j.job.End(relay.JobComplete, fmt.Sprintf("%d documents failed", out.report.Failed()))
	default:
		j.job.End(relay.JobComplete, "")
	}
	return ended
}
