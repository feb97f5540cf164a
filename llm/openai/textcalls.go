package openai

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"atelier/llm"
)

// textCalls takes calls out of text. It knows the forms local models use:
//
//	<tool_call>{"name":…,"arguments":{…}}</tool_call>     Hermes, Qwen
//	<function=NAME>{…}</function>                         Llama
//	[TOOL_CALLS][{"name":…,"arguments":{…}}]              Mistral
//	<|python_tag|>{"name":…,"parameters":{…}}             Llama
//	{"name":…,"parameters":{…}}                           nothing but this
//
// Only declared tools count; anything else stays text, as it was.
type textCalls struct {
	declared map[string]bool
	held     strings.Builder // text from a possible marker on
	spoken   bool            // text that is not blank was passed on
}

// markers begin a call. The first also when nothing but blanks came before.
var markers = []string{"{", "<tool_call>", "<function=", "[TOOL_CALLS]", "<|python_tag|>"}

// add takes the next piece of text and returns what is surely text.
func (t *textCalls) add(s string) string {
	if s == "" {
		return ""
	}
	t.held.WriteString(s)
	all := t.held.String()
	at := t.marker(all)
	if at > 0 {
		t.held.Reset()
		t.held.WriteString(all[at:])
		t.spoken = t.spoken || strings.TrimSpace(all[:at]) != ""
	}
	return all[:at]
}

// marker is where a marker, or what may become one, begins in s.
func (t *textCalls) marker(s string) int {
	spoken := t.spoken
	for i := 0; i < len(s); i++ {
		for n, m := range markers {
			if n == 0 && spoken {
				continue
			}
			if rest := s[i:]; strings.HasPrefix(rest, m) || strings.HasPrefix(m, rest) {
				return i
			}
		}
		spoken = spoken || !strings.ContainsRune(" \t\r\n", rune(s[i]))
	}
	return len(s)
}

var callForms = regexp.MustCompile(`(?s)<tool_call>(.*?)(?:</tool_call>|\z)|<function=([^>]*)>(.*?)(?:</function>|\z)|(?:\[TOOL_CALLS\]|<\|python_tag\|>|\A\s*)([\[{].*)\z`)

// end returns the text and the calls in what was held back. n calls came in
// the usual way already; asked makes the ids differ between requests.
func (t *textCalls) end(n, asked int) (string, []llm.ToolCall) {
	all := t.held.String()
	var found []llm.ToolCall
	rest := callForms.ReplaceAllStringFunc(all, func(m string) string {
		g := callForms.FindStringSubmatch(m)
		var got []llm.FunctionCall
		if g[2] != "" {
			got = t.read(`{"name":` + quote(g[2]) + `,"arguments":` + g[3] + `}`)
		} else {
			got = t.read(g[1] + g[4])
		}
		if got == nil {
			return m
		}
		for _, f := range got {
			found = append(found, llm.ToolCall{ID: fmt.Sprintf("call_%d_%d", asked, n+len(found)), Type: "function", Function: f})
		}
		return ""
	})
	if found == nil {
		return all, nil
	}
	return strings.TrimRight(rest, " \t\r\n"), found
}

// read reads one call or a list of them; nil if it is not calls of declared
// tools throughout.
func (t *textCalls) read(s string) []llm.FunctionCall {
	type written struct {
		Name       text      `json:"name"`
		Arguments  arguments `json:"arguments"`
		Parameters arguments `json:"parameters"`
	}
	var list []written
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "[") {
		s = "[" + s + "]"
	}
	if json.Unmarshal([]byte(s), &list) != nil {
		return nil
	}
	var out []llm.FunctionCall
	for _, w := range list {
		if !t.declared[string(w.Name)] {
			return nil
		}
		if w.Arguments == "" {
			w.Arguments = w.Parameters
		}
		out = append(out, llm.FunctionCall{Name: string(w.Name), Arguments: repairArguments(string(w.Arguments))})
	}
	return out
}

func quote(s string) string {
	b, err := json.Marshal(strings.TrimSpace(s))
	if err != nil {
		return `""`
	}
	return string(b)
}
