package catalogue_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop/tools/catalogue"
)

// W-30: no schema of a tool is a bare true or false, which llama.cpp 0.7.0
// (b11669) refuses with the whole request; additionalProperties may be one.
func TestW30SchemasAreObjects(t *testing.T) {
	for _, name := range catalogue.Names() {
		cat, err := catalogue.Named(name)
		require.NoError(t, err)
		for _, tool := range cat.Tools() {
			var v any
			require.NoError(t, json.Unmarshal(tool.Function.Parameters, &v))
			requireObjects(t, tool.Function.Name, v)
		}
	}
}

func requireObjects(t *testing.T, at string, v any) {
	s, ok := v.(map[string]any)
	require.True(t, ok, "%s is %v", at, v)
	props, _ := s["properties"].(map[string]any)
	for name, p := range props {
		requireObjects(t, at+"."+name, p)
	}
	if items, ok := s["items"]; ok {
		requireObjects(t, at+"[]", items)
	}
}
