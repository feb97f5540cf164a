package agent

import (
	"errors"

	"atelier/llm"
)

// errCut is why an answer is not used: the budget ended it in the middle. None
// of its calls is carried out, since the missing rest might change their meaning.
var errCut = errors.New("the answer was cut where the budget ended")

// leastAnswer returns the smallest room for an answer with which a request is
// sent. After an answer that was cut it is twice the room which that had, so that
// the run does not pay for one beginning after another.
func (r *run) leastAnswer() int64 {
	if r.cut > 0 {
		return 2 * r.cut
	}
	return r.meter.LeastAnswer()
}

// noticeAnswer remembers whether the budget cut an answer, and then returns
// errCut.
func (r *run) noticeAnswer(resp llm.ChatResponse, err error) error {
	if err != nil {
		return nil
	}
	r.meter.NoticeReasoning(resp)
	if resp.Cut() {
		r.cut = int64(resp.Limit)
		e := spentError(errCut.Error())
		e.Err = errCut
		return e
	}
	r.cut = 0
	return nil
}
