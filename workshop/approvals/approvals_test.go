package approvals

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// what restricts holds for every way to write a path; what allows is exact.
func TestA09Patterns(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		deny, allow   bool
	}{
		{"", "a/b.txt", true, true},
		{"**", "", true, true},
		{"/", "a", true, true},
		{"contracts/**", "contracts/a/b.docx", true, true},
		{"contracts/**", "contracts", true, true},
		{"/contracts/", "contracts/a.docx", true, true},
		{"./contracts/../contracts/*", "contracts/a.docx", true, true},
		{"contracts/*", "contracts/a/b.docx", false, false},
		{"contracts", "contracts/a/b.docx", true, false}, // a folder by its name
		{"Contracts/a", "contracts/a/b.docx", true, false},
		{"contracts", "contracts2", false, false},
		{"contracts/**", "contracts2/a.docx", false, false},
		{"Contracts/**", "contracts/A.docx", true, onFolding},
		{"STRASSE.txt", "straße.txt", true, onFolding},
		{"caf\u00e9/**", "cafe\u0301/x", true, true},
		{"*.{docx,xlsx}", "a.xlsx", true, true},
		{"**/*.docx", "a/b/c.docx", true, true},
	} {
		u := Use{Read, workshop.Path(c.path)}
		require.Equal(t, c.deny, Rule{Path: c.pattern, Action: Deny}.forUse(u), "%q denies %q", c.pattern, c.path)
		require.Equal(t, c.allow, Rule{Path: c.pattern, Action: Allow}.forUse(u), "%q allows %q", c.pattern, c.path)
	}
	p := Policy{{Tool: "write_*", Action: Ask}, {Effect: Delete, Action: Deny}}
	require.True(t, p.concerns([]string{"write_text_file"}))
	require.True(t, p.concerns([]string{"rm"}))
	r, ok := p.find([]string{"write_text_file", "write"}, Use{Delete, "x"})
	require.True(t, ok)
	require.Equal(t, Ask, r.Action, "the first that fits")
	_, ok = p.find([]string{"read"}, Use{Read, "x"})
	require.False(t, ok)
}

var onFolding = func() bool {
	return Rule{Path: "A", Action: Allow}.forUse(Use{Read, "a"})
}()

func TestA04RulesAreChecked(t *testing.T) {
	for want, p := range map[string]Policy{
		"rule 1: action is":    {{Action: "maybe"}},
		"rule 2: effect is":    {{Action: Ask}, {Action: Ask, Effect: "change"}},
		"rule 1: tool \"[\"":   {{Tool: "[", Action: Deny}},
		"path \"a/[\"":         {{Path: "a/[", Action: Deny}},
		"500 is the most":      make(Policy, 501),
		"more than 1000 bytes": {{Path: string(make([]byte, 1001)), Action: Ask}},
	} {
		err := p.Check()
		require.ErrorContains(t, err, want)
		require.True(t, workshop.IsFault(err, workshop.Invalid))
	}
}

func open(t *testing.T, files map[string]string) *workshop.Workbench {
	root := t.TempDir()
	for name, text := range files {
		p := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
	}
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(t.Context(), root)
	require.NoError(t, err)
	return wb
}

// W-19, W-20: every operation of a view passes the gate, with all files it
// concerns; nothing is changed before the answer.
// a misspelt member is refused; it would make the rule a wider one.
func TestA04MisspeltRule(t *testing.T) {
	var p Policy
	err := json.Unmarshal([]byte(`[{"pathh": "contracts/**", "action": "allow"}]`), &p)
	require.ErrorContains(t, err, `unknown field "pathh"`)
	require.NoError(t, json.Unmarshal([]byte(`[{"path": "contracts/**", "action": "allow"}]`), &p))
	require.Equal(t, Policy{{Path: "contracts/**", Action: Allow}}, p)
}

func TestW19EveryOperationPasses(t *testing.T) {
	wb := open(t, map[string]string{"in/a.txt": "a", "in/b/c.txt": "c", "d.txt": "d"})
	var asked []Request
	answer := Answer{Choice: No, Reason: "not now"}
	run := NewRun(NewStore(wb, Policy{{Action: Ask}}), time.Now)
	draft := wb.DraftView(workshop.Cause{})
	ctx := t.Context()
	write := func(w io.Writer) error { _, err := w.Write([]byte("x")); return err }
	for name, c := range map[string]struct {
		do   func(workshop.View) error
		want []Use
	}{
		"put": {func(v workshop.View) error { _, err := v.Put(ctx, "n.txt", workshop.PutOptions{}, write); return err }, []Use{{Write, "n.txt"}}},
		"all": {func(v workshop.View) error {
			_, err := v.(workshop.Batcher).PutAll(ctx, []workshop.Put{{Path: "n.txt", Write: write}, {Path: "d.txt", Write: write}})
			return err
		}, []Use{{Write, "n.txt"}, {Write, "d.txt"}}},
		"mkdir":  {func(v workshop.View) error { _, err := v.Mkdir(ctx, "n"); return err }, []Use{{Write, "n"}}},
		"touch":  {func(v workshop.View) error { _, err := v.Touch(ctx, "d.txt"); return err }, []Use{{Write, "d.txt"}}},
		"remove": {func(v workshop.View) error { return v.Remove(ctx, "d.txt") }, []Use{{Delete, "d.txt"}}},
		"move":   {func(v workshop.View) error { return v.Move(ctx, "d.txt", "e.txt") }, []Use{{Delete, "d.txt"}, {Write, "e.txt"}}},
		"folder": {func(v workshop.View) error { return v.Move(ctx, "in", "out") }, []Use{{Delete, "in"}, {Write, "out"},
			{Delete, "in/a.txt"}, {Write, "out/a.txt"}, {Delete, "in/b"}, {Write, "out/b"}, {Delete, "in/b/c.txt"}, {Write, "out/b/c.txt"}}},
		"copied": {func(v workshop.View) error {
			return workshop.Rearrange(ctx, v, workshop.Edit{Kind: workshop.EditCopy, Path: "in/b", To: "out"})
		}, []Use{{Write, "out"}, {Read, "in/b"}, {Write, "out/c.txt"}, {Read, "in/b/c.txt"}}},
		"removed": {func(v workshop.View) error {
			return workshop.Rearrange(ctx, v, workshop.Edit{Kind: workshop.EditRemove, Path: "in/b"})
		}, []Use{{Delete, "in/b"}, {Delete, "in/b/c.txt"}}},
		"copy": {func(v workshop.View) error {
			src, err := v.Open(ctx, "d.txt")
			require.NoError(t, err)
			src.Close()
			_, err = v.Put(ctx, "e.txt", workshop.PutOptions{}, write)
			return err
		}, []Use{{Read, "d.txt"}, {Write, "e.txt"}}},
	} {
		asked = nil
		g, err := run.Gate(ctx, Call{Tool: "t", Ask: func(_ context.Context, r Request) (Answer, error) { asked = append(asked, r); return answer, nil }})
		require.NoError(t, err)
		err = c.do(g.View(draft))
		require.True(t, workshop.IsFault(err, workshop.Forbidden), "%s: %v", name, err)
		require.ErrorContains(t, err, "not now")
		require.Len(t, asked, 1, name)
		require.Equal(t, c.want, asked[0].Uses, name)
		require.Error(t, g.Done(ctx), "the result of a refused call is not told")
		require.Len(t, asked, 1, "asked once")
	}
	st, err := wb.Draft(ctx)
	require.NoError(t, err)
	require.False(t, st.HasDraft, "nothing was changed")
}

// What a call reads is asked about once, when it has ended, with all files; what
// a rule denies is left out of a search.
func TestW18ReadingIsAskedAboutOnce(t *testing.T) {
	wb := open(t, map[string]string{"a/1.txt": "x", "a/2.txt": "x", "s/3.txt": "x"})
	run := NewRun(NewStore(wb, Policy{{Path: "s/**", Action: Deny}, {Path: "a/**", Effect: Read, Action: Ask}}), time.Now)
	ctx := t.Context()
	var asked []Request
	choice := ForRun
	gate := func() *Gate {
		g, err := run.Gate(ctx, Call{Tool: "grep", Ask: func(_ context.Context, r Request) (Answer, error) {
			asked = append(asked, r)
			return Answer{Choice: choice}, nil
		}})
		require.NoError(t, err)
		return g
	}
	g := gate()
	v := g.View(wb.DraftView(workshop.Cause{}))
	f, err := v.(workshop.Explorer).Explore(ctx, "")
	require.NoError(t, err)
	defer f.Close()
	var wait sync.WaitGroup
	var visit func(f workshop.Folder)
	visit = func(f workshop.Folder) {
		for _, it := range f.Items() {
			if it.IsDir {
				in, err := f.Folder(ctx, it)
				require.NoError(t, err)
				visit(in)
				in.Close()
				continue
			}
			c, err := f.Open(ctx, it)
			require.Equal(t, it.Path == "s/3.txt", workshop.IsFault(err, workshop.Forbidden), "%s", it.Path)
			if err == nil {
				c.Close()
			}
		}
	}
	visit(f)
	wait.Wait()
	require.Empty(t, asked)
	require.NoError(t, g.Done(ctx))
	require.Len(t, asked, 1)
	require.Equal(t, []Use{{Read, "a/1.txt"}, {Read, "a/2.txt"}}, asked[0].Uses)
	g = gate()
	require.NoError(t, g.Read("a/9.txt"))
	require.NoError(t, g.Done(ctx))
	require.Len(t, asked, 1, "for this run")
	require.NoError(t, gate().Change(ctx, Use{Write, "a/1.txt"}), "no rule")
}

// A grant for good is kept by the workbench, turns ask into allow and never
// deny, and counts no more once it is removed.
func TestK07GrantsAreKept(t *testing.T) {
	wb := open(t, nil)
	ctx := t.Context()
	store := NewStore(wb, Policy{{Path: "a/x/**", Action: Deny}, {Path: "a/**", Action: Ask}})
	asks := 0
	try := func(s *Store, p workshop.Path) error {
		g, err := NewRun(s, time.Now).Gate(ctx, Call{Tool: "write", Ask: func(context.Context, Request) (Answer, error) { asks++; return Answer{Choice: Always}, nil }})
		require.NoError(t, err)
		return g.Change(ctx, Use{Write, p})
	}
	require.NoError(t, try(store, "a/1"))
	require.NoError(t, try(store, "a/2"))
	require.Equal(t, 1, asks)
	require.Error(t, try(store, "a/x/1"))
	again := NewStore(wb, store.Config())
	require.NoError(t, try(again, "a/3"))
	require.Equal(t, 1, asks)
	st, err := again.State(ctx)
	require.NoError(t, err)
	require.Len(t, st.Granted, 1)
	require.Equal(t, "write on a/**", st.Granted[0].String())
	require.False(t, st.Granted[0].At.IsZero())
	require.NoError(t, again.Change(ctx, func(s *State) { s.Granted = nil }))
	require.NoError(t, try(again, "a/4"))
	require.Equal(t, 2, asks)
	require.Error(t, again.Change(ctx, func(s *State) { s.Rules = Policy{{Action: "x"}} }))
	require.Error(t, again.Change(ctx, func(s *State) { s.Granted = []Grant{{Path: "a"}} }))
}

// A call about no file is asked about as such, or refused before it begins.
func TestM14CallsWithoutFiles(t *testing.T) {
	wb := open(t, nil)
	ctx := t.Context()
	gate := func(p Policy, ask func(context.Context, Request) (Answer, error)) *Gate {
		g, err := NewRun(NewStore(wb, p), time.Now).Gate(ctx, Call{Tool: "list", Ask: ask})
		require.NoError(t, err)
		return g
	}
	require.Nil(t, gate(Policy{{Tool: "other", Action: Deny}, {Tool: "list", Action: Allow}}, nil))
	require.ErrorContains(t, gate(Policy{{Action: Deny}}, nil).Begin(ctx, false), "refuse list")
	require.NoError(t, gate(Policy{{Path: "a/**", Action: Deny}}, nil).Begin(ctx, false))
	g := gate(Policy{{Action: Ask}}, nil)
	require.NoError(t, g.Begin(ctx, false))
	require.ErrorContains(t, g.Done(ctx), "nobody is there")
	require.ErrorContains(t, gate(Policy{{Action: Ask}}, nil).Begin(ctx, true), "nobody is there")
	g = gate(Policy{{Action: Ask}}, func(context.Context, Request) (Answer, error) { return Answer{}, errors.New("gone") })
	require.ErrorContains(t, g.Whole(ctx), "gone")
	require.ErrorContains(t, g.Done(ctx), "gone")
}
