package toolservers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// object is a JSON object whose members keep their order and their bytes.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

// parseObject reads a JSON object. Of members with one name the last counts, as in
// package json.
func parseObject(b []byte) (object, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if t != json.Delim('{') {
		return nil, &notObject{}
	}
	var o object
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("unexpected %v", t)
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		o = o.with(name, v)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the end of the object")
	}
	return o, nil
}

type notObject struct{}

// Error implements error.
func (*notObject) Error() string { return "it is not a JSON object" }

// get returns a member, nil where there is none.
func (o object) get(name string) json.RawMessage {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// with returns the object with a member replaced or added at the end.
func (o object) with(name string, value json.RawMessage) object {
	for i, m := range o {
		if m.name == name {
			o = slices.Clone(o)
			o[i].value = value
			return o
		}
	}
	return append(slices.Clone(o), member{name, value})
}

// without returns the object without a member.
func (o object) without(name string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return m.name == name })
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// indented returns the object as a person writes it.
func (o object) indented() ([]byte, error) {
	b, err := o.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// lineOf returns the line, from 1, of the error of reading b as JSON; 0 where the error
// has no place.
func lineOf(b []byte, err error) int {
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	at := int64(-1)
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset - 1
	case errors.As(err, &typed):
		at = typed.Offset - 1
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		at = int64(len(bytes.TrimRight(b, " \t\r\n")))
	}
	if at < 0 || at > int64(len(b)) {
		return 0
	}
	return 1 + bytes.Count(b[:at], []byte("\n"))
}
