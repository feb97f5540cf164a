package openai

import (
	"encoding/json"
	"errors"
	"io"

	goopenai "github.com/sashabaranov/go-openai"

	"atelier/llm"
)

// clean events are these, a subset of what go-openai decodes.
type (
	cleanDelta struct {
		Content          string          `json:"content,omitempty"`
		ReasoningContent string          `json:"reasoning_content,omitempty"`
		ToolCalls        []cleanToolCall `json:"tool_calls,omitempty"`
	}
	cleanToolCall struct {
		Index int `json:"index"`
		llm.ToolCall
	}
	cleanChoice struct {
		Delta   *cleanDelta `json:"delta,omitempty"`
		Message *cleanDelta `json:"message,omitempty"`
		Finish  *string     `json:"finish_reason,omitempty"`
	}
	cleanEvent struct {
		Choices []cleanChoice   `json:"choices"`
		Usage   *goopenai.Usage `json:"usage,omitempty"`
	}
)

func (a *answer) emit(ev cleanEvent) error {
	b, err := json.Marshal(ev)
	if err != nil {
		return a.failure(llm.KindUnavailable, "its answer can't be read", err)
	}
	a.out.WriteString("data: ")
	a.out.Write(b)
	a.out.WriteString("\n\n")
	return nil
}

// emitEnd gives what was held back and the end. It returns io.EOF.
func (a *answer) emitEnd() error {
	found := a.calls.take(finishReason(a.finish, 0) == string(goopenai.FinishReasonLength))
	rest, thought := a.think.end()
	if a.inText != nil {
		before := a.inText.add(rest)
		after, more, calls := a.inText.end(len(found), a.calls.asked)
		rest, thought, found = before+after, thought+more, append(found, calls...)
	}
	if err := errors.Join(a.reason(thought), a.say(rest)); err != nil {
		return err
	}
	if err := a.countCalls(len(found) - len(a.calls.all)); err != nil {
		return err
	}
	a.keepOfCalls(found)
	d := &cleanDelta{}
	for i, tc := range found {
		d.ToolCalls = append(d.ToolCalls, cleanToolCall{Index: i, ToolCall: tc})
	}
	finish := finishReason(a.finish, len(found))
	ev := cleanEvent{Choices: []cleanChoice{{Delta: d, Finish: &finish}}, Usage: a.usage}
	if !a.stream {
		d.Content, d.ReasoningContent = a.text.String(), a.thought.String()
		ev.Choices[0].Message, ev.Choices[0].Delta = d, nil
		b, err := json.Marshal(ev)
		if err != nil {
			return a.failure(llm.KindUnavailable, "its answer can't be read", err)
		}
		a.out.Write(b)
		return io.EOF
	}
	if err := a.emit(ev); err != nil {
		return err
	}
	a.out.WriteString("data: [DONE]\n\n")
	return io.EOF
}

// keepOfCalls stores what the endpoint wants back with the calls.
func (a *answer) keepOfCalls(found []llm.ToolCall) {
	details := a.details.close()
	for i, tc := range found {
		k := a.of.keep
		k.Extra = json.RawMessage(tc.Keep)
		if len(details) > 0 {
			k.ID = tc.ID
		}
		if i == 0 {
			k.Details = details
		}
		if i == 0 && a.of.echo {
			k.Reasoning = a.thought.String()
		}
		if s := k.String(); s != "" {
			a.of.kept[tc.ID] = s
		}
	}
}
