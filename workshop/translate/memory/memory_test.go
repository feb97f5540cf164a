package memory

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/tags"
	"atelier/workshop"
)

var enES = Pair{"en", "es"}

func open(t testing.TB) *Memory {
	m, err := Open(context.Background(), filepath.Join(t.TempDir(), "memory.db"))
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

func put(t require.TestingT, m *Memory, es ...Entry) {
	require.NoError(t, m.Put(context.Background(), es))
}

func exact(t testing.TB, m *Memory, p Pair, recipe, source string) string {
	found, err := m.Exact(context.Background(), p, recipe, []string{source, "something else"})
	require.NoError(t, err)
	return found[source].Target
}

// TestClockThatIsBehind: what a person says now replaces what a machine whose clock is ahead
// stored; an import of an older date does not.
func TestClockThatIsBehind(t *testing.T) {
	m := open(t)
	now := time.Now()
	m.Now = func() time.Time { return now.Add(time.Hour) }
	put(t, m, Entry{Pair: enES, Source: "Yes", Target: "before", Origin: Person})
	m.Now = func() time.Time { return now }
	put(t, m, Entry{Pair: enES, Source: "Yes", Target: "corrected", Origin: Person})
	require.Equal(t, "corrected", exact(t, m, enES, "gpt", "Yes"))
	put(t, m, Entry{Pair: enES, Source: "Yes", Target: "old", Origin: Person, Changed: now})
	require.Equal(t, "corrected", exact(t, m, enES, "gpt", "Yes"))
}

// TestBestOriginFills (TR-05): a person's entry before an imported one before
// a machine entry of the same recipe.
func TestBestOriginFills(t *testing.T) {
	m := open(t)
	e := Entry{Pair: enES, Source: "Yes", Target: "machine", Origin: Machine, Recipe: "gpt", Document: "a.docx", Place: "p. 1", By: "gpt"}
	put(t, m, e)
	require.Equal(t, "machine", exact(t, m, enES, "gpt", "Yes"))
	require.Empty(t, exact(t, m, enES, "pseudo", "Yes"), "another recipe never fills")
	require.Empty(t, exact(t, m, Pair{"en", "de"}, "gpt", "Yes"))
	require.Empty(t, exact(t, m, Pair{"fr", "es"}, "gpt", "Yes"))
	require.Equal(t, "machine", exact(t, m, Pair{"", "ES"}, "gpt", "Yes"), "any source language when it is unknown")

	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	put(t, m, Entry{Pair: enES, Source: "Yes", Target: "imported, old", Origin: Imported, Changed: old})
	put(t, m, Entry{Pair: enES, Source: "Yes", Target: "imported", Origin: Imported, Changed: old.AddDate(1, 0, 0)})
	require.Equal(t, "imported", exact(t, m, enES, "gpt", "Yes"))

	e.Origin, e.Target, e.Changed = Person, "person", old
	put(t, m, e)
	require.Equal(t, "person", exact(t, m, enES, "gpt", "Yes"), "though older")
	found, err := m.Exact(context.Background(), enES, "", []string{"Yes"})
	require.NoError(t, err)
	want := e
	want.Recipe = ""
	require.Equal(t, map[string]Entry{"Yes": want}, found, "all members come back")

	put(t, m, Entry{Pair: enES, Source: "Yes", Target: "older still", Origin: Person, Changed: old.AddDate(-1, 0, 0)})
	require.Equal(t, "person", exact(t, m, enES, "gpt", "Yes"), "the newer stays")
	info, err := m.Info(context.Background())
	require.NoError(t, err)
	require.Equal(t, []Count{{Pair: enES, Person: 1, Imported: 2}}, info, "the machine's gave way to the person's")
}

// TestTagsByTheirOrder (TR-03, TR-05): the numbers of tags do not matter.
func TestTagsByTheirOrder(t *testing.T) {
	m := open(t)
	put(t, m, Entry{Pair: enES, Source: "<3>Sign</3> here<7/>", Target: "<7/>Firme <3>aquí</3>", Origin: Person})
	require.Equal(t, "<1/>Firme <2>aquí</2>", exact(t, m, enES, "", "<2>Sign</2> here<1/>"))
	require.Empty(t, exact(t, m, enES, "", "Sign here"))
	put(t, m, Entry{Pair: enES, Source: "<1>Bad</1>", Target: "Malo", Origin: Imported})
	require.Empty(t, exact(t, m, enES, "", "<1>Bad</1>"), "a target that would be refused")
	put(t, m, Entry{Pair: enES, Source: " Yes, <1>sir</1> ", Target: "Sí, <1>señor</1>", Origin: Person})
	require.Equal(t, "\nSí, <1>señor</1>", exact(t, m, enES, "", "\nYes, <1>sir</1>"), "the blanks that were asked with")
	require.Equal(t, "<4/> <5>Sí, <9>señor</9></5> <6/>", exact(t, m, enES, "", "<4/> <5>Yes, <9>sir</9></5> <6/>"), "tags around the whole")
	require.Empty(t, exact(t, m, enES, "", "<1/>"), "nothing but tags")
	put(t, m, Entry{Pair: enES, Source: "Yes ", Target: "Sí ", Origin: Machine, Recipe: "gpt"})
	require.Equal(t, "Sí ", exact(t, m, enES, "gpt", "Yes "))
	require.Empty(t, exact(t, m, enES, "gpt", "Yes"), "a machine's fills the very same text only")
	require.Empty(t, exact(t, m, enES, "gpt", "<1>Yes </1>"))
}

// TestRegions: es is used for es-ES and vice versa, es-MX is not used for
// es-ES, and zh-TW is not zh-CN.
func TestRegions(t *testing.T) {
	m := open(t)
	put(t, m, Entry{Pair: Pair{"en-US", "es-MX"}, Source: "computer", Target: "computadora", Origin: Imported})
	require.Empty(t, exact(t, m, Pair{"en", "es-ES"}, "", "computer"))
	require.Equal(t, "computadora", exact(t, m, enES, "", "computer"))
	put(t, m, Entry{Pair: enES, Source: "computer", Target: "ordenador", Origin: Imported})
	require.Equal(t, "ordenador", exact(t, m, enES, "", "computer"), "the nearer language")
	require.Equal(t, "ordenador", exact(t, m, Pair{"en", "es_ES"}, "", "computer"))
	require.Equal(t, "computadora", exact(t, m, Pair{"en", "es-mx"}, "", "computer"))
	put(t, m, Entry{Pair: Pair{"en", "zh-TW"}, Source: "software", Target: "軟體", Origin: Imported})
	require.Empty(t, exact(t, m, Pair{"en", "zh-CN"}, "", "software"))
	require.Empty(t, exact(t, m, Pair{"en", "zh"}, "", "software"))
	require.Equal(t, "軟體", exact(t, m, Pair{"en", "zh-hant"}, "", "software"))
}

// TestBadEntriesAndFiles: typed errors, and a refused Put stores nothing.
func TestBadEntriesAndFiles(t *testing.T) {
	ctx := context.Background()
	m := open(t)
	good := Entry{Pair: enES, Source: "a", Target: "b", Origin: Person}
	for want, e := range map[string]Entry{
		"no target language":     {Source: "a", Target: "b", Origin: Person},
		"is not an origin":       {Pair: enES, Source: "a", Target: "b"},
		"no source or no target": {Pair: enES, Source: " ", Target: "b", Origin: Person},
		"more than 256 KB":       {Pair: enES, Source: strings.Repeat("a", MaxText+1), Target: "b", Origin: Person},
		"is not a language":      {Pair: Pair{"en", strings.Repeat("x", 65)}, Source: "a", Target: "b", Origin: Person},
	} {
		err := m.Put(ctx, []Entry{good, e})
		require.True(t, workshop.IsFault(err, workshop.Invalid))
		require.ErrorContains(t, err, want)
	}
	require.Empty(t, exact(t, m, enES, "", "a"))

	dir := t.TempDir()
	_, err := Open(ctx, dir)
	require.ErrorContains(t, err, "is a folder")
	text := filepath.Join(dir, "text.db")
	require.NoError(t, os.WriteFile(text, []byte(strings.Repeat("no database ", 100)), 0o600))
	_, err = Open(ctx, text)
	require.True(t, workshop.IsFault(err, workshop.Invalid))
	require.ErrorContains(t, err, "text.db cannot be used")
	other, err := sql.Open("sqlite", filepath.Join(dir, "other.db"))
	require.NoError(t, err)
	_, err = other.Exec("CREATE TABLE t (a)")
	require.NoError(t, err)
	require.NoError(t, other.Close())
	_, err = Open(ctx, filepath.Join(dir, "other.db"))
	require.ErrorContains(t, err, "a database of something else")
	_, err = m.db.Exec("PRAGMA user_version = 99")
	require.NoError(t, err)
	_, err = Open(ctx, m.path)
	require.ErrorContains(t, err, "newer Atelier (version 99")
}

// TestAgainstModel (TR-05): the memory gives the same results as a plain list
// of entries.
func TestAgainstModel(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "m")
		require.NoError(rt, err)
		m, err := Open(ctx, filepath.Join(dir, "m.db"))
		require.NoError(rt, err)
		defer m.Close()
		langs := rapid.SampledFrom([]string{"es", "es-ES", "es-MX", "de"})
		froms := rapid.SampledFrom([]string{"", "en", "en-US", "fr"})
		texts := rapid.SampledFrom([]string{"Yes", " Yes", "<1>Yes</1>", "<2>Yes</2>", "yes", "No <1/>", "No", "a &lt; b", "a < b"})
		recipes := rapid.SampledFrom([]string{"gpt", "pseudo"})
		var model []Entry
		for i := range rapid.IntRange(1, 25).Draw(rt, "entries") {
			e := Entry{Pair: Pair{froms.Draw(rt, "from"), langs.Draw(rt, "to")}.Canonical(), Source: texts.Draw(rt, "text"), Origin: rapid.SampledFrom(origins[1:]).Draw(rt, "origin"), Changed: time.UnixMilli(int64(i + 1)).UTC()}
			e.Target = strings.NewReplacer("Yes", "Sí", "No", "Nada").Replace(e.Source) + fmt.Sprint(i)
			if e.Origin == Machine {
				e.Recipe = recipes.Draw(rt, "recipe")
			}
			put(rt, m, e)
			if e.Origin == Person { // replaced by the person's
				for j, o := range model {
					if o.Origin == Machine && o.Pair == e.Pair && norm(o.Source) == norm(e.Source) {
						model[j].Origin = ""
					}
				}
			}
			model = append(model, e)
		}
		p, recipe, source := Pair{froms.Draw(rt, "from"), langs.Draw(rt, "to")}.Canonical(), recipes.Draw(rt, "recipe"), texts.Draw(rt, "text")
		var best *Entry
		var bestRank rank
		look := func(source string, peeled bool) {
			best = nil
			for i, e := range model {
				to, from := nearness(p.To, e.To), nearness(p.From, e.From)
				if from < 0 && (p.From == "" || e.From == "") {
					from = 2
				}
				if e.Origin == "" || norm(e.Source) != norm(source) || e.Origin == Machine && (peeled || numberingOf(e.Source).apply(e.Source) != numberingOf(source).apply(source)) || to < 0 || to > 1 || from < 0 || e.Origin == Machine && (e.Recipe != recipe || to != 0) {
					continue
				}
				r := rank{len(string(e.Origin)), 3*to + from, -e.Changed.UnixMilli()}
				r.origin = map[Origin]int{Person: 1, Imported: 2, Machine: 3}[e.Origin]
				if best == nil || r.better(bestRank) {
					best, bestRank = &model[i], r
				}
			}
		}
		look(source, false)
		if best == nil && (norm(source) == "<1>Yes</1>" || source == "No <1/>") {
			look(strings.TrimSpace(tags.Plain(source)), true) // without the tags around it
		}
		found, err := m.Exact(ctx, p, recipe, []string{source})
		require.NoError(rt, err)
		if best == nil {
			require.Empty(rt, found)
			return
		}
		got := found[source]
		require.Equal(rt, strings.TrimSpace(tags.Plain(best.Target)), strings.TrimSpace(tags.Plain(got.Target)))
		require.Equal(rt, best.Pair, got.Pair)
		require.NoError(rt, tags.Check(source, got.Target))
	})
}

func norm(s string) string { return normalText(s, numberingOf(s)) }

// TestManyAtOnce (TR-05): goroutines with two open memories on one file, and
// other processes, write concurrently; nothing is lost.
func TestManyAtOnce(t *testing.T) {
	ctx := context.Background()
	path := os.Getenv("MEMORY_TEST_FILE")
	writer := func(name string) error {
		m, err := Open(ctx, path)
		if err != nil {
			return err
		}
		defer m.Close()
		for i := range 20 {
			if err := m.Put(ctx, []Entry{{Pair: enES, Source: fmt.Sprintf("%s %d", name, i), Target: "x", Origin: Person}}); err != nil {
				return err
			}
		}
		return nil
	}
	if path != "" { // this is a child process
		require.NoError(t, writer(fmt.Sprint("process ", os.Getpid())))
		return
	}
	path = filepath.Join(t.TempDir(), "shared.db")
	var wg sync.WaitGroup
	errs := make(chan error, 5)
	for i := range 3 {
		wg.Go(func() { errs <- writer(fmt.Sprint("goroutine ", i)) })
	}
	for range 2 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestManyAtOnce$")
			cmd.Env = append(os.Environ(), "MEMORY_TEST_FILE="+path)
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	m, err := Open(ctx, path)
	require.NoError(t, err)
	defer m.Close()
	info, err := m.Info(ctx)
	require.NoError(t, err)
	require.Equal(t, []Count{{Pair: enES, Person: 100}}, info)
}
