package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// bigList is from where on lists of an event are counted before they are read, and
// maxItems the most they may have: empty items take far more memory than bytes.
const (
	bigList  = 64 << 10
	maxItems = 64 << 10
)

// ErrItems is the error of a list with more than maxItems.
var ErrItems = errors.New("a list in the answer has too many items")

// Text is a string; a number reads as its digits, a list of text parts as
// their texts.
type Text string

func (t *Text) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		return json.Unmarshal(b, (*string)(t))
	case '[':
		var parts []struct {
			Text Text `json:"text"`
		}
		switch err := UnmarshalList(&parts, b); {
		case errors.Is(err, ErrItems):
			return err
		case err == nil:
			var all strings.Builder
			for _, p := range parts {
				all.WriteString(string(p.Text))
			}
			*t = Text(all.String())
		}
	case 'n', 't', 'f', '{':
	default:
		*t = Text(b)
	}
	return nil
}

// Number is an integer; digits in a string count too.
type Number struct {
	N   int
	Set bool
}

func (n *Number) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err == nil && f >= -1<<31 && f < 1<<31 { // what does not fit says nothing
		*n = Number{int(f), true}
	}
	return nil
}

// UnmarshalList reads a list; one object alone counts as a list of one, anything else
// as empty.
func UnmarshalList[T any](l *[]T, b []byte) error {
	switch b[0] {
	case '[':
		if len(b) > bigList {
			return unmarshalBig(l, b)
		}
		return json.Unmarshal(b, l)
	case '{':
		var one T
		if err := json.Unmarshal(b, &one); err != nil {
			return err
		}
		*l = []T{one}
	}
	return nil
}

// unmarshalBig reads a list item by item, at most maxItems.
func unmarshalBig[T any](l *[]T, b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil { // the bracket
		return err
	}
	for dec.More() {
		if len(*l) == maxItems {
			return ErrItems
		}
		var one T
		if err := dec.Decode(&one); err != nil {
			return err
		}
		*l = append(*l, one)
	}
	return nil
}
