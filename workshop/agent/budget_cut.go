package agent

import (
	"errors"

	"atelier/llm"
)

// The least room for an answer with which a request is sent, in tokens. Less is
// paid for in vain: a call with its arguments, or a paragraph, takes 50 to 300
// tokens, and a model that reasons spends hundreds to thousands before its first
// word.
const (
	leastAnswer  = 300
	leastThought = 2_000
)

// errCut is why an answer is not used: the budget ended it in the middle. It is
// no fault of the model, and nothing of it is carried out, since the rest might
// have been what it was about.
var errCut = errors.New("the answer was cut where the budget ended")

// least is the room for an answer without which nothing is sent. After an answer
// that was cut it is twice what that had, so that a model is not paid again and
// again for beginnings.
func (r *run) least() int64 {
	switch {
	case r.cut > 0:
		return 2 * r.cut
	case r.cfg.Reasons || r.reasons:
		return leastThought
	}
	return leastAnswer
}

// noticeAnswer takes note of an answer; it returns errCut when the budget cut it.
func (r *run) noticeAnswer(resp llm.ChatResponse, err error) error {
	if err != nil {
		return nil
	}
	r.reasons = r.reasons || resp.Reasoning != ""
	if resp.Cut() {
		r.cut = int64(resp.Limit)
		e := spentError(errCut.Error())
		e.Err = errCut
		return e
	}
	r.cut = 0
	return nil
}
