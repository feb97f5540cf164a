package relay

import (
	"context"
	"slices"

	"atelier/llm"
)

// ahead is how many requests a job has waiting for workers at least, where it has them.
// A worker that has answered one then finds the next in the queue.
const ahead = 16

// admitted is what Admit returned for one request.
type admitted struct {
	job   *Job
	begun bool // it is in the queue, or will not be
}

type admittedKey struct{}

// applicant waits in Admit.
type applicant struct {
	order int
	ready chan struct{} // closed when it is admitted
}

// Admit waits until workers will soon take another request of the job: until fewer are being
// prepared or wait for a worker than workers have of it, or than a few. Those with the
// lowest order come first. The caller asks for the request with the context, and calls the
// function when it was asked for; until then, it counts as prepared. So what comes first is
// done first, as early as is possible while all workers are busy.
func (j *Job) Admit(ctx context.Context, order int) (context.Context, func(), error) {
	a := &applicant{order, make(chan struct{})}
	j.mu.Lock()
	at, _ := slices.BinarySearchFunc(j.applicants, order, func(o *applicant, order int) int {
		if o.order <= order { // it comes after the others of the same order
			return -1
		}
		return 1
	})
	j.applicants = slices.Insert(j.applicants, at, a)
	j.admit()
	j.mu.Unlock()
	var err error
	select {
	case <-a.ready:
	case <-ctx.Done():
		err = &llm.Error{Kind: llm.KindCanceled, Message: context.Cause(ctx).Error(), Err: ctx.Err()}
	case <-j.ctx.Done():
		cause := context.Cause(j.ctx)
		err = &llm.Error{Kind: llm.KindRefused, Message: cause.Error(), Err: cause}
	}
	p := &admitted{job: j}
	if err != nil {
		j.withdraw(a, p)
		return nil, nil, err
	}
	return context.WithValue(ctx, admittedKey{}, p), p.end, nil
}

// withdraw ends the wait of an applicant, who may have been admitted just now.
func (j *Job) withdraw(a *applicant, p *admitted) {
	j.mu.Lock()
	i := slices.Index(j.applicants, a)
	if i >= 0 {
		j.applicants = slices.Delete(j.applicants, i, i+1)
	}
	j.mu.Unlock()
	if i < 0 {
		p.end()
	}
}

// end says that the request is not prepared any more.
func (p *admitted) end() {
	p.job.mu.Lock()
	defer p.job.mu.Unlock()
	p.begin()
	p.job.admit()
}

// begin says that the request is in the queue, or will not be. The job's mu is held.
func (p *admitted) begin() {
	if !p.begun {
		p.begun = true
		p.job.preparing--
	}
}

// admit admits those for whom there is room. j.mu is held; it is called whenever a request
// is put in, taken by a worker or answered.
func (j *Job) admit() {
	if len(j.applicants) == 0 {
		return
	}
	waiting, atWork := j.preparing, 0
	for _, f := range j.open {
		if f.worker == "" {
			waiting++
		} else {
			atWork++
		}
	}
	n := min(max(ahead, atWork)-waiting, len(j.applicants))
	if n <= 0 {
		return
	}
	for _, a := range j.applicants[:n] {
		close(a.ready)
	}
	j.preparing += n
	j.applicants = slices.Delete(j.applicants, 0, n)
}
