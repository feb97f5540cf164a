package retrieval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
	"atelier/workshop"
	"atelier/workshop/doctext"
)

// F-35, F-06, F-03, T-18: each result has a lower-case docPath and a
// ChunkPath that names its place.
func TestChunksSayWhereTheyAre(t *testing.T) {
	long := strings.Repeat("filler line about nothing\n", 80)
	r := newRig(t, map[string]string{
		"Docs/Guide.MD":   "# Intro\nwelcome aardvark\n\n## Usage of It\npress the badger button\n" + long,
		"src/Server.go":   "package server\n\n// Serve answers the caracal.\nfunc Serve(w int) error {\n\treturn nil\n}\n\ntype Pool struct {\n\tdingo int\n}\n" + strings.Repeat("// pad\n", 80),
		"short.txt":       "a single echidna\n",
		"src/app.py":      "class Fox:\n    def run_fast(self):\n        return ferret\n" + strings.Repeat("# pad\n", 80),
		"data/Prices.csv": "item,price\n" + strings.Repeat("gopher,1\n", 100),
	})
	for q, want := range map[string]string{
		"aardvark": "repo/docs/guide.md#section:Intro 1-2 false",
		"badger":   "repo/docs/guide.md#section:Usage of It 4-63 false",
		"caracal":  "repo/src/server.go#method:Serve 3-6 false",
		"dingo":    "repo/src/server.go#class:Pool 8-67 false",
		"ferret":   "repo/src/app.py#method:run_fast 2-61 false",
		"echidna":  "repo/short.txt#lines:1-1 1-1 true",
		"gopher":   "repo/data/prices.csv#lines:1-60 1-60 false",
	} {
		got := r.query(q, Filters{Limit: 1})
		require.NotEmpty(t, got, q)
		c := got[0]
		require.Equal(t, want, fmt.Sprintf("%s %d-%d %v", c.ChunkPath, c.StartLine, c.EndLine, c.IsFullFile))
		b, err := json.Marshal(c)
		require.NoError(t, err)
		require.NotRegexp(t, `(?i)sha|hash|[0-9a-f]{64}`, string(b), "never a hash (F-32)")
	}
}

// F-30: a chunk whose source and isFullFile disagree is refused.
func TestMismatchedChunksAreRefused(t *testing.T) {
	good := Chunk{DocPath: "r/a.go", ChunkPath: "r/a.go#method:X", Source: SourceSnippet, StartLine: 1, EndLine: 2}
	require.NoError(t, good.Validate())
	for name, spoil := range map[string]func(*Chunk){
		"snippet of the full file": func(c *Chunk) { c.IsFullFile = true },
		"full but a part":          func(c *Chunk) { c.Source = SourceFull },
		"unknown source":           func(c *Chunk) { c.Source = "rag" },
		"no docPath":               func(c *Chunk) { c.DocPath = " " },
		"upper case":               func(c *Chunk) { c.DocPath, c.ChunkPath = "R/a.go", "R/a.go#x" },
		"another document's place": func(c *Chunk) { c.ChunkPath = "r/b.go#x" },
		"line 0":                   func(c *Chunk) { c.StartLine = 0 },
		"backwards":                func(c *Chunk) { c.StartLine = 3 },
	} {
		bad := good
		spoil(&bad)
		require.True(t, workshop.IsFault(bad.Validate(), workshop.Invalid), name)
		_, err := Checked(fixed{bad}).Search(ctx, "", Filters{})
		require.Error(t, err, name)
	}
	full := good
	full.Source, full.IsFullFile = SourceFull, true
	got, err := Checked(fixed{full, good}).Search(ctx, "", Filters{})
	require.NoError(t, err)
	require.Len(t, got, 2)
}

type fixed []Chunk

func (f fixed) Search(context.Context, string, Filters) ([]Chunk, error) { return f, nil }

// F-31: lines are 1-based, inclusive and contain the content, for every
// document.
func TestLinesHoldTheContent(t *testing.T) {
	for path, b := range documents(t) {
		src := formats.FromBytes(filepath.Base(path), b)
		d, err := doctext.Document(ctx, builtins(), src)
		if err != nil {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(d.Text, "\n"), "\n")
		places := map[string]bool{}
		for _, p := range split(src.Name(), d) {
			require.False(t, places[p.place], "%s: %s twice", path, p.place)
			places[p.place] = true
			require.GreaterOrEqual(t, p.start, 1)
			require.LessOrEqual(t, p.end, len(lines), path)
			whole := strings.Join(lines[p.start-1:p.end], "\n")
			require.Contains(t, whole, p.text, path)
			if !p.full {
				require.LessOrEqual(t, len(p.text), chunkBytes+chunkLines)
			}
		}
	}
}

// documents returns those of testdata and, if it is present, the corpus.
func documents(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	own, err := filepath.Glob("../../testdata/documents/*")
	require.NoError(t, err)
	for i, path := range append(own, formatstest.CorpusFiles(t, "*/*")...) {
		if (campaign.Small() || testing.Short()) && i > len(own)+5 && i%4 != 0 {
			continue
		}
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		if len(b) < 2<<20 {
			out[path] = b
		}
	}
	return out
}

// F-35: if a document has words that no other has, searching for them finds
// it among the first five results.
func TestRecall(t *testing.T) {
	campaign.Slow(t)
	docs := documents(t)
	files := map[string]string{}
	text := map[string]map[string]bool{} // docPath → its words
	in := map[string]int{}               // word → documents
	for path, b := range docs {
		name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
		files[name] = string(b)
		d, err := doctext.Document(ctx, builtins(), formats.FromBytes(path, b))
		if err != nil {
			continue
		}
		ws := map[string]bool{}
		for _, w := range strings.FieldsFunc(strings.ToLower(d.Text), func(r rune) bool { return !unicode.IsLetter(r) }) {
			if len(w) > 4 && len(w) < 25 {
				ws[w] = true
			}
		}
		for w := range ws {
			in[w]++
		}
		text["repo/"+strings.ToLower(name)] = ws
	}
	r := newRig(t, files)
	asked, missed := 0, []string{}
	for doc, ws := range text {
		var own []string
		for w := range ws {
			if in[w] == 1 {
				own = append(own, w)
			}
		}
		if len(own) < 3 {
			continue
		}
		slices.Sort(own)
		asked++
		if i := slices.Index(r.found(strings.Join(own[:3], " ")), doc); i < 0 || i >= 5 {
			missed = append(missed, doc+": "+strings.Join(own[:3], " "))
		}
	}
	require.Greater(t, asked, 3)
	require.LessOrEqual(t, float64(len(missed)), math.Ceil(0.02*float64(asked)), "%d of %d: %q", len(missed), asked, missed)
	t.Logf("%d documents asked for, %d not among the first five: %q", asked, len(missed), missed)
}

// F-35: case, diacritics, prefixes, phrases and the parts of identifiers.
func TestQueryLanguage(t *testing.T) {
	r := newRig(t, map[string]string{
		"a.md": "The Señor signed the lease agreement in Málaga.", "b.md": "An agreement about a lease, unsigned.",
		"c.go": "package c\n\nfunc parseHTTPRequest() {}\n\nvar max_retry_count int\n", "d.md": "日本語の契約書です。", "e.md": "Ｐrices rise; naïve co-operation", "f.md": "zebra",
		"g.md": "zebras graze on grass", "Zoo-Report.md": "nothing in particular",
	})
	one := func(q string, want ...string) {
		t.Helper()
		for i := range want {
			want[i] = "repo/" + want[i]
		}
		require.ElementsMatch(t, want, r.found(q), "%s", q)
	}
	one("SENOR", "a.md")
	one("malaga", "a.md")
	one("málaga", "a.md")
	one(`"lease agreement"`, "a.md")
	one(`"agreement lease"`)
	one(`“lease agreement”`, "a.md")
	one("lease agreement", "a.md", "b.md")
	one(`lease "in malaga"`, "a.md")
	one("parseHTTPRequest", "c.go")
	one("parsehttprequest", "c.go")
	one("http request", "c.go")
	one(`"parse http request"`, "c.go")
	one("maxRetryCount", "c.go")
	one("max_retry_count", "c.go")
	one("retry", "c.go")
	one("契約", "d.md")
	one("約契")
	one("zebra", "f.md")
	one("zebr*", "f.md", "g.md")
	one("zoo report", "zoo-report.md")
	one("operation naive", "e.md")
	one("where is the zebra", "f.md")
	one("the", "a.md") // there is nothing rarer to search for
}

// No query of a model is an error of the database.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{"", `"`, `""`, "*", "a*b", "NOT x", "AND", "OR OR", "NEAR(a b)", "name:x", "a^", "(", ")", "{a b}:c", "-x", "+", "'; DROP TABLE files; --", "\x00", "\xff", "日本", strings.Repeat("word ", 1000), `"unclosed phrase`, "a.b.c", "é*", "kind:kinddocs", "“„»«"} {
		f.Add(q)
	}
	r := newRig(f, map[string]string{"a.md": "one two three NOT AND OR near", "b.go": "package b"})
	f.Fuzz(func(t *testing.T, q string) {
		for _, k := range []Kind{"", Docs, Code} {
			res, err := r.ix.Query(ctx, r.view(), q, Filters{Kind: k})
			if err != nil {
				t.Fatalf("%q: %v", q, err)
			}
			for _, c := range res.Chunks {
				if k != "" && KindOf(string(c.Path)) != k {
					t.Fatalf("%q of kind %s gave %s", q, k, c.DocPath)
				}
			}
		}
	})
}

// F-35: docs and code are separated; a prefix and a limit restrict the
// search.
func TestFilters(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("Docs/d%02d.md", i)] = "common topic"
		files[fmt.Sprintf("src/s%02d.go", i)] = "// common topic"
	}
	r := newRig(t, files)
	require.Len(t, r.query("topic", Filters{}), DefaultLimit)
	require.Len(t, r.query("topic", Filters{Limit: 1000}), 60)
	for _, c := range r.query("topic", Filters{Kind: Code, Limit: 100}) {
		require.True(t, strings.HasSuffix(string(c.Path), ".go"))
	}
	require.Len(t, r.query("topic", Filters{Kind: Docs, Limit: 100}), 30)
	require.Len(t, r.query("topic", Filters{Dir: "Docs", Limit: 100}), 30)
	require.Empty(t, r.query("topic", Filters{Dir: "Doc"}), "a folder, no prefix")
	require.Len(t, r.query("topic", Filters{Docs: []workshop.DocPath{"repo/docs/d01.md", "repo/src/s02.go", "nowhere"}}), 2)
	require.Empty(t, r.query("topic", Filters{Docs: []workshop.DocPath{"nowhere"}}))
	require.Len(t, r.query("topic", Filters{Kind: Code, Dir: "src", Docs: []workshop.DocPath{"repo/docs/d01.md", "repo/src/s02.go"}}), 1)
}

// F-01, F-06: a file with an assigned docPath is found under it.
func TestGivenDocPaths(t *testing.T) {
	r := newRig(t, map[string]string{"a/b.md": "alpha"})
	require.Equal(t, []string{"repo/a/b.md"}, r.found("alpha"))
	require.NoError(t, r.wb.SetDocPath(ctx, "a/b.md", "ajhaafaeradaky234wf"))
	got := r.query("alpha", Filters{Docs: []workshop.DocPath{"ajhaafaeradaky234wf"}})
	require.Len(t, got, 1)
	require.Equal(t, workshop.DocPath("ajhaafaeradaky234wf"), got[0].DocPath)
	require.Equal(t, "ajhaafaeradaky234wf#lines:1-1", got[0].ChunkPath)
	_, err := r.wb.FindDoc(ctx, r.view(), workshop.DocPath(got[0].ChunkPath))
	require.True(t, workshop.IsFault(err, workshop.NotFound), "a ChunkPath is no docPath (T-18)")
}

// The next query sees changed, deleted, renamed and drafted files.
func TestIndexFollowsTheFiles(t *testing.T) {
	r := newRig(t, map[string]string{"a.md": "alpha", "b/c.md": "gamma"})
	require.Equal(t, []string{"repo/a.md"}, r.found("alpha"))
	r.write("a.md", "omega now")
	require.Empty(t, r.found("alpha"))
	require.Equal(t, []string{"repo/a.md"}, r.found("omega"))
	require.NoError(t, os.Remove(filepath.Join(r.dir, "a.md")))
	require.Empty(t, r.found("omega"))
	require.NoError(t, os.Rename(filepath.Join(r.dir, "b"), filepath.Join(r.dir, "d")))
	require.Equal(t, []string{"repo/d/c.md"}, r.found("gamma"))
	require.Equal(t, []string{"repo/d/c.md"}, r.found("d/c"), "by its new name")
	r.put("new.md", "delta of the draft")
	require.Equal(t, []string{"repo/new.md"}, r.found("delta"))
	require.NoError(t, r.view().Remove(ctx, "d/c.md"))
	require.Empty(t, r.found("gamma"))
	// A file with the same size and content but another time is not read
	// again and stays in the index.
	require.NoError(t, r.ix.Close())
	r.open()
	require.Equal(t, []string{"repo/new.md"}, r.found("delta"))
}

// A file that is written twice within the resolution of the clock is read
// again.
func TestIndexSeesQuickChanges(t *testing.T) {
	r := newRig(t, map[string]string{"a.md": "alpha"})
	at := time.Now()
	path := filepath.Join(r.dir, "a.md")
	require.NoError(t, os.Chtimes(path, at, at))
	require.NotEmpty(t, r.found("alpha"))
	r.write("a.md", "omega")
	require.NoError(t, os.Chtimes(path, at, at))
	require.Empty(t, r.found("alpha"))
	require.NotEmpty(t, r.found("omega"))
	// Only the time changed: the passages stay.
	before := r.query("omega", Filters{})
	require.NoError(t, os.Chtimes(path, at.Add(-time.Hour), at.Add(-time.Hour)))
	r.ix.docs = doctext.NewCache(formats.NewSet(), doctext.CacheOptions{}) // that could not read it
	require.Equal(t, before, r.query("omega", Filters{}))
	var mtime int64
	require.NoError(t, r.ix.db.QueryRow("SELECT mtime FROM files").Scan(&mtime))
	require.Equal(t, at.Add(-time.Hour).UnixNano(), mtime)
}

// A renamed document is not extracted again: its passages are moved.
func TestRenameKeepsPassages(t *testing.T) {
	b, err := os.ReadFile("../../testdata/documents/contrato.docx")
	require.NoError(t, err)
	r := newRig(t, map[string]string{"a.docx": string(b), "z.txt": "word"})
	before := r.query("contrato", Filters{})
	require.NotEmpty(t, before)
	require.NoError(t, os.Rename(filepath.Join(r.dir, "a.docx"), filepath.Join(r.dir, "b.docx")))
	r.ix.docs = doctext.NewCache(formats.NewSet(), doctext.CacheOptions{}) // that could not read it
	after := r.query("contrato", Filters{})
	require.Len(t, after, len(before))
	for i := range after {
		require.Equal(t, workshop.DocPath("repo/b.docx"), after[i].DocPath)
		require.Equal(t, before[i].Content, after[i].Content)
	}
}

// A damaged, foreign or older index file is rebuilt.
func TestDamagedIndexIsMadeAgain(t *testing.T) {
	r := newRig(t, map[string]string{"a.md": "alpha"})
	require.NotEmpty(t, r.found("alpha"))
	good := func() {
		t.Helper()
		require.Equal(t, []string{"repo/a.md"}, r.found("alpha"))
	}
	for name, content := range map[string][]byte{"garbage": bytes.Repeat([]byte("garbage "), 10_000), "empty": {}, "cut header": []byte("SQLite format 3\x00")} {
		require.NoError(t, r.ix.Close())
		require.NoError(t, removeStore(r.file()))
		require.NoError(t, os.WriteFile(r.file(), content, 0o600))
		t.Log(name)
		r.open()
		good()
	}
	// Pages overwritten during use.
	for i := range 200 {
		r.write(fmt.Sprintf("m%d.md", i), strings.Repeat(fmt.Sprintf("beta%d ", i), 300))
	}
	good()
	require.NoError(t, r.ix.Close())
	b, err := os.ReadFile(r.file())
	require.NoError(t, err)
	for i := 4096; i < len(b); i++ {
		b[i] ^= 0x5a
	}
	require.NoError(t, os.WriteFile(r.file(), b, 0o600))
	r.open()
	good()
	// Another version.
	_, err = r.ix.db.Exec("PRAGMA user_version=999")
	require.NoError(t, err)
	require.NoError(t, r.ix.Close())
	r.open()
	good()
	// Missing tables.
	_, err = r.ix.db.Exec("DROP TABLE chunks")
	require.NoError(t, err)
	good()
}

// An update that takes long continues in the background, and the answer says
// so.
func TestQueryDoesNotWaitForever(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("f%03d.md", i)] = strings.Repeat("alpha beta gamma\n", 200)
	}
	r := newRig(t, files)
	r.ix.opt.Wait = time.Nanosecond
	res, err := r.ix.Query(ctx, r.view(), "alpha", Filters{})
	require.NoError(t, err)
	require.NotZero(t, res.Pending)
	require.NotEmpty(t, res.Note)
	r.ix.opt.Wait = time.Minute
	res, err = r.ix.Query(ctx, r.view(), "alpha", Filters{})
	require.NoError(t, err)
	require.Zero(t, res.Pending)
	require.Equal(t, 300, res.Files)
	require.Len(t, res.Chunks, DefaultLimit)
	// Closing during an update loses nothing but time.
	r.write("late.md", "omega")
	r.ix.opt.Wait = time.Nanosecond
	_, err = r.ix.Query(ctx, r.view(), "alpha", Filters{})
	require.NoError(t, err)
	require.NoError(t, r.ix.Close())
	_, err = r.ix.Query(ctx, r.view(), "alpha", Filters{})
	require.Error(t, err)
	r.open()
	require.Equal(t, []string{"repo/late.md"}, r.found("omega"))
}

// Concurrent queries while files change.
func TestConcurrentQueries(t *testing.T) {
	files := map[string]string{}
	for i := range 50 {
		files[fmt.Sprintf("f%02d.md", i)] = fmt.Sprintf("alpha number%d", i)
	}
	r := newRig(t, files)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 10 {
				if w == 0 {
					r.put(fmt.Sprintf("n%d.md", i), fmt.Sprintf("fresh%d", i))
				}
				res, err := r.ix.Query(ctx, r.view(), fmt.Sprintf("number%d", (w*7+i)%50), Filters{})
				if err != nil || len(res.Chunks) != 1 {
					t.Errorf("%v %v", err, res)
				}
			}
		})
	}
	wg.Wait()
	for i := range 10 {
		require.Equal(t, []string{fmt.Sprintf("repo/n%d.md", i)}, r.found(fmt.Sprintf("fresh%d", i)))
	}
}

// A document that cannot be read is reported with the reason and not tried
// again.
func TestSkippedDocumentsAreNamed(t *testing.T) {
	r := newRig(t, map[string]string{"bad.docx": "no zip", "ok.md": "fine", "tool.exe": "MZ\x00\x00", "noextension": "plain words", "pic.png": "\x89PNG"})
	require.Equal(t, []string{"repo/ok.md"}, r.found("fine"))
	require.Equal(t, []string{"repo/noextension"}, r.found("plain"), "F-04")
	skipped, err := r.ix.Skipped(ctx, 10)
	require.NoError(t, err)
	require.Len(t, skipped, 1)
	require.Contains(t, skipped["bad.docx"], "bad.docx")
}

// A file that could not be opened is tried again.
func TestUnreadableFilesAreTriedAgain(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("no file is unreadable for root or, by its mode, on Windows: run as another user")
	}
	r := newRig(t, map[string]string{"a.md": "alpha"})
	require.NoError(t, os.Chmod(filepath.Join(r.dir, "a.md"), 0))
	require.Empty(t, r.found("alpha"))
	skipped, err := r.ix.Skipped(ctx, 10)
	require.NoError(t, err)
	require.Len(t, skipped, 1)
	require.NoError(t, os.Chmod(filepath.Join(r.dir, "a.md"), 0o644))
	require.NotEmpty(t, r.found("alpha"))
}
