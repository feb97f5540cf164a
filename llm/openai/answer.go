package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"atelier/llm/endpoint"

	goopenai "github.com/sashabaranov/go-openai"

	"atelier/llm"
	"atelier/llm/internal/sse"
)

// answer is the body of a response as go-openai gets it: it reads what the
// endpoint sends and gives a clean event stream, or one JSON object if the
// request was not for a stream. Text passes at once; tool calls come whole, after
// the text. An answer that was cut or holds an error ends in an *llm.Error.
type answer struct {
	body   io.ReadCloser
	watch  *endpoint.Watch
	events *sse.Reader
	calls  calls
	think  thinking
	inText *textCalls // nil: calls in the text stay text
	of     *transport
	stream bool
	secret string
	header http.Header

	out   bytes.Buffer
	err   error // what Read returns once out is empty
	begun bool  // anything of an answer was seen

	choice  endpoint.Number // index of the first choice
	several bool            // an event had several; else the index says nothing, as gateways count parts of the answer in it
	text    strings.Builder // content so far, if the request was not for a stream
	said    bool            // content was passed on or kept
	thought strings.Builder // reasoning so far, if it is wanted at the end
	details detailsReader   // of the reasoning
	size    endpoint.AnswerSize
	finish  string
	done    bool // a [DONE] was read
	usage   *goopenai.Usage
	garbage string // the beginning of what was no answer
}

// Read gives the clean answer.
func (a *answer) Read(p []byte) (int, error) {
	for a.out.Len() == 0 {
		if a.err != nil {
			return 0, a.err
		}
		a.step()
	}
	return a.out.Read(p)
}

// Close ends the exchange. After a [DONE] it reads the little that is left, for
// a moment, so that the connection can serve the next request.
func (a *answer) Close() error {
	if a.done {
		a.watch.Limit = 50 * time.Millisecond
		_, _ = io.CopyN(io.Discard, a.body, 4<<10) // a broken end does not matter any more
	}
	err := a.body.Close()
	a.watch.End()
	return err
}

// step takes the next event; it sets err at the end of the answer.
func (a *answer) step() {
	ev, err := a.events.Next()
	switch {
	case err == nil:
		err = a.take(ev)
		if err == nil && a.done {
			err = a.end(io.EOF)
		}
	default:
		err = a.end(err)
	}
	if err != nil {
		a.err = err
	}
}

// end closes the answer after reading ended with err.
func (a *answer) end(err error) error {
	complete := a.done || a.finish != ""
	switch {
	case complete: // whatever happened to the connection afterwards
		return a.emitEnd()
	case errors.Is(err, sse.ErrTooLong):
		return a.tooLarge("it goes on without an end")
	case a.watch.Idled():
		return a.failure(llm.KindNetwork, "nothing came from it for "+a.watch.Limit.String(), nil)
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	}
	msg := "the answer was cut off"
	switch {
	case a.garbage != "":
		msg = "no answer came but " + a.garbage
	case a.events.Stray() != "":
		msg += ": " + a.events.Stray()
	case !a.begun:
		msg = "the answer was empty"
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return a.failure(llm.KindUnavailable, msg, err)
}

func (a *answer) failure(kind llm.Kind, msg string, err error) error {
	return &llm.Error{Kind: kind, Message: endpoint.Clean(msg, a.secret), RetryAfter: endpoint.RetryAfter(a.header), Err: err}
}

// take handles one event.
func (a *answer) take(ev sse.Event) error {
	data := bytes.TrimSpace(ev.Data)
	if len(data) == 0 {
		return nil
	}
	if string(data) == "[DONE]" {
		a.done = true
		return nil
	}
	if data[0] == '[' && ev.Raw { // Gemini wraps errors in a list
		data = bytes.TrimSpace(bytes.TrimSuffix(data[1:], []byte("]")))
	}
	switch {
	case bytes.HasPrefix(data, []byte("<")):
		return a.failure(llm.KindUnavailable, "it sent a web page instead of an answer", nil)
	case ev.Name == "error":
		return a.sentError(data)
	case !bytes.HasPrefix(data, []byte("{")): // "ping" and the like
		if a.garbage == "" && !a.begun {
			a.garbage = string(data[:min(len(data), 200)])
		}
		return nil
	}
	return a.takeJSON(data, ev.Raw)
}

// takeJSON handles an event that is a JSON object; raw: it is the whole body of the
// response.
func (a *answer) takeJSON(data []byte, raw bool) error {
	var c chunk
	if err := json.Unmarshal(data, &c); errors.Is(err, endpoint.ErrItems) {
		return a.tooLarge(err.Error())
	} else if err != nil {
		if a.finish != "" {
			return nil // the answer is complete without it
		}
		return a.failure(llm.KindUnavailable, "it sent an event that is no JSON", err)
	}
	if form := c.otherForm(); form != "" && !a.begun {
		return a.failure(llm.KindInvalid, "it answers in another form than Chat Completions ("+form+"): check the address, or how the gateway is set up", nil)
	}
	if c.isError() {
		return a.sentError(data)
	}
	if raw && a.finish == "" && len(c.Choices) > 0 && c.Choices[0].Message != nil {
		a.finish = "stop" // a whole answer that may not say why it ended
	}
	return a.add(c)
}

func (a *answer) sentError(data []byte) error {
	if a.begun {
		return endpoint.FailureOf(0, a.header, data, a.secret)
	}
	return a.of.failure(0, a.header, data, a.secret)
}

// isError reports whether c is an error rather than a piece of an answer.
func (c *chunk) isError() bool {
	if len(c.Error) > 0 || c.Object == "error" || c.Type == "error" {
		return true
	}
	for _, ch := range c.Choices {
		if len(ch.Error) > 0 || strings.EqualFold(string(ch.Finish), "error") {
			return true
		}
	}
	return len(c.Choices) == 0 && c.Usage == nil && (len(c.Detail) > 0 || len(c.Message) > 0)
}

// add takes a piece of the answer.
func (a *answer) add(c chunk) error {
	if c.Usage != nil {
		a.usage = c.Usage.usage()
	}
	for _, ch := range c.Choices {
		if !a.choice.Set {
			a.choice = endpoint.Number{N: ch.Index.N, Set: true}
		}
		a.several = a.several || len(c.Choices) > 1
		if ch.counts(); a.several && ch.Index.N != a.choice.N {
			continue // another of several answers, though one was asked for
		}
		a.begun = true
		if err := a.addChoice(ch); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) addChoice(ch choice) error {
	content, over := string(ch.Text), false
	if p := a.partOf(ch); p != nil {
		content = string(p.Content) + string(p.Refusal) + content
		var err error
		if over, err = a.addPart(p); err != nil {
			return err
		}
	}
	if over {
		content = ""
	} else {
		content, over = a.size.Clip(content)
	}
	if err := a.takeFinish(string(ch.Finish)); err != nil {
		return err
	}
	content, thought := a.think.split(content)
	if err := a.reason(thought); err != nil {
		return err
	}
	if a.inText != nil {
		content = a.inText.add(content)
	}
	if err := a.say(content); err != nil || !over {
		return err
	}
	return a.tooMuchText()
}

// partOf returns what is new in a choice; nil: nothing.
func (a *answer) partOf(ch choice) *part {
	if ch.Delta != nil && (ch.Message == nil || !ch.Delta.empty()) {
		return ch.Delta
	}
	if a.said || len(a.calls.all) > 0 {
		return nil // the whole message once more, after its deltas
	}
	return ch.Message
}

// addPart takes reasoning and calls. over reports that they are more than the limits
// allow.
func (a *answer) addPart(p *part) (over bool, err error) {
	var thought string
	if thought, over = a.size.Clip(cmp.Or(string(p.ReasoningContent), string(p.Reasoning))); thought != "" {
		if err := a.reason(thought); err != nil {
			return over, err
		}
	}
	a.details.add(p.Details)
	over = over || a.details.size > a.size.Limits.Text
	for _, f := range p.ToolCalls {
		a.calls.add(f)
	}
	if p.FunctionCall != nil && len(p.ToolCalls) == 0 {
		a.calls.add(fragment{Function: *p.FunctionCall})
	}
	return over, a.countCalls(0)
}

// takeFinish takes the reason why the answer ended; "": it has not ended.
func (a *answer) takeFinish(reason string) error {
	if strings.Contains(strings.ToLower(reason), "error") { // of Anthropic's stream, behind Portkey
		return endpoint.FailureOf(0, a.header, asJSON(map[string]string{"type": reason, "message": "its provider broke off with " + reason}), a.secret)
	}
	if reason != "" && reason != "null" {
		a.finish = reason
		a.watch.Finishing()
	}
	return nil
}

func (p *part) empty() bool {
	return p.Content == "" && p.Refusal == "" && p.Reasoning == "" && p.ReasoningContent == "" && len(p.ToolCalls) == 0 && p.FunctionCall == nil
}

func (a *answer) say(s string) error {
	if s == "" {
		return nil
	}
	a.said = true
	if !a.stream {
		a.text.WriteString(s)
		return nil
	}
	return a.emit(cleanEvent{Choices: []cleanChoice{{Delta: &cleanDelta{Content: s}}}})
}

// reason takes reasoning text.
func (a *answer) reason(content string) error {
	if content == "" {
		return nil
	}
	if !a.stream || a.of.echo {
		a.thought.WriteString(content)
	}
	if !a.stream {
		return nil
	}
	return a.emit(cleanEvent{Choices: []cleanChoice{{Delta: &cleanDelta{ReasoningContent: content}}}})
}

// finishReason maps what endpoints send to OpenAI's reasons.
func finishReason(reason string, calls int) string {
	switch r := strings.ToLower(reason); {
	case strings.Contains(r, "length") || strings.Contains(r, "max_tokens"):
		return string(goopenai.FinishReasonLength)
	case strings.Contains(r, "content_filter") || strings.Contains(r, "safety") || r == "refusal":
		return string(goopenai.FinishReasonContentFilter)
	case calls > 0:
		return string(goopenai.FinishReasonToolCalls)
	default:
		return string(goopenai.FinishReasonStop)
	}
}
