package catalogue_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// scale is a workbench with the buildscale catalogue on one of its views.
type scale struct {
	*testing.T
	dir  string
	wb   *workshop.Workbench
	cat  *tools.Catalogue
	env  *tools.Env
	live bool
}

// onBothViews runs a test on a draft and on a live view: no tool can tell them
// apart.
func onBothViews(t *testing.T, files map[string]string, f func(s *scale)) {
	t.Helper()
	for _, live := range []bool{false, true} {
		t.Run(map[bool]string{false: "draft", true: "live"}[live], func(t *testing.T) { f(newScale(t, files, live)) })
	}
}

func newScale(t *testing.T, files map[string]string, live bool) *scale {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(content), 0o644))
	}
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(ctx, dir)
	require.NoError(t, err)
	cat, err := catalogue.Named("buildscale")
	require.NoError(t, err)
	s := &scale{T: t, dir: dir, wb: wb, cat: cat, live: live, env: &tools.Env{Formats: all.Formats(all.Options{CacheDir: formatstest.Cache})}}
	s.env.View = wb.DraftView(workshop.Cause{Author: "ann"})
	if live {
		s.env.View = wb.LiveView(workshop.Cause{Author: "ann"})
	}
	return s
}

type object = map[string]any

func (s *scale) call(tool, args string) tools.Result {
	return s.cat.Call(ctx, s.env, tool, json.RawMessage(args))
}

// ok is a call that must succeed; its result as a client decodes it.
func (s *scale) ok(tool, args string) object {
	s.Helper()
	r := s.call(tool, args)
	require.True(s, r.Success, "%s %s: %s", tool, args, r.Text)
	b, err := json.Marshal(r.Data)
	require.NoError(s, err)
	var o object
	require.NoError(s, json.Unmarshal(b, &o))
	require.Equal(s, string(must(tools.Compact(r.Data))), r.Full, "C-52: the text is the compact JSON of the result")
	return o
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// fails is a call that must fail with that code, field and message.
func (s *scale) fails(tool, args string, code workshop.FaultCode, field, message string) {
	s.Helper()
	r := s.call(tool, args)
	require.False(s, r.Success, "%s %s: %s", tool, args, r.Text)
	require.Nil(s, r.Data)
	require.Equal(s, []string{string(code), field, message}, []string{string(r.Fault.Code), r.Fault.Field, r.Fault.Message}, "%s %s", tool, args)
	require.Contains(s, r.Text, "Error: ")
}

// text is the content of a file as read gives it.
func (s *scale) text(path string) string {
	s.Helper()
	v, ok := s.ok("read", args("path", path, "limit", 0))["content"].(string)
	require.True(s, ok)
	return v
}

// args is an argument object of names and values.
func args(members ...any) string {
	o := object{}
	for i := 0; i < len(members); i += 2 {
		o[members[i].(string)] = members[i+1]
	}
	return string(must(json.Marshal(o)))
}

// pluck is one member of each object in a list.
func pluck(list any, member string) []string {
	out := []string{}
	for _, e := range list.([]any) {
		out = append(out, e.(object)[member].(string))
	}
	return out
}

func sha(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

func nothing(context.Context, *tools.Env, struct{}) (any, error) { return "", nil }
