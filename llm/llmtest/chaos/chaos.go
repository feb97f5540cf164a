// Package chaos is a model endpoint that fails in every way endpoints do, over
// real HTTP: refusals, cuts, silence, garbage, repeated chunks. What the model
// says is scripted; what becomes of it on the way depends on a seed.
//
//	h := chaos.New(seed, func(ms []llm.Message) llm.ChatResponse { … })
//	srv := httptest.NewServer(h)
//	client := openai.New(openai.Options{BaseURL: srv.URL, IdleTimeout: 300 * time.Millisecond})
//
// One thing it does not do: repeat a fragment from the middle of a text. Nobody
// can tell that from a model that says a word twice.
package chaos

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"atelier/llm"
)

// Script is the model: its answer to a conversation. It is asked again when an
// answer did not arrive, so it must depend on the messages alone.
type Script func(messages []llm.Message) llm.ChatResponse

// Handler is the endpoint. It is safe for concurrent use; the faults depend on
// the order of the requests.
type Handler struct {
	script Script
	mu     sync.Mutex
	rng    *rand.Rand
	seen   map[string]int
}

// New makes an endpoint.
func New(seed uint64, script Script) *Handler {
	return &Handler{script: script, rng: rand.New(rand.NewPCG(seed, 4711)), seen: map[string]int{}}
}

// Seen is how often each fault was given so far; "none" counts clean answers.
func (h *Handler) Seen() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[string]int{}
	for k, n := range h.seen {
		out[k] = n
	}
	return out
}

// Faults are the names of all there are.
func Faults() []string {
	var list []string
	for _, f := range faults {
		list = append(list, f.name)
	}
	return list
}

// fault is one way to answer. more of a higher weight is given more often.
type fault struct {
	name   string
	weight int
	play   func(p *player)
}

// player gives one answer.
type player struct {
	w      http.ResponseWriter
	r      *http.Request
	rng    *rand.Rand
	events []string // of the clean answer, without data: and the blank line
}

var faults = []fault{
	{"none", 60, func(p *player) { p.send(p.events) }},
	{"slow", 4, func(p *player) {
		for _, ev := range p.events {
			time.Sleep(time.Duration(p.rng.IntN(3)) * time.Millisecond)
			p.send([]string{ev})
		}
	}},
	{"429 in milliseconds", 4, refuse(429, "Retry-After-Ms", func(r *rand.Rand) string { return fmt.Sprint(100 + r.IntN(900)) })},
	{"429 in seconds", 4, refuse(429, "Retry-After", func(r *rand.Rand) string { return fmt.Sprint(1 + r.IntN(9)) })},
	{"429 with a date", 4, refuse(429, "Retry-After", func(r *rand.Rand) string {
		return time.Now().Add(time.Duration(2+r.IntN(8)) * time.Second).UTC().Format(http.TimeFormat)
	})},
	{"429 without a word", 3, refuse(429, "X-None", func(*rand.Rand) string { return "" })},
	{"500", 5, refuse(500, "X-None", func(*rand.Rand) string { return "" })},
	{"503 in seconds", 3, refuse(503, "Retry-After", func(*rand.Rand) string { return "1" })},
	{"web page", 3, func(p *player) {
		p.w.Header().Set("Content-Type", "text/html")
		p.w.WriteHeader([]int{200, 502}[p.rng.IntN(2)])
		fmt.Fprint(p.w, "<html><h1>Bad gateway</h1></html>")
	}},
	{"cut at once", 4, func(*player) { panic(http.ErrAbortHandler) }},
	{"cut in an event", 8, func(p *player) {
		all := frame(p.events)
		p.write(all[:p.rng.IntN(len(all))])
		panic(http.ErrAbortHandler)
	}},
	{"ends early", 6, func(p *player) { p.send(p.events[:p.rng.IntN(len(p.events)-2)]) }},
	{"error in the stream", 4, func(p *player) {
		p.send(p.events[:p.rng.IntN(len(p.events)-2)])
		p.send([]string{`{"error":{"message":"overloaded","type":"server_error"}}`})
	}},
	{"broken event", 4, func(p *player) {
		n := p.rng.IntN(len(p.events) - 2)
		p.send(p.events[:n])
		p.send([]string{p.events[n][:1+p.rng.IntN(len(p.events[n])-1)]})
		p.send(p.events[n+1:])
	}},
	{"noise", 4, func(p *player) {
		for _, ev := range p.events {
			p.write([]string{": keep-alive\n\n", "data:\n\n", "event: ping\ndata: ping\n\n", "data: {}\n\n"}[p.rng.IntN(4)])
			p.send([]string{ev})
		}
	}},
	{"repeated chunks", 5, func(p *player) { p.send(repeated(p.events, p.rng)) }},
	{"silence", 2, func(p *player) {
		p.send(p.events[:p.rng.IntN(len(p.events)-2)])
		<-p.r.Context().Done()
	}},
	{"left open", 2, func(p *player) {
		p.send(p.events[:len(p.events)-1])
		<-p.r.Context().Done()
	}},
	{"nonsense", 3, func(p *player) {
		b := make([]byte, 1+p.rng.IntN(400))
		for i := range b {
			b[i] = byte(p.rng.IntN(256))
		}
		p.write(string(b))
	}},
	{"endless text", 2, endless(`{"content":"and on and on, "}`)},
	{"endless reasoning", 1, endless(`{"reasoning_content":"Hmm, let me think again. "}`)},
	{"endless arguments", 2, endless(`{"tool_calls":[{"index":0,"id":"endless","function":{"name":"write_file","arguments":"{\"path\":\"a.txt\",\"content\":\"more "}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"and more "}}]}`)},
	{"endless calls", 1, func(p *player) {
		for n := 0; ; n++ {
			p.send([]string{fmt.Sprintf(`{"choices":[{"delta":{"tool_calls":[{"index":%d,"id":"endless%d","function":{"name":"list_files","arguments":"{}"}}]}}]}`, n, n)})
		}
	}},
	{"endless line", 1, func(p *player) {
		for p.write(`data: {"choices":[{"delta":{"content":"`); ; {
			p.write(strings.Repeat("and on and on, ", 1000))
		}
	}},
}

// Limits fit the answers of scripts in tests and end an endless one soon.
var Limits = llm.AnswerLimits{Text: 4 << 10, Arguments: 4 << 10, Calls: 100}

// endless sends deltas, the last of them until the client leaves.
func endless(deltas ...string) func(*player) {
	return func(p *player) {
		for i := 0; ; i = min(i+1, len(deltas)-1) {
			p.send([]string{`{"choices":[{"delta":` + deltas[i] + `}]}`})
		}
	}
}

func refuse(status int, header string, value func(*rand.Rand) string) func(*player) {
	return func(p *player) {
		p.w.Header().Set("Content-Type", "application/json")
		p.w.Header().Set(header, value(p.rng))
		p.w.WriteHeader(status)
		fmt.Fprintf(p.w, `{"error":{"message":"chaos: status %d"}}`, status)
	}
}

// ServeHTTP answers POST …/chat/completions as a stream.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Messages []llm.Message `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	total := 0
	for _, f := range faults {
		total += f.weight
	}
	n, i := h.rng.IntN(total), 0
	for n >= faults[i].weight {
		n -= faults[i].weight
		i++
	}
	h.seen[faults[i].name]++
	rng := rand.New(rand.NewPCG(h.rng.Uint64(), 1))
	h.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	faults[i].play(&player{w: w, r: r, rng: rng, events: events(h.script(req.Messages), rng)})
}

func (p *player) send(events []string) { p.write(frame(events)) }

func (p *player) write(s string) {
	_, err := fmt.Fprint(p.w, s)
	if err == nil {
		err = http.NewResponseController(p.w).Flush()
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the client has left
	}
}

func frame(events []string) string {
	var sb strings.Builder
	for _, ev := range events {
		sb.WriteString("data: " + ev + "\n\n")
	}
	return sb.String()
}
