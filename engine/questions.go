package engine

import (
	"context"
	"encoding/json"
)

// Answer gives the answers to an open question by name (M-11, M-15): NotFound
// when the workspace has no such question, Invalid when an answer is missing or
// does not fit.
func (l *Live) Answer(_ context.Context, workspace, _, questionID string, answers map[string]json.RawMessage) error {
	return l.e.questions.Answer(workspace, questionID, answers)
}
