package catalogue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/formats/formatstest/bombs"
	"atelier/internal/campaign"
)

// What a call on a bomb may take: so much memory over what the process had, and
// so long after its time limit or its cancel. X-18 holds operations of formats to
// tighter bounds; here results are made of them and the machine may be busy.
const (
	toolMemory = 700 // MiB
	toolLate   = 3 * time.Second
)

// toolCalls are the arguments of each tool that opens a file, by what the file's
// name ends with ("" for all).
var toolCalls = []struct {
	tool, ends string
	args       obj
}{
	{"get_file_info", "", obj{}},
	{"read_file", "", obj{}},
	{"get_segments", "", obj{}},
	{"put_translations", "", obj{"translations": []obj{{"id": "none", "text": "x"}}}},
	{"write_text_file", "", obj{"content": "x"}},
	{"xlsx_operations", ".xlsx", obj{"dry_run": true, "operations": []obj{{"op": "replace_text", "search": "[0-9]+", "replace": "y", "regex": true}}}},
	{"docx_operations", ".docx", obj{"dry_run": true, "track_changes": true, "operations": []obj{{"op": "replace_text", "search": "[0-9]+", "replace": "y", "regex": true}}}},
	{"pptx_operations", ".pptx", obj{"dry_run": true, "operations": []obj{{"op": "replace_text", "search": "[0-9]+", "replace": "y", "regex": true}}}},
	{"table_describe", ".xlsx", obj{}},
	{"table_stats", ".xlsx", obj{}},
	{"table_read_rows", ".xlsx", obj{}},
	{"table_query", ".xlsx", obj{"query": "SELECT COUNT(*) FROM data"}},
	{"table_export", ".xlsx", obj{"target_path": "out.csv"}},
}

// noBombs are the tools that open no file, or only what another tool wrote.
var noBombs = []string{"list_files", "recall_tool_result", "ask_user", "table_update_from_export"}

// toolCost is the most that a tool took of the bombs of a kind.
type toolCost struct {
	calls, refused, stopped int
	took, late, cancel      time.Duration
	memory                  int64
}

// Each tool on each bomb ends soon after its time limit and after a cancel, with
// a bound on memory. A run takes a sample of the pairs.
func TestToolsOnBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("bombs are slow to build: left out with -short")
	}
	r := newRig(t)
	var known []string
	for _, c := range toolCalls {
		known = append(known, c.tool)
	}
	for _, tool := range r.cat.Tools() {
		require.Contains(t, append(known, noBombs...), tool.Function.Name, "say what it does with a bomb")
	}
	costs, pair := map[string]*toolCost{}, 0
	for _, b := range bombs.All {
		ext, path := filepath.Ext(b.Name), "bomb"+filepath.Ext(b.Name)
		built := false
		for _, c := range toolCalls {
			if pair++; !strings.HasSuffix(path, c.ends) || campaign.Skips(t, pair, 12) {
				continue
			}
			if !built {
				require.NoError(t, os.WriteFile(filepath.Join(r.wb.Root(), path), b.Build(t), 0o600))
				built = true
			}
			args := obj{"path": path}
			for k, v := range c.args {
				args[k] = v
			}
			name := c.tool + " " + ext
			if costs[name] == nil {
				costs[name] = &toolCost{}
			}
			r.onBomb(t, b.Name, c.tool, string(must(json.Marshal(args))), costs[name])
		}
	}
	r.reportBombs(costs)
}

// onBomb calls a tool three times: as it is, with a time limit that ends amid
// it, and canceled amid it.
func (r *rig) onBomb(t *testing.T, bomb, tool, args string, sum *toolCost) {
	call := func(ctx context.Context) (time.Duration, bool) {
		from := time.Now()
		res := r.cat.Call(ctx, r.env, tool, json.RawMessage(args))
		took := time.Since(from)
		if d, err := r.wb.Draft(t.Context()); err != nil || d.HasDraft {
			require.NoError(t, err)
			err = r.wb.Discard(t.Context(), nil)
			require.NoError(t, err)
		}
		_ = os.Remove(filepath.Join(r.wb.Root(), "out.csv"))
		return took, res.Success
	}
	limited, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	debug.FreeOSMemory()
	require.NoError(t, formatstest.ResetPeak())
	idle := formatstest.ProcStatus("self", "VmRSS")
	took, ok := call(limited)
	memory := (formatstest.ProcStatus("self", "VmHWM") - idle) >> 10
	stopped := limited.Err() != nil
	cancel()
	sum.calls++
	switch {
	case stopped:
		sum.stopped++
	case !ok:
		sum.refused++
	}
	var late, after time.Duration
	if took > 200*time.Millisecond {
		limited, cancel = context.WithTimeout(t.Context(), took/3)
		all, _ := call(limited)
		late = all - took/3
		cancel()
		limited, cancel = context.WithCancel(t.Context())
		stop := time.AfterFunc(took/3, cancel)
		all, _ = call(limited)
		after = all - took/3
		stop.Stop()
		cancel()
	}
	if late > toolLate || after > toolLate || memory > toolMemory || took > 30*time.Second+toolLate {
		t.Errorf("%s on %s: %.1f s, %d MiB, %.1f s after its time limit, %.1f s after a cancel", tool, bomb, took.Seconds(), memory, late.Seconds(), after.Seconds())
	}
	if took > time.Second || memory > 64 {
		formatstest.Report(t, "tools on bombs: %s on %s: %.1f s, %d MiB, %.1f s after its time limit, %.1f s after a cancel", tool, bomb, took.Seconds(), memory, late.Seconds(), after.Seconds())
	}
	sum.took, sum.late, sum.cancel, sum.memory = max(sum.took, took), max(sum.late, late), max(sum.cancel, after), max(sum.memory, memory)
}

const bombsBegin, bombsEnd = "<!-- tools on bombs: begin -->\n", "<!-- tools on bombs: end -->\n"

// reportBombs prints the table of tools; a whole campaign with -update writes it
// to docs/durability.md.
func (r *rig) reportBombs(costs map[string]*toolCost) {
	var names []string
	for name := range costs {
		names = append(names, name)
	}
	slices.Sort(names)
	var table strings.Builder
	table.WriteString("| tool | files | bombs | refused | ended by the limit | longest | most memory | latest after the time limit | after a cancel |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, name := range names {
		c := costs[name]
		tool, ext, _ := strings.Cut(name, " ")
		row := fmt.Sprintf("| `%s` | %s | %d | %d | %d | %.1f s | %d MiB | %.1f s | %.1f s |", tool, ext, c.calls, c.refused, c.stopped, c.took.Seconds(), c.memory, max(0, c.late.Seconds()), max(0, c.cancel.Seconds()))
		formatstest.Report(r.t, "tools on bombs: %s", row)
		table.WriteString(row + "\n")
	}
	if !*update || !campaign.Full() {
		return
	}
	path := filepath.Join(formatstest.Root(r.t), "docs", "durability.md")
	page, err := os.ReadFile(path)
	require.NoError(r.t, err)
	before, rest, found := strings.Cut(string(page), bombsBegin)
	require.True(r.t, found, "docs/durability.md has no place for the table")
	_, after, found := strings.Cut(rest, bombsEnd)
	require.True(r.t, found)
	require.NoError(r.t, os.WriteFile(path, []byte(before+bombsBegin+table.String()+bombsEnd+after), 0o644))
}
