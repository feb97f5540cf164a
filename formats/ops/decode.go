package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/internal/lenient"
)

// Call is one operation as a caller gave it.
type Call[S any] struct {
	Name    string
	Args    any               // the operation's argument struct
	Ignored []formats.Ignored // members that the operation does not take
	op      *Op[S]
}

// Run applies the operation.
func (c Call[S]) Run(ctx context.Context, on S) error { return c.op.run(on, ctx, c.Args) }

// Decode reads an operation, a JSON object with a member op. On an error the
// call has the operation's name as far as it is known.
func (t *Table[S]) Decode(raw json.RawMessage) (Call[S], error) {
	var head struct {
		Op string `json:"op"`
	}
	if b := bytes.TrimSpace(raw); len(b) == 0 || b[0] != '{' {
		return Call[S]{}, formats.Errorf(formats.CodeInvalid, "an operation must be an object with a member op")
	}
	raw, err := Flatten(raw)
	if err != nil {
		return Call[S]{}, err
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return Call[S]{}, formats.Errorf(formats.CodeInvalid, "%s", lenient.Problem(err))
	}
	c := Call[S]{Name: head.Op, op: t.byName[head.Op]}
	if c.Name == "" {
		return c, formats.Errorf(formats.CodeInvalid, "op is required: one of %s", strings.Join(t.Names(), ", "))
	}
	if c.op == nil {
		return c, formats.Errorf(formats.CodeInvalid, "unsupported op: %s", c.Name+t.suggest(c.Name))
	}
	c.Ignored = c.op.ignored(raw)
	raw = c.op.renamed(raw)
	if c.Args, err = c.op.decode(raw); err != nil {
		return c, formats.Errorf(formats.CodeInvalid, "%s", c.op.problem(raw, err))
	}
	return c, nil
}

// DecodeNumbers decodes JSON; numbers that go into an any stay as they are
// written, as json.Number.
func DecodeNumbers(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return dec.Decode(into)
}

// renamed gives members that are there by an old name only their present name.
func (o *Op[S]) renamed(raw json.RawMessage) json.RawMessage {
	var given map[string]json.RawMessage
	takes := o.takes()
	for i := range takes {
		old := takes[i].field.Tag.Get("old")
		if old == "" || !bytes.Contains(bytes.ToLower(raw), []byte(`"`+old+`"`)) {
			continue
		}
		if given == nil && json.Unmarshal(raw, &given) != nil {
			return raw
		}
		if name, there := key(given, old); there {
			if _, there := key(given, takes[i].name); !there {
				given[takes[i].name] = given[name]
			}
			delete(given, name)
		}
	}
	if given == nil {
		return raw
	}
	if b, err := json.Marshal(given); err == nil {
		return b
	}
	return raw
}

// key finds a member in any case that is not null.
func key(given map[string]json.RawMessage, name string) (string, bool) {
	for k, v := range given {
		if strings.EqualFold(k, name) && string(v) != "null" {
			return k, true
		}
	}
	return "", false
}

// problem says what is wrong with an operation that cannot be decoded: the
// member, what it must be and what it is.
func (o *Op[S]) problem(raw json.RawMessage, err error) string {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		what := lenient.Problem(err)
		name, _, _ := strings.Cut(what, ":")
		if m := o.member(name); m != nil && m.field.Tag.Get("shape") != "" {
			return m.name + ": expected " + m.field.Tag.Get("shape") + ", got " + te.Value
		}
		return what
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		return lenient.Problem(err)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		one, _ := json.Marshal(map[string]json.RawMessage{name: given[name]})
		if _, err := o.decode(one); err != nil {
			return name + ": " + lenient.Problem(err)
		}
	}
	return lenient.Problem(err)
}

// suggest names the operation that a misspelt name most resembles, when one
// resembles it enough.
func (t *Table[S]) suggest(name string) string {
	best, least := "", len(name)/3+1
	for _, op := range t.ops {
		if d := distance(strings.ToLower(name), op.name); d < least {
			best, least = op.name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance is the number of letters to insert, delete or replace in a to make b.
func distance(a, b string) int {
	if len(a) > 100 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
