package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"atelier/llm/replay"
)

// scriptModel is the script command `endpoint`: sets OPENAI_BASE_URL to a
// model endpoint that gives the answers in the files model-1, model-2 … of
// the script, in the fixture language of llm/replay.
func scriptModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: endpoint")
	}
	names, err := filepath.Glob(ts.MkAbs("model-*"))
	ts.Check(err)
	slices.Sort(names)
	var sb strings.Builder
	for _, name := range names {
		b, err := os.ReadFile(name)
		ts.Check(err)
		sb.WriteString("-- " + filepath.Base(name) + " --\n" + string(b))
	}
	f, err := replay.Parse([]byte(sb.String()))
	ts.Check(err)
	srv, err := replay.NewServer(f, replay.Options{})
	ts.Check(err)
	ts.Defer(func() {
		if n := srv.Unused(); n > 0 {
			ts.Logf("%d answers of the endpoint were not asked for", n)
		}
		srv.Close()
	})
	ts.Setenv("OPENAI_BASE_URL", srv.URL)
}
