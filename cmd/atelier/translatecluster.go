package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"atelier/engine"
	"atelier/internal/cluster"
	"atelier/llm"
	"atelier/llm/relay"
	"atelier/workshop/translate"
	"atelier/workshop/translate/sharedtexts"
)

// How many documents, and batches of each, a job with a cluster has at work at once unless
// --jobs says otherwise: what waits for a worker costs little.
const (
	clusterJobs    = 16
	clusterBatches = 8
)

// clusterJob is a translation whose requests go to the workers of a cluster.
type clusterJob struct {
	c      *cluster.Cluster
	q      *relay.Queue
	texts  *sharedtexts.Texts
	target relay.Target
	job    *relay.Job
}

// enter connects to the cluster and makes a translation use it.
func (c *clusterFlags) enter(ctx context.Context, id string, h *engine.HostTranslation) (_ *clusterJob, err error) {
	j := &clusterJob{}
	defer func() {
		if err != nil {
			j.close()
		}
	}()
	address, err := c.address()
	if err != nil {
		return nil, err
	}
	if j.c, err = c.connect(ctx, "atelier translate on "+hostName()); err != nil {
		return nil, err
	}
	if j.q, err = relay.Open(ctx, j.c, relay.Options{}); err != nil {
		return nil, err
	}
	if j.texts, err = sharedtexts.Join(ctx, j.c, sharedtexts.Options{Job: id, Process: hostName()}); err != nil {
		return nil, err
	}
	h.Shared, h.Batches = j.texts, clusterBatches
	h.Workers = &engine.Workers{Address: address, Client: func(at engine.ModelAt) llm.Client {
		j.target = relay.Target{Model: at.Model, Origin: at.Origin}
		return j
	}}
	return j, nil
}

// Chat implements llm.Client.
func (j *clusterJob) Chat(ctx context.Context, r llm.Request) (llm.ChatResponse, error) {
	return j.job.Chat(ctx, r)
}

// begin begins the job; say tells the person something.
func (j *clusterJob) begin(ctx context.Context, id string, h engine.HostTranslation, say func(string)) (err error) {
	j.job, err = j.q.Begin(ctx, relay.JobInfo{ID: id, Title: h.Title, Host: hostName(), Model: j.target.String(), Languages: h.Params.To}, j.target, say)
	return err
}

// step tells the cluster how far the job is.
func (j *clusterJob) step(p translate.Progress, price translate.Price) {
	u := p.Usage
	j.job.Update(relay.Figures{Documents: p.Files, Done: p.FilesDone, Words: p.Words, Requests: u.Requests, Tokens: u.PromptTokens + u.CompletionTokens,
		Cost: price.Of(u.PromptTokens, u.CachedTokens, u.WrittenTokens, u.CompletionTokens), Currency: price.Currency})
}

// end ends the job in the cluster. The error is why the cluster ended it, nil if it did
// not.
func (j *clusterJob) end(ctx context.Context, res engine.TranslationResult, err error) error {
	ended := context.Cause(j.job.Context())
	switch {
	case errors.Is(ended, relay.ErrCanceled):
		j.job.End(relay.JobCanceled, "")
		return ended
	case ended != nil:
		j.job.End(relay.JobStopped, ended.Error())
		return ended
	case err != nil:
		j.job.End(relay.JobStopped, err.Error())
	case ctx.Err() != nil:
		j.job.End(relay.JobStopped, "stopped where it was started")
	case res.Over != nil:
		j.job.End(relay.JobStopped, res.Over.Error())
	case res.Err != nil:
		j.job.End(relay.JobStopped, res.Err.Error())
	case res.Report.Failed() > 0:
		j.job.End(relay.JobComplete, fmt.Sprintf("%d documents failed", res.Report.Failed()))
	default:
		j.job.End(relay.JobComplete, "")
	}
	return nil
}

func (j *clusterJob) close() {
	if j.texts != nil {
		j.texts.Close()
	}
	if j.c != nil {
		j.c.Close()
	}
}

// clusterID names a job in a cluster: the same command on the same machine continues it.
func (f *translateFlags) clusterID() string {
	place := f.out
	if f.place.on {
		place = f.place.in
	}
	if abs, err := filepath.Abs(place); err == nil {
		place = abs
	}
	h := sha256.Sum256([]byte(strings.Join([]string{hostName(), place, f.from, strings.Join(f.to, ",")}, "\x00")))
	return hex.EncodeToString(h[:6])
}
