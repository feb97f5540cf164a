package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// piece is a string in the events of a stream.
type piece struct {
	from, to int // of its JSON in the body
	text     string
}

// Stream is Text for the body of an answer: an event stream or one object. What
// is in pieces over several deltas becomes its mark in the first of them; the
// number of events and everything else stays.
func (r *Redactor) Stream(body string) string {
	pieces := channels(body)
	var spans []span
	for _, list := range pieces {
		spans = append(spans, r.across(list)...)
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	return r.Text(apply(body, spans))
}

// LearnStream is Learn for the body of an answer.
func (r *Redactor) LearnStream(body string) {
	for _, list := range channels(body) {
		var sb strings.Builder
		for _, p := range list {
			sb.WriteString(p.text)
		}
		r.Learn(sb.String())
	}
	r.Learn(body)
}

// across finds what to replace in pieces of one text.
func (r *Redactor) across(list []piece) []span {
	var joined strings.Builder
	for _, p := range list {
		joined.WriteString(p.text)
	}
	found := r.find(joined.String())
	if len(found) == 0 {
		return nil
	}
	var out []span
	start := 0
	for _, p := range list {
		end := start + len(p.text)
		text, at := "", start
		changed := false
		for _, f := range found {
			if f.to <= start || f.from >= end {
				continue
			}
			changed = true
			if f.from >= start {
				text += p.text[at-start:f.from-start] + f.with
			}
			at = min(f.to, end)
		}
		if changed {
			out = append(out, span{p.from, p.to, quote(text + p.text[at-start:])})
		}
		start = end
	}
	return out
}

func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// channels gives the strings of the events in body by where they stand, in
// order: those of one channel are pieces of one text.
func channels(body string) map[string][]piece {
	out := map[string][]piece{}
	at := 0
	for line := range strings.Lines(body) {
		data := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "data:"))
		if strings.HasPrefix(data, "{") {
			base := at + strings.Index(line, data)
			w := walker{dec: json.NewDecoder(strings.NewReader(data)), data: data, base: base, out: out}
			_ = w.value("") // what is no JSON has no pieces
		}
		at += len(line)
	}
	return out
}

// walker reads the strings of one event with their places.
type walker struct {
	dec  *json.Decoder
	data string
	base int
	out  map[string][]piece
}

func (w *walker) value(path string) error {
	before := w.dec.InputOffset()
	tok, err := w.dec.Token()
	if err != nil {
		return err
	}
	switch t := tok.(type) {
	case string:
		from := int(before) + strings.IndexByte(w.data[before:], '"')
		w.out[path] = append(w.out[path], piece{w.base + from, w.base + int(w.dec.InputOffset()), t})
	case json.Delim:
		if t == '{' {
			return w.object(path)
		}
		return w.array(path)
	}
	return nil
}

func (w *walker) object(path string) error {
	index := ""
	for w.dec.More() {
		key, err := w.dec.Token()
		if err != nil {
			return err
		}
		name, ok := key.(string)
		if !ok {
			return io.ErrUnexpectedEOF
		}
		if name == "index" { // pieces of one call have one index, wherever they stand
			var n json.RawMessage
			if err := w.dec.Decode(&n); err != nil {
				return err
			}
			index = "#" + string(n)
			continue
		}
		if err := w.value(path + index + "." + name); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	return err
}

func (w *walker) array(path string) error {
	for i := 0; w.dec.More(); i++ {
		if err := w.value(fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	return err
}
