package questions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/workshop/tools"
)

// Reply parses the answer to one question as a person types it: the number or label
// of a choice, else a value in the form of the schema.
type Reply struct {
	question tools.Question
	schema   replySchema
	choices  []Choice
}

type replySchema struct {
	Type  string            `json:"type"`
	Enum  []json.RawMessage `json:"enum"`
	Items *replySchema      `json:"items"`
}

// Choice is an answer that is offered.
type Choice struct {
	Label   string
	Value   json.RawMessage
	Variant string // as of the button, "" for a value of the schema
}

// ReplyTo returns how to answer a question.
func ReplyTo(q tools.Question) Reply {
	r := Reply{question: q}
	_ = json.Unmarshal(q.Schema, &r.schema) // it was checked; without its expected form there are just no choices
	enum, one := r.schema.Enum, q
	if r.Several() {
		enum = r.schema.Items.Enum
		var s struct{ Items json.RawMessage }
		_ = json.Unmarshal(q.Schema, &s)
		one.Schema = s.Items
	}
	r.choices = slices.DeleteFunc(choicesOf(q, enum), func(c Choice) bool { // offer no choice that would be refused
		return Fits(one, c.Value) != nil
	})
	return r
}

// Choices are the answers that are offered; none would be refused. There are none for
// a free text or a number.
func (r Reply) Choices() []Choice { return r.choices }

// Several reports whether the answer is a list.
func (r Reply) Several() bool { return r.schema.Type == "array" && r.schema.Items != nil }

// Read parses a line as the answer; false if it has no valid form.
func (r Reply) Read(line string) (json.RawMessage, bool) {
	v := answerOf(line, r.choices, r.schema.Type)
	if r.Several() && !strings.HasPrefix(line, "[") {
		v = listOf(line, r.choices, r.schema.Items.Type)
	}
	return v, Fits(r.question, v) == nil
}

// Wanted says what to type after an invalid answer.
func (r Reply) Wanted() string {
	form := map[string]string{
		"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "yes or no",
		"object": "JSON such as {…}", "array": "answers with commas between them",
	}[r.schema.Type]
	switch n := len(r.choices); {
	case n > 0 && r.Several():
		return fmt.Sprintf("type numbers from 1 to %d, with commas between them%s", n, limitsOf(r.question.Schema))
	case n > 0 && len(r.schema.Enum) > 0:
		return fmt.Sprintf("type a number from 1 to %d", n)
	case n > 0:
		return fmt.Sprintf("type a number from 1 to %d, or an answer as the question says", n)
	case form == "":
		return "its form is " + string(r.question.Schema)
	}
	if limits := limitsOf(r.question.Schema); limits != "" {
		form += limits
	}
	return "type " + form
}

// limitsOf describes the constraints of a schema besides its type.
func limitsOf(schema json.RawMessage) string {
	var s map[string]json.RawMessage
	_ = json.Unmarshal(schema, &s)
	var out strings.Builder
	for _, l := range []struct{ key, words string }{
		{"minimum", ", at least %s"}, {"maximum", ", at most %s"}, {"exclusiveMinimum", ", more than %s"}, {"exclusiveMaximum", ", less than %s"},
		{"minLength", ", no shorter than %s"}, {"maxLength", ", no longer than %s"}, {"minItems", ", at least %s"}, {"maxItems", ", at most %s"},
		{"multipleOf", ", a multiple of %s"}, {"pattern", " of the form %s"}, {"format", " (%s)"},
	} {
		if v, ok := s[l.key]; ok {
			fmt.Fprintf(&out, l.words, v)
		}
	}
	return out.String()
}

func choicesOf(q tools.Question, enum []json.RawMessage) []Choice {
	var out []Choice
	for _, b := range q.Buttons {
		out = append(out, Choice{b.Label, b.Value, b.Variant})
	}
	if len(out) > 0 {
		return out
	}
	for _, v := range enum {
		label := string(v)
		var s string
		if json.Unmarshal(v, &s) == nil {
			label = s
		}
		out = append(out, Choice{Label: label, Value: v})
	}
	return out
}

// listOf parses answers separated by commas.
func listOf(line string, choices []Choice, typ string) json.RawMessage {
	list := []json.RawMessage{}
	for part := range strings.SplitSeq(line, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, answerOf(part, choices, typ))
		}
	}
	b, _ := json.Marshal(list) // its parts are JSON
	return b
}

// answerOf parses one answer: the number or label of a choice, else text if
// the schema wants a string, else JSON.
func answerOf(line string, choices []Choice, typ string) json.RawMessage {
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(choices) && !strings.HasPrefix(line, "+") {
		return choices[n-1].Value
	}
	for _, c := range choices {
		if strings.EqualFold(c.Label, line) {
			return c.Value
		}
	}
	if typ != "string" && json.Valid([]byte(line)) {
		return json.RawMessage(line)
	}
	if typ == "boolean" {
		switch strings.ToLower(line) {
		case "y", "yes":
			return json.RawMessage("true")
		case "n", "no":
			return json.RawMessage("false")
		}
	}
	b, _ := json.Marshal(line) // a string always encodes
	return b
}
