package llm

import "fmt"

// AnswerLimits bound what is taken of one answer of a model, so that an endpoint
// that never ends fills neither memory nor the conversation. A zero field is its
// default.
type AnswerLimits struct {
	Text      int `json:"text_bytes,omitempty"`     // content and reasoning together; 8 MiB
	Arguments int `json:"argument_bytes,omitempty"` // of all calls, with their names and ids; 8 MiB
	Calls     int `json:"calls,omitempty"`          // tool calls; 1,000
}

// The limits of AnswerLimits' zero value.
const (
	DefaultAnswerText      = 8 << 20
	DefaultAnswerArguments = 8 << 20
	DefaultAnswerCalls     = 1000
)

// maxAnswerLimit is the most a limit can be set to.
const maxAnswerLimit = 1 << 30

// WithDefaults sets the fields that are zero.
func (l AnswerLimits) WithDefaults() AnswerLimits {
	for _, f := range []struct {
		field *int
		value int
	}{{&l.Text, DefaultAnswerText}, {&l.Arguments, DefaultAnswerArguments}, {&l.Calls, DefaultAnswerCalls}} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	return l
}

// Check reports what is wrong with limits that a user set; nil when nothing is.
func (l AnswerLimits) Check() error {
	for name, n := range map[string]int{"text_bytes": l.Text, "argument_bytes": l.Arguments, "calls": l.Calls} {
		if n < 0 || n > maxAnswerLimit {
			return fmt.Errorf("%s must be between 1 and %d, or left out for the default", name, maxAnswerLimit)
		}
	}
	return nil
}
