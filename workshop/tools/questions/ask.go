package questions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/google/uuid"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// AskArgs are the arguments of ask_user. A schema may be text that holds JSON
// (C-47).
type AskArgs struct{ Questions []tools.Question }

// Asked is the result of ask_user: questions that are open (Status set), or
// their answers.
type Asked struct {
	Status    string           `json:"status,omitempty"` // "question_pending"
	ID        string           `json:"question_id"`
	Questions []tools.Question `json:"questions,omitempty"`
	Answers   tools.Answers    `json:"answers,omitempty"`
}

const pending = "question_pending"

// askMax is the most questions of one call (B15-01).
const askMax = 4

// AskUser asks the user and waits for the answers, if anyone can give them.
func AskUser() *tools.Tool {
	return tools.New("ask_user", "Ask the user and wait for the answers.", tools.Interact,
		func(ctx context.Context, env *tools.Env, a AskArgs) (any, error) {
			qs, err := check(a.Questions)
			if err != nil {
				return nil, err
			}
			asking := tools.Asking{ID: newID(env), Questions: qs}
			var modes tools.Modes
			if env.Session != nil {
				modes = env.Session.Modes
			}
			if env.Asker == nil && env.Post == nil {
				return nil, tools.ErrNobody
			}
			if modes != nil {
				if err := modes.Asked(ctx, env.View, asking); err != nil {
					return nil, err
				}
			}
			if env.Asker == nil {
				return Asked{Status: pending, ID: asking.ID, Questions: qs}, env.Post(ctx, asking)
			}
			answers, err := env.Asker.Ask(ctx, asking)
			if err == nil && modes != nil {
				err = modes.Answered(ctx, asking, answers)
			}
			if err != nil {
				return nil, err
			}
			return Asked{ID: asking.ID, Answers: answers}, nil
		})
}

func newID(env *tools.Env) string {
	if env.NewID != nil {
		return env.NewID()
	}
	return uuid.Must(uuid.NewV7()).String() // ordered by time, also within a millisecond (B15-04)
}

// check returns B15-01, B15-03 and B15-05; it gives the questions with their schemas
// as objects.
func check(in []tools.Question) ([]tools.Question, error) {
	refuse := func(format string, args ...any) ([]tools.Question, error) {
		return nil, workshop.Faultf(workshop.Invalid, format, args...).OnField("questions")
	}
	switch {
	case len(in) == 0:
		return refuse("questions array cannot be empty")
	case len(in) > askMax:
		return refuse("questions array can have at most %d questions; it has %d", askMax, len(in))
	}
	seen := map[string]bool{}
	out := make([]tools.Question, len(in))
	for i, q := range in {
		var err error
		switch {
		case strings.TrimSpace(q.Name) == "":
			return refuse("questions[%d]: missing field `name`", i)
		case strings.TrimSpace(q.Question) == "":
			return refuse("questions[%d]: missing field `question`", i)
		case len(q.Schema) == 0 || string(q.Schema) == "null":
			return refuse("questions[%d]: missing field `schema`", i)
		case seen[q.Name]:
			return refuse("two questions have the name %s", q.Name)
		}
		seen[q.Name] = true
		if q.Schema, err = schemaObject(q.Schema); err != nil {
			return refuse("the schema of the question %s is not a JSON Schema: %s", q.Name, err)
		}
		if _, err := schemaOf(q); err != nil {
			return nil, err
		}
		if err := checkButtons(q); err != nil {
			return refuse("the question %s: %s", q.Name, err)
		}
		if err := checkChoices(q); err != nil {
			return refuse("the question %s: %s", q.Name, err)
		}
		out[i] = q
	}
	return out, nil
}

// schemaObject unwraps a schema that is given as text.
func schemaObject(raw json.RawMessage) (json.RawMessage, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(strings.TrimSpace(text))
	}
	if !json.Valid(raw) {
		return nil, errors.New("it is not valid JSON")
	}
	if raw[0] != '{' {
		return nil, errors.New("it is not an object")
	}
	return raw, nil
}

func checkButtons(q tools.Question) error {
	if len(q.Buttons) == 0 {
		return nil
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(q.Schema, &s); err != nil {
		return err
	}
	if s.Type == "array" || len(s.Types) > 0 && contains(s.Types, "array") {
		return errors.New("a question with several answers cannot have buttons")
	}
	for _, b := range q.Buttons {
		var v any
		if strings.TrimSpace(b.Label) == "" || len(b.Value) == 0 {
			return errors.New("each button needs a label and a value")
		}
		if err := json.Unmarshal(b.Value, &v); err != nil {
			return err
		}
		switch v.(type) {
		case string, float64, bool:
		default:
			return errors.New("the value of a button must be a string, a number or a boolean")
		}
	}
	return nil
}

// checkChoices refuses what a person could choose and nobody would take: a
// button, or a member of an enum, that does not fit the rest of the schema.
func checkChoices(q tools.Question) error {
	for _, b := range q.Buttons {
		if err := Fits(q, b.Value); err != nil {
			return fmt.Errorf("the button %q answers %s, which its schema refuses (%s); give it a value that fits, or change the schema", b.Label, b.Value, reason(err, q.Name))
		}
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(q.Schema, &s); err != nil {
		return err
	}
	if s.Items != nil && (s.Type == "array" || contains(s.Types, "array")) {
		b, err := json.Marshal(s.Items)
		if err != nil {
			return err
		}
		s, q.Schema = *s.Items, b
	}
	for _, v := range s.Enum {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if err := Fits(q, b); err != nil {
			return fmt.Errorf("its enum has %s, which the rest of its schema refuses (%s); take it out, or change the schema", b, reason(err, q.Name))
		}
	}
	return nil
}

// reason returns why an answer does not fit, without saying whose answer.
func reason(err error, name string) string {
	return strings.TrimPrefix(workshop.AsFault(err).Message, "the answer to "+name+" does not fit its schema: ")
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}
