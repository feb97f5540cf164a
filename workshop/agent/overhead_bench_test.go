package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/llm"
	"atelier/llm/tokens"
	"atelier/workshop"
)

// answers is a model of zero latency that makes n calls an answer, rounds times.
type answers struct {
	rounds, n int
	call      func(round, i int) llm.ToolCall
	round     int
}

func (a *answers) Chat(context.Context, llm.Request) (response, error) {
	a.round++
	if a.round > a.rounds {
		return response{Content: "done", FinishReason: "stop"}, nil
	}
	resp := response{FinishReason: "tool_calls"}
	for i := range a.n {
		c := a.call(a.round, i)
		c.ID = fmt.Sprintf("c-%d-%d", a.round, i)
		resp.ToolCalls = append(resp.ToolCalls, c)
	}
	return resp, nil
}

func readCall(round, i int) llm.ToolCall {
	return toolCall("read_file", fmt.Sprintf(`{"path":"a.txt","line_start":%d}`, round*10+i))
}

func writeCall(round, i int) llm.ToolCall {
	return toolCall("write_text_file", fmt.Sprintf(`{"path":"b%d.txt","content":"%d"}`, i, round))
}

// BenchmarkOverhead is what a tool call costs beside the model, which takes no
// time: request, records, tool, log. Runs of 20 answers.
func BenchmarkOverhead(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
		call func(round, i int) llm.ToolCall
	}{{"read", 1, readCall}, {"read-4-at-once", 4, readCall}, {"write", 1, writeCall}, {"write-4-in-an-answer", 4, writeCall}} {
		b.Run(c.name, func(b *testing.B) {
			const rounds = 20
			var cpu time.Duration
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				r := newRig(b, map[string]string{"a.txt": "one\ntwo\n"})
				was := cpuTime()
				b.StartTimer()
				if _, err := r.run(&answers{rounds: rounds, n: c.n, call: c.call}, "go"); err != nil {
					b.Fatal(err)
				}
				cpu += cpuTime() - was
			}
			b.ReportMetric(float64(cpu.Microseconds())/float64(b.N*rounds*c.n), "cpu-µs/call")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*rounds*c.n), "µs/call")
		})
	}
}

// BenchmarkLongConversation is a run of one answer, and of 40 with a call each,
// after a conversation of so many records.
func BenchmarkLongConversation(b *testing.B) {
	for _, records := range []int{10, 1000, 10000} {
		for _, rounds := range []int{0, 40} {
			b.Run(fmt.Sprintf("%d-records/%d-calls", records, rounds), func(b *testing.B) {
				r := newRig(b, map[string]string{"a.txt": "one\ntwo\n"})
				r.past(records)
				was := cpuTime()
				b.ReportAllocs()
				for b.Loop() {
					if _, err := r.run(&answers{rounds: rounds, n: 1, call: readCall}, "go"); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((cpuTime()-was).Microseconds())/float64(b.N*(rounds+1)), "cpu-µs/request")
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*(rounds+1)), "µs/request")
			})
		}
	}
}

// past is a conversation of questions, calls, results and answers.
func (r *rig) past(records int) {
	path := filepath.Join(r.wb.Dir(), "conversation.jsonl")
	var sb strings.Builder
	text := strings.Repeat("words of some length ", 15)
	for i := 0; i < records; i += 4 {
		fmt.Fprintf(&sb, `{"type":"user_message","message_id":"u-%d","role":"user","text":%q,"created_at":"2026-01-02T03:04:05Z"}
{"type":"assistant_message","message_id":"a-%d","role":"assistant","text":"","tool_calls":[{"id":"k-%d","function":{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}}],"created_at":"2026-01-02T03:04:05Z"}
{"type":"tool_result","message_id":"tr-%d","tool_call_id":"k-%d","content":%q,"tool_name":"read_file","success":true,"created_at":"2026-01-02T03:04:05Z"}
{"type":"assistant_message","message_id":"b-%d","role":"assistant","text":%q,"created_at":"2026-01-02T03:04:05Z"}
`, i, text, i, i, i, i, text, i, text)
	}
	if err := os.WriteFile(path, []byte(sb.String()), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.reopen()
}

// BenchmarkManifest is what naming the files takes, in time and tokens.
func BenchmarkManifest(b *testing.B) {
	for _, n := range []int{10, 1000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newRig(b, nil)
			for i := range n {
				dir := filepath.Join(r.root, fmt.Sprintf("customer %d", i/100), fmt.Sprintf("year %d", i/10%10))
				if i%10 == 0 {
					if err := os.MkdirAll(dir, 0o755); err != nil {
						b.Fatal(err)
					}
				}
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("contract %d.txt", i)), nil, 0o644); err != nil {
					b.Fatal(err)
				}
			}
			var text string
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if text, err = manifest(b.Context(), r.wb.DraftView(workshop.Cause{}), r.cfg.Names); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(tokens.Count(text)), "tokens")
		})
	}
}

// BenchmarkTokens is the estimate of a long text.
func BenchmarkTokens(b *testing.B) {
	text := strings.Repeat("Words of some length, 12 numbers and ümläuts. ", 20000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tokens.Count(text)
	}
}
