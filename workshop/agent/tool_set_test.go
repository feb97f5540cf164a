package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/tokens"
	"atelier/workshop/tools/brief"
	"atelier/workshop/tools/catalogue"
)

func hasTool(list []llm.Tool, name string) bool {
	for _, t := range list {
		if t.Function.Name == name {
			return true
		}
	}
	return false
}

func TestToolsAreShortInSmallWindows(t *testing.T) {
	for _, tc := range []struct {
		window  int
		tools   string
		short   bool // what describe_tool gives is left out
		reduced bool // also of the kinds that the folder has
	}{{8_000, "", true, true}, {16_000, "", true, true}, {32_768, "", true, false}, {0, "", true, false}, {8_000, ToolsFull, false, false},
		{128_000, ToolsSmall, true, true}, {0, ToolsSmall, true, true}} {
		r := newRig(t, map[string]string{"a.txt": "x\n", "b.docx": "", "c.pptx": "", "d.xlsx": ""})
		r.cfg.Window, r.cfg.Tools, r.cfg.Catalogue = tc.window, tc.tools, catalogue.Workshop()
		m := play(says("ok"))
		_, err := r.run(m, "go")
		require.NoError(t, err)
		require.Equal(t, tc.short, hasTool(m.tools, brief.DescribeTool), "%+v", tc)
		require.True(t, hasTool(m.tools, "read_file"))
		ev := params[ToolsReduced](r.events)
		if !tc.reduced {
			require.Empty(t, ev)
			continue
		}
		require.Len(t, ev, 1)
		require.Less(t, ev[0].TokensAre, 4000)
		require.Less(t, ev[0].TokensAre, ev[0].TokensWere)
		require.Equal(t, tc.window, ev[0].Window)
		p, err := Measure(context.Background(), r.cfg)
		require.NoError(t, err)
		require.Less(t, p.Tokens, 4500, "the figure for clients is that of the short descriptions")
	}
}

// An endpoint whose window is not known refuses the first request: the tools alone are
// too long for it.
func TestToolsBecomeShortWhenTheyAreRefused(t *testing.T) {
	r := newRig(t, map[string]string{"a.docx": ""})
	r.cfg.Tools, r.cfg.Catalogue = "", catalogue.Workshop()
	m := play(fails(llm.KindContextLength, 0), calls("describe_tool", `{"tool":"xlsx_operations"}`), says("ok"))
	res, err := r.run(m, "go")
	require.NoError(t, err)
	require.Equal(t, "ok", res.Text)
	require.True(t, hasTool(m.tools, brief.DescribeTool))
	require.Len(t, params[ToolsReduced](r.events), 1)
	require.Empty(t, params[ContextCompacted](r.events), "nothing had to be left out")
	require.Contains(t, r.results()[0], "set_column_widths(")
}

// A request holds what the folder's kinds of documents take, and of the others the
// everyday operations; a document that the run makes changes nothing about it, so that
// requests go on beginning alike.
func TestToolsFollowTheKindsOfTheFolder(t *testing.T) {
	files := map[string]string{"b.docx": "", "c.pptx": "", "d.xlsx": ""}
	operation := map[string]string{"b.docx": "set_header(", "c.pptx": "move_shape(", "d.xlsx": "sort_range("}
	all := func(kinds ...string) int {
		some := map[string]string{"a.txt": "x\n"}
		for _, k := range kinds {
			some[k] = files[k]
		}
		r := newRig(t, some)
		r.cfg.Tools, r.cfg.Catalogue = "", catalogue.Workshop()
		m := play(calls("write_text_file", `{"path":"new.csv","content":"a\n1\n"}`), calls("table_export", `{"path":"new.csv","target_path":"new.xlsx"}`), says("ok"))
		var tools []string
		_, err := r.run(clientFunc(func(ctx context.Context, req llm.Request) (llm.ChatResponse, error) {
			b, err := json.Marshal(req.Tools)
			require.NoError(t, err)
			tools = append(tools, string(b))
			return m.Chat(ctx, req)
		}), "go")
		require.NoError(t, err)
		for _, result := range r.results() {
			require.NotContains(t, result, "Error")
		}
		require.Len(t, tools, 3)
		first := tools[0]
		for _, rare := range []string{"print_area", "page_fields", "continue_from"} { // members of rare operations go into args
			require.NotContains(t, first, `"`+rare+`"`)
		}
		for i, q := range m.requests {
			require.Equal(t, first, tools[i])
			require.Equal(t, m.requests[0][0], q[0])
		}
		for k, op := range operation {
			_, there := some[k]
			require.Equal(t, there, strings.Contains(first, op), "%s for %v", op, kinds)
		}
		return (len(first) + len(m.requests[0][0].Content)) / 4
	}
	for k := range files {
		n := all(k)
		t.Logf("%s: %d", k, n)
		assert.LessOrEqual(t, n, 4500, "a folder with %s", k)
	}
	n := all("b.docx", "c.pptx", "d.xlsx")
	t.Logf("all: %d", n)
	require.LessOrEqual(t, n, 6500)
	all()
}

func TestResultsKeepToTheWindow(t *testing.T) {
	require.Equal(t, 16384, resultMax(16384, 0))
	require.Equal(t, 16384, resultMax(16384, 32_768))
	require.Equal(t, 4000, resultMax(16384, 8_000))
	require.Equal(t, 2048, resultMax(16384, 500))
	require.Equal(t, 1000, resultMax(1000, 8_000))
}

// In a small window many files are named by folder, as the list of them would
// take a good part of it (W-02).
func TestFilesAreNamedByFolderInSmallWindows(t *testing.T) {
	files := map[string]string{}
	for i := range 90 {
		files[fmt.Sprintf("contracts/the contract number %d of the year.txt", i)] = "x"
	}
	for window, whole := range map[int]bool{8_000: false, 128_000: true, 0: true} {
		r := newRig(t, files)
		r.cfg.Window, r.cfg.Tools = window, ""
		m := play(says("ok"))
		_, err := r.run(m, "go")
		require.NoError(t, err)
		told := m.requests[0][0].Content
		require.Equal(t, whole, strings.Contains(told, "number 7 of the year"), window)
		require.Contains(t, told, "contracts")
		if !whole {
			require.Contains(t, told, "90")
			require.Less(t, tokens.Count(told), 1500)
		}
	}
}

// clientFunc is a client that is one function.
type clientFunc func(ctx context.Context, req llm.Request) (llm.ChatResponse, error)

func (f clientFunc) Chat(ctx context.Context, req llm.Request) (llm.ChatResponse, error) {
	return f(ctx, req)
}
