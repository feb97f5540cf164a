package files

import (
	"bytes"
	"encoding/json"
	"errors"
)

// editJSON edits a stored JSON value: in the string of its member "text" when
// it is an object that has one, else in its JSON text, which must stay JSON
// (B8-07). Everything else keeps its bytes.
func editJSON(b []byte, t TextEdit) ([]byte, error) {
	if from, to, s, ok := textMember(b); ok {
		s, err := t.apply(s)
		if err != nil {
			return nil, err
		}
		q, err := compactJSON(s)
		if err != nil {
			return nil, err
		}
		return append(append(bytes.Clone(b[:from]), q...), b[to:]...), nil
	}
	s, err := t.apply(string(b))
	if err != nil {
		return nil, err
	}
	field := "new_string"
	if t.Insert {
		field = "insert_content"
	}
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(s)); err != nil {
		return nil, invalid(field, "the content is a JSON value and would not be one after this edit: %v", err)
	}
	if out.String() == "null" {
		return nil, invalid(field, "the content cannot become null")
	}
	return out.Bytes(), nil
}

// textMember finds the string member "text" of a JSON object: where its value
// stands and what it is.
func textMember(b []byte) (from, to int, s string, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return 0, 0, "", false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return 0, 0, "", false
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return 0, 0, "", false
		}
		if key == "text" { // the last one counts, as for any JSON reader
			to = int(dec.InputOffset())
			from, ok = to-len(v), v[0] == '"' && json.Unmarshal(v, &s) == nil
		}
	}
	return from, to, s, ok
}

func compactJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, errors.New("the text is no JSON string")
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
