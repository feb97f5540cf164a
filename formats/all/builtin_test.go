package all

import (
	"atelier/internal/campaign"

	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

var set = Formats(Options{CacheDir: formatstest.Cache})

// samples returns a good file of every kind, by name.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	dir := filepath.Join(formatstest.Root(t), "testdata", "documents")
	out := map[string][]byte{"logo.svg": []byte(`<svg width="2" height="1"/>`)}
	for _, name := range []string{"notas.md", "clientes.csv", "sales.xlsx", "contrato.docx", "presentacion.pptx"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		out[name] = b
	}
	out["logo.png"] = formatstest.Parts(t, out["contrato.docx"])["word/media/image1.png"]
	out["hoja.pdf"] = onePage()
	return out
}

// onePage returns a small, complete PDF.
func onePage() []byte {
	var buf bytes.Buffer
	buf.WriteString("%PDF-1.4\n")
	var at []int
	for _, obj := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>",
		"<< /Length 44 >>\nstream\nBT /F1 24 Tf 10 100 Td (Hola a todos) Tj ET \nendstream", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	} {
		at = append(at, buf.Len())
		fmt.Fprintf(&buf, "%d 0 obj\n%s\nendobj\n", len(at), obj)
	}
	xref := buf.Len()
	fmt.Fprintf(&buf, "xref\n0 6\n0000000000 65535 f \n")
	for _, o := range at {
		fmt.Fprintf(&buf, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&buf, "trailer\n<< /Root 1 0 R /Size 6 >>\nstartxref\n%d\n%%%%EOF\n", xref)
	return buf.Bytes()
}

// all does everything that the format can do to src and gives the errors.
func all(t testing.TB, ctx context.Context, src formats.Source) (*formats.Format, []error) {
	t.Helper()
	f, err := set.Detect(ctx, src)
	require.NoError(t, err)
	var errs []error
	add := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	if f.Mapper != nil {
		m, err := f.Mapper.Map(ctx, src, formats.MapOptions{})
		add(err)
		if err == nil {
			b, err := json.Marshal(m)
			require.NoError(t, err)
			require.Equal(t, byte('{'), b[0], "a map is an object")
			require.LessOrEqual(t, len(b), formats.MaxMap, "%s: a map is bounded", src.Name())
		}
	}
	if f.Reader != nil {
		_, err := f.Reader.Read(ctx, src, formats.Selector{})
		add(err)
	}
	if f.Editor != nil {
		var out bytes.Buffer
		_, err := f.Editor.Apply(ctx, src, &out, nil, formats.ApplyOptions{})
		add(err)
		if err == nil {
			sameBytes(t, src, out.Bytes())
		}
	}
	if f.Segmenter != nil {
		_, err := f.Segmenter.Segments(ctx, src, formats.SegmentOptions{})
		add(err)
		var out bytes.Buffer
		err = f.Segmenter.Replace(ctx, src, &out, nil, formats.ReplaceOptions{})
		add(err)
		if err == nil {
			sameBytes(t, src, out.Bytes())
		}
	}
	return f, errs
}

// sameBytes: no operations, no change.
func sameBytes(t testing.TB, src formats.Source, have []byte) {
	t.Helper()
	want, err := formats.ReadAll(src, 1<<30)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, have), "%s changed without an operation", src.Name())
}

func typed(t testing.TB, name string, errs []error) {
	t.Helper()
	for _, err := range errs {
		require.NotEmpty(t, formats.CodeOf(err), "%s: %v (%T)", name, err, err)
		require.NotEmpty(t, err.Error())
	}
}

func TestGoodFiles(t *testing.T) {
	kinds := map[string]formats.Kind{
		"notas.md": formats.KindText, "clientes.csv": formats.KindText, "sales.xlsx": formats.KindXlsx, "contrato.docx": formats.KindDocx,
		"presentacion.pptx": formats.KindPptx, "logo.svg": formats.KindImage, "logo.png": formats.KindImage, "hoja.pdf": formats.KindPDF,
	}
	for name, b := range samples(t) {
		kind := kinds[name]
		// Names with blanks and beyond the basic plane are names like others.
		for _, name := range []string{name, "a b 🫒 " + name, "ÑANDÚ" + filepath.Ext(name)} {
			f, errs := all(t, context.Background(), formats.FromBytes(name, b))
			require.Empty(t, errs, name)
			require.Equal(t, kind, f.Kind, name)
		}
	}
}

// A file that is not what its name says gives an error that says so, and
// whatever a good file is called nothing panics.
func TestMisnamed(t *testing.T) {
	good := samples(t)
	for from, b := range good {
		for _, as := range []string{"x.docx", "x.xlsx", "x.pptx", "x.pdf", "x.png", "x.svg", "x.txt", "x.md", "x.csv", "x.odt", "x.bin", "x"} {
			_, errs := all(t, context.Background(), formats.FromBytes(as, b))
			typed(t, from+" as "+as, errs)
			office := map[string]bool{".docx": true, ".xlsx": true, ".pptx": true, ".pdf": true}
			if office[filepath.Ext(as)] && filepath.Ext(as) != filepath.Ext(from) {
				require.NotEmpty(t, errs, "%s as %s", from, as)
			}
		}
	}
}

func TestBadFiles(t *testing.T) {
	dir := filepath.Join(formatstest.Root(t), "testdata", "bad")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	codes := map[string]formats.Code{
		"empty.xlsx": formats.CodeCorrupt, "cut.docx": formats.CodeCorrupt, "text.pptx": formats.CodeCorrupt, "encrypted.docx": formats.CodeEncrypted,
		"truncated.pdf": formats.CodeCorrupt, "not-a-bitmap.png": formats.CodeCorrupt, "bomb.docx": "",
	}
	require.Len(t, entries, len(codes))
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		_, errs := all(t, context.Background(), formats.FromBytes(e.Name(), b))
		require.NotEmpty(t, errs, e.Name())
		typed(t, e.Name(), errs)
		if want := codes[e.Name()]; want != "" {
			require.Equal(t, want, formats.CodeOf(errs[0]), "%s: %v", e.Name(), errs[0])
		}
	}
}

// Damage of every sort: the content, or a typed error.
func TestDamage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	junk := make([]byte, 4096)
	for i := range junk {
		junk[i] = byte(rnd.Uint32())
	}
	ole := append([]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), make([]byte, 2048)...)
	for name, b := range samples(t) {
		variants := map[string][]byte{"empty": {}, "junk": junk, "ole": ole, "one byte": b[:1], "doubled": append(bytes.Clone(b), b...), "zip head": []byte("PK\x03\x04"), "leading junk": append(bytes.Clone(junk[:100]), b...)}
		for i := range 8 {
			variants["cut "+string(rune('0'+i))] = b[:len(b)*i/8]
			flipped := bytes.Clone(b)
			for range 5 {
				flipped[rnd.IntN(len(flipped))] ^= byte(1 << rnd.IntN(8))
			}
			variants["flipped "+string(rune('0'+i))] = flipped
		}
		for what, v := range variants {
			_, errs := all(t, context.Background(), formats.FromBytes(name, v))
			typed(t, name+" "+what, errs)
		}
	}
}

// Every function gives up with its context.
func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, b := range samples(t) {
		_, errs := all(t, ctx, formats.FromBytes(name, b))
		require.NotEmpty(t, errs, name)
		for _, err := range errs {
			require.True(t, errors.Is(err, context.Canceled), "%s: %v", name, err)
		}
	}
}

// Every real document gives content or a typed error, its map is bounded, and
// its bytes stay when nothing is asked.
func TestCorpusIdentity(t *testing.T) {
	for _, kind := range []string{"docx", "xlsx", "pptx", "pdf"} {
		good, codes := 0, map[formats.Code]int{}
		files := formatstest.Corpus(t, kind)
		for i, path := range files {
			if campaign.Leaves(i, 3) {
				continue
			}
			src, err := formats.OpenFile(path)
			require.NoError(t, err)
			f, errs := all(t, context.Background(), src)
			require.Equal(t, formats.Kind(kind), f.Kind)
			typed(t, path, errs)
			if len(errs) == 0 {
				good++
			} else {
				codes[formats.CodeOf(errs[0])]++
				t.Logf("%s: %v", filepath.Base(path), errs)
			}
			src.Close()
		}
		formatstest.Report(t, "%-5s %4d real documents: %d give content and keep their bytes, typed errors: %v", kind, len(files), good, codes)
	}
}
