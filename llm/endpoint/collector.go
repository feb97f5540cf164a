package endpoint

import (
	"fmt"
	"net/http"
	"strings"

	"atelier/llm"
	"atelier/llm/internal/sse"
)

// maxName is the most bytes of a tool's name; OpenAI takes 64.
const maxName = 4 << 10

// Collector builds an answer from its pieces and holds it to the limits. Text passes
// to OnDelta at once; calls are whole when the answer has ended.
type Collector struct {
	req    llm.Request
	size   AnswerSize
	secret string
	header http.Header

	content, thought strings.Builder
	calls            []*call
	arguments        int  // bytes of names, ids and arguments
	emitted, begun   bool // something was passed on; something of an answer was seen
	finish           string
	ended            bool
	refused          string // what an error said before an answer began, lower case
	watch            *Watch

	// Usage is set by the API's reader of events.
	Usage llm.Usage
}

type call struct {
	id, name, keep string
	args           strings.Builder
	shape          sse.Balance
}

// Begin says that an answer has begun: an error from now on is no refusal of the
// request.
func (c *Collector) Begin() { c.begun = true }

// Begun reports whether an answer has begun.
func (c *Collector) Begun() bool { return c.begun }

// Text takes a piece of the content.
func (c *Collector) Text(s string) error {
	c.begun = true
	fits, over := c.size.Clip(s)
	if fits != "" {
		c.content.WriteString(fits)
		if c.req.Stream && c.req.OnDelta != nil {
			c.emitted = true
			c.req.OnDelta(fits)
		}
	}
	return c.tooMuchText(over)
}

// Reasoning takes a piece of the reasoning.
func (c *Collector) Reasoning(s string) error {
	c.begun = true
	fits, over := c.size.Clip(s)
	c.thought.WriteString(fits)
	if fits != "" && c.req.Stream && c.req.OnThought != nil {
		c.req.OnThought(fits)
	}
	return c.tooMuchText(over)
}

// Count counts what belongs to the reasoning and is not shown, such as a signature.
func (c *Collector) Count(s string) error {
	c.begun = true
	_, over := c.size.Clip(s)
	return c.tooMuchText(over)
}

// HasText reports whether there is any content so far.
func (c *Collector) HasText() bool { return c.content.Len() > 0 }

// HasCalls reports whether a call has begun.
func (c *Collector) HasCalls() bool { return len(c.calls) > 0 }

// Call begins a call and returns its number, from 0. keep is for llm.ToolCall.Keep.
func (c *Collector) Call(id, name, keep string) (int, error) {
	c.begun = true
	c.calls = append(c.calls, &call{id: id, name: strings.TrimSpace(name), keep: keep})
	switch c.arguments += len(id) + len(name); {
	case len(c.calls) > c.size.Limits.Calls:
		return 0, c.tooLarge(fmt.Sprintf("it has more than %d tool calls", c.size.Limits.Calls))
	case len(name) > maxName:
		return 0, c.tooLarge(fmt.Sprintf("the name of a call has more than %s", BytesOf(maxName)))
	}
	return len(c.calls) - 1, c.tooManyArguments()
}

// Arguments takes the next piece of the arguments of call n.
func (c *Collector) Arguments(n int, piece string) error {
	cl := c.calls[n]
	cl.args.WriteString(piece)
	cl.shape.Feed([]byte(piece))
	c.arguments += len(piece)
	return c.tooManyArguments()
}

// Finish takes the reason why the answer ended, in the words of chat completions
// (stop, length, content_filter); calls make "tool_calls" of stop.
func (c *Collector) Finish(reason string) {
	c.finish = reason
	c.watch.Finishing()
}

// End says that nothing more belongs to the answer, also when no reason was given.
func (c *Collector) End() {
	c.ended = true
	if c.finish == "" {
		c.finish = "stop"
	}
}

// Fail returns the error that data, an event of the answer, stands for.
func (c *Collector) Fail(data []byte) error {
	e := FailureOf(0, c.header, data, c.secret)
	if !c.begun {
		c.refused = refusalWords(data)
	}
	return e
}

// Failure returns an error of the answer.
func (c *Collector) Failure(kind llm.Kind, msg string, err error) error {
	return &llm.Error{Kind: kind, Message: Clean(msg, c.secret), RetryAfter: RetryAfter(c.header), Err: err}
}

func (c *Collector) tooLarge(what string) error {
	return c.Failure(llm.KindTooLarge, "its answer is too large: "+what+"; the rest was not read", nil)
}

func (c *Collector) tooMuchText(over bool) error {
	if !over {
		return nil
	}
	return c.tooLarge(fmt.Sprintf("it has more than %s of text, reasoning included", BytesOf(c.size.Limits.Text)))
}

func (c *Collector) tooManyArguments() error {
	if c.arguments <= c.size.Limits.Arguments {
		return nil
	}
	return c.tooLarge(fmt.Sprintf("the arguments of its calls have more than %s", BytesOf(c.size.Limits.Arguments)))
}

// response returns the answer. After an error it has the text so far and no calls.
func (c *Collector) response(err error) llm.ChatResponse {
	resp := llm.ChatResponse{Content: c.content.String(), Reasoning: c.thought.String(), Usage: c.Usage}
	if err != nil {
		return resp
	}
	resp.ToolCalls, resp.FinishReason = c.toolCalls(), c.finish
	if c.finish == "stop" && len(resp.ToolCalls) > 0 {
		resp.FinishReason = "tool_calls"
	}
	if c.req.Stream && c.req.OnCall != nil {
		for _, tc := range resp.ToolCalls {
			c.emitted = true
			c.req.OnCall(tc)
		}
	}
	return resp
}

// toolCalls returns the calls, each with an id that no other has. At the model's
// length limit a last call without arguments is incomplete and left out.
func (c *Collector) toolCalls() []llm.ToolCall {
	list := c.calls
	if n := len(list); c.finish == "length" && n > 0 && !list[n-1].shape.Started() {
		list = list[:n-1]
	}
	var out []llm.ToolCall
	seen := map[string]bool{}
	for i, cl := range list {
		id := cl.id
		if id == "" {
			id = fmt.Sprintf("call_%d_%d", len(c.req.Messages), i)
		}
		for n, first := 2, id; seen[id]; n++ {
			id = fmt.Sprintf("%s-%d", first, n)
		}
		seen[id] = true
		args := cl.args.String()
		if strings.TrimSpace(args) == "" {
			args = "{}"
		}
		out = append(out, llm.ToolCall{ID: id, Type: "function", Keep: cl.keep, Function: llm.FunctionCall{Name: cl.name, Arguments: args}})
	}
	return out
}
