package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"atelier/internal/lenient"
	"atelier/internal/textclip"
)

// What is told of ignored arguments: so many, and so much of each name.
const (
	maxIgnored     = 20
	maxIgnoredName = 60
)

// ignored lists the arguments of a call that the binding does not take.
func (b Binding) ignored(args json.RawMessage) []string {
	if b.takes == nil {
		return nil
	}
	names := lenient.Unknown(args, b.takes)
	if more := len(names) - maxIgnored; more > 0 {
		names = append(names[:maxIgnored:maxIgnored], fmt.Sprintf("and %d more", more))
	}
	for i, n := range names {
		names[i] = textclip.Bytes(n, maxIgnoredName)
	}
	return names
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
		b, err := Compact(Part{Ignored: ignored, Text: text})
		if err != nil || !hasText {
			return string(b), string(b), err
		}
		text = string(b)
	}
	b, err := withIgnored(ignored, data)
	if err != nil || b == nil { // a list: only its text has room
		return data, "ignored arguments: " + strings.Join(ignored, ", ") + "\n" + text, err
	}
	if !hasText {
		text = string(b)
	}
	if s, ok := data.(Shortener); ok {
		return namedShortener{b, s, ignored}, text, nil
	}
	return b, text, nil
}

// withIgnored returns an object with one more member; nil when data is none.
func withIgnored(ignored []string, data any) (json.RawMessage, error) {
	b, err := Compact(data)
	if err != nil || len(b) == 0 || b[0] != '{' {
		return nil, err
	}
	names, err := Compact(ignored)
	if err != nil {
		return nil, err
	}
	head := `{"ignored":` + string(names)
	if string(b) != "{}" {
		head += ","
	}
	return json.RawMessage(head + string(b[1:])), nil
}

// namedShortener is a Shortener whose parts name the ignored arguments too.
type namedShortener struct {
	json.RawMessage
	whole   Shortener
	ignored []string
}

// Shorten implements Shortener.
func (n namedShortener) Shorten(limit int) any {
	room := len(`"ignored":,`)
	if names, err := Compact(n.ignored); err == nil {
		room += len(names)
	}
	part := n.whole.Shorten(limit - room)
	if b, err := withIgnored(n.ignored, part); err == nil && b != nil {
		return b
	}
	return part
}
