package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// told is what identifies a notification, apart from seq, which counts anew on
// each connection.
type told struct {
	Position int64
	Method   string
	Params   string
}

// toldSoFar returns the notifications of an app in order.
func toldSoFar(a *app) (all []told) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.lines {
		if m.Method == "" {
			continue
		}
		p, _ := m.Params["position"].(float64)
		rest := map[string]any{}
		for k, v := range m.Params {
			if k != "seq" && k != "position" {
				rest[k] = v
			}
		}
		b, _ := json.Marshal(rest)
		all = append(all, told{int64(p), m.Method, string(b)})
	}
	return all
}

// TestEventsAfterAKill: the program is killed at a random moment while it
// changes a draft, and started again. EventsResume sends what the client did not
// keep, exactly once and in order, and later notifications follow.
func TestEventsAfterAKill(t *testing.T) {
	campaign.Slow(t)
	home, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o600))
	var known []told // all that any program told
	var wb struct {
		ID string `json:"workbench_id"`
	}
	for round := range 8 {
		a := startApp(t, home)
		if wb.ID == "" {
			a.call("WorkbenchCreate", obj{"name": "w", "root": dir}, &wb)
		}
		// The client kept the notifications up to one of the earlier ones.
		var kept int64
		at := 0
		if len(known) > 0 {
			at = rand.IntN(len(known))
			kept = known[at].Position
			at++
		}
		var r struct {
			Position int64
			Resumed  bool
			Sent     int
		}
		a.call("EventsResume", obj{"workbench_id": wb.ID, "position": kept}, &r)
		require.True(t, r.Resumed)
		missed := toldSoFar(a)
		require.Len(t, missed, r.Sent, "they come before the answer")
		// What was told before the kill is there again; the killed program may
		// have stored more than this test has read.
		require.GreaterOrEqual(t, len(missed), len(known)-at)
		for i, n := range known[at:] {
			require.Equal(t, n, missed[i], "round %d", round)
		}
		known = append(known[:at:at], missed...)
		before := kept
		for _, n := range missed {
			require.Greater(t, n.Position, before)
			before = n.Position
		}
		require.Equal(t, before, r.Position)

		a.mu.Lock()
		sent := len(a.lines)
		a.mu.Unlock()
		for i := range 30 {
			a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ToolCall","params":{"workbench_id":%q,"tool":"write_text_file","args":{"path":"n%d.txt","content":"%d\n"}}}`, 1000+i, wb.ID, i, round))
		}
		// The kill comes after 3 to 22 notifications, at any moment before the next one.
		for next := range 3 + rand.IntN(20) {
			_, at := a.await(sent, fmt.Sprint("notification ", next), func(m message) bool { return m.Method != "" })
			sent = at + 1
		}
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		require.NoError(t, a.cmd.Process.Kill())
		a.cmd.Wait()
		a.mu.Lock()
		for !a.ended {
			a.more.Wait()
		}
		a.mu.Unlock()
		all := toldSoFar(a)
		require.GreaterOrEqual(t, len(all), len(missed))
		for _, n := range all[len(missed):] {
			require.Greater(t, n.Position, before, "live ones follow")
			before = n.Position
			known = append(known, n)
		}
	}
	require.Greater(t, len(known), 20)
	t.Logf("%d notifications, positions 1 to %d", len(known), known[len(known)-1].Position)

	// A client from elsewhere, or of a state that was put back.
	a := startApp(t, home)
	var r struct{ Resumed bool }
	a.call("EventsResume", obj{"workbench_id": wb.ID, "position": int64(1) << 50}, &r)
	require.False(t, r.Resumed)
	require.Empty(t, toldSoFar(a))
}
