package openai

import (
	"encoding/json"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"atelier/llm"
)

// The optional parameters that an endpoint may refuse and that are then left
// out.
const (
	paramStreamOptions = "stream_options"
	paramTemperature   = "temperature"
	paramParallel      = "parallel_tool_calls"
	paramToolChoice    = "tool_choice"
)

var optional = []string{paramStreamOptions, paramParallel, paramToolChoice, paramTemperature}

// request makes go-openai's request (L-09, L-10) without the params in drop.
func (c *Client) request(model string, messages []llm.Message, tools []llm.Tool, stream bool, drop map[string]bool) goopenai.ChatCompletionRequest {
	r := goopenai.ChatCompletionRequest{Model: model, Messages: make([]goopenai.ChatCompletionMessage, len(messages)), Stream: stream}
	for i, m := range messages {
		r.Messages[i] = message(m)
	}
	for _, t := range tools {
		f := &goopenai.FunctionDefinition{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters}
		if len(t.Function.Parameters) == 0 {
			f.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		r.Tools = append(r.Tools, goopenai.Tool{Type: goopenai.ToolTypeFunction, Function: f})
	}
	if len(tools) > 0 {
		if !drop[paramToolChoice] {
			r.ToolChoice = "auto"
		}
		if c.opt.ParallelToolCalls != nil && !drop[paramParallel] {
			r.ParallelToolCalls = *c.opt.ParallelToolCalls
		}
	}
	if stream && !drop[paramStreamOptions] {
		r.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	}
	return r
}

func message(m llm.Message) goopenai.ChatCompletionMessage {
	out := goopenai.ChatCompletionMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
	for _, tc := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, goopenai.ToolCall{
			ID: tc.ID, Type: goopenai.ToolTypeFunction,
			Function: goopenai.FunctionCall{Name: tc.Function.Name, Arguments: sentArguments(tc.Function.Arguments)},
		})
	}
	return out
}

// sentArguments gives the arguments of an earlier call as an endpoint takes
// them. Several parse them and refuse the whole conversation for one call that
// the model wrote badly, so malformed text is sent wrapped in an object.
func sentArguments(args string) string {
	if strings.TrimSpace(args) == "" {
		return "{}"
	}
	if json.Valid([]byte(args)) {
		return args
	}
	b, err := json.Marshal(map[string]string{"malformed_arguments": args})
	if err != nil {
		return "{}"
	}
	return string(b)
}

// reasons reports whether model is of a family that refuses a temperature
// (L-10): GPT-5 and later, and the o-series. A provider's prefix
// ("openai/gpt-5") does not matter.
func reasons(model string) bool {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	if len(name) > 1 && name[0] == 'o' && name[1] >= '1' && name[1] <= '9' {
		return true
	}
	v, ok := strings.CutPrefix(name, "gpt-")
	return ok && v != "" && (v[0] >= '5' && v[0] <= '9')
}

func declared(tools []llm.Tool) map[string]bool {
	names := make(map[string]bool, len(tools))
	for _, t := range tools {
		names[t.Function.Name] = true
	}
	return names
}
