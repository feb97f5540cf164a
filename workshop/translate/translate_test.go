package translate

import (
	"atelier/internal/campaign"

	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/internal/need"
	"atelier/llm"
	"atelier/llm/pseudo"
	"atelier/workshop/translate/translator"
)

var ctx = context.Background()

func options(t testing.TB, client llm.Client) Options {
	t.Helper()
	return Options{To: []string{"en"}, Out: filepath.Join(t.TempDir(), "out"), Formats: all.Formats(all.Options{CacheDir: formatstest.Cache}), Engine: engine(t, client)}
}

func engine(t testing.TB, client llm.Client) translator.Translator {
	t.Helper()
	m, err := translator.NewModel(translator.ModelOptions{Client: client, Model: "m", Sleep: func(context.Context, time.Duration) error { return nil }})
	require.NoError(t, err)
	return m
}

type translation struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// answers is a model that answers each request with what next returns for the
// segments it still has to translate.
type answers struct {
	next  func(request int, segs []formats.Segment) []translation
	calls atomic.Int32
	mu    sync.Mutex
	seen  []llm.Message
}

func (a *answers) Chat(_ context.Context, r llm.Request) (llm.ChatResponse, error) {
	n := int(a.calls.Add(1))
	a.mu.Lock()
	a.seen = r.Messages
	a.mu.Unlock()
	if len(r.Tools) != 1 || r.Tools[0].Function.Name != "put_translations" {
		return llm.ChatResponse{}, fmt.Errorf("tools are %v", r.Tools)
	}
	var page struct {
		Segments []formats.Segment `json:"segments"`
	}
	for _, msg := range r.Messages {
		if msg.ToolCallID == "segments" {
			if err := json.Unmarshal([]byte(msg.Content), &page); err != nil {
				return llm.ChatResponse{}, err
			}
		}
	}
	ts := a.next(n, page.Segments)
	if ts == nil {
		return llm.ChatResponse{Content: "I would rather talk."}, nil
	}
	b, _ := json.Marshal(map[string]any{"translations": ts})
	return llm.ChatResponse{ToolCalls: []llm.ToolCall{{ID: fmt.Sprint("c", n), Type: "function", Function: llm.FunctionCall{Name: "put_translations", Arguments: string(b)}}}}, nil
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	return formatstest.Write(t, name, []byte(text))
}

func output(t *testing.T, opt Options, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(opt.Out, name))
	require.NoError(t, err)
	return string(b)
}

// TR-03: a translation that loses a placeholder is asked for again with the
// reason, and one that stays wrong leaves the source with a flag.
func TestTR03AskedAgainThenFlagged(t *testing.T) {
	m := &answers{next: func(n int, segs []formats.Segment) []translation {
		if n == 1 {
			return []translation{{segs[0].ID, "Hello"}, {segs[1].ID, "Bye {0}"}, {"nope", "x"}}
		}
		return []translation{{segs[0].ID, "still wrong"}}
	}}
	opt := options(t, m)
	rep, err := Run(ctx, opt, []string{write(t, "a.txt", "Hola {name} {0}\n\nAdiós {0}\n")})
	require.NoError(t, err)
	f := rep.Files[0]
	require.Equal(t, StatusFlagged, f.Status)
	require.Len(t, f.Flags, 1)
	require.Contains(t, f.Flags[0].Reason, `left in the source language`)
	require.Equal(t, 3, f.Turns)
	require.Equal(t, "Hola {name} {0}\n\nBye {0}\n", output(t, opt, "a.txt"))
	last := m.seen[len(m.seen)-1].Content
	require.Contains(t, last, "{name}", "the model learns why")
}

// A model that only talks gets asked, then the document stays as it was.
func TestTalkIsNoTranslation(t *testing.T) {
	m := &answers{next: func(int, []formats.Segment) []translation { return nil }}
	opt := options(t, m)
	rep, err := Run(ctx, opt, []string{write(t, "a.txt", "Hola\n")})
	require.NoError(t, err)
	require.Equal(t, StatusFlagged, rep.Files[0].Status)
	require.Contains(t, rep.Files[0].Flags[0].Reason, "gave no translation")
	require.Equal(t, "Hola\n", output(t, opt, "a.txt"))
	require.EqualValues(t, 3, m.calls.Load())
}

// TR-05: equal segments are translated once and written everywhere.
func TestTR05RepetitionsOnce(t *testing.T) {
	m := &answers{next: func(_ int, segs []formats.Segment) []translation {
		require.Len(t, segs, 1)
		return []translation{{segs[0].ID, "Hello"}}
	}}
	opt := options(t, m)
	rep, err := Run(ctx, opt, []string{write(t, "a.txt", "Hola\n\nHola\n\nHola\n")})
	require.NoError(t, err)
	require.Equal(t, StatusOK, rep.Files[0].Status)
	require.Equal(t, 3, rep.Files[0].Translated)
	require.Equal(t, "Hello\n\nHello\n\nHello\n", output(t, opt, "a.txt"))
}

// A number that is gone is a remark for a person; the translation stays.
func TestLostNumberIsFlagged(t *testing.T) {
	m := &answers{next: func(_ int, segs []formats.Segment) []translation { return []translation{{segs[0].ID, "It costs much"}} }}
	opt := options(t, m)
	rep, err := Run(ctx, opt, []string{write(t, "a.txt", "Cuesta 45 euros\n")})
	require.NoError(t, err)
	require.Contains(t, rep.Files[0].Flags[0].Reason, "the number 45 is missing")
	require.Equal(t, "It costs much\n", output(t, opt, "a.txt"))
}

// TR-01: a second run skips what is done, does again what changed, and what a
// person edited in the output.
func TestTR01SecondRunSkips(t *testing.T) {
	opt := options(t, pseudo.New())
	in := write(t, "a.txt", "Hola amigo\n")
	status := func() Status {
		rep, err := Run(ctx, opt, []string{in})
		require.NoError(t, err)
		require.Empty(t, rep.Files[0].Error)
		return rep.Files[0].Status
	}
	require.Equal(t, StatusOK, status())
	require.Equal(t, StatusSkipped, status())
	require.NoError(t, os.WriteFile(in, []byte("Hola amiga\n"), 0o600))
	require.Equal(t, StatusOK, status())
	require.NoError(t, os.Remove(filepath.Join(opt.Out, "a.txt")))
	require.Equal(t, StatusOK, status())
	opt.To = []string{"fr"}
	require.Equal(t, StatusOK, status(), "another language is another job")
}

// D-10: an original is never replaced, whatever --out says, also through a
// link.
func TestD10OriginalsAreSpared(t *testing.T) {
	in := write(t, "a.txt", "Hola\n")
	dir := filepath.Dir(in)
	link := filepath.Join(t.TempDir(), "link")
	need.Symlink(t, dir, link)
	for _, paths := range [][]string{{in}, {dir}} {
		for _, out := range []string{dir, link} {
			opt := options(t, pseudo.New())
			opt.Out = out
			_, err := Run(ctx, opt, paths)
			require.ErrorContains(t, err, "would replace the original")
			b, err := os.ReadFile(in)
			require.NoError(t, err)
			require.Equal(t, "Hola\n", string(b))
		}
	}
	opt := options(t, pseudo.New())
	opt.Out = filepath.Join(dir, "out") // inside the folder is fine, and is not translated again
	for range 2 {
		rep, err := Run(ctx, opt, []string{dir})
		require.NoError(t, err)
		require.Len(t, rep.Files, 1)
	}
}

// What a person has put or corrected in the output folder is not replaced
// without being asked.
func TestOthersWorkInTheOutputStays(t *testing.T) {
	opt := options(t, pseudo.New())
	in := write(t, "a.txt", "Hola\n")
	out := filepath.Join(opt.Out, "a.txt")
	run := func() FileReport {
		rep, err := Run(ctx, opt, []string{in})
		require.NoError(t, err)
		return rep.Files[0]
	}
	require.NoError(t, os.MkdirAll(opt.Out, 0o755))
	require.NoError(t, os.WriteFile(out, []byte("mine"), 0o600))
	require.Contains(t, run().Error, "was not written by a translation")
	require.Equal(t, "mine", output(t, opt, "a.txt"))
	opt.Force = true
	require.Equal(t, StatusOK, run().Status)
	opt.Force = false
	require.NoError(t, os.WriteFile(out, []byte("corrected"), 0o600))
	require.Equal(t, StatusSkipped, run().Status)
	require.NoError(t, os.WriteFile(in, []byte("Hola otra vez\n"), 0o600))
	require.Contains(t, run().Error, "was changed since it was translated")
	require.Equal(t, "corrected", output(t, opt, "a.txt"))
}

// A failing model fails the file with its reason and writes nothing.
func TestModelFailureWritesNothing(t *testing.T) {
	opt := options(t, failing{})
	rep, err := Run(ctx, opt, []string{write(t, "a.txt", "Hola\n")})
	require.NoError(t, err)
	require.Equal(t, 1, rep.Failed())
	require.Contains(t, rep.Files[0].Error, "no route")
	require.Equal(t, 6, rep.Files[0].Turns, "it was tried again before")
	require.NoFileExists(t, filepath.Join(opt.Out, "a.txt"))
	left, err := filepath.Glob(filepath.Join(opt.Out, ".atelier", "*.tmp"))
	require.NoError(t, err)
	require.Empty(t, left)
}

type failing struct{}

func (failing) Chat(context.Context, llm.Request) (llm.ChatResponse, error) {
	return llm.ChatResponse{}, &llm.Error{Kind: llm.KindNetwork, Message: "no route"}
}

// D-10, TR-12: our own documents come out valid and open in LibreOffice, with
// every segment translated and formulas and numbers as they were.
func TestOwnDocuments(t *testing.T) {
	docs := filepath.Join(formatstest.Root(t), "testdata", "documents")
	opt := options(t, pseudo.New())
	rep, err := Run(ctx, opt, []string{docs})
	require.NoError(t, err)
	require.Len(t, rep.Files, 5)
	for _, f := range rep.Files {
		require.Equal(t, StatusOK, f.Status, "%+v", f)
		require.Equal(t, f.Segments, f.Translated, f.Input)
		require.Positive(t, f.Segments)
		switch filepath.Ext(f.Output) {
		case ".docx", ".xlsx", ".pptx":
			t.Run(filepath.Base(f.Output), func(t *testing.T) {
				formatstest.Validate(t, f.Output, f.Input)
				formatstest.LibreOfficeOpens(t, f.Output)
			})
		}
	}
}

// The corpus as a job: each file is translated or has a typed reason.
func TestCorpusJob(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole corpus is slow: left out with -short")
	}
	campaign.Slow(t)
	var paths []string
	for _, kind := range []string{"docx", "xlsx", "pptx"} {
		paths = append(paths, filepath.Dir(formatstest.Corpus(t, kind)[0]))
	}
	opt := options(t, pseudo.New())
	rep, err := Run(ctx, opt, paths)
	require.NoError(t, err)
	count := map[Status]int{}
	for _, f := range rep.Files {
		count[f.Status]++
		if f.Status == StatusFailed {
			require.NotEmpty(t, f.Error)
			require.NoFileExists(t, f.Output)
		}
		for _, fl := range f.Flags {
			require.False(t, strings.Contains(fl.Reason, "left in the source"), "%s: %+v", f.Input, fl)
		}
	}
	t.Logf("%d documents: %v", len(rep.Files), count)
	require.Greater(t, count[StatusOK]+count[StatusFlagged], 100)
}

func TestSplitBoundsBatches(t *testing.T) {
	size := translator.Size{Segments: 40, Chars: 6000}
	w := (&runner{}).newWork(task{}, &FileReport{}, nil)
	defer w.close()
	var ids []string
	for i := range 100 {
		ids = append(ids, fmt.Sprint(i))
		require.NoError(t, w.add(formats.Segment{ID: ids[i], Text: strings.Repeat("x", i*10)}))
	}
	ids = append(ids, "huge")
	require.NoError(t, w.add(formats.Segment{ID: "huge", Text: strings.Repeat("y", 2*size.Chars)}))
	require.NoError(t, w.add(formats.Segment{ID: "again", Text: strings.Repeat("x", 500)}))
	n := 0
	require.NoError(t, w.batches(w.open(), size, func(b []text) error {
		chars := 0
		for _, s := range b {
			require.Equal(t, ids[n], s.ID)
			require.Equal(t, strings.Repeat("x", max(0, (n-1)*10)), s.before)
			if n < 99 {
				require.Equal(t, strings.Repeat("x", (n+1)*10), s.after)
			}
			n++
			chars += len(s.Text)
		}
		require.LessOrEqual(t, len(b), size.Segments)
		require.True(t, chars <= size.Chars || len(b) == 1)
		return nil
	}))
	require.Equal(t, len(ids), n)

	var some []string
	require.NoError(t, w.batches([]int32{3, 4, 50, 100}, size, func(b []text) error {
		for _, s := range b {
			some = append(some, s.ID, fmt.Sprint(len(s.before), len(s.after)))
		}
		return nil
	}))
	require.Equal(t, []string{"3", "20 40", "4", "30 50", "50", "490 510", "huge", "990 500"}, some)
}

// Sentence by sentence: each once, joined as they stood; what is left of a
// segment stays in the source language and is asked for again.
func TestSentences(t *testing.T) {
	wrong := true
	var seen []string
	m := &answers{next: func(_ int, segs []formats.Segment) []translation {
		var ts []translation
		for _, s := range segs {
			seen = append(seen, s.Text)
			if wrong && strings.HasPrefix(s.Text, "Dos") {
				continue
			}
			ts = append(ts, translation{s.ID, strings.ToUpper(s.Text)})
		}
		return ts
	}}
	opt := options(t, m)
	opt.Sentences, opt.From = true, "es"
	in := write(t, "a.txt", "Uno es aquí. Dos es aquí. Tres es aquí.\n\nTres es aquí. Uno es aquí.\n")
	rep, err := Run(ctx, opt, []string{in})
	require.NoError(t, err)
	require.Equal(t, "UNO ES AQUÍ. Dos es aquí. TRES ES AQUÍ.\n\nTRES ES AQUÍ. UNO ES AQUÍ.\n", output(t, opt, "a.txt"))
	require.Equal(t, StatusFlagged, rep.Files[0].Status)
	require.Contains(t, rep.Files[0].Flags[0].Reason, "sentence 2")
	wrong, seen = false, nil
	_, err = Run(ctx, opt, []string{in})
	require.NoError(t, err)
	require.Equal(t, "UNO ES AQUÍ. DOS ES AQUÍ. TRES ES AQUÍ.\n\nTRES ES AQUÍ. UNO ES AQUÍ.\n", output(t, opt, "a.txt"))
	require.Equal(t, []string{"Dos es aquí. "}, seen, "only what was left is asked for again")
}

// TR-05: two documents with equal text pay once, also when they are at work at
// the same time.
func TestTR05OnceInTheJob(t *testing.T) {
	m := &answers{next: func(_ int, segs []formats.Segment) []translation {
		time.Sleep(5 * time.Millisecond)
		var ts []translation
		for _, s := range segs {
			ts = append(ts, translation{s.ID, "T " + s.Text})
		}
		return ts
	}}
	asked := map[string]int{}
	next := m.next
	var mu sync.Mutex
	m.next = func(n int, segs []formats.Segment) []translation {
		mu.Lock()
		for _, s := range segs {
			asked[s.Text]++
		}
		mu.Unlock()
		return next(n, segs)
	}
	dir := t.TempDir()
	for i := range 12 {
		var sb strings.Builder
		for j := range 90 {
			fmt.Fprintf(&sb, "Texto número %d\n\n", (j*7+i)%90)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".txt")), []byte(sb.String()), 0o600))
	}
	opt := options(t, m)
	opt.Jobs = 6
	rep, err := Run(ctx, opt, []string{dir})
	require.NoError(t, err)
	require.Len(t, asked, 90)
	for text, n := range asked {
		require.Equal(t, 1, n, text)
	}
	for i, f := range rep.Files {
		require.Equal(t, 90, f.Translated, f.Input)
		require.NotContains(t, "\n"+output(t, opt, fmt.Sprint(i, ".txt")), "\nTexto")
	}
	require.Equal(t, 11*90, rep.Total.Repetitions)
}

// W-32: a document that is not given to models is not translated by one, and the
// report says so.
func TestW32WithheldDocuments(t *testing.T) {
	asked := 0
	client := pseudo.New()
	opt := options(t, client)
	in := t.TempDir()
	for name, s := range map[string]string{"a.txt": "Hola amigo\n", "pay.txt": "Hola secreto\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(in, name), []byte(s), 0o600))
	}
	opt.Allow = func(context.Context) error { asked++; return nil }
	opt.Withheld = func(d Document) string {
		if d.Rel == "pay.txt" {
			return "the list has it"
		}
		return ""
	}
	rep, err := Run(ctx, opt, []string{in})
	require.NoError(t, err)
	require.Len(t, rep.Files, 2)
	require.Equal(t, StatusOK, rep.Files[0].Status)
	require.Equal(t, StatusSkipped, rep.Files[1].Status)
	require.Equal(t, []string{"not translated, since it is not given to models: the list has it"}, rep.Files[1].Warnings)
	require.NoFileExists(t, filepath.Join(opt.Out, "pay.txt"))
	require.Equal(t, 1, asked)
}
