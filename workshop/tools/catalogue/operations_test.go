package catalogue_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/workshop/tools/catalogue"
)

// docs/operations.md says what every operation takes; it is made from the
// schemas, so that it cannot be wrong.
func TestOperationsReference(t *testing.T) {
	var sb strings.Builder
	sb.WriteString("# Operations\n\nWhat `xlsx_operations`, `docx_operations` and `pptx_operations` can do. A `?` marks members that may be left out. This page is made from the schemas: `go test ./workshop/tools/catalogue -update`.\n\nA call takes `path`, `operations` (applied in order, all or none), `create_if_missing` or `create_new` with `copy_from`, and `dry_run`, which reports without writing.\n")
	set := all.Formats(all.Options{CacheDir: formatstest.Cache})
	cat := catalogue.Workshop()
	for _, kind := range []formats.Kind{formats.KindXlsx, formats.KindDocx, formats.KindPptx} {
		editor := set.Kind(kind).Editor
		_, names := editor.Operation()
		fmt.Fprintf(&sb, "\n## %s\n\n| operation | members |\n|---|---|\n", kind)
		for _, n := range names {
			use := editor.Usage(n)
			require.NotEmpty(t, use, "%s: the argument struct of %s has no usage", kind, n)
			fmt.Fprintf(&sb, "| `%s` | %s |\n", n, strings.ReplaceAll(use, "|", `\|`))
		}
		sb.WriteString("\n| member | what it is |\n|---|---|\n")
		var schema jsonschema.Schema
		for _, tool := range cat.Tools() {
			if tool.Function.Name == string(kind)+"_operations" {
				require.NoError(t, json.Unmarshal(tool.Function.Parameters, &schema))
			}
		}
		props := schema.Properties["operations"].Items.Properties
		members := make([]string, 0, len(props))
		for m := range props {
			if m != "op" {
				members = append(members, m)
			}
		}
		sort.Strings(members)
		for _, m := range members {
			typ := props[m].Type
			if typ == "" {
				typ = "any"
			}
			fmt.Fprintf(&sb, "| `%s` (%s) | %s |\n", m, typ, strings.ReplaceAll(props[m].Description, "|", `\|`))
		}
	}
	path := filepath.Join(formatstest.Root(t), "docs", "operations.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(sb.String()), 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(have), sb.String(), "run: go test ./workshop/tools/catalogue -update")
}
