package pptx

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/campaign"
)

// repacked returns the same package with its parts in another order and packed
// in another way.
func repacked(t testing.TB, file []byte) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	var buf bytes.Buffer
	out := zip.NewWriter(&buf)
	out.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 1) })
	files := slices.Clone(in.File)
	slices.Reverse(files)
	for _, f := range files {
		w, err := out.Create(f.Name)
		require.NoError(t, err)
		r, err := f.Open()
		require.NoError(t, err)
		_, err = io.Copy(w, r)
		require.NoError(t, err)
		require.NoError(t, r.Close())
	}
	require.NoError(t, out.Close())
	return buf.Bytes()
}

func tryDiff(a, b []byte) (*formats.Diff, error) {
	return differ{}.Diff(context.Background(), formats.FromBytes("a.pptx", a), formats.FromBytes("b.pptx", b), formats.DiffOptions{})
}

// A presentation does not differ from itself, however it is packed.
func TestCorpusFactsOfNoChange(t *testing.T) {
	corpus(t, func(t *testing.T, name string, file []byte) {
		for _, same := range [][]byte{file, repacked(t, file)} {
			d := diffOf(t, file, same)
			require.Empty(t, d.Facts)
			require.Empty(t, d.Groups)
			require.Empty(t, d.Warnings)
		}
	})
}

// mutation changes one place of a part.
type mutation struct {
	start, end int
	with, what string
}

// mutations lists the places of a document that can change: each attribute's
// value, each text, each attribute and each element as a whole.
func mutations(doc []byte) []mutation {
	var out []mutation
	type open struct {
		start int
		name  string
	}
	var stack []open
	sc := xmlscan.New(doc)
	for sc.Next() {
		switch tk := sc.Token(); tk.Kind {
		case xmlscan.Start:
			for a := range tk.Attrs() {
				if strings.HasPrefix(a.Name, "xmlns") || strings.HasSuffix(a.Name, "Ignorable") {
					continue
				}
				v := string(doc[a.ValStart:a.ValEnd])
				with := "7" + v
				if v == "1" || v == "0" {
					with = map[string]string{"0": "1", "1": "0"}[v]
				}
				out = append(out, mutation{a.ValStart, a.ValEnd, with, fmt.Sprintf("%s@%s %q → %q", tk.Local, a.Name, v, with)})
			}
			if tk.Empty && len(stack) > 0 {
				out = append(out, mutation{tk.Start, tk.End, "", "without " + tk.Local})
			} else if !tk.Empty {
				stack = append(stack, open{tk.Start, tk.Local})
			}
		case xmlscan.End:
			o := stack[len(stack)-1]
			if stack = stack[:len(stack)-1]; len(stack) > 0 {
				out = append(out, mutation{o.start, tk.End, "", "without " + o.name})
			}
		case xmlscan.Text:
			if len(bytes.TrimSpace(tk.Bytes())) > 0 {
				out = append(out, mutation{tk.Start, tk.Start, "Z", fmt.Sprintf("text %.20q", tk.Bytes())})
			}
		}
	}
	return out
}

// sourceOf returns the part whose relationships a part holds.
func sourceOf(rels string) string {
	return strings.TrimSuffix(strings.Replace(rels, "_rels/", "", 1), ".rels")
}

// sameTypes reports whether all parts have the types they had: then nothing
// changes by what else the list of types says.
func sameTypes(a, b *opc.Package) bool {
	return !slices.ContainsFunc(a.Names(), func(n string) bool { return n != "[Content_Types].xml" && a.ContentType(n) != b.ContentType(n) })
}

// sweep changes one place after the other of a deck's parts, and has each
// change reported. It gives the number of changes, and of those reported only
// as a part that differs.
func sweep(t *testing.T, name string, file []byte, most int) (done, vague int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(12, uint64(len(file))))
	before, err := opc.Open(ctx, formats.FromBytes("a.pptx", file))
	require.NoError(t, err)
	type place struct {
		part string
		mutation
	}
	var all []place
	parts := formatstest.Parts(t, file)
	for _, part := range before.Names() {
		if ext := path.Ext(part); ext != ".xml" && ext != ".rels" {
			continue
		}
		list := mutations(parts[part])
		rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, m := range list[:min(len(list), max(2, most/8))] {
			all = append(all, place{part, m})
		}
	}
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, m := range all[:min(len(all), most)] {
		if path.Ext(m.part) == ".rels" && strings.HasPrefix(m.what, "Relationship@Id") && !bytes.Contains(parts[sourceOf(m.part)], []byte(strings.SplitN(m.what, "\"", 3)[1])) {
			continue // an id that nothing names
		}
		changed := with(t, file, map[string]func(string) string{m.part: func(s string) string { return s[:m.start] + m.with + s[m.end:] }})
		d, err := tryDiff(file, changed)
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), "%s %s %s", name, m.part, m.what)
			continue
		}
		after, err := opc.Open(ctx, formats.FromBytes("a.pptx", changed))
		require.NoError(t, err)
		differ, err := inventory.Differing(ctx, before, after)
		require.NoError(t, err)
		if len(differ) == 0 || m.part == "[Content_Types].xml" && sameTypes(before, after) {
			continue
		}
		done++
		if len(d.Facts)+len(d.Groups) == 0 {
			t.Errorf("%s: %s: %s is not told", name, m.part, m.what)
			continue
		}
		for _, f := range d.Facts {
			if f.Kind == formats.FactPart && strings.Contains(f.Warning, "cannot be told") {
				vague++
				if testing.Verbose() {
					t.Logf("vague: %s %s: %s %s", m.part, m.what, f.At, f.New)
				}
				break
			}
		}
		back, err := tryDiff(changed, file)
		require.NoError(t, err)
		if len(d.Facts) != len(back.Facts) {
			t.Errorf("%s: %s: %s: %d facts, the other way %d\n%v\n%v", name, m.part, m.what, len(d.Facts), len(back.Facts), d.Facts, back.Facts)
		}
	}
	return done, vague
}

// Whatever one place of a deck changes is reported (issue: the review leaves
// nothing out).
func TestEveryChangeIsTold(t *testing.T) {
	most := campaign.Of(400, 1<<20)
	files := map[string][]byte{"a.png": pngOf(t, 40, 30)}
	deck := edit(t, nil, `{"op":"add_slide","title":"A","body":"b"}`)
	for _, op := range everyOp {
		if strings.Contains(op, "delete_s") {
			continue
		}
		var err error
		deck, _, err = editWith(t, deck, files, op)
		require.NoError(t, err, op)
	}
	done, vague := sweep(t, "own", deck, most)
	require.NotZero(t, done)
	formatstest.Report(t, "pptx  changes of one place told, own deck: %d, of these only as a part %d", done, vague)
}

// The same over real decks.
func TestCorpusEveryChangeIsTold(t *testing.T) {
	most := 8
	if campaign.Full() {
		most = 400
	}
	total, vagueTotal := 0, 0
	defer func() {
		formatstest.Report(t, "pptx  changes of one place told, real decks: %d, of these only as a part %d", total, vagueTotal)
	}()
	corpus(t, func(t *testing.T, name string, file []byte) {
		done, vague := sweep(t, name, file, most)
		total += done
		vagueTotal += vague
	})
}
