package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/skills"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
	"atelier/workshop/tools/docs"
	"atelier/workshop/tools/virtual"
)

// ToolCallParams are the params of ToolCall (I-10).
type ToolCallParams struct {
	WorkbenchID string          `json:"workbench_id"`
	Catalogue   string          `json:"catalogue,omitempty"` // default "workshop"
	Profile     string          `json:"profile,omitempty"`   // another word for catalogue
	Tool        string          `json:"tool"`
	Args        json.RawMessage `json:"args,omitempty"` // object
}

// ToolText is the result of a tool of the workshop catalogue: what a model
// would see.
type ToolText struct {
	Text string `json:"text"`
}

// ToolCallResult is the result of ToolCall; error is null on success, result on
// failure, unless failures of the catalogue are data (aptix).
type ToolCallResult struct {
	Success bool       `json:"success"`
	Result  any        `json:"result"` // {"text": …} in the workshop catalogue, else the tool's own object
	Error   *ErrorInfo `json:"error"`
}

// ToolsListParams are the params of ToolsList.
type ToolsListParams struct {
	Catalogue string `json:"catalogue,omitempty"`
	Profile   string `json:"profile,omitempty"`
}

// ToolsListResult is the result of ToolsList: the catalogue in OpenAI's
// function format (W-30).
type ToolsListResult struct {
	Catalogue string     `json:"catalogue"`
	Tools     []llm.Tool `json:"tools"`
}

func toolMethods() []*Method {
	return []*Method{
		method("ToolsList", "The tools of a catalogue, in OpenAI's function format.", (*Engine).toolsList),
		method("ToolCall", "Runs one tool by hand on the workbench's draft view.", (*Engine).toolCall),
	}
}

func (e *Engine) catalogueNamed(names ...string) (*tools.Catalogue, error) {
	for _, name := range names {
		if name != "" {
			c, err := catalogue.Named(name)
			if err != nil {
				return nil, encodeFault(workshop.AsFault(err))
			}
			return c, nil
		}
	}
	return e.Catalogue(), nil
}

func (e *Engine) toolsList(_ context.Context, p ToolsListParams) (ToolsListResult, error) {
	c, err := e.catalogueNamed(p.Catalogue, p.Profile)
	if err != nil {
		return ToolsListResult{}, err
	}
	return ToolsListResult{Catalogue: c.Name(), Tools: c.Tools()}, nil
}

func (e *Engine) toolCall(ctx context.Context, p ToolCallParams) (ToolCallResult, error) {
	c, err := e.catalogueNamed(p.Catalogue, p.Profile)
	if err != nil {
		return ToolCallResult{}, err
	}
	effect, _ := c.Effect(p.Tool)
	wb, done, err := e.forTool(ctx, p.WorkbenchID, effect)
	if err != nil {
		return ToolCallResult{}, err
	}
	defer done()
	if p.Tool == "" {
		return ToolCallResult{}, validation("tool is required")
	}
	if len(p.Args) == 0 {
		p.Args = json.RawMessage("{}")
	}
	limit := e.opt.Limits.ToolTimeout
	if limit == 0 {
		limit = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	env, err := e.toolEnv(ctx, wb, p)
	if err != nil {
		return ToolCallResult{}, err
	}
	r := c.Call(ctx, env, p.Tool, p.Args)
	if r.Success {
		if c == e.Catalogue() {
			return ToolCallResult{Success: true, Result: ToolText{Text: r.Text}}, nil
		}
		return ToolCallResult{Success: true, Result: r.Data}, nil
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ToolCallResult{Error: validation("tool " + p.Tool + " timed out after " + limit.String() + whyWaited(r.Fault))}, nil
	}
	fault := r.Fault
	if fault == nil {
		fault = &workshop.Fault{Code: workshop.Internal, Message: r.Text}
	}
	if info := (*ErrorInfo)(nil); errors.As(fault, &info) {
		return ToolCallResult{Result: r.Data, Error: info}, nil
	}
	return ToolCallResult{Result: r.Data, Error: encodeFault(fault)}, nil
}

func (e *Engine) toolEnv(ctx context.Context, wb *openWorkbench, p ToolCallParams) (*tools.Env, error) {
	session := e.sessionOf(wb)
	session.Modes = byHand{session.Modes}
	mode, err := e.modesOf(wb).State(ctx)
	if err != nil {
		return nil, err
	}
	var list skills.List
	if p.Tool == "read_skill" {
		if list, err = e.skillsOf(ctx, wb); err != nil {
			return nil, err
		}
	}
	return &tools.Env{
		View:    docs.Guard(wb.DraftView(workshop.Cause{Tool: p.Tool, Author: "user"}), session),
		Formats: e.formats,
		Texts:   e.texts,
		Pages:   e.previews,
		Virtual: virtual.Chats(wb.Workbench),
		Session: session,
		Skills:  list,
		Mode:    mode.Mode,
		Post:    e.post(wb.ID()),
		Fetch:   e.fetcherByHand(wb),
		Recall: func(ctx context.Context, id int64) (string, error) {
			entry, err := wb.ToolLog(ctx, id)
			return entry.Result, err
		},
	}, nil
}

// byHand is the modes of tools that the user calls: who calls exit_plan_mode
// approves the plan (C-22).
type byHand struct{ tools.Modes }

// Approved implements tools.Modes.
func (byHand) Approved(context.Context, workshop.Entry) error { return nil }
