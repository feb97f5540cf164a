package openai

import (
	"context"
	"errors"
	"io"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"atelier/llm"
)

// stream takes one streamed answer from go-openai. The transport below has
// cleaned it: calls come whole and in order.
type stream struct {
	onDelta, onThought func(string)
	onCall             func(llm.ToolCall)

	resp               llm.ChatResponse
	content, reasoning strings.Builder
	emitted            bool
	of                 *transport
}

func (s *stream) run(ctx context.Context, api *goopenai.Client, req goopenai.ChatCompletionRequest, t *transport) error {
	s.of = t
	if !req.Stream {
		return s.atOnce(ctx, api, req)
	}
	got, err := api.CreateChatCompletionStream(ctx, req)
	if err != nil {
		return err
	}
	defer got.Close()
	for {
		ev, err := got.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err() // a cancel counts at once, also with the rest of the answer at hand
		}
		if err != nil {
			return err
		}
		s.take(ev)
	}
	s.called()
	return nil
}

// atOnce asks for the answer in one piece where the endpoint gives no stream.
func (s *stream) atOnce(ctx context.Context, api *goopenai.Client, req goopenai.ChatCompletionRequest) error {
	resp, err := whole(ctx, api, req, s.of)
	if err != nil {
		return err
	}
	s.resp = resp
	s.think(resp.Reasoning)
	s.say(resp.Content)
	s.called()
	return nil
}

func (s *stream) called() {
	if s.onCall != nil {
		for _, tc := range s.resp.ToolCalls {
			s.emitted = true
			s.onCall(tc)
		}
	}
}

func (s *stream) say(text string) {
	if text == "" {
		return
	}
	s.content.WriteString(text)
	if s.onDelta != nil {
		s.emitted = true
		s.onDelta(text)
	}
}

func (s *stream) think(text string) {
	s.reasoning.WriteString(text)
	if text != "" && s.onThought != nil {
		s.onThought(text)
	}
}

func (s *stream) take(ev goopenai.ChatCompletionStreamResponse) {
	if ev.Usage != nil {
		s.resp.Usage = usage(ev.Usage)
	}
	for _, ch := range ev.Choices {
		s.think(ch.Delta.ReasoningContent)
		s.resp.ToolCalls = append(s.resp.ToolCalls, s.of.toolCalls(ch.Delta.ToolCalls)...)
		if ch.FinishReason != "" {
			s.resp.FinishReason = string(ch.FinishReason)
		}
		s.say(ch.Delta.Content)
	}
}
