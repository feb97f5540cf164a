package docx

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// silent are the elements and attributes that programs write for themselves and
// that no reader of a document would call a change.
var silent = []string{"proofErr", "lastRenderedPageBreak", "rsids", "rsid", "nsid", "tmpl", "bookmarkEnd", "paraId", "textId", "anchorId", "editId", "Ignorable", "spid", "spidmax", "durableId", "rsidR", "rsidRPr", "rsidRDefault", "rsidP", "rsidTr", "rsidSect", "rsidDel", "rsidRoot", "_GoBack"}

// mutate drops an element of a part, or changes an attribute or a text, at
// random; what is the change in words.
func mutate(r *rand.Rand, doc []byte) (out []byte, what string) {
	type spot struct {
		span
		now, what string
	}
	var spots []spot
	var path []string
	quiet := 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch t.Kind {
		case xmlscan.Start:
			irrelevant := slices.Contains(silent, t.Local) || t.Local == "bookmarkStart" && t.AttrLocal("name") == "_GoBack"
			if irrelevant || t.Space == nsMC {
				quiet++
			}
			if !t.Empty {
				path = append(path, t.Local)
			}
			if quiet == 0 && t.Depth > 2 {
				spots = append(spots, spot{span{t.Start, elementEndOf(doc, t)}, "", "without " + strings.Join(path[max(0, len(path)-3):], "/") + " " + t.Local})
			}
			for a := range t.Attrs() {
				local := a.Name[strings.IndexByte(a.Name, ':')+1:]
				if quiet > 0 || strings.HasPrefix(a.Name, "xmlns") || slices.Contains(silent, local) || local == "id" || local == "space" || strings.HasPrefix(local, "rsid") {
					continue
				}
				spots = append(spots, spot{span{a.ValStart, a.ValEnd}, "7", "attribute " + t.Local + " " + a.Name})
			}
			if (irrelevant || t.Space == nsMC) && t.Empty {
				quiet--
			}
		case xmlscan.End:
			path = path[:len(path)-1]
			if slices.Contains(silent, t.Local) || t.Space == nsMC {
				quiet--
			}
		case xmlscan.Text:
			if quiet == 0 && strings.TrimSpace(string(t.Bytes())) != "" {
				spots = append(spots, spot{span{t.Start, t.End}, "mutated", "text in " + strings.Join(path[max(0, len(path)-2):], "/")})
			}
		}
	}
	if len(spots) == 0 {
		return doc, ""
	}
	s := spots[r.IntN(len(spots))]
	return xmlscan.Apply(doc, []xmlscan.Splice{{Start: s.start, End: s.end, New: []byte(s.now)}}), s.what
}

func elementEndOf(doc []byte, t xmlscan.Token) int {
	if t.Empty {
		return t.End
	}
	return elementEnd(doc, t)
}

// Whatever is changed at random in whatever part is reported, both ways.
func TestFactsMutated(t *testing.T) {
	rounds := campaign.Of(3, 40)
	told1, kinds := 0, map[string]int{}
	for i, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes("a.docx", b)
		if _, err := openDocument(ctx, src); err != nil || len(b) > 200<<10 {
			continue
		}
		var names []string
		for n, v := range formatstest.Parts(t, b) {
			if strings.HasSuffix(n, ".xml") && n != "[Content_Types].xml" && len(v) < 1<<20 {
				names = append(names, n)
			}
		}
		slices.Sort(names)
		r := rand.New(rand.NewPCG(12, uint64(i)))
		for range rounds {
			name := names[r.IntN(len(names))]
			if r.IntN(2) == 0 {
				name = "word/document.xml"
			}
			what := ""
			after := changedParts(t, src, func(p map[string]string) {
				if p[name] != "" {
					var out []byte
					out, what = mutate(r, []byte(p[name]))
					p[name] = string(out)
				}
			})
			before, err := opc.Open(ctx, src)
			require.NoError(t, err)
			pkg, err := opc.Open(ctx, after)
			require.NoError(t, err)
			differ, err := inventory.Differing(ctx, before, pkg)
			require.NoError(t, err)
			d, err := Format().Differ.Diff(ctx, src, after, formats.DiffOptions{})
			if err != nil || len(differ) == 0 {
				continue // it is not a document any more, or it says the same
			}
			label := fmt.Sprintf("%s %s: %s", filepath.Base(path), name, what)
			if os.Getenv("FACTS_SHOW") != "" {
				if len(told(d)) == 0 {
					fmt.Println("UNTOLD", label)
				}
				for _, f := range d.Facts {
					if f.Kind == formats.FactPart {
						fmt.Println("PART", label, "|", f.Warning)
					}
				}
				continue
			}
			require.NotEmpty(t, told(d), label)
			require.NotEmpty(t, told(diff(t, after, src)), label)
			told1++
			for _, f := range d.Facts {
				kinds[f.Kind]++
			}
		}
	}
	formatstest.Report(t, "docx  facts: %d random changes of parts, all told; parts that say only that they changed: %d", told1, kinds[formats.FactPart])
}
