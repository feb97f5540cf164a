package transcript

import (
	"cmp"

	"atelier/workshop/agent"
)

// steer is something the user says during a run.
type steer struct {
	At    string `json:"at"`    // the event at which it is said
	Count int    `json:"count"` // which of them; default 1
	Text  string `json:"text"`
	When  string `json:"when"` // default now
}

func (s steer) when() string { return cmp.Or(s.When, agent.SteerNow) }

// steerRefused is a line of want-events: something that was not accepted.
type steerRefused struct {
	Refused string `json:"steer_refused"`
}

// sayings is what is still to be said in a run.
type sayings struct{ list []steer }

func newSayings(list []steer) *sayings { return &sayings{append([]steer(nil), list...)} }

// due takes out what is to be said at an event.
func (s *sayings) due(method string) (now []steer) {
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
	if len(s.list) == 0 {
		return ""
	}
	return s.list[0].Text
}
