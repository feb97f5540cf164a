package workshop

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// K-01: what was committed without waiting for the disk is there for others, and
// the next commit waits again, whether or not this one went well.
func TestK01LaterIsForOneTransaction(t *testing.T) {
	r := newRig(t, nil)
	sync := func() (mode int) {
		require.NoError(t, r.wb.db.QueryRow(`PRAGMA synchronous`).Scan(&mode))
		return mode
	}
	set := func(v string) func(*sql.Tx) error {
		return func(tx *sql.Tx) error {
			var mode int
			require.NoError(t, tx.QueryRow(`PRAGMA synchronous`).Scan(&mode))
			require.Equal(t, 1, mode, "NORMAL")
			_, err := tx.Exec(`INSERT OR REPLACE INTO settings VALUES ('k',?)`, v)
			return err
		}
	}
	require.Equal(t, 2, sync(), "FULL")
	require.NoError(t, inTxLater(ctx, r.wb.db, set("v")))
	require.Equal(t, 2, sync(), "FULL")
	other, err := r.h.Read(ctx, r.wb.ID())
	require.NoError(t, err)
	defer other.Close()
	v, err := other.Setting(ctx, "k")
	require.NoError(t, err)
	require.Equal(t, "v", v)
	wrong := errors.New("wrong")
	require.ErrorIs(t, inTxLater(ctx, r.wb.db, func(tx *sql.Tx) error { return errors.Join(set("w")(tx), wrong) }), wrong)
	require.Equal(t, 2, sync(), "FULL")
	v, err = r.wb.Setting(ctx, "k")
	require.NoError(t, err)
	require.Equal(t, "v", v)
}

// W-18, K-06: results of one step are in the log under their numbers and in the
// conversation in their order; an undo to one of them knows the files of then.
func TestStoreResults(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "published"})
	write := func(s string) {
		t.Helper()
		_, err := r.wb.DraftView(Cause{Later: true}).Put(ctx, "a.txt", PutOptions{}, text(s))
		require.NoError(t, err)
	}
	store := func(id string, calls ...string) error {
		var entries []ToolLogEntry
		for _, c := range calls {
			entries = append(entries, ToolLogEntry{Tool: "t", CallID: c, Result: "result of " + c, Success: true})
		}
		return r.wb.StoreResults(ctx, entries, func(ids []int64) (rs []Record) {
			require.Len(t, ids, len(calls))
			for i, c := range calls {
				rs = append(rs, Record{Type: TypeToolResult, MessageID: id + c, ToolCallID: c, Metadata: map[string]any{"entry_id": ids[i]}})
			}
			return rs
		})
	}
	require.NoError(t, r.wb.Conversation().Append(Record{Type: TypeUser, MessageID: "u-1"}, Record{Type: TypeAssistant, MessageID: "a-1"}))
	write("one")
	require.NoError(t, store("r-", "c1", "c2"))
	require.NoError(t, r.wb.Conversation().Append(Record{Type: TypeAssistant, MessageID: "a-2"}))
	write("two")

	// A conversation that cannot be written: nothing of the step is in it, and the
	// next record that is does not pass for the one before.
	path := filepath.Join(r.wb.Dir(), "conversation.jsonl")
	require.NoError(t, os.Rename(path, path+".kept"))
	require.NoError(t, os.Mkdir(path, 0o700))
	require.ErrorContains(t, store("lost-", "c3"), "the conversation cannot be written")
	require.ErrorContains(t, r.wb.Conversation().Append(Record{Type: TypeAssistant, MessageID: "lost"}), "the conversation cannot be written")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Rename(path+".kept", path))
	require.NoError(t, r.wb.Conversation().Append(Record{Type: TypeAssistant, MessageID: "a-3"}))
	write("three")
	require.NoError(t, r.wb.StoreResults(ctx, nil, func([]int64) []Record { return []Record{{Type: TypeAssistant, MessageID: "a-4"}} }))
	r.reopen()

	rs, err := r.wb.Conversation().Records()
	require.NoError(t, err)
	var ids []string
	for _, rec := range rs {
		ids = append(ids, rec.MessageID)
		if n, ok := rec.Metadata["entry_id"].(float64); ok {
			e, err := r.wb.ToolLog(ctx, int64(n))
			require.NoError(t, err)
			require.Equal(t, rec.ToolCallID, e.CallID)
			require.Equal(t, "result of "+rec.ToolCallID, e.Result)
		}
	}
	require.Equal(t, []string{"u-1", "a-1", "r-c1", "r-c2", "a-2", "a-3", "a-4"}, ids)
	for _, to := range []struct{ message, text string }{{"a-4", "three"}, {"a-3", "two"}, {"a-2", "one"}, {"u-1", "published"}} {
		_, err = r.wb.UndoTo(ctx, to.message)
		require.NoError(t, err)
		require.Equal(t, to.text, content(t, r.wb.DraftView(Cause{}), "a.txt"), to.message)
	}
}
