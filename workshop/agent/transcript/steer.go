package transcript

import (
	"cmp"
	"sync"

	"atelier/workshop/agent"
)

// steer is something the user says during a run.
type steer struct {
	At    string `json:"at,omitempty"`    // the event at which it is said; "": before the first
	Count int    `json:"count,omitempty"` // which of them; default 1
	Text  string `json:"text"`
	When  string `json:"when,omitempty"` // default now
}

func (s steer) when() string { return cmp.Or(s.When, agent.SteerNow) }

// steerRefused is a line of want-events: something that was not accepted.
type steerRefused struct {
	Refused string `json:"steer_refused"`
}

// sayings is what is still to be said in a run.
type sayings struct {
	mu   sync.Mutex // requests come from another goroutine than events
	list []steer
}

func newSayings(list []steer) *sayings { return &sayings{list: append([]steer(nil), list...)} }

// due takes out what is to be said at an event.
func (s *sayings) due(method string) (now []steer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var left []steer
	for _, one := range s.list {
		if one.At == method {
			if one.Count--; one.Count <= 0 {
				now = append(now, one)
				continue
			}
		}
		left = append(left, one)
	}
	s.list = left
	return now
}

func (s *sayings) left() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) == 0 {
		return ""
	}
	return s.list[0].Text
}
