package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
)

// converse sends n messages to a model that answers at once, in one process of atelier
// serve, and takes one run for each.
func converse(r *runner, home string, in input) (usage, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return usage{}, err
	}
	srv := &http.Server{Handler: http.HandlerFunc(answer)}
	go func() { _ = srv.Serve(listener) }()
	defer srv.Close()
	s, err := start(home, []string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL=http://" + listener.Addr().String() + "/v1", "ATELIER_MODEL=peer", "ATELIER_API=chat"}, r.atelier, "serve", "--home", home)
	if err != nil {
		return usage{}, err
	}
	if err := talk(s, in); err != nil {
		s.kill()
		return usage{}, err
	}
	return s.close()
}

func talk(s *session, in input) error {
	created, err := s.request("WorkbenchCreate", map[string]any{"name": "peers", "root": in.dir})
	if err != nil {
		return err
	}
	var wb struct {
		ID string `json:"workbench_id"`
	}
	if err := json.Unmarshal(created, &wb); err != nil {
		return err
	}
	for i := range in.n {
		sent, err := s.request("WorkshopSendUserMessage", map[string]any{"workbench_id": wb.ID, "text": fmt.Sprintf("Message %d", i)})
		if err != nil {
			return err
		}
		var m struct {
			ID string `json:"message_id"`
		}
		if err := json.Unmarshal(sent, &m); err != nil {
			return err
		}
		if _, err := s.request("WorkshopRunAgent", map[string]any{"workbench_id": wb.ID, "message_id": m.ID}); err != nil {
			return err
		}
	}
	return nil
}

// answer is an endpoint of OpenAI's chat API that says yes to everything.
func answer(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, `data: {"id":"c","object":"chat.completion.chunk","model":"peer","choices":[{"index":0,"delta":{"role":"assistant","content":"Yes."},"finish_reason":null}]}`+"\n\n")
	fmt.Fprint(w, `data: {"id":"c","object":"chat.completion.chunk","model":"peer","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":1,"total_tokens":11}}`+"\n\ndata: [DONE]\n\n")
}
