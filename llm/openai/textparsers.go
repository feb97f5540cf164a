package openai

import (
	"encoding/json"
	"strings"

	"atelier/internal/lazyregexp"
	"atelier/llm"
)

// The parsers of the forms. Each begins behind the form's opening mark. What is
// cut off in its middle is no call.

// toolCallTag reads {"name":…,"arguments":…}, a <function=…>, or GLM's
// NAME<arg_key>…</arg_key><arg_value>…</arg_value>, up to </tool_call>.
func toolCallTag(ts tools, s string) (written, bool) {
	lead := len(s) - len(strings.TrimLeft(s, " \t\r\n"))
	switch rest := s[lead:]; {
	case strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "["):
		raw, n, ok := jsonValue(s)
		calls, known := ts.read(raw)
		return written{n: skip(s, n, "</tool_call>"), calls: calls}, ok && known
	case strings.HasPrefix(rest, "<function="):
		got, ok := functionTag(ts, rest[len("<function="):])
		got.n = skip(s, lead+len("<function=")+got.n, "</tool_call>")
		return got, ok
	}
	body, _, ok := strings.Cut(s, "</tool_call>")
	if !ok {
		return written{}, false
	}
	// a value may hold the closing tag: the last value has to be closed
	for strings.Count(body, "<arg_value>") > strings.Count(body, "</arg_value>") {
		more, _, ok := strings.Cut(s[len(body)+len("</tool_call>"):], "</tool_call>")
		if !ok {
			return written{}, false
		}
		body += "</tool_call>" + more
	}
	name, rest, _ := strings.Cut(body, "<arg_key>")
	name = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(name), "</arg_value>"))
	args := map[string]json.RawMessage{}
	for strings.TrimSpace(rest) != "" {
		key, after, ok1 := strings.Cut(rest, "</arg_key>")
		blanks, value, ok2 := strings.Cut(after, "<arg_value>")
		value, next, ok3 := strings.Cut(value, "</arg_value>")
		if !ok1 || !ok2 || !ok3 || strings.TrimSpace(blanks) != "" {
			return written{}, false
		}
		key = strings.TrimSpace(key)
		args[key] = ts.value(name, key, value)
		rest = strings.TrimPrefix(strings.TrimSpace(next), "<arg_key>")
	}
	calls, known := ts.call(name, args)
	return written{n: len(body) + len("</tool_call>"), calls: calls}, known
}

// unreadable reads a whole <tool_call> that is none of a declared tool or has
// arguments that are no JSON, as they came. It is carried out as little as any
// such call, but the model is told so instead of being taken to have answered.
func unreadable(s string) (written, bool) {
	body, _, closed := strings.Cut(s, "</tool_call>")
	name := nameIn.FindStringSubmatch(body)
	if !closed || name == nil {
		return written{}, false
	}
	args := "{}"
	if at := argumentsIn.FindStringIndex(body); at != nil {
		args = strings.TrimSpace(body[at[1]:])
		if raw, _, ok := jsonValue(args); ok {
			args = string(raw)
		}
	}
	return written{n: len(body) + len("</tool_call>"), calls: []llm.FunctionCall{{Name: name[1], Arguments: args}}}, true
}

var (
	nameIn      = lazyregexp.New(`^\s*\{\s*"name"\s*:\s*"([A-Za-z0-9_.-]{1,64})"`)
	argumentsIn = lazyregexp.New(`"(?:arguments|parameters)"\s*:`)
)

// functionTag reads NAME>{…}</function> or NAME><parameter=KEY>VALUE</parameter>…
// </function>.
func functionTag(ts tools, s string) (written, bool) {
	name, body, ok := strings.Cut(s, ">")
	if !ok || ts[strings.TrimSpace(name)] == nil {
		return written{}, false
	}
	name = strings.TrimSpace(name)
	at := len(s) - len(body)
	if strings.HasPrefix(strings.TrimSpace(body), "{") {
		raw, n, ok := jsonValue(body)
		return written{n: skip(s, at+n, "</function>"), calls: []llm.FunctionCall{{Name: name, Arguments: string(raw)}}}, ok
	}
	args := map[string]json.RawMessage{}
	for {
		rest := strings.TrimLeft(s[at:], " \t\r\n")
		at = len(s) - len(rest)
		if strings.HasPrefix(rest, "</function>") {
			calls, known := ts.call(name, args)
			return written{n: at + len("</function>"), calls: calls}, known
		}
		rest, ok := strings.CutPrefix(rest, "<parameter=")
		key, value, ok2 := strings.Cut(rest, ">")
		value, rest, ok3 := strings.Cut(value, "</parameter>")
		if !ok || !ok2 || !ok3 {
			return written{}, false
		}
		key = strings.TrimSpace(key)
		args[key] = ts.value(name, key, strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n"))
		at = len(s) - len(rest)
	}
}

// mistralCalls reads a list of calls, NAME{…} or NAME[ARGS]{…}.
func mistralCalls(ts tools, s string) (written, bool) {
	if t := strings.TrimLeft(s, " \t\r\n"); strings.HasPrefix(t, "[") || strings.HasPrefix(t, "{") {
		raw, n, ok := jsonValue(s)
		calls, known := ts.read(raw)
		return written{n: skip(s, n, "[/TOOL_CALLS]", "</s>"), calls: calls}, ok && known
	}
	brace := strings.IndexByte(s, '{')
	if brace < 0 {
		return written{}, false
	}
	name, _, _ := strings.Cut(s[:brace], "[") // [CALL_ID]…[ARGS] may come between
	raw, n, ok := jsonValue(s[brace:])
	name = strings.TrimSpace(name)
	if !ok || ts[name] == nil {
		return written{}, false
	}
	return written{n: skip(s, brace+n, "</s>"), calls: []llm.FunctionCall{{Name: name, Arguments: string(raw)}}}, true
}

// jsonCalls reads calls with sep between them, up to end.
func jsonCalls(end, sep string) func(tools, string) (written, bool) {
	return func(ts tools, s string) (w written, ok bool) {
		for {
			raw, n, ok := jsonValue(s[w.n:])
			calls, known := ts.read(raw)
			if !ok || !known {
				return written{}, false
			}
			w.calls = append(w.calls, calls...)
			w.n += n
			if next := skip(s, w.n, sep); next != w.n && strings.TrimSpace(s[next:]) != "" {
				w.n = next
				continue
			}
			w.n = skip(s, w.n, end, sep)
			return w, true
		}
	}
}

// deepSeekCalls reads <｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME, a block of
// JSON, <｜tool▁call▁end｜>, or the same with NAME<｜tool▁sep｜>{…} inside.
func deepSeekCalls(ts tools, s string) (w written, ok bool) {
	for {
		rest := strings.TrimLeft(s[w.n:], " \t\r\n")
		if after, done := strings.CutPrefix(rest, "<｜tool▁calls▁end｜>"); done || rest == "" {
			w.n = len(s) - len(after)
			return w, len(w.calls) > 0
		}
		rest, ok1 := strings.CutPrefix(rest, "<｜tool▁call▁begin｜>")
		first, rest, ok2 := strings.Cut(rest, "<｜tool▁sep｜>")
		if !ok1 || !ok2 {
			return written{}, false
		}
		name := strings.TrimSpace(first)
		if name == "function" && !strings.HasPrefix(strings.TrimSpace(rest), "{") {
			name, rest, _ = strings.Cut(rest, "\n")
			name = strings.TrimSpace(name)
			rest = strings.TrimPrefix(strings.TrimSpace(rest), fence+"json")
		}
		raw, n, ok3 := jsonValue(rest)
		if !ok3 || ts[name] == nil {
			return written{}, false
		}
		w.calls = append(w.calls, llm.FunctionCall{Name: name, Arguments: string(raw)})
		at := skip(s, len(s)-len(rest)+n, fence)
		w.n = skip(s, at, "<｜tool▁call▁end｜>")
	}
}

// invokes reads <invoke name="NAME"><parameter name="KEY">VALUE</parameter>…
// </invoke>… up to the closing tag, where the names of tags begin with prefix.
func invokes(prefix, tag string) func(tools, string) (written, bool) {
	return func(ts tools, s string) (w written, ok bool) {
		closing := "</" + tag + ">"
		if prefix != "" {
			closing = "</" + prefix + tag + ">"
		}
		at := 0
		for {
			rest := strings.TrimLeft(s[at:], " \t\r\n")
			if after, done := strings.CutPrefix(rest, closing); done || rest == "" {
				w.n = len(s) - len(after)
				return w, len(w.calls) > 0
			}
			name, body, ok := openTag(rest, prefix+"invoke")
			inner, rest, ok2 := strings.Cut(body, "</"+prefix+"invoke>")
			calls, known := invoke(ts, name, inner, prefix)
			if !ok || !ok2 || !known {
				return written{}, false
			}
			w.calls = append(w.calls, calls...)
			at = len(s) - len(rest)
		}
	}
}

func invoke(ts tools, name, s, prefix string) ([]llm.FunctionCall, bool) {
	args := map[string]json.RawMessage{}
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		head, _, _ := strings.Cut(s, ">")
		key, rest, ok := openTag(s, prefix+"parameter")
		value, rest, ok2 := strings.Cut(rest, "</"+prefix+"parameter>")
		if !ok || !ok2 {
			return nil, false
		}
		args[key] = ts.value(name, key, value)
		if strings.Contains(head, `string="true"`) {
			args[key] = asJSON(value)
		}
		s = rest
	}
	return ts.call(name, args)
}

// openTag reads <tag name="NAME" …> and gives the name and what follows.
func openTag(s, tag string) (name, rest string, ok bool) {
	head, rest, ok := strings.Cut(s, ">")
	head, ok2 := strings.CutPrefix(head, "<"+tag+" ")
	_, name, ok3 := strings.Cut(head, `name="`)
	name, _, ok4 := strings.Cut(name, `"`)
	return name, rest, ok && ok2 && ok3 && ok4
}

// kimiCalls reads <|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>
// {…}<|tool_call_end|>… up to the end of the section.
func kimiCalls(ts tools, s string) (w written, ok bool) {
	for {
		rest := strings.TrimLeft(s[w.n:], " \t\r\n")
		if after, done := strings.CutPrefix(rest, "<|tool_calls_section_end|>"); done || rest == "" {
			w.n = len(s) - len(after)
			return w, len(w.calls) > 0
		}
		rest, ok1 := strings.CutPrefix(rest, "<|tool_call_begin|>")
		id, rest, ok2 := strings.Cut(rest, "<|tool_call_argument_begin|>")
		raw, n, ok3 := jsonValue(rest)
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(id), "functions."), ":")
		if !ok1 || !ok2 || !ok3 || ts[name] == nil {
			return written{}, false
		}
		w.calls = append(w.calls, llm.FunctionCall{Name: name, Arguments: string(raw)})
		w.n = skip(s, len(s)-len(rest)+n, "<|tool_call_end|>")
	}
}

// functionary reads NAME and a line with its arguments.
func functionary(ts tools, s string) (written, bool) {
	name, rest, ok := strings.Cut(s, "\n")
	raw, n, ok2 := jsonValue(rest)
	name = strings.TrimSpace(name)
	if !ok || !ok2 || ts[name] == nil {
		return written{}, false
	}
	return written{n: len(s) - len(rest) + n, calls: []llm.FunctionCall{{Name: name, Arguments: string(raw)}}}, true
}

// bareCall reads a call that is nothing but its JSON.
func bareCall(ts tools, s string) (written, bool) {
	raw, n, ok := jsonValue("{" + s)
	calls, known := ts.read(raw)
	return written{n: n - 1, calls: calls}, ok && known
}

// fencedCall reads the same in a block of code that says it is JSON or a call.
func fencedCall(ts tools, s string) (written, bool) {
	_, body, ok := strings.Cut(s, "\n")
	raw, n, ok2 := jsonValue(body)
	calls, known := ts.read(raw)
	end := len(s) - len(body) + n
	after := skip(s, end, fence)
	return written{n: after, calls: calls}, ok && ok2 && known && after != end && !otherCode(fence+s)
}

// otherCode reports whether a block of code says that it is in another language.
func otherCode(s string) bool {
	language, _, whole := strings.Cut(strings.TrimPrefix(s, fence), "\n")
	switch strings.TrimSpace(language) {
	case "", "json", "tool_call", "tool_code", "xml":
		return false
	}
	return whole
}
