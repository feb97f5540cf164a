package catalogue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
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
	"atelier/workshop/tools/catalogue"
)

// What a call on a bomb may take: so much memory over what the process had, and
// so long after its time limit or its cancel. The promise is a second; the machine
// of a test may be busy, so a test fails at twice that. X-18 holds operations of
// formats to tighter bounds of memory; here results are made of them.
const (
	toolMemory = 400 // MiB
	toolLate   = 2 * time.Second
)

// bombCall is how to call a tool on a file. In args, PATH is the file's path as
// the catalogue writes it and HASH the SHA-256 of its bytes.
type bombCall struct {
	catalogue, tool string
	ends            string // what the file's name ends with, "" for all
	args            string
}

// with returns the arguments for a file.
func (c bombCall) with(path string, content []byte) string {
	return strings.NewReplacer("PATH", path, "HASH", sha(string(content))).Replace(c.args)
}

const replaceNumbers = `"operations":[{"op":"replace_text","search":"[0-9]+","replace":"y","regex":true}]`

// bombCalls has every tool that opens a file.
var bombCalls = []bombCall{
	{"workshop", "get_file_info", "", `{"path":"PATH"}`},
	{"workshop", "read_file", "", `{"path":"PATH"}`},
	{"workshop", "get_segments", "", `{"path":"PATH"}`},
	{"workshop", "put_translations", "", `{"path":"PATH","translations":[{"id":"none","text":"x"}]}`},
	{"workshop", "write_text_file", "", `{"path":"PATH","content":"x"}`},
	{"workshop", "replace_text", "", `{"path":"PATH","search":"[0-9]+","replace":"y","regex":true}`},
	{"workshop", "edit_lines", "", `{"path":"PATH","edits":[{"op":"insert","after":0,"lines":["top"]}]}`},
	{"workshop", "move", "", `{"from":"PATH","to":"moved/"}`},
	{"workshop", "copy", "", `{"from":"PATH","to":"copied/"}`},
	{"workshop", "xlsx_operations", ".xlsx", `{"path":"PATH","dry_run":true,` + replaceNumbers + `}`},
	{"workshop", "docx_operations", ".docx", `{"path":"PATH","dry_run":true,"track_changes":true,` + replaceNumbers + `}`},
	{"workshop", "docx_operations", ".docx", `{"path":"PATH","dry_run":true,"operations":[{"op":"format_text","search":"[0-9]+","regex":true,"bold":true}]}`},
	{"workshop", "pptx_operations", ".pptx", `{"path":"PATH","dry_run":true,` + replaceNumbers + `}`},
	{"workshop", "search_files", "", `{"query":"[0-9]+ none of these","regex":true}`},
	{"workshop", "fill_template", ".xlsx", `{"path":"PATH","data":{"name":"x"},"target_path":"filled.xlsx"}`},
	{"workshop", "fill_template", ".docx", `{"path":"PATH","data":{"name":"x"},"target_path":"filled.docx"}`},
	{"workshop", "fill_template", ".pptx", `{"path":"PATH","data":{"name":"x"},"target_path":"filled.pptx"}`},
	{"workshop", "convert", ".xlsx", `{"path":"PATH","format":"csv"}`},
	{"workshop", "render", "", `{"path":"PATH","pages":"1-4"}`},
	{"workshop", "audit", ".xlsx", `{"path":"PATH"}`},
	{"workshop", "calculate", ".xlsx", `{"path":"PATH","set":{"A1":1}}`},
	{"workshop", "audit", ".docx", `{"path":"PATH"}`},
	{"workshop", "audit", ".pptx", `{"path":"PATH"}`},
	{"workshop", "table_describe", ".xlsx", `{"path":"PATH"}`},
	{"workshop", "table_stats", ".xlsx", `{"path":"PATH"}`},
	{"workshop", "table_read_rows", ".xlsx", `{"path":"PATH"}`},
	{"workshop", "table_query", ".xlsx", `{"path":"PATH","query":"SELECT COUNT(*) FROM data"}`},
	{"workshop", "table_export", ".xlsx", `{"path":"PATH","target_path":"out.csv"}`},
	{"buildscale", "read", "", `{"path":"/PATH"}`},
	{"buildscale", "write", "", `{"path":"/PATH","content":"x","overwrite":true}`},
	{"buildscale", "edit", "", `{"path":"/PATH","old_string":"none of these","new_string":"x"}`},
	{"buildscale", "file_info", "", `{"path":"/PATH"}`},
	{"buildscale", "find", "", `{"name":"bomb*","path":"/"}`},
	{"buildscale", "grep", "", `{"pattern":"[0-9]+ none of these"}`},
	{"buildscale", "read_multiple_files", "", `{"paths":["/PATH","/PATH"]}`},
	{"buildscale", "cat", "", `{"paths":["/PATH"],"number_lines":true}`},
	{"aptix", "workspace_read_file", "", `{"path":"repo/PATH"}`},
	{"aptix", "workspace_write_patch", "", `{"files":[{"docPath":"repo/PATH","originalSha256":"HASH","changes":[{"operation":"insert","afterLine":0,"newLines":["top"]}]}]}`},
	{"aptix", "workspace_create_file", "", `{"path":"repo/PATH","content":"x","overwrite":true}`},
	{"sila", "read", "", `{"uri":"file:///PATH"}`},
	{"sila", "write_to_file", "", `{"path":"PATH","content":"x"}`},
}

// noBombs are the tools that read no content of a file, or only what another tool
// wrote. What the searches index has its own test on bombs (workshop/retrieval).
var noBombs = map[string][]string{
	"workshop":   {"list_files", "delete", "make_folder", "recall_tool_result", "read_skill", "ask_user", "table_update_from_export"},
	"buildscale": {"ls", "rm", "mv", "touch", "mkdir", "glob", "plan_write", "plan_read", "plan_edit", "plan_list", "ask_user", "exit_plan_mode", "recall_tool_result"},
	"aptix":      {"active_file_sha256", "code_hash_normalized", "rag_search_docs", "rag_search_code", "recall_tool_result"},
	"sila":       {"ls", "mkdir", "move", "rm", "recall_tool_result"},
}

// toolCost is the most that a tool took of the bombs of a kind.
type toolCost struct {
	calls, refused, stopped int
	took, late, cancel      time.Duration
	memory                  int64
}

// bombed reports whether the nth call meets the mth bomb in this run: all in a
// full campaign; else one bomb in two (or four) meets one tool, and each tool one
// bomb.
func bombed(t *testing.T, n, m int) bool {
	if campaign.Full() {
		return true
	}
	var fit []int // the calls for this bomb
	for i, c := range bombCalls {
		if strings.HasSuffix(bombs.All[m].Name, c.ends) {
			fit = append(fit, i)
		}
	}
	var meets []int // the bombs for this call
	for i, b := range bombs.All {
		if strings.HasSuffix(b.Name, bombCalls[n].ends) {
			meets = append(meets, i)
		}
	}
	seed := int(campaign.Seed() % 1_000_003)
	return !campaign.Skips(t, m, 2) && fit[(m/2+seed)%len(fit)] == n || meets[(seed+7*n)%len(meets)] == m
}

// Every tool is tried on bombs or says why not.
func TestEveryToolMeetsBombs(t *testing.T) {
	for _, name := range catalogue.Names() {
		known := noBombs[name]
		for _, c := range bombCalls {
			if c.catalogue == name {
				known = append(known, c.tool)
			}
		}
		for _, tool := range newProfile(t, name, false, nil).cat.Tools() {
			require.Contains(t, known, tool.Function.Name, "say what it does with a bomb")
		}
	}
}

// Each tool of each catalogue on each bomb ends soon after its time limit and
// after a cancel, with a bound on memory. A run takes a sample of the pairs.
func TestToolsOnBombs(t *testing.T) {
	campaign.Slow(t)
	if testing.Short() {
		t.Skip("bombs are slow to build: left out with -short")
	}
	profiles := map[string]*profile{}
	for _, name := range catalogue.Names() {
		profiles[name] = newProfile(t, name, false, nil)
	}
	costs := map[string]*toolCost{}
	for m, b := range bombs.All {
		ext, path := filepath.Ext(b.Name), "bomb"+filepath.Ext(b.Name)
		var content []byte
		for n, c := range bombCalls {
			if !strings.HasSuffix(path, c.ends) || !bombed(t, n, m) {
				continue
			}
			if content == nil {
				content = b.Build(t)
			}
			p := profiles[c.catalogue]
			file := filepath.Join(p.dir, path)
			require.NoError(t, os.WriteFile(file, content, 0o600))
			name := c.catalogue + " " + c.tool + " " + ext
			if costs[name] == nil {
				costs[name] = &toolCost{}
			}
			p.onBomb(t, b.Name, c.tool, c.with(path, content), costs[name])
			require.NoError(t, os.Remove(file))
		}
	}
	reportBombs(t, costs)
}

// The calls of bombCalls are right: on a document that is no bomb no tool refuses
// its arguments.
func TestBombCallsFitTheirTools(t *testing.T) {
	documents := map[string]string{".xlsx": "sales.xlsx", ".pptx": "presentacion.pptx", ".docx": "contrato.docx", "": "contrato.docx"}
	for _, c := range bombCalls {
		content, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", documents[c.ends]))
		require.NoError(t, err)
		p := newProfile(t, c.catalogue, false, nil)
		path := "bomb" + filepath.Ext(documents[c.ends])
		require.NoError(t, os.WriteFile(filepath.Join(p.dir, path), content, 0o600))
		res := p.call(c.tool, c.with(path, content))
		require.NotContains(t, res.Text, "INVALID_ARGUMENT", c.tool)
	}
}

// onBomb calls a tool three times: as it is, with a time limit that ends amid
// it, and canceled amid it.
func (p *profile) onBomb(t *testing.T, bomb, tool, args string, sum *toolCost) {
	call := func(ctx context.Context) (time.Duration, bool) {
		from := time.Now()
		res := p.cat.Call(ctx, p.env, tool, json.RawMessage(args))
		took := time.Since(from)
		d, err := p.wb.Draft(t.Context())
		require.NoError(t, err)
		if d.HasDraft {
			require.NoError(t, p.wb.Discard(t.Context(), nil))
		}
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
func reportBombs(t *testing.T, costs map[string]*toolCost) {
	var table strings.Builder
	table.WriteString("| catalogue | tool | files | bombs | refused | ended by the limit | longest | most memory | latest after the time limit | after a cancel |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(costs)) {
		c, words := costs[name], strings.Fields(name)
		row := fmt.Sprintf("| %s | `%s` | %s | %d | %d | %d | %.1f s | %d MiB | %.1f s | %.1f s |", words[0], words[1], words[2], c.calls, c.refused, c.stopped, c.took.Seconds(), c.memory, max(0, c.late.Seconds()), max(0, c.cancel.Seconds()))
		formatstest.Report(t, "tools on bombs: %s", row)
		table.WriteString(row + "\n")
	}
	if !*update || !campaign.Full() {
		return
	}
	path := filepath.Join(formatstest.Root(t), "docs", "durability.md")
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(page), bombsBegin)
	require.True(t, found, "docs/durability.md has no place for the table")
	_, after, found := strings.Cut(rest, bombsEnd)
	require.True(t, found)
	require.NoError(t, os.WriteFile(path, []byte(before+bombsBegin+table.String()+bombsEnd+after), 0o644))
}
