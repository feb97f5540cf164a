package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/llm/pseudo"
)

// TestBadModel: TR-03, TR-06, W-15: a model that does everything wrong in turn,
// and some texts never right. The documents are still correct, and the report
// says what to look at (golden).
func TestBadModel(t *testing.T) {
	campaign.Slow(t)
	in := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(in, "a.md"), []byte(badText), 0o644))
	docs := docsFolder(t)
	for _, name := range []string{"contrato.docx", "sales.xlsx", "presentacion.pptx"} {
		b, err := os.ReadFile(filepath.Join(docs, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(in, name), b, 0o644))
	}
	m := serveSegments(t, misbehave)
	out := filepath.Join(t.TempDir(), "out")
	report := filepath.Join(t.TempDir(), "report.json")
	cmd := exec.Command(program(t), "translate", in, "--from", "es", "--to", "en", "--out", out, "--jobs", "1", "--model", "m", "--home", t.TempDir(), "--report", report)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+m.URL)
	b, err := cmd.CombinedOutput()
	require.NoError(t, err, string(b))
	require.NotContains(t, string(b), secret)
	for _, name := range []string{"contrato.docx", "sales.xlsx", "presentacion.pptx"} {
		formatstest.Validate(t, filepath.Join(out, name), filepath.Join(in, name))
	}
	noSecret(t, out)

	var rep struct {
		Files []struct {
			Input, Status string
			Segments      int
			Translated    int
			Left          int
			Turns         int
			Flags         []struct{ Place, Code, Source, Target, Reason string }
		}
	}
	b, err = os.ReadFile(report)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &rep))
	var got strings.Builder
	for _, f := range rep.Files {
		fmt.Fprintf(&got, "%s: %s, %d of %d translated, %d left\n", filepath.Base(f.Input), f.Status, f.Translated, f.Segments, f.Left)
		require.Equal(t, f.Segments, f.Translated+f.Left)
		if filepath.Ext(f.Input) != ".md" {
			continue
		}
		for _, fl := range f.Flags {
			fmt.Fprintf(&got, "  %s %s: %q → %q\n    %s\n", fl.Place, fl.Code, fl.Source, fl.Target, fl.Reason)
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "a.md"))
	require.NoError(t, err)
	got.WriteString("-- a.md --\n" + string(text))
	golden := filepath.Join("testdata", "badmodel.golden")
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

// badText's paragraphs say what the model does with them, always.
const badText = `Normal text is translated.

Lose the **bold** part of 7 houses.

Double the **bold** part.

Say {name} without its placeholder.

There were 45 and 78 houses: change the numbers.

Write to info@example.com and lose it.

Answer nothing here.

Answer with emptiness.

Chat about this one.

Leave this one as it stands in the original.
`

// misbehave answers the n-th request with the n-th kind of mischief, and some
// texts wrongly whenever they are asked for.
func misbehave(n int, w http.ResponseWriter, segs []asked) bool {
	switch n {
	case 1:
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
		return true
	case 2:
		http.Error(w, "oops", http.StatusInternalServerError)
		return true
	case 3: // cut in the middle of the call
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"put_translations","arguments":"{\"transl`)
		return true
	case 4:
		answerPut(w, `{"translations":[{"id":`) // no JSON
		return true
	case 5:
		answerPut(w, `{"translations":[]}`)
		return true
	}
	var pairs []string
	for i := len(segs) - 1; i >= 0; i-- { // in the wrong order
		s := segs[i]
		text := pseudo.Within(s.Text, s.Max)
		switch {
		case strings.HasPrefix(s.Text, "Lose the"):
			text = tags.ReplaceAllString(text, "")
		case strings.HasPrefix(s.Text, "Double the"):
			text += tags.FindString(text)
		case strings.HasPrefix(s.Text, "Say {name}"):
			text = strings.ReplaceAll(text, "{name}", "name")
		case strings.HasPrefix(s.Text, "There were"):
			text = "There were 78 and 46 houses: numbers changed."
		case strings.HasPrefix(s.Text, "Write to"):
			text = "Écrivez-nous."
		case strings.HasPrefix(s.Text, "Answer nothing"):
			continue
		case strings.HasPrefix(s.Text, "Answer with"):
			text = " "
		case strings.HasPrefix(s.Text, "Chat about"):
			text = "Sure! Here is the translation: Chat about that one."
		case strings.HasPrefix(s.Text, "Leave this"):
			text = s.Text
		}
		pairs = append(pairs, s.ID, text)
	}
	pairs = append(pairs, "unknown", "x")
	if len(segs) > 0 {
		pairs = append(pairs, segs[0].ID, "a second answer for the same segment")
	}
	answerPut(w, put(pairs...))
	return true
}

var tags = regexp.MustCompile(`</?\d+/?>`)
