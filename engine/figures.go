package engine

import "atelier/workshop"

// Watch is told of what models and tools do. Its functions must not block; those that are
// nil are not called.
type Watch struct {
	// Used is called with what a request to a model took, when it has ended.
	Used func(workshop.Usage)
	// Called is called when a tool call that a client made has ended, whether it went
	// well or not. by is "api" for calls of Live and "mcp" for calls of other programs;
	// those of runs are told to subscribers (agent.ToolComplete).
	Called func(by, tool string, ok bool)
}

func (e *Engine) called(by, tool string, ok bool) {
	if f := e.opt.Watch.Called; f != nil {
		f(by, tool, ok)
	}
}

// Figures are how much an engine has at work.
type Figures struct {
	Workbenches  int // open
	Questions    int // that wait for an answer
	Translations int // jobs
}

// Figures returns how much the engine has at work now.
func (e *Engine) Figures() Figures {
	e.mu.Lock()
	defer e.mu.Unlock()
	return Figures{Workbenches: len(e.open), Questions: e.questions.Len(), Translations: len(e.translations)}
}
