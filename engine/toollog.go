package engine

import (
	"context"

	"atelier/workshop/tools"
)

// ToolLogParams are the params of WorkshopGetToolLog.
type ToolLogParams struct {
	WorkbenchID string `json:"workbench_id"`
	After       int64  `json:"after,omitempty"` // entries with a greater id; default 0
	Limit       int    `json:"limit,omitempty"` // 1 to 100; default 20
}

// ToolLogEntry is one tool call of a run with its whole result (V-02).
type ToolLogEntry struct {
	ID        int64  `json:"id"` // entry_id of recall_tool_result
	Tool      string `json:"tool"`
	CallID    string `json:"call_id"`
	Args      string `json:"args"` // JSON as the model wrote it
	Result    string `json:"result"`
	Receipt   string `json:"receipt"` // what stands for a long result; the result itself when it is short
	TS        string `json:"ts"`
	ElapsedMS int64  `json:"elapsed_ms"`
	Error     string `json:"error,omitempty"` // the result of a call that failed
	// Sources are the files whose content the result carries; null: nobody noted
	// them, as before there were any.
	Sources []string `json:"sources"`
}

// ToolLogResult is the result of WorkshopGetToolLog.
type ToolLogResult struct {
	Entries []ToolLogEntry `json:"entries"`
	HasMore bool           `json:"has_more"`
}

func (e *Engine) toolLog(ctx context.Context, p ToolLogParams) (ToolLogResult, error) {
	if p.Limit == 0 {
		p.Limit = 20
	}
	if p.Limit < 1 || p.Limit > 100 {
		return ToolLogResult{}, validation("limit must be from 1 to 100")
	}
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return ToolLogResult{}, err
	}
	defer done()
	log, err := wb.ToolLogAfter(ctx, p.After, p.Limit+1)
	if err != nil {
		return ToolLogResult{}, err
	}
	r := ToolLogResult{Entries: []ToolLogEntry{}, HasMore: len(log) > p.Limit}
	for _, l := range log[:min(len(log), p.Limit)] {
		out := ToolLogEntry{ID: l.ID, Tool: l.Tool, CallID: l.CallID, Args: l.Args, Result: l.Result, TS: rfc3339(l.At), ElapsedMS: l.Elapsed.Milliseconds(), Sources: l.Sources}
		out.Receipt, _ = tools.Receipt(l.Result, l.ID)
		if !l.Success {
			out.Error = l.Result
		}
		r.Entries = append(r.Entries, out)
	}
	return r, nil
}
