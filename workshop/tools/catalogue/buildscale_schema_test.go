package catalogue_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"atelier/workshop/tools/catalogue"
)

// the buildscale schemas are what the golden file says, plain enough for
// every endpoint.
func TestA02BuildscaleSchemas(t *testing.T) {
	cat, err := catalogue.Named("buildscale")
	require.NoError(t, err)
	have := string(must(json.MarshalIndent(cat.Tools(), "", "  "))) + "\n"
	path := filepath.Join("testdata", "buildscale.json")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(have), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), have, "schemas changed: go test ./workshop/tools/catalogue -update")
	require.NotContains(t, have, `"$ref"`)
	require.NotContains(t, have, `"null"`)
	var names []string
	for _, b := range cat.Bindings() {
		names = append(names, b.Name)
	}
	require.ElementsMatch(t, strings.Fields("ls read write rm mv touch mkdir edit grep glob file_info find read_multiple_files cat ask_user exit_plan_mode plan_write plan_read plan_edit plan_list"), names)
	for _, tool := range cat.Tools() {
		var s jsonschema.Schema
		require.NoError(t, json.Unmarshal(tool.Function.Parameters, &s))
		_, err := s.Resolve(nil)
		require.NoError(t, err, tool.Function.Name)
		for name, p := range s.Properties {
			require.NotEmpty(t, p.Description, "%s: %s", tool.Function.Name, name)
		}
		require.False(t, strings.HasPrefix(tool.Function.Description, " "))
	}
}
