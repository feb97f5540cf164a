package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/tokens"
	"atelier/workshop/tools/brief"
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
		window int
		tools  string
		short  bool
	}{{8_000, "", true}, {24_000, "", true}, {32_768, "", true}, {40_000, "", false}, {0, "", false}, {8_000, ToolsFull, false}, {128_000, ToolsSmall, true}, {0, ToolsSmall, true}} {
		r := newRig(t, map[string]string{"a.txt": "x\n"})
		r.cfg.Window, r.cfg.Tools = tc.window, tc.tools
		m := play(says("ok"))
		_, err := r.run(m, "go")
		require.NoError(t, err)
		require.Equal(t, tc.short, hasTool(m.tools, brief.DescribeTool), "%+v", tc)
		require.True(t, hasTool(m.tools, "read_file"))
		ev := params[ToolsReduced](r.events)
		if !tc.short {
			require.Empty(t, ev)
			continue
		}
		require.Len(t, ev, 1)
		require.Less(t, ev[0].TokensAre*4, ev[0].TokensWere)
		require.Equal(t, tc.window, ev[0].Window)
		p, err := Measure(context.Background(), r.cfg)
		require.NoError(t, err)
		require.Less(t, p.Tokens, 4000, "the figure for clients is that of the short descriptions")
	}
}

// An endpoint whose window nobody knew refuses the very first request: the
// tools alone are too long for it.
func TestToolsBecomeShortWhenTheyAreRefused(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x\n"})
	r.cfg.Tools = ""
	m := play(fails(llm.KindContextLength, 0), calls("describe_tool", `{"tool":"docx_operations"}`), says("ok"))
	res, err := r.run(m, "go")
	require.NoError(t, err)
	require.Equal(t, "ok", res.Text)
	require.True(t, hasTool(m.tools, brief.DescribeTool))
	require.Len(t, params[ToolsReduced](r.events), 1)
	require.Empty(t, params[ContextCompacted](r.events), "nothing had to be left out")
	require.Contains(t, r.results()[0], "add_table_row(")
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
