package docx

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// forget drops what reads have kept.
func forget() {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	kept.list, kept.bytes = nil, 0
}

// keptNow returns how many documents are kept, and their bytes.
func keptNow() (n, bytes int) {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	return len(kept.list), kept.bytes
}

func asJSON(values ...any) string {
	var out string
	for _, v := range values {
		if err, ok := v.(error); ok {
			v = err.Error()
		}
		b, err := json.Marshal(v)
		out += fmt.Sprintln(string(b), err)
	}
	return out
}

// Reads and maps of real documents are the same whether another read of the document
// came before or not, after its file was closed, and several at once.
func TestReadsOfKeptDocuments(t *testing.T) {
	selections := []formats.Selector{
		{}, {AsShown: true}, {Section: "0"}, {Section: "1", AsShown: true}, {Section: "p0-p9", Include: []string{formats.IncludeAddresses}},
		{Section: "0", Include: []string{formats.IncludeStyles}}, {Include: []string{formats.IncludeChanges, formats.IncludeNotes, formats.IncludeComments, formats.IncludeHeaders}},
		{Chunked: true, AsShown: true}, {Section: "none there"},
	}
	seen := 0
	paths := formatstest.Sample(t, "docx")
	for _, path := range paths {
		open := func() *formats.FileSource {
			src, err := formats.OpenFile(path)
			require.NoError(t, err)
			return src
		}
		var want []string
		read := func(sel formats.Selector) string {
			src := open()
			defer src.Close()
			text, err := reader{}.Read(ctx, src, sel)
			m, mapErr := mapper{}.Map(ctx, src, formats.MapOptions{})
			return asJSON(text, err, m, mapErr)
		}
		for _, sel := range selections {
			forget()
			src := open()
			text, err := reader{}.Read(ctx, src, sel)
			src.Close()
			forget()
			src = open()
			m, mapErr := mapper{}.Map(ctx, src, formats.MapOptions{})
			src.Close()
			want = append(want, asJSON(text, err, m, mapErr))
		}
		for i := range selections {
			n := len(selections) - 1 - i
			require.Equal(t, want[n], read(selections[n]), "%s %+v", path, selections[n])
		}
		var wg sync.WaitGroup
		for i, sel := range selections {
			wg.Go(func() {
				if got := read(sel); got != want[i] {
					t.Errorf("%s %+v differs beside other reads", path, sel)
				}
			})
		}
		wg.Wait()
		if n, _ := keptNow(); n > 0 {
			seen++
		}
	}
	require.Greater(t, 2*seen, len(paths))
}

// What is kept is bounded, by bytes and by time, and has nothing of an edit.
func TestKeptDocumentsAreBounded(t *testing.T) {
	forget()
	t.Cleanup(forget)
	for i := range 10 {
		kept.put(&keptDocument{key: fmt.Sprint(i), bytes: keptBytes / 4})
		_, bytes := keptNow()
		require.LessOrEqual(t, bytes, keptBytes)
	}
	n, _ := keptNow()
	require.Equal(t, 4, n)
	require.Nil(t, kept.take("0"))
	require.NotNil(t, kept.take("9"))
	require.Nil(t, kept.take("9"), "one read at a time has it")
	kept.list[0].used = time.Now().Add(-2 * keptFor)
	kept.expire()
	n, _ = keptNow()
	require.Equal(t, 2, n)
	forget()

	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "documents", "contrato.docx"))
	require.NoError(t, err)
	src := formats.FromBytes("contrato.docx", b)
	_, err = reader{}.Read(ctx, src, formats.Selector{Section: "none there"})
	require.Error(t, err)
	n, _ = keptNow()
	require.Equal(t, 1, n, "the next read names another section")
	_, err = reader{}.Read(ctx, formats.FromBytes("bad.docx", b[:len(b)/2]), formats.Selector{})
	require.Error(t, err)
	_, err = reader{}.Read(ctx, src, formats.Selector{})
	require.NoError(t, err)
	n, _ = keptNow()
	require.Equal(t, 1, n)
}

// A text that is read in windows is kept until the last of them, also where it takes more
// bytes in an answer than it has.
func TestTextOfWindowsIsKeptToItsEnd(t *testing.T) {
	forget()
	t.Cleanup(forget)
	var sb strings.Builder
	for i := range 900 {
		sb.WriteString(wp(wr(fmt.Sprintf("\"%d ü\"", i))))
	}
	src := withBody(t, sb.String())
	whole, err := reader{}.Read(ctx, src, formats.Selector{Section: "0"})
	require.NoError(t, err)
	sel := formats.Selector{Section: "0", Limit: formats.TextLimit{Whole: 2000, Part: 2000}}
	var read string
	windows := 0
	for more := true; more; windows++ {
		got, err := formats.ReadFitting(ctx, reader{}, src, sel)
		require.NoError(t, err)
		read += got.Text
		sel.Offset += utf8.RuneCountInString(got.Text)
		more = got.Chunk.HasMore
		require.Len(t, kept.list, 1)
		require.Equal(t, more, kept.list[0].cut != nil, "window %d", windows)
	}
	require.Equal(t, whole.Text, read)
	require.Greater(t, windows, 5)
}
