package openai

import (
	"strings"

	"atelier/llm"
)

// gpt-oss writes its answers in channels (OpenAI's harmony format):
//
//	<|channel|>analysis<|message|>…<|end|>
//	<|start|>assistant<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>
//	<|start|>assistant<|channel|>final<|message|>…<|return|>
//
// A server that does not read it passes it on as text.

var harmonyEnds = []string{"<|end|>", "<|call|>", "<|return|>", "<|start|>", "<|channel|>"}

// harmonyStart reads what follows <|start|>assistant.
func harmonyStart(ts tools, s string) (written, bool) {
	head, rest, ok := strings.Cut(s, "<|channel|>")
	if !ok || strings.Contains(head, "<|message|>") {
		return written{}, false
	}
	got, ok := channel(ts, head, rest)
	got.n += len(s) - len(rest)
	return got, ok
}

// harmony reads what follows <|channel|>.
func harmony(ts tools, s string) (written, bool) { return channel(ts, "", s) }

// harmonyEnd returns where the body of a message ends, and the mark there that belongs
// to it.
func harmonyEnd(body string) (end int, mark string) {
	end = len(body)
	for _, m := range harmonyEnds {
		if at := strings.Index(body, m); at >= 0 && at < end {
			end, mark = at, m
		}
	}
	if mark == "<|start|>" || mark == "<|channel|>" {
		mark = "" // belongs to the next
	}
	return end, mark
}

func channel(ts tools, recipient, s string) (written, bool) {
	head, body, ok := strings.Cut(s, "<|message|>")
	if !ok || len(head) > 200 {
		return written{}, false
	}
	head = recipient + " " + head
	end, mark := harmonyEnd(body)
	w := written{n: len(s) - len(body) + end + len(mark)}
	if _, to, ok := strings.Cut(head, "to=functions."); ok {
		name := to
		if at := strings.IndexAny(to, " <\t\n"); at >= 0 {
			name = to[:at]
		}
		raw, n, ok := jsonValue(body[:end])
		if !ok || ts[name] == nil || strings.TrimSpace(body[n:end]) != "" {
			return written{}, false
		}
		w.calls = []llm.FunctionCall{{Name: name, Arguments: string(raw)}}
		return w, true
	}
	if strings.Contains(head, "analysis") {
		w.thought = body[:end]
	} else {
		w.text = body[:end]
	}
	return w, true
}
