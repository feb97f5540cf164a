package transcript

import (
	"atelier/llm"
	"atelier/llm/pseudo"
)

// model is who answers in a playing.
type model struct {
	client llm.Client
	name   string
	key    string
	sent   func() []any
	close  func()
}

func serve(s *script) (*model, error) {
	return &model{client: pseudo.New(), name: pseudo.Model, sent: func() []any { return nil }, close: func() {}}, nil
}
