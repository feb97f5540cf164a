package pdf

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// shared is one format for all tests of the process: starting PDFium is slow.
var shared = Format(Options{CacheDir: formatstest.Cache})

// simple builds a small PDF with one line of text a page, and an outline.
func simple(lines ...string) []byte {
	kids := ""
	for i := range lines {
		kids += fmt.Sprintf("%d 0 R ", 6+2*i)
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>",
		fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(lines)),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /Type /Outlines /First 5 0 R /Last 5 0 R /Count 1 >>",
		"<< /Title (Chapter one) /Parent 4 0 R /Next 5 0 R /Dest [6 0 R /Fit] >>", // its own sibling: a circle
	}
	for i, l := range lines {
		content := fmt.Sprintf("BT /F1 24 Tf 72 700 Td (%s) Tj ET", l)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", 7+2*i),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	}
	return formatstest.PDF(objects...)
}

func numbered(n int) []byte {
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("Page number %d", i+1))
	}
	return simple(lines...)
}

func read(t *testing.T, b []byte, pages string) (formats.Text, error) {
	t.Helper()
	return shared.Reader.Read(context.Background(), formats.FromBytes("a.pdf", b), formats.Selector{Pages: pages})
}

func TestReadPagesW40(t *testing.T) {
	b := numbered(7)
	for _, c := range []struct {
		pages string
		want  []int
		chunk string
	}{
		{"", []int{1, 2, 3, 4, 5, 6, 7}, ""},
		{"2", []int{2}, `{"chunk_index":0,"total_chunks":2,"has_more":true,"range":"pages 2","next":"pages=3-7"}`},
		{"1-5", []int{1, 2, 3, 4, 5}, `{"chunk_index":0,"total_chunks":2,"has_more":true,"range":"pages 1-5","next":"pages=6-7"}`},
		{" 1 , 3 - 4 ", []int{1, 3, 4}, `{"chunk_index":0,"total_chunks":2,"has_more":true,"range":"pages 1,3-4","next":"pages=5-7"}`},
		{"6-7", []int{6, 7}, `{"chunk_index":1,"total_chunks":2,"has_more":false,"range":"pages 6-7"}`},
		{"7,1", []int{7, 1}, `{"chunk_index":1,"total_chunks":2,"has_more":false,"range":"pages 7,1"}`},
		{"1-7", []int{1, 2, 3, 4, 5, 6, 7}, ""},
	} {
		got, err := read(t, b, c.pages)
		require.NoError(t, err, c.pages)
		var want []string
		for _, n := range c.want {
			want = append(want, fmt.Sprintf("Page number %d", n))
		}
		// joined by "\n".
		require.Equal(t, strings.Join(want, "\n"), strings.ReplaceAll(got.Text, "\n\n", "\n"), c.pages)
		if c.chunk == "" {
			require.Nil(t, got.Chunk, c.pages)
			continue
		}
		j, err := json.Marshal(got.Chunk)
		require.NoError(t, err)
		require.JSONEq(t, c.chunk, string(j), c.pages)
	}
}

func TestBadPageRangesW40(t *testing.T) {
	b := numbered(3)
	for _, pages := range []string{"0", "4", "2-9", "3-1", "x", "1,x", "1-", "-1", ",", "1,,2", "1-2-3", "99999999999999999999", strings.Repeat("1-3,", 50) + "1"} {
		_, err := read(t, b, pages)
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), "%q: %v", pages, err)
		require.True(t, strings.HasPrefix(err.Error(), "invalid page range"), err.Error())
	}
}

func TestMap(t *testing.T) {
	info, err := shared.Mapper.Map(context.Background(), formats.FromBytes("a.pdf", numbered(2)), formats.MapOptions{})
	require.NoError(t, err)
	got := info.(Info)
	require.Equal(t, 2, got.PageCount)
	require.True(t, got.HasText)
	require.False(t, got.Encrypted)
	// The outline is a circle; the walk ends all the same.
	require.Equal(t, Title{Title: "Chapter one", Level: 1}, got.Outline[0])
	require.LessOrEqual(t, len(got.Outline), maxOutline)
	j, err := json.Marshal(got)
	require.NoError(t, err)
	require.Contains(t, string(j), `"page_count":2`)

	info, err = shared.Mapper.Map(context.Background(), formats.FromBytes("blank.pdf", simple("")), formats.MapOptions{})
	require.NoError(t, err)
	require.False(t, info.(Info).HasText, "a page without text")
}

func TestBadFiles(t *testing.T) {
	whole := numbered(3)
	for name, b := range map[string][]byte{
		"empty": {}, "text": []byte("just words"), "header only": []byte("%PDF-1.7\n"),
		"cut": whole[:60], "zeros": make([]byte, 4096),
		"no pages": []byte("%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n"),
	} {
		_, err := read(t, b, "")
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), "%s: %v", name, err)
		_, err = shared.Mapper.Map(context.Background(), formats.FromBytes("a.pdf", b), formats.MapOptions{})
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), "%s: %v", name, err)
	}
}

func TestEncrypted(t *testing.T) {
	key := strings.Repeat("ab", 32)
	b := bytes.Replace(numbered(1), []byte("/Root 1 0 R"), []byte("/Root 1 0 R /ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <"+key+"> /U <"+key+"> >>"), 1)
	_, err := read(t, b, "")
	require.Equal(t, formats.CodeEncrypted, formats.CodeOf(err), "%v", err)
	require.Contains(t, err.Error(), "password")
	_, err = shared.Mapper.Map(context.Background(), formats.FromBytes("a.pdf", b), formats.MapOptions{})
	require.Equal(t, formats.CodeEncrypted, formats.CodeOf(err), "%v", err)
}

// Damage in any place gives text or a typed error, never a panic.
func TestDamaged(t *testing.T) {
	whole := numbered(2)
	for i := 0; i < len(whole); i += 41 {
		for _, b := range [][]byte{whole[:i], append(append(append([]byte{}, whole[:i]...), 0xFF, '(', '<'), whole[i:]...)} {
			if _, err := read(t, b, ""); err != nil {
				require.NotEmpty(t, formats.CodeOf(err), "at %d: %v", i, err)
			}
		}
	}
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := shared.Reader.Read(ctx, formats.FromBytes("a.pdf", numbered(2)), formats.Selector{})
	require.ErrorIs(t, err, context.Canceled)
}

// The format continues working after reads that were cut off.
func TestContextEndsInside(t *testing.T) {
	b, err := os.ReadFile(formatstest.Bench(t, "doc_200p.pdf"))
	require.NoError(t, err)
	src := formats.FromBytes("a.pdf", b)
	for _, d := range []time.Duration{time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		if _, err := shared.Reader.Read(ctx, src, formats.Selector{}); err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		cancel()
	}
	got, err := shared.Reader.Read(context.Background(), src, formats.Selector{Pages: "200"})
	require.NoError(t, err)
	require.NotEmpty(t, got.Text)
}

// Reads side by side do not disturb each other, also when some are cut off.
func TestParallel(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if i%3 == 0 {
				go cancel()
			}
			got, err := shared.Reader.Read(ctx, formats.FromBytes("a.pdf", numbered(3+i)), formats.Selector{Pages: strconv.Itoa(3 + i)})
			if i%3 == 0 && err != nil {
				assert.ErrorIs(t, err, context.Canceled)
				return
			}
			assert.NoError(t, err)
			assert.Equal(t, fmt.Sprintf("Page number %d", 3+i), got.Text)
		})
	}
	wg.Wait()
}

func TestClean(t *testing.T) {
	require.Equal(t, "co-operate\nnext", cleanText("co-\x02operate\r\n\x00next\uFFFE"))
	require.Equal(t, "a\nb", cleanText("a\rb"))
}

func TestCorpus(t *testing.T) {
	for _, path := range formatstest.Corpus(t, "pdf") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := formats.OpenFile(path)
			require.NoError(t, err)
			defer src.Close()
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			info, err := shared.Mapper.Map(ctx, src, formats.MapOptions{})
			if err != nil {
				require.NotEmpty(t, formats.CodeOf(err), "%v", err)
				t.Log(err)
				return
			}
			j, err := json.Marshal(info)
			require.NoError(t, err)
			require.Less(t, len(j), 64<<10, "the map is bounded")
			text, err := shared.Reader.Read(ctx, src, formats.Selector{})
			if err != nil {
				require.NotEmpty(t, formats.CodeOf(err), "%v", err)
				t.Log(err)
				return
			}
			require.NotContains(t, text.Text, "\x00")
			require.NotContains(t, text.Text, "\uFFFE")
			compare(t, path, text.Text)
		})
	}
}

// compare logs how many words pdftotext finds that we do too, and fails when
// both found many and hardly any agree.
func compare(t *testing.T, path, have string) {
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		return
	}
	out, err := exec.Command(tool, "-q", path, "-").Output()
	if err != nil {
		return
	}
	want, got := words(string(out)), words(have)
	total, same := 0, 0
	for w, n := range want {
		total += n
		same += min(n, got[w])
	}
	if total < 50 {
		return
	}
	if strings.Contains(path, "right_to_left") {
		return // the tools order such text differently
	}
	t.Logf("recall %.3f of %d words", float64(same)/float64(total), total)
	require.Greater(t, float64(same)/float64(total), minRecall)
}

func words(s string) map[string]int {
	m := map[string]int{}
	for _, w := range strings.Fields(s) {
		m[w]++
	}
	return m
}
