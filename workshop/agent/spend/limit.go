package spend

import (
	"time"

	"atelier/llm/models"
)

// Kind is what a Limit counts.
type Kind string

// The kinds of limits, as records name them.
const (
	Tokens Kind = "tokens"
	Cost   Kind = "cost"
	Time   Kind = "time"
)

// Limit is one limit of a budget. Its numbers are tokens, models.Nano or
// nanoseconds.
type Limit struct {
	Kind  Kind
	Owner string // whose budget it is, for messages: "This run"
	Most  int64
	Step  int64   // what "as much again" adds
	Fixed bool    // nobody can raise it
	Unit  float64 // of the numbers that people give: how many of Most are one

	used       func() int64
	next       func(request, answer int64) int64 // nil for time
	tokenPrice int64                             // of a token of an answer; 0: free, or a limit of time
	format     func(used, of int64) string
}

// Used returns how much was used so far.
func (l *Limit) Used() int64 { return l.used() }

// Next returns what a request and an answer of so many tokens add; 0 for time,
// which cannot be told before.
func (l *Limit) Next(request, answer int64) int64 {
	if l.next == nil {
		return 0
	}
	return l.next(request, answer)
}

// Format writes an amount for people, as a part of another unless that is 0:
// "1,200 of its 2,000 tokens".
func (l *Limit) Format(used, of int64) string { return l.format(used, of) }

// Room returns how many tokens the answer to a request of so many tokens may
// have; -1 is any number.
func (l *Limit) Room(request int64) int64 {
	if l.tokenPrice == 0 {
		return -1
	}
	return max(l.Most-l.used()-l.next(request, 0), 0) / l.tokenPrice
}

// Left returns the time that is left of a limit of time, at least 1 ns.
func (l *Limit) Left() time.Duration { return max(time.Duration(l.Most-l.used()), 1) }

// tokenPrice returns the price of a token of an answer, at least 1 unless answers
// are free.
func tokenPrice(p *models.Price) int64 {
	n := int64(p.Cost(0, 0, 0, 1_000_000))
	if n == 0 {
		return 0
	}
	return max((n+999_999)/1_000_000, 1)
}

// RoundUp returns n rounded up to two significant digits.
func RoundUp(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}
