package diff_test

import (
	"testing"

	"atelier/formats/xlsx/internal/xlsxtest"
)

// lookBook is a workbook whose cell A1 has a format of the given records.
func lookBook(t testing.TB, font, fill, border, xf string) []byte {
	if font == "" {
		font = "<font/>"
	}
	if fill == "" {
		fill = "<fill/>"
	}
	if border == "" {
		border = "<border/>"
	}
	if xf == "" {
		xf = "<xf"
	}
	styles := `<numFmts count="1"><numFmt numFmtId="170" formatCode="0.0&quot; kg&quot;"/></numFmts><fonts count="2"><font/>` + font + `</fonts><fills count="2"><fill/>` + fill + `</fills><borders count="2"><border/>` + border + `</borders>` +
		`<cellStyleXfs count="2"><xf/><xf/></cellStyleXfs><cellXfs count="2"><xf/>` + xf
	if xf[len(xf)-1] != '>' {
		styles += ` fontId="1" fillId="1" borderId="1"/>`
	}
	return xlsxtest.Raw(t, map[string]string{"xl/styles.xml": xlsxtest.StyleSheet(styles + `</cellXfs><cellStyles count="2"><cellStyle name="Normal" xfId="0"/><cellStyle name="Good" xfId="1"/></cellStyles>`)},
		`<sheetData><row r="1"><c r="A1" s="1"><v>1</v></c></row></sheetData>`)
}

// Each property of a cell format is told in words (18.8.45).
func TestFormatsInWords(t *testing.T) {
	plain := lookBook(t, "", "", "", "")
	var tests []planted
	for _, c := range []struct{ font, fill, border, xf, was, now string }{
		{xf: `<xf numFmtId="170"`, was: "number format General", now: `number format 0.0" kg"`},
		{xf: `<xf numFmtId="14"`, was: "number format General", now: "number format m/d/yyyy"},
		{xf: `<xf numFmtId="163"`, was: "number format General", now: "number format number 163"},
		{xf: `<xf xfId="1"`, was: "cell style Normal", now: "cell style Good"},
		{font: `<font><name val="Arial"/><sz val="14"/></font>`, was: "font default, size default", now: "font Arial, size 14"},
		{font: `<font><b/><i val="1"/><strike/><u/></font>`, was: "not bold, not italic, not underline, not strikethrough", now: "bold, italic, underline, strikethrough"},
		{font: `<font><u val="double"/><vertAlign val="superscript"/></font>`, was: "not underline, no raised or lowered", now: "underline double, raised or lowered superscript"},
		{font: `<font><color rgb="FFFF0000"/></font>`, was: "font colour automatic", now: "font colour red"},
		{font: `<font><color rgb="FF12ab34"/></font>`, was: "font colour automatic", now: "font colour 12AB34"},
		{font: `<font><color theme="4" tint="0.3999"/></font>`, was: "font colour automatic", now: "font colour accent 1 40% lighter"},
		{font: `<font><color theme="0" tint="-0.25"/></font>`, was: "font colour automatic", now: "font colour white (background 1) 25% darker"},
		{font: `<font><color theme="12"/></font>`, was: "font colour automatic", now: "font colour theme colour 12"},
		{font: `<font><color indexed="12"/></font>`, was: "font colour automatic", now: "font colour blue"},
		{font: `<font><color indexed="40"/></font>`, was: "font colour automatic", now: "font colour colour 40"},
		{font: `<font><scheme val="minor"/></font>`, was: "cell format", now: "cell format (in its details)"},
		{fill: `<fill><patternFill patternType="solid"><fgColor rgb="FFFFFF00"/><bgColor indexed="64"/></patternFill></fill>`, was: "fill none", now: "fill yellow"},
		{fill: `<fill><patternFill patternType="gray125"/></fill>`, was: "fill none", now: "fill pattern gray125"},
		{fill: `<fill><gradientFill degree="90"><stop position="0"><color theme="0"/></stop></gradientFill></fill>`, was: "fill none", now: "fill gradient"},
		{border: `<border><left style="thin"><color rgb="FF0000FF"/></left><right style="none"/><top style="thick"><color auto="1"/></top></border>`, was: "no left border, no top border", now: "left border thin blue, top border thick"},
		{border: `<border diagonalUp="1"><diagonal style="dashed"/></border>`, was: "no diagonal border", now: "diagonal border dashed"},
		{border: `<border><end style="thin"/><bottom style="double"/></border>`, was: "no right border, no bottom border", now: "right border thin, bottom border double"},
		{xf: `<xf fontId="1" fillId="1" borderId="1"><alignment horizontal="center" vertical="top" wrapText="1" indent="2" textRotation="90" shrinkToFit="1"/></xf>`,
			was: "alignment general, vertical alignment bottom, not wrapped text, no indent, no rotation, not shrink to fit", now: "alignment center, vertical alignment top, wrapped text, indent 2, rotation 90, shrink to fit"},
		{xf: `<xf fontId="1" fillId="1" borderId="1"><alignment readingOrder="2"/></xf>`, was: "cell format", now: "cell format (in its details)"},
		{xf: `<xf fontId="1" fillId="1" borderId="1"><protection locked="0" hidden="1"/></xf>`, was: "locked, not hidden formula", now: "unlocked, hidden formula"},
		{xf: `<xf quotePrefix="1"`, was: "cell format", now: "cell format (in its details)"},
	} {
		tests = append(tests, planted{c.now, plain, lookBook(t, c.font, c.fill, c.border, c.xf), []string{"format changed S1!A1: " + c.was + " → " + c.now}})
	}
	runPlanted(t, tests)
}

// Formats that are the same in other words are no change.
func TestFormatsThatAreTheSame(t *testing.T) {
	plain := lookBook(t, "", "", "", "")
	for _, b := range [][]byte{
		lookBook(t, `<font><b val="0"/><u val="none"/><vertAlign val="baseline"/></font>`, "", "", ""),
		lookBook(t, "", `<fill><patternFill patternType="none"/></fill>`, `<border><left/><right style="none"/></border>`, `<xf numFmtId="0" applyFont="1"`),
		lookBook(t, "", "", "", `<xf fontId="1" fillId="1" borderId="1"><alignment horizontal="general" vertical="bottom" wrapText="0" indent="0"/><protection locked="1"/></xf>`),
	} {
		if got := told(compare(t, plain, b)); len(got) > 0 {
			t.Errorf("%q", got)
		}
	}
}

// A format that hides what a cell holds is warned of.
func TestFormatsThatHide(t *testing.T) {
	plain := lookBook(t, "", "", "", "")
	var tests []planted
	for _, c := range []struct{ font, fill, was, now, how string }{
		{`<font><color rgb="FFFFFFFF"/></font>`, "", "font colour automatic", "font colour white", "text is white on white"},
		{`<font><color theme="0"/></font>`, "", "font colour automatic", "font colour white (background 1)", "text is white on white"},
		{`<font><color theme="0" tint="-0.05"/></font>`, "", "font colour automatic", "font colour white (background 1) 5% darker", "text is white on white"},
		{"", `<fill><patternFill patternType="solid"><fgColor rgb="FF000000"/></patternFill></fill>`, "fill none", "fill black", "text is black on black"},
		{`<font><sz val="1"/></font>`, "", "size default", "size 1", "text of size 1"},
	} {
		tests = append(tests, planted{c.how, plain, lookBook(t, c.font, c.fill, "", ""), []string{"format changed S1!A1: " + c.was + " → " + c.now + " ⚠ S1!A1: values can no longer be seen: " + c.how}})
	}
	tests = append(tests, planted{"a new text that cannot be seen", lookBook(t, `<font><color rgb="FFFFFFFF"/></font>`, "", "", ""),
		xlsxtest.Edited(t, lookBook(t, `<font><color rgb="FFFFFFFF"/></font>`, "", "", ""), xlsxtest.Sheet1, func(string) string {
			return xlsxtest.Worksheet(`<sheetData><row r="1"><c r="A1" s="1"><v>1</v></c></row><row r="2"><c r="A2" s="1" t="str"><v>secret</v></c></row></sheetData>`)
		}),
		[]string{"S1!row 2 added:  → secret", "format changed S1!A2: font colour automatic → font colour white ⚠ S1!A2: values can no longer be seen: text is white on white"}})
	runPlanted(t, tests)
}
