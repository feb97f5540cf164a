package agent

import (
	"encoding/json"
	"errors"
	"fmt"

	"atelier/internal/textclip"
	"atelier/llm"
	"atelier/workshop"
)

// What a run writes into the conversation.

// keepOfTooLarge is how much text of an answer the conversation keeps that went
// over the limits: an endless text would fill the window of every later request.
const keepOfTooLarge = 64 << 10

// keepPartial stores the text of an answer that broke off (L-07) and returns
// why it did.
func (r *run) keepPartial(id, text string, cause error) error {
	if text == "" {
		return cause
	}
	whole := len(text)
	if errors.Is(cause, llm.ErrTooLarge) {
		text = textclip.Bytes(text, keepOfTooLarge)
	}
	rec := r.assistantRecord(id, llm.ChatResponse{Content: text})
	rec.Metadata = map[string]any{"interrupted": true}
	if left := whole - len(text); left > 0 {
		rec.Metadata["left_out_bytes"] = left
	}
	if err := r.append(rec); err != nil {
		r.cfg.Log.Error("the text of an interrupted answer could not be kept", "workbench", r.wb.ID(), "err", err)
	}
	return cause
}

// nameCalls gives an id of its own to each call whose id is empty or was used
// before in the conversation, as some endpoints restart their numbers in every answer.
func (r *run) nameCalls(calls []llm.ToolCall) {
	for i := range calls {
		for calls[i].ID == "" || r.ids[calls[i].ID] {
			calls[i].ID = r.wb.Conversation().NewMessageID("call-")
		}
		r.ids[calls[i].ID] = true
	}
}

// metaEntry is the metadata key of a tool result's entry in the tool log.
const metaEntry = "entry_id"

func (r *run) assistantRecord(id string, resp llm.ChatResponse) workshop.Record {
	rec := workshop.Record{Type: workshop.TypeAssistant, MessageID: id, Role: llm.RoleAssistant, Text: resp.Content, CreatedAt: r.cfg.Now().UTC()}
	for _, c := range resp.ToolCalls {
		var rc workshop.RecordCall
		rc.ID, rc.Keep, rc.Function.Name, rc.Function.Arguments = c.ID, c.Keep, c.Function.Name, c.Function.Arguments
		rec.ToolCalls = append(rec.ToolCalls, rc)
	}
	if f := cutReason(resp); f != "" {
		rec.Metadata = map[string]any{"finish_reason": f}
	}
	return rec
}

// resultRecord returns the result of a call. entry is its place in the tool log, 0
// when it has none; files are its sources.
func (r *run) resultRecord(callID, tool, content string, success bool, entry int64, files []string) workshop.Record {
	rec := workshop.Record{Type: workshop.TypeToolResult, MessageID: r.wb.Conversation().NewMessageID("tr-"),
		ToolCallID: callID, ToolName: tool, Content: content, Success: &success, CreatedAt: r.cfg.Now().UTC()}
	rec.Metadata = map[string]any{metaSources: append([]string{}, files...)}
	if entry != 0 {
		rec.Metadata[metaEntry] = entry
	}
	return rec
}

func (r *run) append(rec workshop.Record) error {
	if r.phase.private && (rec.Type == workshop.TypeAssistant || rec.Type == workshop.TypeToolResult) {
		return nil // it is in the tool log and in the state of the phases
	}
	rec = r.sourced(rec)
	if err := r.wb.Conversation().Append(rec); err != nil {
		return fmt.Errorf("the conversation cannot be written: %w", err)
	}
	files, _ := sourcesOf(rec)
	r.stored.Add(files...)
	return nil
}

// entryOf reads back the tool log entry that a result's metadata names.
func entryOf(rec workshop.Record) (int64, bool) {
	switch n := rec.Metadata[metaEntry].(type) {
	case float64:
		return int64(n), true
	case int64:
		return n, true
	case json.Number:
		i, err := n.Int64()
		return i, err == nil
	}
	return 0, false
}
