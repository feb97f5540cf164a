package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/workshop"
)

// Asked is one question that a tool put to the user.
type Asked struct {
	Name   string
	Schema json.RawMessage // JSON Schema that the answer must fit
}

// questionsMax bounds how many open questions are kept for a workbench; the
// oldest are forgotten.
const questionsMax = 100

// questions are those that wait for an answer. They live in memory only
// (B15-04).
type questions struct {
	mu   sync.Mutex // protects open
	open []*question
}

type question struct {
	id, workbench string
	schemas       map[string]*jsonschema.Resolved // by the question's name
	answered      func(map[string]json.RawMessage)
}

// ask opens a question. answered is called once, with answers that fit.
func (qs *questions) ask(workbench, id string, asked []Asked, answered func(map[string]json.RawMessage)) error {
	q := &question{id: id, workbench: workbench, schemas: map[string]*jsonschema.Resolved{}, answered: answered}
	for _, a := range asked {
		var s jsonschema.Schema
		if err := json.Unmarshal(a.Schema, &s); err != nil {
			return workshop.Faultf(workshop.Invalid, "the schema of the question %s is not a JSON Schema", a.Name).OnField("questions")
		}
		r, err := s.Resolve(nil)
		if err != nil {
			return workshop.Faultf(workshop.Invalid, "the schema of the question %s cannot be used: %w", a.Name, err).OnField("questions")
		}
		q.schemas[a.Name] = r
	}
	qs.mu.Lock()
	defer qs.mu.Unlock()
	qs.open = append(qs.open, q)
	qs.limit(workbench)
	return nil
}

// limit forgets a workbench's oldest questions. qs.mu is held.
func (qs *questions) limit(workbench string) {
	n := 0
	for _, q := range qs.open {
		if q.workbench == workbench {
			n++
		}
	}
	qs.open = slices.DeleteFunc(qs.open, func(q *question) bool {
		if n <= questionsMax || q.workbench != workbench {
			return false
		}
		n--
		return true
	})
}

// forget closes a question that nobody waits for any more.
func (qs *questions) forget(id string) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	qs.open = slices.DeleteFunc(qs.open, func(q *question) bool { return q.id == id })
}

// answer checks answers against the schemas and hands them on; the question
// stays open when one does not fit (M-11).
func (qs *questions) answer(workbench, id string, answers map[string]json.RawMessage) error {
	q := qs.find(workbench, id)
	if q == nil {
		return workshop.Faultf(workshop.NotFound, "Question not found: %s", id)
	}
	if err := q.check(answers); err != nil {
		return err
	}
	qs.mu.Lock()
	i := slices.Index(qs.open, q)
	if i >= 0 {
		qs.open = slices.Delete(qs.open, i, i+1)
	}
	qs.mu.Unlock()
	if i < 0 { // somebody else's answer was quicker
		return workshop.Faultf(workshop.NotFound, "Question not found: %s", id)
	}
	q.answered(answers)
	return nil
}

func (qs *questions) find(workbench, id string) *question {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for _, q := range qs.open {
		if q.id == id && q.workbench == workbench {
			return q
		}
	}
	return nil
}

func (q *question) check(answers map[string]json.RawMessage) error {
	for name := range answers {
		if q.schemas[name] == nil {
			return workshop.Faultf(workshop.Invalid, "there is no question %s", name).OnField(name)
		}
	}
	for name, schema := range q.schemas {
		raw, ok := answers[name]
		if !ok {
			return workshop.Faultf(workshop.Invalid, "the answer to %s is missing", name).OnField(name)
		}
		var v any
		dec := json.NewDecoder(bytes.NewReader(raw))
		if err := dec.Decode(&v); err != nil {
			return workshop.Faultf(workshop.Invalid, "the answer to %s is not JSON", name).OnField(name)
		}
		if err := schema.Validate(v); err != nil {
			return workshop.Faultf(workshop.Invalid, "the answer to %s does not fit its schema: %w", name, err).OnField(name)
		}
	}
	return nil
}

// Answer gives the answers to an open question by name (M-11, M-15): NotFound
// when the workspace has no such question, Invalid when an answer is missing or
// does not fit.
func (l *Live) Answer(_ context.Context, workspace, _, questionID string, answers map[string]json.RawMessage) error {
	return l.e.questions.answer(workspace, questionID, answers)
}
