package tools

import (
	"encoding/json"
	"strings"

	"atelier/formats/loose"
)

// ignored lists the arguments of a call that the binding does not take.
func (b Binding) ignored(args json.RawMessage) []string {
	if b.takes == nil {
		return nil
	}
	return loose.Unknown(args, b.takes)
}

// naming gives a result, and its text for a model, the names of the arguments
// that were ignored: as a first member of an object, as a line of a sentence,
// and beside a text that is content, of which every character stays that of the
// file.
func naming(ignored []string, effect Effect, data any, text string) (any, string, error) {
	if len(ignored) == 0 {
		return data, text, nil
	}
	_, hasText := data.(Texter)
	if _, ok := data.(string); ok && effect != Read {
		text += "\nignored arguments: " + strings.Join(ignored, ", ")
		return text, text, nil
	} else if ok || hasText {
		b, err := Compact(struct {
			Ignored []string `json:"ignored"`
			Text    string   `json:"text"`
		}{ignored, text})
		if err != nil || !hasText {
			return string(b), string(b), err
		}
		text = string(b)
	}
	b, err := Compact(data)
	if err != nil {
		return nil, "", err
	}
	if len(b) == 0 || b[0] != '{' { // a list: only its text has room
		return data, "ignored arguments: " + strings.Join(ignored, ", ") + "\n" + text, nil
	}
	names, err := Compact(ignored)
	if err != nil {
		return nil, "", err
	}
	head := `{"ignored":` + string(names)
	if string(b) != "{}" {
		head += ","
	}
	object := json.RawMessage(head + string(b[1:]))
	if !hasText {
		text = string(object)
	}
	return object, text, nil
}
