package xlsx

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
	"atelier/internal/campaign"
)

var (
	cellXML   = regexp.MustCompile(`<c\s[^>]*?(?:/>|>.*?</c>)`)
	valueXML  = regexp.MustCompile(`<v>([^<]*)</v>`)
	typeXML   = regexp.MustCompile(`\st="[^"]*"`)
	volatile  = regexp.MustCompile(`ca="1"|RAND|NOW\(|TODAY\(`)
	tagOfCell = regexp.MustCompile(`^<c\s[^>]*>`)
)

// TestRecalculateOfTheCorpus removes the values of some formulas of every workbook of the
// corpus: recalculate puts back those that the programs had calculated, and all other
// cells stay byte for byte.
func TestRecalculateOfTheCorpus(t *testing.T) {
	campaign.Slow(t)
	needsLibreOffice(t)
	filled, equal, blank := 0, 0, 0
	for i, path := range formatstest.CorpusFiles(t, "xlsx/*.xls[xm]") {
		if !campaign.Full() && uint64(i)%2 != campaign.Seed()%2 {
			continue
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		if opc.Locked(formats.FromBytes("book.xlsx", data)) || len(data) > 1<<20 {
			continue
		}
		if pkg, err := opc.Open(t.Context(), formats.FromBytes("book.xlsx", data)); err != nil || !pkg.Has("xl/workbook.xml") {
			continue // a damaged file
		}
		parts := formatstest.Parts(t, data)
		in, removed := data, 0
		for name, doc := range parts {
			if strings.HasPrefix(name, "xl/worksheets/sheet") && !strings.Contains(string(doc), "t=\"array\"") {
				n := 0
				in = edited(t, in, name, func(s string) string {
					return cellXML.ReplaceAllStringFunc(s, func(c string) string {
						if !strings.Contains(c, "<f") || !strings.Contains(c, "<v>") {
							return c
						}
						if n++; n%3 != 0 {
							return c
						}
						removed++
						return valueXML.ReplaceAllString(c, "")
					})
				})
			}
		}
		if removed == 0 {
			continue
		}
		var out bytes.Buffer
		_, err = editor{}.Apply(t.Context(), formats.FromBytes("book.xlsx", in), &out, []json.RawMessage{json.RawMessage(`{"op":"recalculate"}`)}, formats.ApplyOptions{Calculate: true})
		require.NoError(t, err, path)
		before, after := formatstest.Parts(t, in), formatstest.Parts(t, out.Bytes())
		for name, doc := range before {
			if !strings.HasPrefix(name, "xl/worksheets/sheet") {
				continue
			}
			was, is, orig := cellXML.FindAllString(string(doc), -1), cellXML.FindAllString(string(after[name]), -1), cellXML.FindAllString(string(parts[name]), -1)
			require.Len(t, is, len(was), "%s %s", path, name)
			for i := range was {
				if was[i] == is[i] {
					if was[i] != orig[i] {
						blank++
					}
					continue
				}
				require.Contains(t, was[i], "<f", "%s %s: a cell without a formula", path, name)
				require.NotContains(t, was[i], "<v>", "%s %s: a cell with a value", path, name)
				bare := func(c string) string {
					c = valueXML.ReplaceAllString(c, "")
					tag := tagOfCell.FindString(c)
					return typeXML.ReplaceAllString(tag, "") + c[len(tag):]
				}
				require.Equal(t, bare(was[i]), bare(is[i]), path)
				if volatile.Match(doc) { // the values are those of another day
					continue
				}
				filled++
				if alikeValues(orig[i], is[i]) {
					equal++
				} else if len(orig[i]) < 300 {
					t.Logf("%s %s: %s, was %s", filepath.Base(path), name, is[i], orig[i])
				}
			}
			require.Equal(t, cellXML.ReplaceAllString(string(doc), ""), cellXML.ReplaceAllString(string(after[name]), ""), "%s %s: around the cells", path, name)
		}
	}
	formatstest.Report(t, "recalculate: %d values put back, %d of them as they were; %d stay blank", filled, equal, blank)
	require.Greater(t, filled, 100)
	require.GreaterOrEqual(t, equal*100, filled*99)
}

// alikeValues reports whether two cells have the same value, numbers to 11 digits.
func alikeValues(a, b string) bool {
	x, y := valueXML.FindStringSubmatch(a), valueXML.FindStringSubmatch(b)
	if x == nil || y == nil {
		return x == nil && y == nil
	}
	p, err1 := strconv.ParseFloat(x[1], 64)
	q, err2 := strconv.ParseFloat(y[1], 64)
	if err1 != nil || err2 != nil {
		return x[1] == y[1]
	}
	return math.Abs(p-q) <= 1e-11*math.Max(math.Abs(p), math.Abs(q))+1e-300
}
