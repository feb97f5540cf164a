package agent

import (
	"context"
	"fmt"
	"testing"

	"atelier/llm"
)

// endless is a model of zero latency: a number of calls, then an end.
type endless struct{ left int }

func (e *endless) Chat(context.Context, llm.Request) (response, error) {
	e.left--
	if e.left <= 0 {
		return response{Content: "done", FinishReason: "stop"}, nil
	}
	c := toolCall("read_file", fmt.Sprintf(`{"path":"a.txt","line_start":%d}`, e.left))
	c.ID = fmt.Sprintf("c-%d", e.left)
	return response{ToolCalls: []llm.ToolCall{c}, FinishReason: "tool_calls"}, nil
}

// BenchmarkToolCall is the cost of one turn with one tool call when the model
// takes no time: request, record, tool, log, record.
func BenchmarkToolCall(b *testing.B) {
	r := newRig(b, map[string]string{"a.txt": "one\ntwo\n"})
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N; {
		n := min(40, b.N-done)
		if _, err := r.run(&endless{left: n + 1}, "go"); err != nil {
			b.Fatal(err)
		}
		done += n
		b.StopTimer()
		r = newRig(b, map[string]string{"a.txt": "one\ntwo\n"})
		b.StartTimer()
	}
}

// BenchmarkManyCallsInOneTurn is the same for calls that run side by side.
func BenchmarkManyCallsInOneTurn(b *testing.B) {
	var many []string
	for i := range 48 {
		many = append(many, "read_file", fmt.Sprintf(`{"path":"a.txt","line_start":%d}`, i+1))
	}
	for b.Loop() {
		b.StopTimer()
		r := newRig(b, map[string]string{"a.txt": "one\ntwo\n"})
		b.StartTimer()
		if _, err := r.run(play(calls(many...), says("ok")), "go"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*48), "µs/call")
}
