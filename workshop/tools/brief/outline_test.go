package brief_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop/tools/brief"
	"atelier/workshop/tools/catalogue"
)

// itemOf reads the schema of one operation.
func itemOf(t *testing.T, parameters json.RawMessage) (properties map[string]json.RawMessage, ops []string) {
	var s struct {
		Properties struct {
			Operations struct {
				Items struct{ Properties map[string]json.RawMessage }
			}
		}
	}
	require.NoError(t, json.Unmarshal(parameters, &s))
	var op struct{ Enum []string }
	require.NoError(t, json.Unmarshal(s.Properties.Operations.Items.Properties["op"], &op))
	return s.Properties.Operations.Items.Properties, op.Enum
}

// A folder's kinds have all operations in the description, the rare ones by name;
// describe_tool gives each with its members by their names, never by that of a group.
func TestOutlineHasAllOperations(t *testing.T) {
	whole := catalogue.Workshop().Tools()
	c := brief.For(catalogue.Workshop(), func(tool string) bool { return strings.HasSuffix(tool, "_operations") })
	group := regexp.MustCompile(`\b[A-Z]{4,}\b[^a-z]`)
	n := 0
	for i, tool := range c.Tools()[:len(whole)] {
		name := tool.Function.Name
		require.Equal(t, whole[i].Function.Name, name)
		if !strings.HasSuffix(name, "_operations") {
			continue
		}
		members, ops := itemOf(t, whole[i].Function.Parameters)
		shown, _ := itemOf(t, tool.Function.Parameters)
		require.Contains(t, shown, "args", name)
		_, more, _ := strings.Cut(tool.Function.Description, "More, with members in args: ")
		rare := strings.FieldsFunc(strings.TrimSuffix(more, ". describe_tool explains members."), func(c rune) bool { return c == ',' || c == ' ' })
		require.NotEmpty(t, rare, name)
		for _, op := range ops {
			if slices.Contains(rare, op) {
				require.NotContains(t, tool.Function.Description, " "+op+"(", name)
			} else {
				require.Contains(t, tool.Function.Description, op+"(", name)
			}
			args, err := json.Marshal(map[string]any{"tool": name, "ops": []string{op}})
			require.NoError(t, err)
			r := call(t, c, string(args))
			require.True(t, r.Success)
			_, line, _ := strings.Cut(r.Text, "- "+op+"(")
			line, _, _ = strings.Cut(line, "\n")
			require.NotEmpty(t, line, op)
			require.NotRegexp(t, group, line)
			for _, m := range regexp.MustCompile(`\w+`).FindAllString(line, -1) {
				if _, member := members[m]; member && !slices.Contains(rare, op) {
					require.Contains(t, shown, m, op)
				}
			}
			n++
		}
	}
	require.Greater(t, n, 80)

	line := call(t, c, `{"tool":"docx_operations","ops":["set_paragraph"]}`).Text
	require.Contains(t, line, "keep_with_next?, font_name?", "groups are written out")
	require.Contains(t, line, `highlight_color {`, "their members are explained")
}
