package relay

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"atelier/llm"
)

// Target is a model at its endpoint, as all machines name it.
type Target struct {
	Model  string `json:"model"`  // as the endpoint names it
	Origin string `json:"origin"` // scheme, host and port of the endpoint
}

// token is the target in the name of a subject.
func (t Target) token() string {
	h := sha256.Sum256([]byte(t.Model + "\x00" + t.Origin))
	return hex.EncodeToString(h[:8])
}

// String is the target as people read it.
func (t Target) String() string { return t.Model + " at " + t.Origin }

// request is a request in the queue. It has no key: workers have theirs.
type request struct {
	ID       string        `json:"id"`
	Job      string        `json:"job"`   // the token of the sender's subject
	Title    string        `json:"title"` // of the job
	Messages []llm.Message `json:"messages"`
	Keep     [][]string    `json:"keep,omitempty"` // of the calls of each message, see llm.ToolCall
	Tools    []llm.Tool    `json:"tools,omitempty"`
	Stream   bool          `json:"stream,omitempty"`
	Limit    int           `json:"limit,omitempty"`  // see llm.WithLimit
	Effort   string        `json:"effort,omitempty"` // see llm.WithEffort
}

func requestOf(r llm.Request) request {
	w := request{Messages: r.Messages, Tools: r.Tools, Stream: r.Stream}
	for i, m := range r.Messages {
		if keep := keepOf(m.ToolCalls); keep != nil {
			if w.Keep == nil {
				w.Keep = make([][]string, len(r.Messages))
			}
			w.Keep[i] = keep
		}
	}
	return w
}

func (w request) llm() llm.Request {
	for i, keep := range w.Keep {
		if i < len(w.Messages) {
			setKeep(w.Messages[i].ToolCalls, keep)
		}
	}
	return llm.Request{Messages: w.Messages, Tools: w.Tools, Stream: w.Stream}
}

// keepOf returns the members Keep of calls, which their JSON leaves out; nil if all are "".
func keepOf(calls []llm.ToolCall) (keep []string) {
	for i, c := range calls {
		if c.Keep != "" && keep == nil {
			keep = make([]string, len(calls))
		}
		if keep != nil {
			keep[i] = c.Keep
		}
	}
	return keep
}

func setKeep(calls []llm.ToolCall, keep []string) {
	for i := range calls {
		if i < len(keep) {
			calls[i].Keep = keep[i]
		}
	}
}

// answer is what a worker got.
type answer struct {
	Response  llm.ChatResponse `json:"response"`
	Keep      []string         `json:"keep,omitempty"`
	Reasoning string           `json:"reasoning,omitempty"`
	Usage     llm.Usage        `json:"usage"`
	Limit     int              `json:"limit,omitempty"`
	CutBefore int              `json:"cut_before,omitempty"`
	Error     *failure         `json:"error,omitempty"`
}

// failure is an *llm.Error.
type failure struct {
	Kind       llm.Kind      `json:"kind"`
	Status     int           `json:"status,omitempty"`
	Message    string        `json:"message"`
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	Sent       bool          `json:"sent,omitempty"`
}

func answerOf(r llm.ChatResponse, err error) answer {
	a := answer{Response: r, Keep: keepOf(r.ToolCalls), Reasoning: r.Reasoning, Usage: r.Usage, Limit: r.Limit, CutBefore: r.CutBefore}
	var e *llm.Error
	switch {
	case errors.As(err, &e):
		a.Error = &failure{e.Kind, e.Status, e.Message, e.RetryAfter, e.Sent}
	case err != nil:
		a.Error = &failure{Kind: llm.KindRefused, Message: err.Error()}
	}
	return a
}

func (a answer) result() (llm.ChatResponse, error) {
	r := a.Response
	setKeep(r.ToolCalls, a.Keep)
	r.Reasoning, r.Usage, r.Limit, r.CutBefore = a.Reasoning, a.Usage, a.Limit, a.CutBefore
	if e := a.Error; e != nil {
		return r, &llm.Error{Kind: e.Kind, Status: e.Status, Message: e.Message, RetryAfter: e.RetryAfter, Sent: e.Sent}
	}
	return r, nil
}

// What a worker, or a command, tells a job.
const (
	opBegin  = "begin"  // may I ask the model?
	opGoing  = "going"  // I am at work on it; is it still wanted?
	opAnswer = "answer" // this is the answer
	opCancel = "cancel" // end the job
)

// call is a message to a job.
type call struct {
	Op     string  `json:"op"`
	ID     string  `json:"id,omitempty"` // of the request
	Worker string  `json:"worker,omitempty"`
	Answer *answer `json:"answer,omitempty"`
}

// reply is the job's answer to a call.
type reply struct {
	Go bool `json:"go"` // false: the request is not wanted any more
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types above have no member that fails
	}
	return b
}
