package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"atelier/llm/endpoint"

	"atelier/llm"
)

// form is one way in which models write calls into text.
type form struct {
	open  string
	alone bool // only as the whole answer
	// parse reads what follows open. It is ok when that is calls of declared
	// tools throughout, and complete.
	parse func(ts tools, s string) (written, bool)
}

// written is what a form was read as.
type written struct {
	n       int // bytes
	calls   []llm.FunctionCall
	text    string // text that was wrapped in it
	thought string // reasoning that was
}

const (
	fence        = "```"
	toolCallOpen = "<tool_call>"
)

var forms []form

func init() { // not a literal: parsers of forms look for forms
	forms = []form{
		{open: toolCallOpen, parse: toolCallTag},                                     // Hermes, Qwen; Qwen Coder; GLM
		{open: "<function=", parse: functionTag},                                     // Llama, functionary 3.1; Qwen Coder
		{open: "[TOOL_CALLS]", parse: mistralCalls},                                  // Mistral
		{open: "<|python_tag|>", parse: jsonCalls("<|eom_id|>", ";")},                // Llama 3
		{open: "<|tool_call|>", parse: jsonCalls("<|/tool_call|>", "\x00")},          // Phi 4, Granite
		{open: "<｜tool▁calls▁begin｜>", parse: deepSeekCalls},                         // DeepSeek R1, V3, V3.1
		{open: "<｜DSML｜function_calls>", parse: invokes("｜DSML｜", "function_calls")}, // DeepSeek V3.2
		{open: "<｜DSML｜tool_calls>", parse: invokes("｜DSML｜", "tool_calls")},         // DeepSeek V4
		{open: "<minimax:tool_call>", parse: invokes("", "minimax:tool_call")},       // MiniMax
		{open: "<|tool_calls_section_begin|>", parse: kimiCalls},                     // Kimi
		{open: "<|start|>assistant", parse: harmonyStart},                            // gpt-oss
		{open: "<|channel|>", parse: harmony},                                        // gpt-oss
		{open: ">>>", alone: true, parse: functionary},                               // functionary 3
		{open: "{", alone: true, parse: bareCall},                                    // Llama 3, Qwen 2.5
		{open: fence, alone: true, parse: fencedCall},                                // Qwen 2.5 Coder
	}
}

// firstBytes are the bytes that forms begin with.
const firstBytes = "<[>{`"

// tools are those of the request: the type of each argument by its name, "" when
// the schema does not say.
type tools map[string]map[string]string

func toolsOf(list []llm.Tool) tools {
	ts := tools{}
	for _, t := range list {
		kinds := map[string]string{}
		var root map[string]any
		if json.Unmarshal(t.Function.Parameters, &root) == nil {
			props, _ := endpoint.Resolve(root, root)["properties"].(map[string]any)
			for name, p := range props {
				if p, ok := p.(map[string]any); ok {
					kinds[name] = endpoint.TypeOf(endpoint.Resolve(p, root))
				}
			}
		}
		ts[t.Function.Name] = kinds
	}
	return ts
}

// value returns the JSON of an argument that was written as text.
func (ts tools) value(tool, name, s string) json.RawMessage {
	if kind := ts[tool][name]; kind != "string" {
		if t := strings.TrimSpace(s); json.Valid([]byte(t)) {
			return json.RawMessage(t)
		}
	}
	return asJSON(s)
}

// asJSON writes v as a model reads it: without escapes for HTML.
func asJSON(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSpace(b.Bytes())
}

// call makes a call of arguments given one by one; ok if the tool is declared.
func (ts tools) call(name string, args map[string]json.RawMessage) ([]llm.FunctionCall, bool) {
	name = strings.TrimSpace(name)
	if ts[name] == nil {
		return nil, false
	}
	return []llm.FunctionCall{{Name: name, Arguments: string(asJSON(args))}}, true
}

// read reads one call as JSON, or a list of them.
func (ts tools) read(raw json.RawMessage) ([]llm.FunctionCall, bool) {
	type call struct {
		Name       endpoint.Text `json:"name"`
		Arguments  arguments     `json:"arguments"`
		Parameters arguments     `json:"parameters"`
		Function   *function     `json:"function"`
	}
	list := []call{{}}
	var err error
	if strings.HasPrefix(string(raw), "[") {
		err = json.Unmarshal(raw, &list)
	} else {
		err = json.Unmarshal(raw, &list[0])
	}
	if err != nil || len(list) == 0 {
		return nil, false
	}
	var out []llm.FunctionCall
	for _, c := range list {
		if c.Function != nil && c.Name == "" {
			c.Name, c.Arguments = c.Function.Name, c.Function.Arguments
		}
		if ts[string(c.Name)] == nil {
			return nil, false
		}
		if c.Arguments == "" {
			c.Arguments = c.Parameters
		}
		out = append(out, llm.FunctionCall{Name: string(c.Name), Arguments: repairArguments(string(c.Arguments))})
	}
	return out, true
}

// jsonValue reads the JSON value that s begins with, after blanks.
func jsonValue(s string) (raw json.RawMessage, n int, ok bool) {
	d := json.NewDecoder(strings.NewReader(s))
	if d.Decode(&raw) != nil {
		return nil, 0, false
	}
	return raw, int(d.InputOffset()), true
}

// skip returns n plus the length of blanks and of the first of the marks that follow
// s[n:]; none of them need be there.
func skip(s string, n int, marks ...string) int {
	rest := strings.TrimLeft(s[n:], " \t\r\n")
	for _, m := range marks {
		if strings.HasPrefix(rest, m) {
			return len(s) - len(rest) + len(m)
		}
	}
	return n
}
