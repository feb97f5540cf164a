package tasks

import (
	"encoding/json"
	"fmt"
	"strings"

	"atelier/llm/replay"
)

// Endpoint is a model that carries out the steps of a script.
type Endpoint struct{ srv *replay.Server }

// Scripted starts a model endpoint for the steps.
func Scripted(list []Step) (*Endpoint, error) {
	if n := len(list); n == 0 || list[n-1].Tool != "" {
		list = append(list[:n:n], Step{Text: "Done."})
	}
	var sb strings.Builder
	answer := 0
	for i, s := range list {
		if !s.Together || answer == 0 {
			answer++
			fmt.Fprintf(&sb, "-- model-%d --\n", answer)
		}
		line := map[string]any{"text": s.Text}
		if s.Tool != "" {
			var args any = json.RawMessage(s.Arguments)
			if !json.Valid([]byte(s.Arguments)) {
				args = s.Arguments
			}
			line = map[string]any{"call": map[string]any{"id": fmt.Sprintf("tc-%d", i+1), "name": s.Tool, "arguments": args}}
		}
		b, err := json.Marshal(line)
		if err != nil {
			return nil, err
		}
		sb.Write(append(b, '\n'))
	}
	f, err := replay.Parse([]byte(sb.String()))
	if err != nil {
		return nil, err
	}
	srv, err := replay.NewServer(f, replay.Options{})
	if err != nil {
		return nil, err
	}
	return &Endpoint{srv}, nil
}

// Model is how the program reaches the endpoint.
func (e *Endpoint) Model() Model {
	// The name is one of a model that takes images, so that pages are drawn for it.
	return Model{Args: []string{"--model", "gpt-4o"}, Env: []string{"OPENAI_BASE_URL=" + e.srv.URL, "OPENAI_API_KEY=", "ATELIER_API=chat"}}
}

// Unused is how many answers were not asked for.
func (e *Endpoint) Unused() int { return e.srv.Unused() }

// Close ends the endpoint.
func (e *Endpoint) Close() { e.srv.Close() }
