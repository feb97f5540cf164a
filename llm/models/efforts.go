package models

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// efforts are the values of reasoning_effort that some model takes, from none
// to most.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// IsEffort reports whether some model takes s as reasoning_effort.
func IsEffort(s string) bool { return slices.Contains(efforts, s) }

// Efforts are the values of reasoning_effort a model takes, with blanks between
// them; "" is not known. In JSON they are a list.
type Efforts string

// List gives the values one by one.
func (e Efforts) List() []string { return strings.Fields(string(e)) }

// Nearest returns want if the model takes it, else the strongest value below it, else
// the weakest above. It is want where the values are not known.
func (e Efforts) Nearest(want string) string {
	list := e.List()
	if want == "" || len(list) == 0 || slices.Contains(list, want) {
		return want
	}
	at := slices.Index(efforts, want)
	best, distance := want, 0
	for _, s := range list {
		d := at - slices.Index(efforts, s) // above want: negative
		if distance == 0 || d > 0 && (distance < 0 || d < distance) || d < 0 && distance < 0 && d > distance {
			best, distance = s, d
		}
	}
	return best
}

// MarshalJSON writes a list.
func (e Efforts) MarshalJSON() ([]byte, error) { return json.Marshal(e.List()) }

// UnmarshalJSON reads a list of known values.
func (e *Efforts) UnmarshalJSON(b []byte) error {
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return fmt.Errorf("reasoning_efforts: want a list of %s", strings.Join(efforts, ", "))
	}
	for _, s := range list {
		if !IsEffort(s) {
			return fmt.Errorf("reasoning_efforts: %q is none of %s", s, strings.Join(efforts, ", "))
		}
	}
	*e = Efforts(strings.Join(list, " "))
	return nil
}

// Reasons reports whether the model is known to reason before it answers.
func (s Settings) Reasons() bool {
	if s.Effort != "" {
		return s.Effort != "none"
	}
	return s.Efforts != ""
}

// AllEfforts returns the values of reasoning_effort that some model takes, from none
// to most.
func AllEfforts() []string { return slices.Clone(efforts) }
