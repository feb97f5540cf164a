package catalogue_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// Over an agent's path a read of the buildscale catalogue holds what it says,
// and its cursor goes on; a client gets the value as it was.
func TestBuildscaleReadFits(t *testing.T) {
	r := newRig(t)
	var sb strings.Builder
	for i := range 900 {
		fmt.Fprintf(&sb, "%d \"%s\"\n", i, strings.Repeat("word ", i%40))
	}
	require.NoError(t, os.WriteFile(filepath.Join(r.wb.Root(), "long.txt"), []byte(sb.String()), 0o600))
	cat, err := catalogue.Named("buildscale")
	require.NoError(t, err)
	var lines []string
	for cursor := 0; ; {
		res := cat.Call(ctx, r.env, "read", json.RawMessage(fmt.Sprintf(`{"path":"/long.txt","cursor":%d}`, cursor)))
		require.True(t, res.Success, res.Text)
		require.LessOrEqual(t, len(res.Text), tools.DefaultResultMax)
		require.Equal(t, len(res.Full) > tools.DefaultResultMax, res.Truncated)
		var got struct {
			Content   string
			Truncated bool
			Cursor    int
		}
		require.NoError(t, json.Unmarshal([]byte(res.Text), &got))
		part := strings.Split(got.Content, "\n")
		require.Equal(t, cursor+len(part), got.Cursor)
		lines, cursor = append(lines, part...), got.Cursor
		if !got.Truncated {
			break
		}
	}
	require.Equal(t, strings.Split(strings.TrimSuffix(sb.String(), "\n"), "\n"), lines)
}
