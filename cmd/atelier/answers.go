package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/workshop/tools"
	"atelier/workshop/tools/questions"
)

// reply parses the answer to one question at a terminal: the number or label
// of a choice, else a value in the form of the schema.
type reply struct {
	question tools.Question
	schema   replySchema
	choices  []choice
}

type replySchema struct {
	Type  string            `json:"type"`
	Enum  []json.RawMessage `json:"enum"`
	Items *replySchema      `json:"items"`
}

type choice struct {
	label string
	value json.RawMessage
}

func replyTo(q tools.Question) reply {
	r := reply{question: q}
	_ = json.Unmarshal(q.Schema, &r.schema) // it was checked; without its expected form there are just no choices
	enum, one := r.schema.Enum, q
	if r.several() {
		enum = r.schema.Items.Enum
		var s struct{ Items json.RawMessage }
		_ = json.Unmarshal(q.Schema, &s)
		one.Schema = s.Items
	}
	r.choices = slices.DeleteFunc(choicesOf(q, enum), func(c choice) bool { // offer no choice that would be refused
		return questions.Fits(one, c.value) != nil
	})
	return r
}

// several reports whether the answer is a list.
func (r reply) several() bool { return r.schema.Type == "array" && r.schema.Items != nil }

// read parses a line as the answer; false if it has no valid form.
func (r reply) read(line string) (json.RawMessage, bool) {
	v := answerOf(line, r.choices, r.schema.Type)
	if r.several() && !strings.HasPrefix(line, "[") {
		v = listOf(line, r.choices, r.schema.Items.Type)
	}
	return v, questions.Fits(r.question, v) == nil
}

// wanted says what to type after an invalid answer.
func (r reply) wanted() string {
	form := map[string]string{
		"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "yes or no",
		"object": "JSON such as {…}", "array": "answers with commas between them",
	}[r.schema.Type]
	switch n := len(r.choices); {
	case n > 0 && r.several():
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

func choicesOf(q tools.Question, enum []json.RawMessage) []choice {
	var out []choice
	for _, b := range q.Buttons {
		out = append(out, choice{b.Label, b.Value})
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
		out = append(out, choice{label, v})
	}
	return out
}

// listOf parses answers separated by commas.
func listOf(line string, choices []choice, typ string) json.RawMessage {
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
func answerOf(line string, choices []choice, typ string) json.RawMessage {
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(choices) && !strings.HasPrefix(line, "+") {
		return choices[n-1].value
	}
	for _, c := range choices {
		if strings.EqualFold(c.label, line) {
			return c.value
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
