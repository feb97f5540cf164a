package transcript

import (
	"context"
	"encoding/json"

	"atelier/llm"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
)

// waitTool ends only when its context does. It lets a transcript show a
// time-out, and a cancel in the middle of a tool.
const waitTool = "wait"

// waiting is a catalogue with the wait tool besides its own.
type waiting struct{ agent.Catalogue }

func (w waiting) Tools() []llm.Tool {
	return append(w.Catalogue.Tools(), llm.Tool{Type: "function", Function: llm.FunctionDef{
		Name: waitTool, Description: "Waits until it is stopped.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}})
}

func (w waiting) Effect(name string) (tools.Effect, bool) {
	if name == waitTool {
		return tools.Write, true
	}
	return w.Catalogue.Effect(name)
}

func (w waiting) Call(ctx context.Context, env *tools.Env, name string, args json.RawMessage) tools.Result {
	if name != waitTool {
		return w.Catalogue.Call(ctx, env, name, args)
	}
	<-ctx.Done()
	return tools.Result{Text: "Error: stopped", Full: "Error: stopped"}
}
