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
	onDelta func(string)
	onCall  func(llm.ToolCall)

	resp               llm.ChatResponse
	content, reasoning strings.Builder
	emitted            bool
}

func (s *stream) run(ctx context.Context, api *goopenai.Client, req goopenai.ChatCompletionRequest) error {
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
	if s.onCall != nil {
		for _, tc := range s.resp.ToolCalls {
			s.emitted = true
			s.onCall(tc)
		}
	}
	return nil
}

func (s *stream) take(ev goopenai.ChatCompletionStreamResponse) {
	if ev.Usage != nil {
		s.resp.Usage = usage(ev.Usage)
	}
	for _, ch := range ev.Choices {
		s.reasoning.WriteString(ch.Delta.ReasoningContent)
		s.resp.ToolCalls = append(s.resp.ToolCalls, toolCalls(ch.Delta.ToolCalls)...)
		if ch.FinishReason != "" {
			s.resp.FinishReason = string(ch.FinishReason)
		}
		if text := ch.Delta.Content; text != "" {
			s.content.WriteString(text)
			if s.onDelta != nil {
				s.emitted = true
				s.onDelta(text)
			}
		}
	}
}
