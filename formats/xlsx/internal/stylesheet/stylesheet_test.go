package stylesheet

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
)

func book(t require.TestingT, doc string) *Book {
	b := NewBook("xl/styles.xml", []byte(doc))
	require.NoError(t, b.Parse())
	return b
}

// members reads a style object as operations do, numbers as they are written.
func members(t require.TestingT, js string) map[string]any {
	var m map[string]any
	dec := json.NewDecoder(strings.NewReader(js))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&m), js)
	return m
}

func spec(t require.TestingT, js string) *Spec {
	s, err := ParseSpec(members(t, js))
	require.NoError(t, err, js)
	return s
}

// styled is a style part with a look in record 1.
const styled = `<styleSheet xmlns="` + sheetml.Namespace + `"><numFmts count="1"><numFmt numFmtId="170" formatCode="0.0&quot; kg&quot;"/></numFmts>` +
	`<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/><scheme val="minor"/></font><font><b/><sz val="9"/><color rgb="FF00AA00"/><name val="Arial"/></font></fonts>` +
	`<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="darkGrid"><fgColor rgb="FF111111"/><bgColor rgb="FF222222"/></patternFill></fill></fills>` +
	`<borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border><border><left style="thin"><color rgb="FF333333"/></left><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="170" fontId="1" fillId="2" borderId="1" xfId="0"><alignment horizontal="right"/><protection locked="0"/></xf></cellXfs></styleSheet>`

// What a style makes of record 1: only the named records change.
func TestCellFormatsChangedByAStyle(t *testing.T) {
	const xf = `<xf numFmtId="170" fontId="1" fillId="2" borderId="1" xfId="0"`
	const kids = `<alignment horizontal="right"/><protection locked="0"/></xf>`
	font := func(s string) string { return "<font>" + s + "</font>" }
	for _, c := range []struct {
		style   string
		xf      string
		list    string // the list that gets a record, "" for none
		records string
	}{
		{`{"font_bold":true}`, xf + ` applyFont="1">` + kids, "", ""},
		{`{"font_bold":false}`, strings.Replace(xf, `fontId="1"`, `fontId="2"`, 1) + ` applyFont="1">` + kids, "fonts", font(`<sz val="9"/><color rgb="FF00AA00"/><name val="Arial"/>`)},
		{`{"font_italic":true,"font_strike":"true"}`, strings.Replace(xf, `fontId="1"`, `fontId="2"`, 1) + ` applyFont="1">` + kids, "fonts", font(`<b/><i/><strike/><sz val="9"/><color rgb="FF00AA00"/><name val="Arial"/>`)},
		{`{"font_size":12.5,"font_color":"#abcdef"}`, strings.Replace(xf, `fontId="1"`, `fontId="2"`, 1) + ` applyFont="1">` + kids, "fonts", font(`<b/><sz val="12.5"/><color rgb="FFABCDEF"/><name val="Arial"/>`)},
		{`{"font_name":"A & B","font_underline":"double"}`, strings.Replace(xf, `fontId="1"`, `fontId="2"`, 1) + ` applyFont="1">` + kids, "fonts", font(`<b/><u val="double"/><sz val="9"/><color rgb="FF00AA00"/><name val="A &amp; B"/>`)},
		{`{"fill_color":"FF0000"}`, strings.Replace(xf, `fillId="2"`, `fillId="3"`, 1) + ` applyFill="1">` + kids, "fills", `<fill><patternFill patternType="darkGrid"><fgColor rgb="FFFF0000"/><bgColor rgb="FF222222"/></patternFill></fill>`},
		{`{"fill_color":"none"}`, strings.Replace(xf, `fillId="2"`, `fillId="0"`, 1) + ` applyFill="1">` + kids, "", ""},
		{`{"fill_pattern":"gray_125"}`, strings.Replace(xf, `fillId="2"`, `fillId="3"`, 1) + ` applyFill="1">` + kids, "fills", `<fill><patternFill patternType="gray125"><fgColor rgb="FF111111"/><bgColor rgb="FF222222"/></patternFill></fill>`},
		{`{"border_left":"double"}`, strings.Replace(xf, `borderId="1"`, `borderId="2"`, 1) + ` applyBorder="1">` + kids, "borders", `<border><left style="double"><color rgb="FF333333"/></left><right/><top/><bottom/><diagonal/></border>`},
		{`{"border_left":"none"}`, strings.Replace(xf, `borderId="1"`, `borderId="0"`, 1) + ` applyBorder="1">` + kids, "", ""},
		{`{"border_top":{"color":"0000FF"}}`, strings.Replace(xf, `borderId="1"`, `borderId="2"`, 1) + ` applyBorder="1">` + kids, "borders", `<border><left style="thin"><color rgb="FF333333"/></left><right/><top style="thin"><color rgb="FF0000FF"/></top><bottom/><diagonal/></border>`},
		{`{"number_format":"0.00"}`, `<xf fontId="1" fillId="2" borderId="1" xfId="0" numFmtId="2" applyNumberFormat="1">` + kids, "", ""},
		{`{"number_format":"0.0\" kg\""}`, xf + ` applyNumberFormat="1">` + kids, "", ""},
		{`{"number_format":"0.0 <"}`, `<xf fontId="1" fillId="2" borderId="1" xfId="0" numFmtId="171" applyNumberFormat="1">` + kids, "numFmts", `<numFmt numFmtId="171" formatCode="0.0 &lt;"/>`},
		{`{"number_format":"General"}`, `<xf fontId="1" fillId="2" borderId="1" xfId="0" numFmtId="0" applyNumberFormat="1">` + kids, "", ""},
		{`{"v_align":"top","wrap_text":true,"indent":2}`, xf + ` applyAlignment="1"><alignment horizontal="right" vertical="top" wrapText="1" indent="2"/><protection locked="0"/></xf>`, "", ""},
		{`{"h_align":"center","text_rotation":-30}`, xf + ` applyAlignment="1"><alignment horizontal="center" textRotation="120"/><protection locked="0"/></xf>`, "", ""},
		{`{"locked":true,"hidden":true}`, xf + ` applyProtection="1"><alignment horizontal="right"/><protection locked="1" hidden="1"/></xf>`, "", ""},
	} {
		b := book(t, styled)
		before := map[string]int{}
		for n, l := range b.Lists {
			before[n] = len(l.Items)
		}
		s := spec(t, c.style)
		i := b.CellXf(1, s)
		got := attrsOf(t, string(b.Lists["cellXfs"].Items[i]))
		assert.Equal(t, attrsOf(t, c.xf), got, c.style)
		assert.Equal(t, i, b.CellXf(1, s), "%s a second time", c.style)
		for n, l := range b.Lists {
			added := l.Items[before[n]:]
			switch {
			case n == c.list:
				require.Len(t, added, 1, c.style)
				assert.Equal(t, c.records, string(added[0]), c.style)
			case n != "cellXfs":
				assert.Empty(t, added, "%s: %s", c.style, n)
			}
		}
	}
}

// A font with another name loses what belongs to the old one.
func TestFontNames(t *testing.T) {
	b := book(t, styled)
	x := NewForeign(b).Xf(b.CellXf(0, spec(t, `{"font_name":"Arial"}`)))
	require.Equal(t, `<font><sz val="11"/><name val="Arial"/></font>`, x.Font)
}

// attrsOf sorts the attributes of an element, so that their order does not count.
func attrsOf(t require.TestingT, xf string) string {
	head, rest, ok := strings.Cut(strings.TrimPrefix(xf, "<xf"), ">")
	require.True(t, ok, xf)
	f := strings.Fields(strings.TrimSuffix(head, "/"))
	slices.Sort(f)
	return strings.Join(f, " ") + ">" + rest
}

// styleKeys draws a style object.
func styleKeys() *rapid.Generator[map[string]any] {
	values := map[string][]any{
		"font_name": {"Arial", "B <&> C"}, "font_size": {json.Number("8"), json.Number("12.5")}, "font_bold": {true, false}, "font_italic": {true, false}, "font_strike": {true}, "font_underline": {"single", "none", "double"}, "font_color": {"FF0000", "00FF00"},
		"number_format": {"0.00", "0.0\"x\"", "General", "@", "yyyy-mm-dd"}, "wrap_text": {true, false}, "v_align": {"top", "center"}, "h_align": {"left", "right"}, "locked": {true, false}, "hidden": {true},
		"border_left": {"thin", "medium"}, "border_top": {map[string]any{"style": "dashed", "color": "112233"}}, "border_bottom": {"double"}, "text_rotation": {json.Number("45")},
	}
	names := slices.Sorted(maps.Keys(values))
	return rapid.Custom(func(t *rapid.T) map[string]any {
		m := map[string]any{}
		for _, k := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(t, "keys") {
			m[k] = rapid.SampledFrom(values[k]).Draw(t, k)
		}
		return m
	})
}

// counted reads a style part with encoding/xml: each list's count and children.
func counted(t require.TestingT, doc []byte) map[string][2]int {
	var part struct {
		Lists []struct {
			XMLName xml.Name
			Count   string `xml:"count,attr"`
			Items   []struct {
				Inner string `xml:",innerxml"`
			} `xml:",any"`
		} `xml:",any"`
	}
	require.NoError(t, xml.Unmarshal(doc, &part), string(doc))
	out := map[string][2]int{}
	for _, l := range part.Lists {
		n, err := strconv.Atoi(l.Count)
		require.NoError(t, err, l.XMLName.Local)
		require.NotContains(t, out, l.XMLName.Local)
		out[l.XMLName.Local] = [2]int{n, len(l.Items)}
	}
	return out
}

// Two styles one after the other are the style that both make together; the part
// stays readable, with right counts, and what was in it keeps its bytes.
func TestStylesAddUp(t *testing.T) {
	keys := styleKeys()
	rapid.Check(t, func(t *rapid.T) {
		doc := rapid.SampledFrom([]string{Empty, styled, `<x:styleSheet xmlns:x="` + sheetml.Namespace + `"/>`, `<styleSheet xmlns="` + sheetml.Namespace + `"><cellXfs count="1"><xf/></cellXfs></styleSheet>`}).Draw(t, "part")
		b := book(t, doc)
		one, err := ParseSpec(keys.Draw(t, "first"))
		require.NoError(t, err)
		two, err := ParseSpec(keys.Draw(t, "second"))
		require.NoError(t, err)
		last := b.CellXf(b.CellXf(0, one), two)
		both := b.CellXf(0, two.Over(one))
		f := NewForeign(b)
		x, y := f.Xf(last), f.Xf(both)
		// The order of attributes and what a pen of none leaves may differ.
		require.Equal(t, [3]string{x.Font, x.Border, x.Format}, [3]string{y.Font, y.Border, y.Format})
		require.Equal(t, sortedAttrs(x.Align)+sortedAttrs(x.Lock), sortedAttrs(y.Align)+sortedAttrs(y.Lock))
		dxf := b.DXF(two)
		require.Equal(t, dxf, b.DXF(two))

		out, changed := b.Bytes()
		require.True(t, changed)
		again := book(t, string(out))
		for n, c := range counted(t, out) {
			require.Equal(t, c[1], c[0], "count of %s", n)
			require.Len(t, again.Lists[n].Items, c[1], n)
			require.True(t, slices.EqualFunc(b.Lists[n].Items, again.Lists[n].Items, bytes.Equal), n)
		}
		for _, raw := range again.Lists["cellXfs"].Items {
			for id, list := range map[string]string{"fontId": "fonts", "fillId": "fills", "borderId": "borders"} {
				if n := sheetml.AttrOf(raw, id); n != "" && again.Item(list, n) == nil {
					t.Fatalf("%s %s is not there", id, n)
				}
			}
		}
		st, err := ParseFormats(out, false)
		require.NoError(t, err)
		require.Equal(t, x.Format, st.Code(last))
		require.Equal(t, x.Format, b.FormatOf(last))
		_, changed = again.Bytes()
		require.False(t, changed, "a part without new records")
	})
}

func sortedAttrs(el string) string {
	f := strings.Fields(strings.TrimSuffix(el, "/>"))
	slices.Sort(f)
	return strings.Join(f, " ")
}

// A look that is taken to another workbook is the same there.
func TestForeignFormats(t *testing.T) {
	from, to := book(t, styled), book(t, `<x:styleSheet xmlns:x="`+sheetml.Namespace+`"/>`)
	x := NewForeign(from).Xf(1)
	i := to.CellXf(0, &Spec{Fixed: x})
	require.Equal(t, x, NewForeign(to).Xf(i))
	require.Equal(t, i, to.CellXf(5, &Spec{Fixed: x}))
	bold := true
	j := to.CellXf(0, &Spec{Fixed: x, Italic: &bold})
	require.Contains(t, NewForeign(to).Xf(j).Font, "<b/><i/>")
	own := 3
	require.Equal(t, 3, to.CellXf(0, &Spec{Fixed: &CellFormat{Own: &own}}))
	require.Equal(t, NewForeign(from).Xf(0), NewForeign(from).Xf(77), "a format that is not there is the first")

	f := NewForeign(from)
	f.Colors = []string{"FFFFFF", "4F81BD"}
	// Excel shows B8CCE4 and 366092 for the two tints: it rounds hues to 240 steps.
	for in, want := range map[string]string{
		`<font><color theme="1"/><scheme val="minor"/></font>`:                   `<font><color rgb="FF4F81BD"/></font>`,
		`<fill><fgColor theme="1" tint="0.59999389629810485"/></fill>`:           `<fill><fgColor rgb="FFB9CDE5"/></fill>`,
		`<fill><fgColor theme="1" tint="-0.249977111117893"/></fill>`:            `<fill><fgColor rgb="FF376092"/></fill>`,
		`<fill><bgColor theme="0" tint="-0.5"/><fgColor rgb="FF123456"/></fill>`: `<fill><bgColor rgb="FF808080"/><fgColor rgb="FF123456"/></fill>`,
		`<font><color theme="9"/></font>`:                                        `<font><color theme="9"/></font>`,
	} {
		assert.Equal(t, want, f.Plain([]byte(in)))
	}
}

func TestDifferentialFormats(t *testing.T) {
	for style, want := range map[string]string{
		`{"font_bold":false,"font_color":"FF0000"}`:                                   `<dxf><font><b val="0"/><color rgb="FFFF0000"/></font></dxf>`,
		`{"fill_color":"FFC7CE"}`:                                                     `<dxf><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf>`,
		`{"fill_color":"FFC7CE","fill_pattern":"gray125"}`:                            `<dxf><fill><patternFill patternType="gray125"><fgColor rgb="FFFFC7CE"/></patternFill></fill></dxf>`,
		`{"border_left":"thin"}`:                                                      `<dxf><border><left style="thin"><color auto="1"/></left></border></dxf>`,
		`{"number_format":"0.0 x"}`:                                                   `<dxf><numFmt numFmtId="164" formatCode="0.0 x"/></dxf>`,
		`{"font_italic":true,"h_align":"center","locked":false,"number_format":"0%"}`: `<dxf><font><i val="1"/></font><numFmt numFmtId="9" formatCode="0%"/><alignment horizontal="center"/><protection locked="0"/></dxf>`,
	} {
		b := book(t, Empty)
		i := b.DXF(spec(t, style))
		assert.Equal(t, want, string(b.Lists["dxfs"].Items[i]), style)
		out, _ := b.Bytes()
		assert.Equal(t, [2]int{1, 1}, counted(t, out)["dxfs"])
	}
}

func TestStylesThatAreRefused(t *testing.T) {
	for js, want := range map[string]string{
		`{"bold":true}`: "unknown style key", `{"font_name":""}`: "1 to 31 characters", `{"font_size":0.5}`: "1 to 409", `{"font_size":"big"}`: "a number", `{"font_bold":"maybe"}`: "true or false", `{"font_color":"red"}`: "a colour", `{"font_color":"12345"}`: "a colour",
		`{"fill_pattern":"zebra"}`: "one of none", `{"h_align":7}`: "one of general", `{"text_rotation":91}`: "-90 to 90", `{"indent":251}`: "0 to 250", `{"indent":1.5}`: "whole number", `{"border":{"width":1}}`: "{\"style\",\"color\"}", `{"border_top":"wavy"}`: "one of none",
		`{"number_format":"0\""}`: "closed", `{"number_format":"[Red"}`: "closed", `{"number_format":"0;0;0;0;0"}`: "at most four", `{"number_format":"0\\"}`: "behind the last", `{"number_format":"` + strings.Repeat("0", 256) + `"}`: "255 characters",
	} {
		_, err := ParseSpec(members(t, js))
		assert.ErrorContains(t, err, want, js)
		assert.Equal(t, formats.CodeInvalid, formats.CodeOf(err), js)
	}
	s := spec(t, `{"font_bold":null,"number_format":"Text","border":"thin","border_left":{"color":"00FF00"}}`)
	require.Nil(t, s.Bold)
	require.Equal(t, "@", *s.Format)
	require.Equal(t, "thin", *s.Sides[0].Style)
	require.Equal(t, "FF00FF00", *s.Sides[0].Color)
	require.Nil(t, s.Sides[1].Color)
}

// The formats of 18.8.30, as Excel in English shows 1234.567, its negative and 0.
func TestBuiltinFormats(t *testing.T) {
	for id, want := range map[int]string{
		0: "1234.567|-1234.567|0", 1: "1235|-1235|0", 2: "1234.57|-1234.57|0.00", 3: "1,235|-1,235|0", 4: "1,234.57|-1,234.57|0.00",
		5: "$1,235|($1,235)|$0", 7: "$1,234.57|($1,234.57)|$0.00", 9: "123457%|-123457%|0%", 10: "123456.70%|-123456.70%|0.00%", 11: "1.23E+03|-1.23E+03|0.00E+00", 12: "1234 4/7|-1234 4/7|0", 13: "1234 55/97|-1234 55/97|0",
		14: "5/18/1903|-1234.567|1/0/1900", 15: "18-May-03|-1234.567|0-Jan-00", 16: "18-May|-1234.567|0-Jan", 17: "May-03|-1234.567|Jan-00", 18: "1:36 PM|-1234.567|12:00 AM", 19: "1:36:29 PM|-1234.567|12:00:00 AM", 20: "13:36|-1234.567|0:00", 21: "13:36:29|-1234.567|0:00:00", 22: "5/18/1903 13:36|-1234.567|1/0/1900 0:00",
		37: "1,235|(1,235)|0", 38: "1,235|(1,235)|0", 39: "1,234.57|(1,234.57)|0.00", 40: "1,234.57|(1,234.57)|0.00", 41: "1,235|(1,235)|-", 43: "1,234.57|(1,234.57)|-", 44: "$1,234.57|$(1,234.57)|$-",
		45: "36:29|-1234.567|00:00", 46: "29629:36:29|-29629:36:29|0:00:00", 47: "36:28.8|-1234.567|00:00.0", 48: "1.2E+3|-1.2E+3|0.0E+0", 49: "1234.567|-1234.567|0",
	} {
		f := numfmt.Parse(BuiltinFormats[id])
		shown := fmt.Sprintf("%s|%s|%s", f.Number(1234.567, false), f.Number(-1234.567, false), f.Number(0, false))
		assert.Equal(t, want, shown, "%d: %s", id, BuiltinFormats[id])
	}
}
