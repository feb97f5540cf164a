package openai

import (
	"encoding/json"

	"atelier/llm/endpoint"

	goopenai "github.com/sashabaranov/go-openai"

	"atelier/llm"
	"atelier/llm/models"
)

// The optional parameters that an endpoint may refuse and that are then left
// out.
const (
	paramStreamOptions = "stream_options"
	paramTemperature   = "temperature"
	paramParallel      = "parallel_tool_calls"
	paramToolChoice    = "tool_choice"
	paramEffort        = "reasoning_effort"
	paramMaxTokens     = "max_tokens"
	paramMaxCompletion = "max_completion_tokens"
	// paramCallIDs stands for the ids of tool calls as they are.
	paramCallIDs = "tool_call_id"
)

var optional = []string{paramStreamOptions, paramParallel, paramToolChoice, paramTemperature, paramEffort, paramMaxCompletion, paramMaxTokens}

// tool returns go-openai's description of a tool; plain: its schema without what
// some endpoints refuse.
func tool(t llm.Tool, plain bool) goopenai.Tool {
	f := &goopenai.FunctionDefinition{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters}
	if len(t.Function.Parameters) == 0 {
		f.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	} else if plain {
		f.Parameters = endpoint.PlainSchema(t.Function.Parameters)
	}
	return goopenai.Tool{Type: goopenai.ToolTypeFunction, Function: f}
}

// request makes go-openai's request (L-09, L-10) with the changes in made, and
// what go-openai has no field for.
func (c *Client) request(ask llm.Request, set models.Settings, made map[string]bool) (goopenai.ChatCompletionRequest, []extra) {
	tools := ask.Tools
	messages := reshape(ask.Messages, tools, set.MaxImages, made)
	if made[models.RepairTextTools] {
		tools = nil
	}
	r := goopenai.ChatCompletionRequest{Model: ask.Model, Messages: make([]goopenai.ChatCompletionMessage, len(messages)), Stream: ask.Stream && !made[models.RepairWhole]}
	for i, m := range messages {
		r.Messages[i] = message(m, set.CallIDs)
	}
	more := c.extras(r.Messages, messages, ask.Model, made)
	for _, t := range tools {
		r.Tools = append(r.Tools, tool(t, made[models.RepairSchemas]))
	}
	if len(tools) > 0 {
		if !made[paramToolChoice] {
			r.ToolChoice = "auto"
		}
		if set.Parallel != nil && !made[paramParallel] {
			r.ParallelToolCalls = *set.Parallel
		}
	}
	if !made[paramEffort] {
		r.ReasoningEffort = set.Effort
	}
	switch limitParam(set, made) {
	case paramMaxCompletion:
		r.MaxCompletionTokens = set.SendLimit
	case paramMaxTokens:
		//lint:ignore SA1019 most endpoints know only this one
		r.MaxTokens = set.SendLimit
	}
	if r.Stream && !made[paramStreamOptions] {
		r.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	}
	return r, more
}

// reshape gives the conversation the form in which an endpoint takes it.
func reshape(messages []llm.Message, tools []llm.Tool, most int, made map[string]bool) []llm.Message {
	messages = placeImages(messages, most, made)
	if made[models.RepairTextTools] {
		messages = writeTools(messages, tools)
	}
	if made[models.RepairOneCall] {
		messages = oneCall(messages)
	}
	if made[models.RepairOneSystem] {
		messages = oneSystem(messages)
	}
	if made[models.RepairNoSystem] {
		messages = noSystem(messages)
	}
	if made[models.RepairRoles] {
		messages = alternate(messages)
	}
	return messages
}

// message returns m as the endpoint takes it. A conversation may have begun with
// another provider, whose call ids it may refuse.
func message(m llm.Message, ids string) goopenai.ChatCompletionMessage {
	out := goopenai.ChatCompletionMessage{Role: m.Role, Content: m.Content, ToolCallID: endpoint.SentID(m.ToolCallID, ids)}
	if len(m.Images) > 0 {
		out.Content, out.MultiContent = "", parts(m)
	}
	for _, tc := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, goopenai.ToolCall{
			ID: endpoint.SentID(tc.ID, ids), Type: goopenai.ToolTypeFunction,
			Function: goopenai.FunctionCall{Name: tc.Function.Name, Arguments: endpoint.SentArguments(tc.Function.Arguments)},
		})
	}
	return out
}

func declared(tools []llm.Tool) map[string]bool {
	names := make(map[string]bool, len(tools))
	for _, t := range tools {
		names[t.Function.Name] = true
	}
	return names
}
