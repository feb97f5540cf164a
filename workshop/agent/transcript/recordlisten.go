package transcript

import (
	"sync"

	"atelier/workshop/agent"
	"atelier/workshop/tools"
)

// listener passes answers on and keeps them.
type listener struct {
	agent.Questions

	mu    sync.Mutex
	open  map[string]chan struct{} // closed by Forget
	given []tools.Answers
}

// Open implements agent.Questions.
func (l *listener) Open(workbench string, a tools.Asking) (<-chan tools.Answers, error) {
	in, err := l.Questions.Open(workbench, a)
	if err != nil {
		return nil, err
	}
	out, gone := make(chan tools.Answers, 1), make(chan struct{})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[a.ID] = gone
	go func() {
		select {
		case got, ok := <-in:
			if !ok {
				close(out)
				return
			}
			l.mu.Lock()
			l.given = append(l.given, got)
			l.mu.Unlock()
			out <- got
		case <-gone:
		}
	}()
	return out, nil
}

// Forget implements agent.Questions.
func (l *listener) Forget(id string) {
	l.mu.Lock()
	if gone := l.open[id]; gone != nil {
		close(gone)
		delete(l.open, id)
	}
	l.mu.Unlock()
	l.Questions.Forget(id)
}
