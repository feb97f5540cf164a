package all

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// mutation is one change to the XML of a document, such as no operation makes.
type mutation struct {
	part, element, attr string
	at, end             int    // bytes of the part that go
	now                 string // what takes their place
}

func (m mutation) String() string { return fmt.Sprintf("%s <%s> %s", m.part, m.element, m.attr) }

// means reports whether a change at the place says anything to a reader: ids of
// revisions, hints for programs and what is derived from the rest do not.
func (m mutation) means() bool {
	switch m.element {
	case "dimension", "calcChain", "c14", "proofErr", "lastRenderedPageBreak", "rsid", "rsids", "rsidRoot", "fileVersion", "AlternateContent", "Choice", "Fallback", "uniqueId", "creationId", "modId", "shapedefaults":
		return false
	}
	attr := m.attr[strings.IndexByte(m.attr, ':')+1:]
	switch m.element + " " + attr {
	case "comment shapeId", "sheet sheetId", "sheetView workbookViewId", "tmpl val", "bookmarkEnd id", "bookmarkStart id", "cNvPr id", "docPr id", "revisionPtr coauthVersionLast", "revisionPtr coauthVersionMax", "sheetFormatPr outlineLevelRow", "sheetFormatPr outlineLevelCol":
		return false // numbers by which programs find objects again
	case "idmap data", "id val", "row customFormat", "pivotCache cacheId", "pivotTableDefinition cacheId", "col bestFit", "shapetype spt":
		return false // numbers of drawings, controls and caches; marks of programs that change no look
	case "c r", "c s", "row r", "col style":
		return false // another number may be the same format, or no cell; operations try these
	}
	for _, p := range []string{"rsid", "xmlns", "Ignorable", "paraId", "textId", "spans", "dyDescent", "uid", "count", "uniqueCount", "macro"} {
		if strings.HasSuffix(attr, p) || strings.HasPrefix(attr, p) {
			return false
		}
	}
	switch path.Base(m.part) {
	case "calcChain.xml", "[Content_Types].xml", "sharedStrings.xml", "styles.xml":
		// Strings and styles that nothing uses say nothing; those in use are
		// tried through operations.
		return strings.HasPrefix(m.part, "word/")
	}
	return !strings.HasSuffix(m.part, ".rels")
}

// mutations picks places of a part at random: an attribute's value, or a text.
func mutations(part string, doc []byte, r *rand.Rand, n int) []mutation {
	var all []mutation
	dec := xml.NewDecoder(bytes.NewReader(doc))
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	name := ""
	for {
		from := int(dec.InputOffset())
		tok, err := dec.RawToken()
		if err != nil {
			break
		}
		to := int(dec.InputOffset())
		switch tok := tok.(type) {
		case xml.StartElement:
			name = tok.Name.Local
			raw := string(doc[from:to])
			for _, a := range tok.Attr {
				key := a.Name.Local
				if a.Name.Space != "" {
					key = a.Name.Space + ":" + a.Name.Local
				}
				i := strings.Index(raw, " "+key+"=\"")
				if i < 0 || a.Name.Space == "xmlns" || a.Name.Space == "r" {
					continue
				}
				start := from + i + len(key) + 3
				all = append(all, mutation{part, name, key, start, start + strings.IndexByte(string(doc[start:to]), '"'), changed(a.Value)})
			}
		case xml.CharData:
			if s := string(tok); strings.TrimSpace(s) != "" {
				all = append(all, mutation{part, name, "text", from, to, changed(s)})
			}
		}
	}
	all = slices.DeleteFunc(all, func(m mutation) bool { return m.now == "" || !m.means() })
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// changed is another value of the same form: a number, a switch, a word. "" where
// there is none that is surely valid.
func changed(v string) string {
	switch v {
	case "0":
		return "1"
	case "1":
		return "0"
	case "true":
		return "false"
	case "false":
		return "true"
	}
	if v != "" && strings.Trim(v, "0123456789") == "" && len(v) < 9 && v[0] != '0' {
		return v[:len(v)-1] + string('0'+(v[len(v)-1]-'0'+1)%10)
	}
	if len(v) == 6 && strings.Trim(v, "0123456789ABCDEFabcdef") == "" {
		return "12AB" + v[:2]
	}
	return ""
}

func (m mutation) apply(file []byte) ([]byte, error) {
	zr, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for _, f := range zr.File {
		if f.Name != m.part {
			if err := zw.Copy(f); err != nil {
				return nil, err
			}
			continue
		}
		rc, err := f.Open()
		if err != nil {
			return nil, err
		}
		doc, err := io.ReadAll(rc)
		if err != nil {
			return nil, err
		}
		w, err := zw.Create(f.Name)
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(w, string(doc[:m.at])+m.now+string(doc[m.end:])); err != nil {
			return nil, err
		}
	}
	err = zw.Close()
	return out.Bytes(), err
}

// RV-03: a change anywhere in the XML of a real document, such as another program
// could have made, is not passed over by the review.
func TestReviewSeesEveryMutation(t *testing.T) {
	full, seed := campaign.Full(), campaign.Seed()
	t.Logf("ATELIER_SEED=%d", seed)
	for _, kind := range []formats.Kind{formats.KindXlsx, formats.KindDocx, formats.KindPptx} {
		t.Run(string(kind), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, uint64(kind[0])))
			tried, seen := 0, 0
			silent := map[string]int{}
			for i, name := range documentsOf(t, kind) {
				file, err := os.ReadFile(name)
				require.NoError(t, err)
				if len(file) > 1<<20 || i > 0 && campaign.Skips(t, i, 2) {
					continue
				}
				zr, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
				if err != nil {
					continue
				}
				parts := formatstest.Parts(t, file)
				names := slices.Sorted(maps.Keys(parts))
				if !full {
					r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
					names = names[:min(4, len(names))]
				}
				for _, part := range names {
					if path.Ext(part) != ".xml" && path.Ext(part) != ".vml" || !slices.ContainsFunc(zr.File, func(f *zip.File) bool { return f.Name == part }) {
						continue
					}
					for _, m := range mutations(part, parts[part], r, map[bool]int{true: 6, false: 1}[full]) {
						ok, valid := reviewed(t, kind, name, file, m)
						if !valid {
							continue
						}
						if tried++; ok {
							seen++
						} else {
							silent[m.String()+" in "+filepath.Base(name)]++
						}
					}
				}
			}
			formatstest.Report(t, "%s  review: %d of %d changes made to the XML at random are told (seed %d)", kind, seen, tried, seed)
			for i, s := range slices.Sorted(maps.Keys(silent)) {
				if i < 60 {
					t.Errorf("not told: %s", s)
				}
			}
			require.Positive(t, tried)
			require.Equal(t, tried, seen)
		})
	}
}

// reviewed reports whether a review of the mutated document says anything;
// invalid is one that cannot be read any more.
func reviewed(t *testing.T, kind formats.Kind, name string, file []byte, m mutation) (ok, valid bool) {
	now, err := m.apply(file)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	d, err := set.Kind(kind).Differ.Diff(ctx, formats.FromBytes(filepath.Base(name), file), formats.FromBytes(filepath.Base(name), now), formats.DiffOptions{})
	if err != nil {
		require.NoError(t, ctx.Err(), "%s %s", name, m)
		return false, false
	}
	return len(d.Groups)+len(d.Facts)+len(d.Warnings) > 0, true
}
