package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm/models"
	"atelier/workshop"
)

// WorkbenchGetClutter has the peer's fields (peer-protocol.md): how full the
// window of the active model is, and what standing context takes of it.
func TestWindowFill(t *testing.T) {
	e := newEngine(t, func(o *engine.Options) {
		o.Models = []models.Rule{{Model: "tiny", Settings: models.Settings{Window: 45_000, Tools: models.ToolsFull}}}
	})
	id, dir := folder(t, e, map[string]string{"a.txt": "x"})
	standing := func(dir, text string) {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, ".atelier", "context"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".atelier", "context", "company.md"), []byte(text), 0o644))
	}
	standing(dir, strings.Repeat("We bind books by hand. ", 10))
	var told []engine.WindowFillChanged
	defer e.Subscribe(func(n engine.Notification) {
		if c, ok := n.Params.(engine.WindowFillChanged); ok {
			told = append(told, c)
		}
	})()
	ref := obj{"workbench_id": id}
	c := must(t, e, "WorkbenchGetClutter", ref)
	assert.Equal(t, false, c["window_known"])
	assert.Equal(t, "Light", c["level"])
	assert.Equal(t, 0.0, c["compacts_at"])
	assert.Equal(t, false, c["context_warning"])
	assert.Greater(t, c["context_items_weight"], 40.0)
	before := c["tokens"].(float64)

	m := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "hello " + strings.Repeat("again ", 400)})
	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": m["message_id"], "model_id": "pseudo"})
	require.Len(t, told, 1)
	assert.Equal(t, id, told[0].WorkbenchID)
	assert.Greater(t, float64(told[0].Tokens), before+500)

	must(t, e, "WorkshopSetActiveModel", obj{"workbench_id": id, "model_id": "tiny"})
	c = must(t, e, "WorkbenchGetClutter", ref)
	assert.Equal(t, "tiny", c["model_id"])
	assert.Equal(t, true, c["window_known"])
	assert.Equal(t, 45_000.0, c["window"])
	assert.Equal(t, 36_000.0, c["compacts_at"])
	assert.Equal(t, "Moderate", c["level"])
	assert.InDelta(t, c["tokens"].(float64)/45_000, c["score"], 1e-9)

	id, dir = folder(t, e, map[string]string{"a.txt": "x"})
	standing(dir, strings.Repeat("We bind books by hand. ", 10_000))
	c = must(t, e, "WorkbenchGetClutter", obj{"workbench_id": id})
	assert.Equal(t, true, c["context_warning"])
	assert.Equal(t, []any{"company.md"}, c["context_cut"])
	assert.InDelta(t, 0.1, c["context_share"], 0.01)
}

// V-02: the tool log, page by page, with receipts for long results.
func TestToolLog(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, map[string]string{"a.txt": "one\n"})
	m := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Translate a.txt to German"})
	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": m["message_id"], "model_id": "pseudo"})
	all := must(t, e, "WorkshopGetToolLog", obj{"workbench_id": id})
	entries := all["entries"].([]any)
	require.Greater(t, len(entries), 1)
	assert.Equal(t, false, all["has_more"])
	first := entries[0].(obj)
	assert.Equal(t, 1.0, first["id"])
	assert.NotEmpty(t, first["tool"])
	assert.NotEmpty(t, first["ts"])
	assert.Equal(t, first["result"], first["receipt"], "a short result stands for itself")
	page := must(t, e, "WorkshopGetToolLog", obj{"workbench_id": id, "after": 1, "limit": 1})
	assert.Equal(t, []any{entries[1]}, page["entries"])
	assert.Equal(t, len(entries) > 2, page["has_more"])
	_, info := call(t, e, "WorkshopGetToolLog", obj{"workbench_id": id, "limit": 101})
	require.NotNil(t, info)
	assert.Equal(t, "VALIDATION_FAILED", info.ErrorCode)
}

// What WorkshopCompact sums up is told, and an undo takes it back.
func TestCompact(t *testing.T) {
	e := newEngine(t, func(o *engine.Options) { o.CompactAt = 50 })
	id, dir := folder(t, e, map[string]string{"a.txt": "x"})
	ref := obj{"workbench_id": id}
	c := must(t, e, "WorkshopCompact", obj{"workbench_id": id, "model_id": "pseudo"})
	assert.Equal(t, 0.0, c["summarised"])
	assert.Equal(t, []any{}, c["summaries"])
	for _, text := range []string{"The budget is 4711 euros. " + strings.Repeat("again ", 900), "Which files are here?"} {
		m := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": text})
		must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": m["message_id"], "model_id": "pseudo"})
	}
	full := must(t, e, "WorkbenchGetClutter", ref)
	var told []engine.WindowFillChanged
	defer e.Subscribe(func(n engine.Notification) {
		if c, ok := n.Params.(engine.WindowFillChanged); ok {
			told = append(told, c)
		}
	})()
	c = must(t, e, "WorkshopCompact", obj{"workbench_id": id, "model_id": "pseudo", "keep": "the budget"})
	assert.Equal(t, 2.0, c["summarised"])
	assert.Contains(t, c["summaries"].([]any)[0], "The budget is 4711 euros.")
	assert.Less(t, c["tokens_are"], c["tokens_were"])
	require.Len(t, told, 1)
	assert.Less(t, float64(told[0].Tokens), full["tokens"])
	must(t, e, "WorkshopUndoToMessage", obj{"workbench_id": id, "message_id": c["undo_to"]})
	assert.Equal(t, full["tokens"], must(t, e, "WorkbenchGetClutter", ref)["tokens"])

	wb, err := e.OpenFolder(t.Context(), dir)
	require.NoError(t, err)
	unlock, err := wb.Begin(workshop.ActRun)
	require.NoError(t, err)
	_, err = call(t, e, "WorkshopCompact", ref)
	unlock()
	require.ErrorContains(t, err, "a run is already in progress")
	for _, at := range []int{-1, 29, 96} {
		_, err := engine.New(engine.Options{Home: t.TempDir(), CompactAt: at})
		require.ErrorContains(t, err, "compact_at must be from 0.30 to 0.95")
	}
}
