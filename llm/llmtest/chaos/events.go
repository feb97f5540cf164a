package chaos

import (
	"encoding/json"
	"math/rand/v2"

	"atelier/llm"
)

type object = map[string]any

func event(delta object, finish any) string {
	b, err := json.Marshal(object{"object": "chat.completion.chunk", "choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}})
	if err != nil {
		panic(err) // strings only
	}
	return string(b)
}

// events is an answer as a stream: text and arguments in pieces of random
// length, the calls' pieces one call after the other, then finish reason, usage
// and the end.
func events(a llm.ChatResponse, rng *rand.Rand) []string {
	list := []string{event(object{"role": "assistant", "content": ""}, nil)}
	for _, s := range pieces(a.Content, rng) {
		list = append(list, event(object{"content": s}, nil))
	}
	for i, c := range a.ToolCalls {
		head := object{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Function.Name, "arguments": ""}}
		list = append(list, event(object{"tool_calls": []object{head}}, nil))
		for _, s := range pieces(c.Function.Arguments, rng) {
			list = append(list, event(object{"tool_calls": []object{{"index": i, "function": object{"arguments": s}}}}, nil))
		}
	}
	finish := "stop"
	if len(a.ToolCalls) > 0 {
		finish = "tool_calls"
	}
	return append(list, event(object{}, finish), `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":10}}`, "[DONE]")
}

// pieces cuts s between runes.
func pieces(s string, rng *rand.Rand) []string {
	var list []string
	for r := []rune(s); len(r) > 0; {
		n := min(len(r), 1+rng.IntN(40))
		list = append(list, string(r[:n]))
		r = r[n:]
	}
	return list
}

// repeated gives chunks twice that say the same twice: those that begin a
// message or a call, and those that end it.
func repeated(list []string, rng *rand.Rand) []string {
	var out []string
	for i, ev := range list {
		out = append(out, ev)
		var c struct {
			Choices []struct {
				Delta struct {
					Content string         `json:"content"`
					Calls   []llm.ToolCall `json:"tool_calls"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if i == len(list)-1 || json.Unmarshal([]byte(ev), &c) != nil {
			continue
		}
		fragment := len(c.Choices) > 0 && (c.Choices[0].Delta.Content != "" || len(c.Choices[0].Delta.Calls) > 0 && c.Choices[0].Delta.Calls[0].ID == "")
		if !fragment {
			for range 1 + rng.IntN(2) {
				out = append(out, ev)
			}
		}
	}
	return out
}
