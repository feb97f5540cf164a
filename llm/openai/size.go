package openai

import (
	"fmt"

	"atelier/llm/endpoint"

	"atelier/llm"
)

const (
	// maxName is the most bytes of a tool's name; OpenAI takes 64.
	maxName = 4 << 10
	// perCall is how many fragments of an answer may add nothing, for each call
	// that it may have: endpoints repeat names and empty arguments.
	perCall = 100
)

// tooLarge returns the error of an answer that goes over a limit.
func (a *answer) tooLarge(what string) error {
	return a.failure(llm.KindTooLarge, "its answer is too large: "+what+"; the rest was not read", nil)
}

func (a *answer) tooMuchText() error {
	return a.tooLarge(fmt.Sprintf("it has more than %s of text, reasoning included", endpoint.BytesOf(a.size.Limits.Text)))
}

// countCalls holds the calls so far to the limits; more are those found in text.
func (a *answer) countCalls(more int) error {
	l := a.size.Limits
	switch {
	case len(a.calls.all)+more > l.Calls:
		return a.tooLarge(fmt.Sprintf("it has more than %d tool calls", l.Calls))
	case a.calls.repeats > perCall*l.Calls:
		return a.tooLarge("it repeats its tool calls without an end")
	case a.calls.size > l.Arguments:
		return a.tooLarge(fmt.Sprintf("the arguments of its calls have more than %s", endpoint.BytesOf(l.Arguments)))
	case a.calls.longest > maxName:
		return a.tooLarge(fmt.Sprintf("the name of a call has more than %s", endpoint.BytesOf(maxName)))
	}
	return nil
}
