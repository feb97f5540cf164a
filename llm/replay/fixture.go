package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

// Fixture is the model's side of a conversation.
type Fixture struct {
	turns []turn // in order
	rest  *turn  // model-*
}

// Turns returns the number of numbered answers.
func (f *Fixture) Turns() int { return len(f.turns) }

// turn is one answer.
type turn struct {
	name  string // of the section
	lines []line
}

// line is one line of a section.
type line struct {
	no   int // from 1, in the section
	json []byte
}

// ParseFile reads a fixture from a file.
func ParseFile(path string) (*Fixture, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// SyntaxError says what is wrong with a fixture.
type SyntaxError struct {
	Section string
	Line    int // in the section, from 1
	Why     string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("fixture: section %s, line %d: %s", e.Section, e.Line, e.Why)
}

// Parse reads the model sections of a txtar archive. An error names the section
// and line.
func Parse(data []byte) (*Fixture, error) {
	f := &Fixture{}
	numbered := map[int]turn{}
	for _, file := range txtar.Parse(data).Files {
		n, ok, err := sectionNumber(file.Name)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		t, err := parseTurn(file.Name, file.Data)
		if err != nil {
			return nil, err
		}
		switch _, twice := numbered[n]; {
		case twice || n == 0 && f.rest != nil:
			return nil, fmt.Errorf("fixture: section %s: there are two answers of this number", file.Name)
		case n == 0:
			f.rest = &t
		default:
			numbered[n] = t
		}
	}
	for n := 1; n <= len(numbered); n++ {
		t, ok := numbered[n]
		if !ok {
			return nil, fmt.Errorf("fixture: there is no section model-%d but later ones", n)
		}
		f.turns = append(f.turns, t)
	}
	return f, nil
}

// sectionNumber gives the number in model-N: 1 for model, 0 for model-*.
func sectionNumber(name string) (n int, ok bool, err error) {
	rest, ok := strings.CutPrefix(name, "model")
	if !ok {
		return 0, false, nil
	}
	switch rest {
	case "":
		return 1, true, nil
	case "-*":
		return 0, true, nil
	}
	num, ok := strings.CutPrefix(rest, "-")
	if !ok {
		return 0, false, nil
	}
	n, err = strconv.Atoi(num)
	if err != nil || n < 1 {
		return 0, false, fmt.Errorf("fixture: section %s: want model, model-1, model-2 … or model-*", name)
	}
	return n, true, nil
}

func parseTurn(name string, data []byte) (turn, error) {
	t := turn{name: name}
	ended := false
	for no, b := range slices.Collect(bytes.Lines(data)) {
		b = bytes.TrimSpace(b)
		if len(b) == 0 || b[0] == '#' {
			continue
		}
		l := line{no: no + 1, json: b}
		fail := func(why string) (turn, error) {
			return turn{}, &SyntaxError{name, l.no, why}
		}
		if !json.Valid(b) || b[0] != '{' {
			return fail("want one JSON object a line")
		}
		if ended {
			return fail("nothing can follow cut, close, hang, refuse or a body")
		}
		s, err := l.read()
		if err != nil {
			return fail(err.Error())
		}
		if first := s.onlyFirst(); first != "" && len(t.lines) > 0 {
			return fail(first + " must be on the first line")
		}
		ended = s.Cut || s.Close || s.Hang || s.Refuse || s.Body != nil
		t.lines = append(t.lines, l)
	}
	return t, nil
}

// onlyFirst returns the member of a line that only the first line may have, "" when
// there is none.
func (s step) onlyFirst() string {
	switch {
	case s.Status != 0:
		return "status"
	case s.Refuse:
		return "refuse"
	}
	return ""
}

// step is a line understood.
type step struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
	DelayMS int               `json:"delay_ms"`
	Raw     *string           `json:"raw"`
	Base64  []byte            `json:"base64"`
	Cut     bool              `json:"cut"`
	Close   bool              `json:"close"`
	Hang    bool              `json:"hang"`
	Refuse  bool              `json:"refuse"`

	Text      *string         `json:"text"`
	Reasoning *string         `json:"reasoning"`
	Call      *scriptedCall   `json:"call"`
	Finish    *string         `json:"finish"`
	Usage     json.RawMessage `json:"usage"`

	event []byte // the data of one event, when the line is no form of ours
}

type scriptedCall struct {
	Index     *int            `json:"index"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// forms are the first keys of our own lines.
var forms = []string{"status", "delay_ms", "raw", "base64", "cut", "close", "hang", "refuse", "text", "reasoning", "call", "finish", "usage"}

// isForm reports whether a line is a form of ours rather than an event.
func isForm(keys map[string]json.RawMessage) bool {
	if keys["choices"] != nil || keys["error"] != nil || keys["object"] != nil || keys["type"] != nil {
		return false
	}
	return slices.ContainsFunc(forms, func(k string) bool { return keys[k] != nil })
}

func (l line) read() (step, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(l.json, &keys); err != nil {
		return step{}, err
	}
	if !isForm(keys) {
		return step{event: l.json}, nil
	}
	var s step
	dec := json.NewDecoder(bytes.NewReader(l.json))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return step{}, err
	}
	return s, nil
}

// arguments returns the text of the call's arguments.
func (c *scriptedCall) arguments() string {
	var s string
	if len(c.Arguments) > 0 && json.Unmarshal(c.Arguments, &s) != nil {
		s = string(c.Arguments)
	}
	return s
}
