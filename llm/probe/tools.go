package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"atelier/llm"
	"atelier/llm/api"
)

// stock is the tool the model is offered.
var stock = []llm.Tool{{Type: "function", Function: llm.FunctionDef{Name: "look_up_stock", Description: "Gives how many pieces of an article are in stock.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"article":{"type":"string"}},"required":["article"]}`)}}}

// calledWell reports whether c is a call of the tool with readable arguments.
func calledWell(c llm.ToolCall) bool {
	var args struct{ Article string }
	return c.Function.Name == stock[0].Function.Name && json.Unmarshal([]byte(c.Function.Arguments), &args) == nil && args.Article != ""
}

func allWell(calls []llm.ToolCall) bool {
	for _, c := range calls {
		if !calledWell(c) {
			return false
		}
	}
	return len(calls) > 0
}

const askOne = "Use the tool look_up_stock to find out how many pieces of the article A-17 are in stock."

// tool asks for one call, and when none comes looks for it in the text.
func (p *prober) tool(ctx context.Context) {
	resp, err := p.ask(ctx, p.client, []llm.Message{user(askOne)}, stock, nil)
	switch {
	case err != nil:
		p.add("tool calls", Fail, "%s", asError(err).Error())
		return
	case allWell(resp.ToolCalls):
		p.add("tool calls", OK, "%s %s", resp.ToolCalls[0].Function.Name, resp.ToolCalls[0].Function.Arguments)
		return
	case len(resp.ToolCalls) > 0:
		p.add("tool calls", Fail, "a call came with arguments that do not fit: %s %s", resp.ToolCalls[0].Function.Name, short(resp.ToolCalls[0].Function.Arguments))
		return
	}
	if !*p.set.InText {
		o := p.o.Endpoint
		o.TextToolCalls = true
		c := api.New(o)
		if again, err := p.ask(ctx, c, []llm.Message{user(askOne)}, stock, nil); err == nil && allWell(again.ToolCalls) {
			yes := true
			p.found.InText, p.client, p.o.Endpoint = &yes, c, o
			p.add("tool calls", Note, "calls come inside the text; text_tool_calls reads them")
			return
		}
	}
	p.add("tool calls", Fail, "no call came, but text: %s", short(resp.Content))
}

// parallel asks for two calls in one answer.
func (p *prober) parallel(ctx context.Context) {
	resp, err := p.ask(ctx, p.client, []llm.Message{user("Use the tool look_up_stock to find out how many pieces of the articles A-17 and B-4 are in stock. Make both calls at once.")}, stock, nil)
	switch {
	case err != nil:
		p.add("parallel calls", Note, "%s", asError(err).Error())
	case len(resp.ToolCalls) >= 2 && allWell(resp.ToolCalls):
		p.add("parallel calls", OK, "%d calls in one answer", len(resp.ToolCalls))
	case allWell(resp.ToolCalls):
		p.add("parallel calls", Note, "one call at a time")
	default:
		p.add("parallel calls", Note, "no readable calls")
	}
}

// longResult gives a tool result as long as results get (W-18) and asks for a
// word near its end.
func (p *prober) longResult(ctx context.Context) {
	const code = "heron-4711"
	call := llm.ToolCall{ID: "call_probe_1", Type: "function", Function: llm.FunctionCall{Name: stock[0].Function.Name, Arguments: `{"article":"A-17"}`}}
	var sb strings.Builder
	for i := 1; sb.Len() < 15<<10; i++ {
		fmt.Fprintf(&sb, "shelf %d: empty\n", i)
	}
	sb.WriteString("delivery code: " + code + "\nend of list\n")
	resp, err := p.ask(ctx, p.client, []llm.Message{user("Look up the article A-17 and tell me its delivery code."),
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{call}}, {Role: llm.RoleTool, ToolCallID: call.ID, Content: sb.String()}}, stock, nil)
	switch {
	case err != nil:
		p.add("tool results", Fail, "a result of 15 KiB: %s", asError(err).Error())
	case strings.Contains(resp.Content, code):
		p.add("tool results", OK, "15 KiB are read to the end")
	case p.usage.PromptTokens > 0 && resp.Usage.PromptTokens > 0 && resp.Usage.PromptTokens < 2000:
		p.add("tool results", Fail, "a result of 15 KiB counted only %d tokens: the endpoint cuts requests; start it with a larger window", resp.Usage.PromptTokens)
	default:
		p.add("tool results", Note, "a result of 15 KiB was taken, but the answer was not in it: %s", short(resp.Content))
	}
}
