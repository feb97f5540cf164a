package docx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/ooxml/xmlscan"
)

// propsOf reads properties that are written in XML.
func propsOf(t testing.TB, table map[string]wording, content string) propSet {
	t.Helper()
	sc := xmlscan.New([]byte(`<w:pr xmlns:w="` + nsW + `"` + xmlnsR + `>` + content + `</w:pr>`))
	require.True(t, sc.Next())
	e := readElement(sc)
	require.NoError(t, sc.Err())
	w := &describer{
		style: func(id string) string { return "“" + id + "”" },
		list:  func(num, level string) string { return "list " + num + " at " + level },
		part:  func(rel string) string { return "part " + rel },
	}
	return w.props(e, table, func(id string) string { return id })
}

// Every property that has words says them as a person reads them.
func TestPropertiesInWords(t *testing.T) {
	for _, c := range []struct {
		of    string
		table map[string]wording
		rows  [][2]string
	}{
		{"runs", runWords, [][2]string{
			{`<w:b/>`, "bold"},
			{`<w:b w:val="1"/>`, "bold"},
			{`<w:b w:val="0"/>`, "no bold"},
			{`<w:b w:val="false"/><w:bCs w:val="off"/>`, "no bold"},
			{`<w:i/><w:iCs/>`, "italic"},
			{`<w:iCs/>`, "italic of complex scripts"},
			{`<w:rStyle w:val="Strong"/>`, "character style “Strong”"},
			{`<w:rFonts w:ascii="Arial" w:hAnsi="Arial"/>`, "font Arial"},
			{`<w:rFonts w:ascii="Arial" w:hAnsi="Calibri" w:eastAsia="MS Mincho" w:cs="Arial"/>`, "font Arial / Calibri / MS Mincho"},
			{`<w:rFonts w:asciiTheme="minorHAnsi" w:hAnsiTheme="minorHAnsi" w:cstheme="minorBidi"/>`, "font theme font minorHAnsi / theme font minorBidi"},
			{`<w:rFonts w:hint="eastAsia"/>`, "font hint eastAsia"},
			{`<w:caps/><w:smallCaps w:val="0"/>`, "capitals, no small capitals"},
			{`<w:strike/><w:dstrike/>`, "double strikethrough, strikethrough"},
			{`<w:color w:val="ff0000"/>`, "font colour red"},
			{`<w:color w:val="auto"/>`, "font colour automatic"},
			{`<w:color w:val="123ABC"/>`, "font colour 123ABC"},
			{`<w:color w:val="000000" w:themeColor="accent1" w:themeTint="99"/>`, "font colour theme colour accent1 tint 99"},
			{`<w:color w:val="000000" w:themeColor="text2" w:themeShade="BF"/>`, "font colour theme colour text2 shade BF"},
			{`<w:sz w:val="21"/><w:szCs w:val="21"/>`, "font size 10.5 pt"},
			{`<w:sz w:val="20"/><w:szCs w:val="24"/>`, "font size 10 pt, font size of complex scripts 12 pt"},
			{`<w:spacing w:val="-15"/>`, "character spacing -0.75 pt"},
			{`<w:w w:val="150"/>`, "character width 150 %"},
			{`<w:kern w:val="28"/><w:position w:val="-6"/>`, "kerning from 14 pt, raised by -3 pt"},
			{`<w:highlight w:val="darkYellow"/>`, "highlight dark yellow"},
			{`<w:u w:val="single"/>`, "underline"},
			{`<w:u w:val="dotDash" w:color="FF0000"/>`, "underline dot dash red"},
			{`<w:u w:val="none"/>`, "underline none"},
			{`<w:bdr w:val="single" w:sz="4" w:color="0000FF"/>`, "text border single 0.5 pt blue"},
			{`<w:bdr w:val="nil"/>`, "text border none"},
			{`<w:shd w:val="clear" w:color="auto" w:fill="FFFF00"/>`, "text shading yellow"},
			{`<w:shd w:val="pct25" w:color="000000" w:fill="FFFFFF"/>`, "text shading white pattern pct25 black"},
			{`<w:shd w:val="clear" w:fill="auto" w:themeFill="accent2"/>`, "text shading theme colour accent2"},
			{`<w:vertAlign w:val="superscript"/>`, "super- or subscript superscript"},
			{`<w:lang w:val="en-GB" w:eastAsia="ja-JP" w:bidi="ar-SA"/>`, "language en-GB / ja-JP / ar-SA"},
			{`<w:vanish/>`, "hidden text"},
			{`<w:futureLook w:val="veryNew" w:size="3"/>`, "future look very new, size 3"},
			{`<w:rPrChange w:author="A"><w:rPr><w:b/></w:rPr></w:rPrChange><w:ins w:author="A"/>`, ""},
		}},
		{"paragraphs", paraWords, [][2]string{
			{`<w:pStyle w:val="Quote"/>`, "style “Quote”"},
			{`<w:keepNext/><w:keepLines w:val="0"/><w:pageBreakBefore/>`, "no keep lines together, keep with next, page break before"},
			{`<w:jc w:val="both"/>`, "alignment justified"},
			{`<w:jc w:val="start"/>`, "alignment left"},
			{`<w:jc w:val="center"/>`, "alignment centred"},
			{`<w:jc w:val="thaiDistribute"/>`, "alignment thaiDistribute"},
			{`<w:spacing w:before="120" w:after="60" w:line="360" w:lineRule="auto"/>`, "spacing before 6 pt, after 3 pt, lines 1.5"},
			{`<w:spacing w:line="276"/>`, "spacing lines 1.15"},
			{`<w:spacing w:line="240" w:lineRule="exact"/>`, "spacing lines exactly 12 pt"},
			{`<w:spacing w:line="300" w:lineRule="atLeast"/>`, "spacing lines at least 15 pt"},
			{`<w:spacing w:before="100" w:beforeLines="150"/>`, "spacing before 1.5 lines"},
			{`<w:spacing w:beforeAutospacing="1"/>`, "spacing before autospacing 1"},
			{`<w:ind w:left="720" w:hanging="360"/>`, "indent left 1.27 cm, hanging 0.64 cm"},
			{`<w:ind w:start="567" w:end="567" w:firstLine="284"/>`, "indent left 1 cm, right 1 cm, first line 0.5 cm"},
			{`<w:ind w:leftChars="100"/>`, "indent left chars 100"},
			{`<w:numPr><w:ilvl w:val="2"/><w:numId w:val="7"/></w:numPr>`, "list list 7 at 2"},
			{`<w:numPr><w:numId w:val="7"/></w:numPr>`, "list list 7 at 0"},
			{`<w:outlineLvl w:val="0"/>`, "outline level 1"},
			{`<w:outlineLvl w:val="9"/>`, "outline level body text"},
			{`<w:pBdr><w:top w:val="single" w:sz="8"/><w:bottom w:val="single" w:sz="8"/><w:left w:val="none"/></w:pBdr>`, "border top and bottom single 1 pt, left none"},
			{`<w:tabs><w:tab w:val="right" w:pos="567" w:leader="dot"/><w:tab w:val="clear" w:pos="1134" w:leader="none"/></w:tabs>`, "tab stops right 1 cm dot, clear 2 cm"},
			{`<w:bidi/><w:contextualSpacing/>`, "right to left, no spacing within the style"},
			{`<w:widowControl w:val="0"/>`, "no widow control"},
		}},
		{"tables", tableWords, [][2]string{
			{`<w:tblW w:w="0" w:type="auto"/>`, "width automatic"},
			{`<w:tblW w:w="2500" w:type="pct"/>`, "width 50 %"},
			{`<w:tblW w:w="50%" w:type="pct"/>`, "width 50 %"},
			{`<w:tblW w:w="5670" w:type="dxa"/>`, "width 10 cm"},
			{`<w:tblInd w:w="-284" w:type="dxa"/>`, "indent -0.5 cm"},
			{`<w:tblLayout w:type="fixed"/>`, "layout fixed"},
			{`<w:tblCellMar><w:top w:w="57" w:type="dxa"/><w:start w:w="113" w:type="dxa"/><w:end w:w="113" w:type="dxa"/></w:tblCellMar>`, "cell margins top 0.1 cm, left and right 0.2 cm"},
			{`<w:tblBorders><w:insideH w:val="dotted" w:sz="4" w:color="auto"/><w:insideV w:val="nil"/></w:tblBorders>`, "borders between rows dotted 0.5 pt, between columns none"},
			{`<w:tblLook w:val="04A0"/>`, "styled parts: first row, first column, bands of rows"},
			{`<w:tblLook w:val="0660"/>`, "styled parts: first row, last row"},
			{`<w:tblLook w:val="0000" w:firstRow="1" w:lastRow="0" w:lastColumn="true" w:noHBand="0" w:noVBand="1"/>`, "styled parts: first row, last column, bands of rows"},
			{`<w:tblGrid><w:gridCol w:w="567"/><w:gridCol w:w="1134"/></w:tblGrid>`, "column widths 1 cm, 2 cm"},
			{`<w:tblGrid>` + strings.Repeat(`<w:gridCol w:w="567"/>`, 22) + `</w:tblGrid>`, "column widths " + strings.Repeat("1 cm, ", 20) + "and 2 more"},
			{`<w:trHeight w:val="567" w:hRule="exact"/>`, "row height exactly 1 cm"},
			{`<w:trHeight w:val="567"/><w:cantSplit/>`, "not split over pages, row height 1 cm"},
			{`<w:gridSpan w:val="3"/>`, "merged over columns: 3"},
			{`<w:vMerge w:val="restart"/>`, "merged with the cells below"},
			{`<w:vMerge/>`, "merged with the cell above"},
			{`<w:hMerge w:val="restart"/>`, "merged with the cells to the right"},
			{`<w:hMerge w:val="continue"/>`, "merged with the cell to the left"},
			{`<w:tblCaption w:val="prices of 2024"/>`, "title prices of 2024"},
			{`<w:cnfStyle w:val="100000000000"/>`, "place in the table style 100000000000"},
		}},
		{"sections", sectionWords, [][2]string{
			{`<w:pgSz w:w="11906" w:h="16838"/>`, "page 21 cm × 29.7 cm"},
			{`<w:pgSz w:w="15840" w:h="12240" w:orient="landscape"/>`, "page 27.94 cm × 21.59 cm, landscape"},
			{`<w:pgMar w:top="1440" w:right="720" w:bottom="1440" w:left="720" w:header="708" w:footer="708" w:gutter="0"/>`, "margins top 2.54 cm, right 1.27 cm, bottom 2.54 cm, left 1.27 cm, header 1.25 cm, footer 1.25 cm"},
			{`<w:pgMar w:gutter="567"/>`, "margins gutter 1 cm"},
			{`<w:cols w:num="2" w:space="567" w:sep="1"/>`, "columns 2, 1 cm apart, with a line between"},
			{`<w:cols w:space="708"/>`, "columns 1, 1.25 cm apart"},
			{`<w:type w:val="oddPage"/><w:titlePg/>`, "different first page, begins at odd page"},
			{`<w:headerReference w:type="default" r:id="rId7"/>`, "header (part rId7)"},
			{`<w:headerReference w:type="first" r:id="rId8"/><w:footerReference w:type="even" r:id="rId9"/>`, "even pages' footer (part rId9), first page header (part rId8)"},
			{`<w:pgNumType w:start="5" w:fmt="lowerRoman"/>`, "page numbers start 5, fmt lowerRoman"},
			{`<w:footnotePr><w:pos w:val="beneathText"/><w:numStart w:val="3"/></w:footnotePr>`, "footnote numbering pos beneath text, num start 3"},
		}},
		{"settings", settingWords, [][2]string{
			{`<w:zoom w:percent="110"/>`, "zoom 110 %"},
			{`<w:zoom w:percent="110%"/>`, "zoom 110 %"},
			{`<w:defaultTabStop w:val="708"/>`, "tab stops every 1.25 cm"},
			{`<w:trackRevisions/>`, "track changes"},
			{`<w:autoHyphenation w:val="0"/>`, "no automatic hyphenation"},
			{`<w:decimalSymbol w:val=","/>`, "decimal sign ,"},
		}},
	} {
		for _, row := range c.rows {
			require.Equal(t, row[1], propsOf(t, c.table, row[0]).String(), "%s: %s", c.of, row[0])
		}
	}
}

// A change of a property says what came of it; the two ways in which programs
// write one are the same.
func TestPropertyChangesInWords(t *testing.T) {
	for _, c := range []struct {
		table    map[string]wording
		old, now string
		want     []string // notes
	}{
		{runWords, ``, `<w:b/>`, []string{"bold added"}},
		{runWords, `<w:b/>`, ``, []string{"bold removed"}},
		{runWords, `<w:b/>`, `<w:b w:val="0"/>`, []string{"bold switched off"}},
		{runWords, `<w:b w:val="0"/>`, `<w:b/>`, []string{"bold switched on"}},
		{runWords, ``, `<w:b w:val="0"/>`, []string{"bold switched off"}},
		{runWords, `<w:b w:val="0"/>`, ``, []string{"bold no longer switched off"}},
		{runWords, `<w:b/>`, `<w:b w:val="true"/>`, nil},
		{runWords, `<w:b/><w:bCs/>`, ``, []string{"bold removed"}},
		{runWords, ``, `<w:bCs/>`, []string{"bold of complex scripts added"}},
		{runWords, `<w:sz w:val="20"/><w:szCs w:val="20"/>`, `<w:sz w:val="28"/><w:szCs w:val="28"/>`, []string{"font size 10 pt → 14 pt"}},
		{runWords, `<w:sz w:val="20"/><w:szCs w:val="20"/>`, `<w:sz w:val="28"/><w:szCs w:val="20"/>`, []string{"font size 10 pt → 14 pt"}},
		{runWords, ``, `<w:color w:val="C00000"/>`, []string{"font colour → C00000"}},
		{runWords, `<w:color w:val="C00000"/>`, ``, []string{"font colour C00000 removed"}},
		{runWords, `<w:highlight w:val="red"/><w:i/>`, `<w:highlight w:val="red"/>`, []string{"italic removed"}},
		{runWords, `<w:shd w:val="clear" w:color="auto" w:fill="FF0000"/>`, `<w:shd w:val="clear" w:color="000000" w:fill="FF0000"/>`, []string{"text shading red (in its details)"}},
		{paraWords, `<w:ind w:left="567"/>`, `<w:ind w:left="1134"/>`, []string{"indent left 1 cm → left 2 cm"}},
		{paraWords, `<w:jc w:val="left"/><w:keepNext/>`, `<w:jc w:val="right"/><w:keepLines/>`, []string{"alignment left → right", "keep lines together added", "keep with next removed"}},
		{tableWords, `<w:vMerge w:val="restart"/>`, `<w:vMerge/>`, []string{"merged with the cells below → with the cell above"}},
		{sectionWords, `<w:type w:val="nextPage"/>`, `<w:type w:val="continuous"/>`, []string{"begins at next page → continuous"}},
	} {
		var notes []string
		for _, ch := range propsOf(t, c.table, c.old).changesTo(propsOf(t, c.table, c.now)) {
			notes = append(notes, ch.note)
		}
		require.Equal(t, c.want, notes, "%s → %s", c.old, c.now)
	}
}

// Attributes that programs write for themselves are no change.
func TestPropertiesWithoutWords(t *testing.T) {
	same := func(a, b string) {
		require.Empty(t, propsOf(t, paraWords, a).changesTo(propsOf(t, paraWords, b)), "%s and %s", a, b)
	}
	same(`<w:jc w:val="left"/>`, `<w:jc w:val="left" w:rsidR="00AA"/>`)
	same(`<w:ind w:left="1" w:right="2"/>`, `<w:ind w:right="2" w:left="1"/>`)
	same(`<w:keepNext/><w:jc w:val="left"/>`, `<w:jc w:val="left"/><w:keepNext/>`)
	same(`<w:rPr><w:b/></w:rPr>`, ``)
}

// Every format of numbers has a row, counted by hand (17.18.59).
func TestEveryNumberFormat(t *testing.T) {
	rows := map[string]map[int]string{
		"decimalZero":                {1: "01", 9: "09", 10: "10", 123: "123"},
		"lowerLetter":                {1: "a", 26: "z", 27: "aa", 53: "aaa", 0: ""},
		"upperLetter":                {1: "A", 28: "BB"},
		"russianLower":               {1: "а", 7: "ж", 29: "я", 30: "аа"},
		"russianUpper":               {2: "Б", 29: "Я"},
		"chicago":                    {1: "*", 2: "†", 4: "§", 5: "**", 8: "§§"},
		"lowerRoman":                 {1: "i", 4: "iv", 9: "ix", 14: "xiv", 40: "xl", 1999: "mcmxcix"},
		"upperRoman":                 {8: "VIII", 90: "XC", 400: "CD", 2026: "MMXXVI", 40000: "#40000"},
		"ordinal":                    {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 102: "102nd", 111: "111th"},
		"hex":                        {10: "A", 255: "FF"},
		"numberInDash":               {5: "- 5 -"},
		"decimalEnclosedParen":       {5: "(5)"},
		"decimalEnclosedFullstop":    {5: "5."},
		"decimalEnclosedCircle":      {1: "①", 20: "⑳", 21: "21", 0: "0"},
		"decimalFullWidth":           {105: "１０５"},
		"decimalHalfWidth":           {105: "105"},
		"ideographDigital":           {105: "一〇五"},
		"japaneseDigitalTenThousand": {105: "一〇五"},
		"chineseCounting":            {1: "一", 10: "十", 11: "十一", 20: "二十", 35: "三十五", 99: "九十九", 100: "一〇〇"},
		"chineseCountingThousand":    {12: "十二"},
		"japaneseCounting":           {30: "三十"},
		"taiwaneseCounting":          {19: "十九"},
		"ideographTraditional":       {1: "甲", 10: "癸", 11: "甲甲"},
		"ideographZodiac":            {1: "子", 12: "亥"},
		"ganada":                     {1: "가", 14: "하"},
		"aiueoFullWidth":             {1: "ア", 5: "オ", 46: "ン"},
		"irohaFullWidth":             {1: "イ", 2: "ロ", 47: "ス"},
		"arabicAbjad":                {1: "أ", 2: "ب", 28: "غ"},
		"arabicAlpha":                {1: "أ", 28: "ي", 29: "أأ"},
	}
	for name, write := range numberFormats {
		require.Contains(t, rows, name, "a format without a row")
		for n, want := range rows[name] {
			require.Equal(t, want, write(n), "%s %d", name, n)
		}
	}
	level := listLevel{format: "custom", pattern: "001, 002, 003, ..."}
	require.Equal(t, "007", level.number(7, false))
	require.Equal(t, "7", level.number(7, true), "all numbers of the label are decimal")
	require.Equal(t, "#7", (&listLevel{format: "hindiVowels"}).number(7, false))
	require.Equal(t, "", (&listLevel{format: "none"}).number(7, false))
	require.Equal(t, "7", (&listLevel{}).number(7, false))
}

// Roman numerals read back are the number, for all that Word counts.
func TestRomanNumerals(t *testing.T) {
	value := map[byte]int{'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100, 'D': 500, 'M': 1000}
	seen := map[string]bool{}
	for n := 1; n <= 4000; n++ {
		s := roman(n)
		require.False(t, seen[s], s)
		seen[s] = true
		sum := 0
		for i := range len(s) {
			if i+1 < len(s) && value[s[i]] < value[s[i+1]] {
				sum -= value[s[i]]
			} else {
				sum += value[s[i]]
			}
		}
		require.Equal(t, n, sum, s)
		require.NotRegexp(t, "IIII|XXXX|CCCC|VV|LL|DD", s)
	}
}
