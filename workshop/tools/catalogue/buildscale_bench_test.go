package catalogue_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// BenchmarkBuildscale is calls over a live folder of 1,000 text files of 100
// lines, as an HTTP client makes them.
func BenchmarkBuildscale(b *testing.B) {
	dir := b.TempDir()
	text := strings.Repeat("a line of some forty characters, or more\n", 99)
	for i := range 1000 {
		sub := filepath.Join(dir, fmt.Sprintf("d%02d", i%20))
		require.NoError(b, os.MkdirAll(sub, 0o755))
		require.NoError(b, os.WriteFile(filepath.Join(sub, fmt.Sprintf("f%03d.txt", i)), fmt.Appendf(nil, "%snumber <%d>\n", text, i), 0o644))
	}
	home, err := workshop.OpenHome(b.TempDir(), workshop.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(ctx, dir)
	require.NoError(b, err)
	cat, err := catalogue.Named("buildscale")
	require.NoError(b, err)
	env := &tools.Env{View: wb.LiveView(workshop.Cause{}), Formats: all.Formats(all.Options{CacheDir: formatstest.Cache})}
	for _, c := range []struct{ name, tool, args string }{
		{"ls recursive", "ls", `{"recursive":true,"limit":0}`},
		{"read", "read", `{"path":"/d01/f001.txt"}`},
		{"grep one", "grep", `{"pattern":"number <777>"}`},
		{"grep all", "grep", `{"pattern":"number <\\d+>","limit":0}`},
		{"glob", "glob", `{"pattern":"**/f7*.txt"}`},
		{"find", "find", `{"name":"*9.txt","limit":0}`},
		{"write", "write", `{"path":"/new/file.txt","content":"text","overwrite":true}`},
		{"edit", "edit", `{"path":"/d02/f002.txt","insert_line":0,"insert_content":"x"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if r := cat.Call(ctx, env, c.tool, json.RawMessage(c.args)); !r.Success {
					b.Fatal(r.Text)
				}
			}
		})
	}
}
