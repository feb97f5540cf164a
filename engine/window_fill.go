package engine

import (
	"cmp"
	"context"

	"atelier/workshop/agent"
)

// WindowFill is the result of WorkbenchGetClutter: how full the model's window
// would be with the next request. The first six members are the peer's.
type WindowFill struct {
	Score              float64  `json:"score"` // share of the window, 0 to 1
	Level              string   `json:"level"` // Light below 0.4, Moderate, Heavy from 0.7
	ModelID            string   `json:"model_id"`
	ContextItemsWeight float64  `json:"context_items_weight"` // tokens of standing context
	ContextShare       float64  `json:"context_share"`        // share of the window they have, 0 to 1
	ContextWarning     bool     `json:"context_warning"`      // some of it is cut, or it has 0.35 of the window or more
	ContextCut         []string `json:"context_cut"`          // what is not told whole: files of .atelier/context, AGENTS.md, or .atelier/skills for its list
	Tokens             int      `json:"tokens"`               // of the next request, estimated
	ConversationTokens int      `json:"conversation_tokens"`  // of the conversation in it
	Window             int      `json:"window"`               // tokens
	WindowKnown        bool     `json:"window_known"`         // false: assumed; say it in config.json's models
	CompactsAt         int      `json:"compacts_at"`          // tokens at which earlier turns are summarised; 0: only when the endpoint refuses
}

// windowFillChanged is the notification after a run (peer's WorkbenchClutterChanged).
const windowFillChanged = "WorkbenchClutterChanged"

// WindowFillChanged says how full the window is after a run.
type WindowFillChanged struct {
	WorkbenchID string `json:"workbench_id"`
	WindowFill
}

func (e *Engine) windowFill(ctx context.Context, p WorkbenchRef) (WindowFill, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return WindowFill{}, err
	}
	defer done()
	model, err := e.resolveIn(ctx, wb, "")
	if err != nil {
		return WindowFill{}, err
	}
	cat, err := e.catalogueNamed("")
	if err != nil {
		return WindowFill{}, err
	}
	window, _ := e.knownWindow(model)
	cfg := agent.Config{Workbench: wb.Workbench, Catalogue: cat, Window: window, Tools: model.settings.Tools}
	if err := e.setPrompt(ctx, &cfg, wb, cat.Name()); err != nil {
		return WindowFill{}, err
	}
	if known := wb.knownTools(); len(known) > 0 {
		cfg.Servers = metServers{list: known}
	}
	m, err := agent.Measure(ctx, cfg)
	if err != nil {
		return WindowFill{}, err
	}
	return e.windowFillOf(model.id, m), nil
}

func (e *Engine) windowFillOf(model string, m agent.WindowFill) WindowFill {
	c := WindowFill{Score: m.Share(m.Tokens), Level: "Light", ModelID: model,
		ContextItemsWeight: float64(m.Standing), ContextShare: m.Share(m.Standing), ContextCut: orEmpty(m.Cut),
		Tokens: m.Tokens, ConversationTokens: m.Messages, Window: m.Window, WindowKnown: m.Known}
	switch {
	case c.Score >= 0.7:
		c.Level = "Heavy"
	case c.Score >= 0.4:
		c.Level = "Moderate"
	}
	c.ContextWarning = len(m.Cut) > 0 || c.ContextShare >= 0.35
	if m.Known {
		c.CompactsAt = m.Window * cmp.Or(e.opt.CompactAt, agent.CompactAt) / 100
	}
	return c
}

// notifyWindowFill announces the window fill after a run.
func (e *Engine) notifyWindowFill(ctx context.Context, workbench string) {
	c, err := e.windowFill(context.WithoutCancel(ctx), WorkbenchRef{WorkbenchID: workbench})
	if err != nil {
		e.log.Warn("window fill not reported", "workbench", workbench, "err", err)
		return
	}
	e.hub.Emit(Notification{Method: windowFillChanged, Params: WindowFillChanged{WorkbenchID: workbench, WindowFill: c}})
}
