package agent

import "atelier/workshop/agent/runerr"

// widen is what helps where a window is too small.
const widen = "use a model with a larger window, or start its server with a larger one (Ollama: OLLAMA_CONTEXT_LENGTH=32768; llama.cpp: --ctx-size 32768; LM Studio: the context length of the loaded model)"

// hasRoom refuses a request whose instructions, list of files and tools alone
// fill the window that a server said it has: it might leave out a part of them
// without a word. Windows known from elsewhere may be wrong, and endpoints
// refuse for themselves.
func (r *run) hasRoom() error {
	w := r.cfg.Window
	if !r.cfg.Served || w <= 0 {
		return nil
	}
	fixed := r.fixed()
	if fixed < w {
		return nil
	}
	e := runerr.Errorf(runerr.CodeValidation, "the window of %s has %d tokens, and instructions, list of files and tools alone take about %d", r.cfg.Model, w, fixed)
	e.Hint, e.Actions = widen, []string{"open_settings"}
	return e
}

// noticeCut says when an endpoint took a request that its window cannot hold.
func (r *run) noticeCut(counted int) {
	if w := r.cfg.Window; r.cfg.Served && counted >= w {
		r.emit(EventContextCut, ContextCut{r.wb.ID(), r.cfg.Model, counted, w, widen})
	}
}
