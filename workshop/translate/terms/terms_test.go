package terms

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"atelier/workshop"
)

func glossary(t testing.TB, name, text string) *Glossary {
	g, err := Read(name, strings.NewReader(text))
	require.NoError(t, err)
	return g
}

func pairs(ts []Term) []string {
	out := []string{}
	for _, t := range ts {
		s := t.Source + "=" + t.Target
		if t.Forbidden {
			s = t.Source + "≠" + t.Target
		}
		out = append(out, s)
	}
	return out
}

// TestFinding (TR-05): whole words, longest first, case, scripts without
// spaces.
func TestFinding(t *testing.T) {
	g := glossary(t, "g.csv", `source,target
price,Preis
purchase price,Kaufpreis
IT,EDV
C++,C++
.NET,.NET
don't know,weiß nicht
合同,Vertrag
합의,Vereinbarung
`)
	for text, want := range map[string][]string{
		"The purchase  <1>price</1> and the PRICE.": {"purchase price=Kaufpreis", "price=Preis"},
		"overpriced pricess, it is":                 {},
		"prices; purchase prices; three ITs":        {"price=Preis", "purchase price=Kaufpreis", "IT=EDV"},
		"our IT uses C++ and .NET.":                 {"IT=EDV", "C++=C++", ".NET=.NET"},
		"C+ .NETX":                                  {},
		"I don’t know":                              {"don't know=weiß nicht"},
		"本合同由双方签订":                                  {"合同=Vertrag"},
		"합의에 따라":                                    {"합의=Vereinbarung"},
		"":                                          {},
	} {
		require.ElementsMatch(t, want, pairs(g.In(text, "de")), text)
	}
	require.Equal(t, []string{"purchase price=Kaufpreis", "price=Preis"}, pairs(g.In("purchase price, price", "de")), "in the order they stand")
	require.Empty(t, g.Between("prices", "de", "fr"), "no plural of German")
	require.Equal(t, []string{"box=Kiste", "address=Adresse"}, pairs(glossary(t, "g.csv", "address,Adresse\nbox,Kiste\n").Between("boxes of addresses", "en", "de")))
	var none *Glossary
	require.Empty(t, none.In("price", "de"))
	require.Equal(t, "", none.Hash())
}

// TestCSV (TR-05) reads the layouts of common glossaries.
func TestCSV(t *testing.T) {
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("source\ttarget\nBuyer\tKäufer\n")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		text, to string
		want     []string
	}{
		"no header":          {"Buyer,Käufer\nSeller,Verkäufer", "de", []string{"Buyer=Käufer"}},
		"header, semicolons": {"\ufeffTerm;Translation;Comment\nBuyer;Käufer;party\n", "de", []string{"Buyer=Käufer"}},
		"tabs, UTF-16":       {utf16, "de", []string{"Buyer=Käufer"}},
		"languages":          {"en,de,es,Notes\nbuyer,Käufer,comprador,x\n", "es", []string{"buyer=comprador"}},
		"languages, region":  {"en-US,pt_BR\nbuyer,comprador\n", "pt-br", []string{"buyer=comprador"}},
		"nearest region":     {"en,es-ES\nbuyer,comprador\n", "es-MX", []string{"buyer=comprador"}},
		"other language":     {"en,es\nbuyer,comprador\n", "fr", []string{}},
		"quoted, lines":      {"source,target\n\"buyer\",\"Käufer, der\"\n", "de", []string{"buyer=Käufer, der"}},
		"two targets":        {"source,target\nbuyer,Käufer\nbuyer,Erwerber\n", "de", []string{"buyer=Käufer", "buyer=Erwerber"}},
		"forbidden":          {"source,target,status\nbuyer,Käufer,preferred\nbuyer,Abnehmer,forbidden\n", "de", []string{"buyer=Käufer", "buyer≠Abnehmer"}},
		"comments, blanks":   {"# our terms, of 2024\n\nsource,target\n , \n# more\nbuyer,Käufer\n", "de", []string{"buyer=Käufer"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, pairs(glossary(t, "g.csv", c.text).In("The buyer pays.", c.to)))
		})
	}
	g := glossary(t, "g.csv", "en,de,es\nactual,tatsächlich,real\n,echt,actual\n")
	require.Equal(t, []string{"actual=tatsächlich"}, pairs(g.Between("the actual price", "en", "de")), "the source's column only")
	g = glossary(t, "g.csv", "source,target,note,case\nMay,Mai,month,yes\n")
	require.Equal(t, []Term{{Source: "May", Target: "Mai", Note: "month", CaseSensitive: true}}, g.In("in May", "de"))
	require.Empty(t, g.In("you may", "de"))
}

// TestBadGlossaries: errors name the line.
func TestBadGlossaries(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "no terms",
		"buyer\nseller\n":               "line 1: a glossary needs two columns",
		"source,target\nbuyer,\n":       `line 2: the term "buyer" has no translation`,
		"source,target\na,b\n\nbuyer\n": `line 4: the term "buyer" has no translation`,
		"source,target\n" + strings.Repeat("x", 2000) + ",b\n": "line 2: the term",
		"<tbx>":   "line 1:",
		"<html/>": "root element is <html>",
		"<?xml version='1.0'?>\n<martif>\n<text><termEntry>\n<langSet>":            "line 4: <langSet> names no language",
		`<?xml version="1.0" encoding="klingon"?><martif/>`:                        `"klingon" is not known`,
		"<!DOCTYPE martif [<!ENTITY a 'b'>]>\n<martif><termEntry>&a;":              "line 2: invalid character entity",
		"<martif><termEntry><note>" + strings.Repeat("long ", 4<<20) + "</martif>": "one element has more than",
	} {
		name := "g.txt"
		_, err := Read(name, strings.NewReader(text))
		require.ErrorContains(t, err, want, "%.60s", text)
	}
	_, err := Load(filepath.Join(t.TempDir(), "none.csv"))
	require.True(t, workshop.IsFault(err, workshop.NotFound))
	bad := filepath.Join(t.TempDir(), "bad.tbx")
	require.NoError(t, os.WriteFile(bad, []byte("<martif>"), 0o600))
	_, err = Load(bad)
	require.True(t, workshop.IsFault(err, workshop.Invalid))
	require.ErrorContains(t, err, "bad.tbx: line 1")
}

const tbx2 = `<?xml version="1.0" encoding="%s"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><martifHeader><fileDesc><sourceDesc><p>x</p></sourceDesc></fileDesc></martifHeader><text><body>
<termEntry id="c1"><descrip type="subjectField">law</descrip><descrip type="definition">who buys</descrip>
 <langSet xml:lang="en"><tig><term>buyer</term></tig><ntig><termGrp><term>pur<hi>chas</hi>er</term></termGrp></ntig></langSet>
 <langSet xml:lang="de"><tig><term>Käufer</term><termNote type="partOfSpeech">noun</termNote></tig>
  <tig><term>Abnehmer</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig></langSet>
</termEntry></body></text></martif>`

const tbx3 = `<?xml version="1.0" encoding="UTF-8"?>
<tbx style="dct" type="TBX-Basic" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2" xmlns:basic="http://www.tbxinfo.net/ns/basic" xmlns:min="http://www.tbxinfo.net/ns/min"><text><body>
<conceptEntry id="c1"><basic:definition>who buys</basic:definition>
 <langSec xml:lang="en"><termSec><term>buyer</term></termSec><termSec><term>purchaser</term></termSec></langSec>
 <langSec xml:lang="de"><termSec><term>Käufer</term></termSec><termSec><term>Abnehmer</term><min:administrativeStatus>deprecatedTerm-admn-sts</min:administrativeStatus></termSec></langSec>
</conceptEntry></body></text></tbx>`

// TestTBX (TR-05) reads both versions of ISO 30042, also in other encodings.
func TestTBX(t *testing.T) {
	v2 := fmt.Sprintf(tbx2, "UTF-8")
	wide, err := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(fmt.Sprintf(tbx2, "UTF-16"))
	require.NoError(t, err)
	bare, err := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String(fmt.Sprintf(tbx2, "utf-16"))
	require.NoError(t, err)
	latin := strings.ReplaceAll(fmt.Sprintf(tbx2, "ISO-8859-1"), "ä", "\xe4")
	for name, text := range map[string]string{"v2": v2, "v3": tbx3, "UTF-16 BE": wide, "UTF-16 without mark": bare, "Latin 1": latin, "mark": "\ufeff" + v2} {
		g, err := Read("g.tbx", bytes.NewReader([]byte(text)))
		require.NoError(t, err, name)
		require.Equal(t, []Term{{Source: "buyer", Target: "Käufer", Note: "who buys"}, {Source: "buyer", Target: "Abnehmer", Note: "who buys", Forbidden: true}}, g.In("the buyer", "de"), name)
		require.Equal(t, []string{"purchaser=Käufer", "purchaser≠Abnehmer"}, pairs(g.In("the purchaser", "de-AT")), name)
		require.Equal(t, []string{"Käufer=buyer", "Käufer=purchaser"}, pairs(g.In("der Käufer", "en")), name)
	}
}

// TestPatterns (TR-05): literals, wildcards, expressions, and files of them.
func TestPatterns(t *testing.T) {
	list := filepath.Join(t.TempDir(), "keep.txt")
	require.NoError(t, os.WriteFile(list, []byte("# products\r\nAcme  Cloud\r\n\r\nSKU-*\n"), 0o600))
	p, err := Patterns([]string{"@" + list, `/[A-Z]{2}\d+/`, "/gmbh/i", "v?.0"})
	require.NoError(t, err)
	require.Equal(t, []string{"Acme Cloud", "SKU-17-b", "AB12", "GmbH", "v2.0"}, p.In("Acme <1>Cloud</1>, Acme Clouds, SKU-17-b xAB12 GmbH v2.0 v22.0"))
	require.NotEmpty(t, p.Hash())
	var none *Protected
	require.Empty(t, none.In("Acme Cloud"))
	none, err = Patterns([]string{" "})
	require.NoError(t, err)
	require.Nil(t, none)
	_, err = Patterns([]string{"/[/"})
	require.True(t, workshop.IsFault(err, workshop.Invalid))
	require.ErrorContains(t, err, "/[/")
	_, err = Patterns([]string{"@missing.txt"})
	require.True(t, workshop.IsFault(err, workshop.NotFound))
}

func BenchmarkIn(b *testing.B) {
	var sb strings.Builder
	sb.WriteString("source,target\n")
	for i := range 10_000 {
		fmt.Fprintf(&sb, "term%d of%d sale,Begriff%d\n", i%700, i, i)
	}
	g := glossary(b, "g.csv", sb.String())
	text := strings.Repeat("The seller delivers term3 of3 sale and term12 of712 sale to the buyer. ", 3)
	for b.Loop() {
		if len(g.In(text, "de")) != 2 {
			b.Fatal("not found")
		}
	}
}
