package questions

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// openMax bounds how many open questions are kept for a workbench; the oldest
// are forgotten.
const openMax = 100

// Broker keeps the questions that wait for an answer. They live in memory only
// (B15-04). The zero value is ready; it is safe for concurrent use.
type Broker struct {
	mu   sync.Mutex // protects the fields below
	open []*question
	left bool // nobody answers any more
}

type question struct {
	id, workbench string
	schemas       map[string]*jsonschema.Resolved // by the question's name
	buttons       map[string]string               // their values, by the question's name
	answered      chan tools.Answers              // closed without any when nobody can give them
}

// Open opens questions. The channel gets the answers once they fit; it is closed
// without any when nobody can give them any more.
func (b *Broker) Open(workbench string, a tools.Asking) (<-chan tools.Answers, error) {
	q := &question{id: a.ID, workbench: workbench, schemas: map[string]*jsonschema.Resolved{}, buttons: map[string]string{}, answered: make(chan tools.Answers, 1)}
	for _, one := range a.Questions {
		r, err := schemaOf(one)
		if err != nil {
			return nil, err
		}
		q.schemas[one.Name], q.buttons[one.Name] = r, valuesOf(one.Buttons)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left {
		close(q.answered)
		return q.answered, nil
	}
	b.open = append(b.open, q)
	b.limit(workbench)
	return q.answered, nil
}

// Len returns how many questions are open.
func (b *Broker) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.open)
}

// Leave says that nobody can answer, now or later: whoever waits is told
// so.
func (b *Broker) Leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = true
	for _, q := range b.open {
		close(q.answered)
	}
	b.open = nil
}

// schemaOf makes a question's schema ready for use.
func schemaOf(q tools.Question) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(q.Schema, &s); err != nil {
		return nil, workshop.Faultf(workshop.Invalid, "the schema of the question %s is not a JSON Schema", q.Name).OnField("questions")
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return nil, workshop.Faultf(workshop.Invalid, "the schema of the question %s cannot be used: %w", q.Name, err).OnField("questions")
	}
	return r, nil
}

// limit forgets a workbench's oldest questions. b.mu is held.
func (b *Broker) limit(workbench string) {
	n := 0
	for _, q := range b.open {
		if q.workbench == workbench {
			n++
		}
	}
	b.open = slices.DeleteFunc(b.open, func(q *question) bool {
		if n <= openMax || q.workbench != workbench {
			return false
		}
		n--
		close(q.answered)
		return true
	})
}

// Forget closes a question that nobody waits for any more.
func (b *Broker) Forget(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = slices.DeleteFunc(b.open, func(q *question) bool { return q.id == id })
}

// Answer checks answers against the schemas and hands them on: NotFound when
// the workbench has no such question, Invalid, with the question still open,
// when an answer is missing or does not fit (M-11).
func (b *Broker) Answer(workbench, id string, answers tools.Answers) error {
	q := b.find(workbench, id)
	if q == nil {
		return workshop.Unknownf("Question not found: %s", id)
	}
	if err := q.check(answers); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.open, q)
	if i < 0 { // somebody else's answer was quicker
		return workshop.Unknownf("Question not found: %s", id)
	}
	b.open = slices.Delete(b.open, i, i+1)
	q.answered <- answers // it has room for them
	return nil
}

func (b *Broker) find(workbench, id string) *question {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, q := range b.open {
		if q.id == id && q.workbench == workbench {
			return q
		}
	}
	return nil
}

func (q *question) check(answers tools.Answers) error {
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
			if v == nil { // null is absent, unless the schema has it
				return workshop.Faultf(workshop.Invalid, "the answer to %s is missing", name).OnField(name)
			}
			f := workshop.Faultf(workshop.Invalid, "the answer to %s does not fit its schema: %s", name, misfit(err)).OnField(name)
			if values := q.buttons[name]; values != "" {
				f.Hint = "answer with one of the buttons' values, or as the schema says: " + values
			}
			return f
		}
	}
	return nil
}

// Fits says why an answer does not fit its question; nil when it does. The error
// is a *workshop.Fault.
func Fits(q tools.Question, answer json.RawMessage) error {
	schema, err := schemaOf(q)
	if err != nil {
		return err
	}
	one := question{schemas: map[string]*jsonschema.Resolved{q.Name: schema}, buttons: map[string]string{q.Name: valuesOf(q.Buttons)}}
	return one.check(tools.Answers{q.Name: answer})
}

// misfit returns what is wrong with an answer, without the validator's way to it.
func misfit(err error) string {
	s, _, _ := strings.Cut(err.Error(), "\n")
	s = strings.TrimPrefix(s, "validating root: ")
	if strings.HasPrefix(s, "anyOf: ") || strings.HasPrefix(s, "oneOf: ") {
		return "it has none of the forms that the schema allows"
	}
	key, rest, _ := strings.Cut(s, ": ")
	words := strings.Fields(rest)
	if slices.Contains([]string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}, key) && len(words) > 1 {
		words[0], words[len(words)-1] = plain(words[0]), plain(words[len(words)-1])
		return key + ": " + strings.Join(words, " ")
	}
	return s
}

// plain writes a number as a person does; the validator has 3/2 and 1.500000.
func plain(number string) string {
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return number
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// valuesOf lists what buttons answer.
func valuesOf(buttons []tools.Button) string {
	values := make([]string, len(buttons))
	for i, b := range buttons {
		values[i] = string(b.Value)
	}
	return strings.Join(values, ", ")
}
