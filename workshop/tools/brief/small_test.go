package brief_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop/tools"
	"atelier/workshop/tools/brief"
	"atelier/workshop/tools/catalogue"
)

var update = flag.Bool("update", false, "rewrite golden files")

func bytesOf(t *testing.T, list []llm.Tool) int {
	b, err := json.Marshal(list)
	require.NoError(t, err)
	return len(b)
}

func TestSmallIsSmall(t *testing.T) {
	whole, short := catalogue.Workshop().Tools(), brief.Of(catalogue.Workshop()).Tools()
	w, s := bytesOf(t, whole), bytesOf(t, short)
	t.Logf("%d bytes become %d", w, s)
	require.Less(t, s*7, w*2)
	require.Len(t, short, len(whole)+1)
	for i, tool := range whole {
		require.Equal(t, tool.Function.Name, short[i].Function.Name, "every tool is there")
		require.NotEmpty(t, short[i].Function.Description)
		var a, b struct{ Required []string }
		require.NoError(t, json.Unmarshal(tool.Function.Parameters, &a))
		require.NoError(t, json.Unmarshal(short[i].Function.Parameters, &b))
		require.Equal(t, a, b)
	}
}

// The operations that are shown, and their members, are those of the tool.
func TestCommonOperationsExist(t *testing.T) {
	shown := regexp.MustCompile(`([a-z_]+)\(([a-z_, ]+)\)`)
	whole := catalogue.Workshop().Tools()
	n := 0
	for i, tool := range brief.Of(catalogue.Workshop()).Tools()[:len(whole)] {
		if !strings.HasSuffix(tool.Function.Name, "_operations") {
			continue
		}
		for _, m := range shown.FindAllStringSubmatch(tool.Function.Description, -1) {
			require.Contains(t, string(whole[i].Function.Parameters), m[1]+"(")
			for _, member := range strings.Split(m[2], ", ") {
				require.Contains(t, string(whole[i].Function.Parameters), `"`+member+`":`, m[1])
				require.Contains(t, string(tool.Function.Parameters), `"`+member+`":`, m[1])
			}
			n++
		}
	}
	require.Greater(t, n, 10)
}

func call(t *testing.T, c *brief.Catalogue, args string) tools.Result {
	return c.Call(context.Background(), &tools.Env{}, brief.DescribeTool, json.RawMessage(args))
}

func TestDescribeTool(t *testing.T) {
	c := brief.Of(catalogue.Workshop())
	effect, ok := c.Effect(brief.DescribeTool)
	require.True(t, ok)
	require.Equal(t, tools.Read, effect)

	r := call(t, c, `{"tool":"xlsx_operations","ops":["add_chart"]}`)
	require.True(t, r.Success)
	require.Contains(t, r.Text, "- add_chart(sheet, cell, type")
	require.Contains(t, r.Text, "stacked_column", "the members are explained")
	require.NotContains(t, r.Text, "- set_cells")
	require.Less(t, len(r.Text), 3500)

	r = call(t, c, `{"tool":"docx_operations"}`)
	require.Contains(t, r.Text, "- add_table_row(")
	r = call(t, c, `{"tool":"table_query"}`)
	require.Contains(t, r.Text, "SQLite")
	require.True(t, call(t, c, `{"tool":"xlsx_operations","ops":"fill, sort_range"}`).Success)

	for args, says := range map[string]string{`{"tool":"paint"}`: "unknown tool: paint", `{"tool":"xlsx_operations","ops":["melt"]}`: "there are ensure_sheet, set_cells", `{"tool":7}`: "invalid arguments"} {
		r := call(t, c, args)
		require.False(t, r.Success)
		require.NotNil(t, r.Fault)
		require.Contains(t, r.Text, says)
	}
}

// Every operation of every tool is named in short and explained when asked for.
func TestEveryOperationIsReachable(t *testing.T) {
	c := brief.Of(catalogue.Workshop())
	n := 0
	for i, tool := range catalogue.Workshop().Tools() {
		var s struct {
			Properties struct {
				Operations struct {
					Items struct {
						Properties struct{ Op struct{ Enum []string } }
					}
				}
			}
		}
		require.NoError(t, json.Unmarshal(tool.Function.Parameters, &s))
		for _, op := range s.Properties.Operations.Items.Properties.Op.Enum {
			n++
			require.Contains(t, c.Tools()[i].Function.Description, op)
			b, err := json.Marshal(map[string]any{"tool": tool.Function.Name, "ops": []string{op}})
			require.NoError(t, err)
			r := call(t, c, string(b))
			require.True(t, r.Success, r.Text)
			require.Contains(t, r.Text, "- "+op+"(")
		}
	}
	require.Greater(t, n, 80)
}

func TestSmallGolden(t *testing.T) {
	var sb strings.Builder
	for _, tool := range brief.Of(catalogue.Workshop()).Tools() {
		sb.WriteString(tool.Function.Name + "\n  " + tool.Function.Description + "\n  " + string(tool.Function.Parameters) + "\n")
	}
	path := filepath.Join("testdata", "small.txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(sb.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), sb.String())
}

// Every catalogue keeps to what all endpoints take: OpenAI's form of names and
// its 128 tools; and is smaller in short.
func TestEveryCatalogueInShort(t *testing.T) {
	for _, name := range catalogue.Names() {
		c, err := catalogue.Named(name)
		require.NoError(t, err)
		whole, short := c.Tools(), brief.Of(c).Tools()
		require.LessOrEqual(t, len(short), 128)
		for _, tool := range short {
			require.Regexp(t, `^[a-zA-Z0-9_-]{1,64}$`, tool.Function.Name)
			require.True(t, json.Valid(tool.Function.Parameters))
			require.NotEmpty(t, tool.Function.Description, tool.Function.Name)
		}
		t.Logf("%s: %d tools, %d bytes become %d", name, len(whole), bytesOf(t, whole), bytesOf(t, short))
		require.Less(t, bytesOf(t, short), bytesOf(t, whole))
	}
}
