package book_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/xlsxtest"
)

const (
	stylesPart = "xl/styles.xml"
	themePart  = "xl/theme/theme1.xml"
)

func TestStylesOfAWorkbook(t *testing.T) {
	ctx := context.Background()
	st, err := open(t, xlsxtest.Raw(t, nil, "<sheetData/>")).Styles(ctx)
	require.NoError(t, err)
	require.True(t, st.Format(0).General)
	require.True(t, st.Format(5).General)
	require.False(t, st.Date1904)

	main := xlsxtest.Book(`<workbookPr date1904="1"/><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets>`)
	st, err = open(t, xlsxtest.Raw(t, map[string]string{stylesPart: xlsxtest.Styles("0.0"), xlsxtest.Main: main}, "<sheetData/>")).Styles(ctx)
	require.NoError(t, err)
	require.True(t, st.Date1904)
	require.Equal(t, "2.5", st.Format(1).Number(2.46, true))
	st, err = open(t, xlsxtest.Raw(t, map[string]string{xlsxtest.Main: main}, "<sheetData/>")).Styles(ctx)
	require.NoError(t, err)
	require.True(t, st.Date1904, "without a style part too")

	damaged := open(t, xlsxtest.Raw(t, map[string]string{stylesPart: "<styleSheet><fonts>"}, "<sheetData/>"))
	_, err = damaged.Styles(ctx)
	require.ErrorContains(t, err, stylesPart+": ")
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	_, err = damaged.Display(ctx)
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	_, err = damaged.ForeignStyles(ctx, damaged)
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
}

// The colours of a theme come with formats that are taken into a workbook with
// another theme (18.8.3, 20.1.6.2).
func TestThemeColorsOfForeignStyles(t *testing.T) {
	themed := func(scheme string) map[string]string {
		return map[string]string{stylesPart: xlsxtest.Styles(), bookRels: xlsxtest.Rels("worksheet worksheets/sheet1.xml", "styles styles.xml", "theme theme/theme1.xml"),
			themePart: `<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:themeElements>` + scheme + `</a:themeElements></a:theme>`}
	}
	red := `<a:accent4><a:srgbClr val="654321"/></a:accent4><a:clrScheme name="x"><a:dk1><a:sysClr val="windowText" lastClr="010203"/></a:dk1><a:lt1><a:srgbClr val="fefefe"/></a:lt1><a:accent1><a:srgbClr val="ff0000"/></a:accent1><a:accent2><a:srgbClr val="short"/></a:accent2></a:clrScheme><a:fmtScheme><a:accent3><a:srgbClr val="123456"/></a:accent3></a:fmtScheme><a:srgbClr val="777777"/>`
	office := open(t, xlsxtest.Raw(t, nil, "<sheetData/>"))
	own := open(t, xlsxtest.Raw(t, themed(red), "<sheetData/>"))
	f, err := own.ForeignStyles(context.Background(), office)
	require.NoError(t, err)
	require.Equal(t, []string{"FEFEFE", "010203", "E7E6E6", "44546A", "FF0000", "ED7D31", "A5A5A5", "FFC000", "4472C4", "70AD47", "0563C1", "954F72"}, f.Colors)
	f, err = office.ForeignStyles(context.Background(), own)
	require.NoError(t, err)
	require.Equal(t, []string{"FFFFFF", "000000", "E7E6E6", "44546A", "5B9BD5", "ED7D31", "A5A5A5", "FFC000", "4472C4", "70AD47", "0563C1", "954F72"}, f.Colors, "those of Office")
	f, err = own.ForeignStyles(context.Background(), open(t, xlsxtest.Raw(t, themed(red), "<row/>")))
	require.NoError(t, err)
	require.Empty(t, f.Colors, "the same theme")
	_, err = office.ForeignStyles(context.Background(), open(t, xlsxtest.Raw(t, themed("<a:clrScheme>"), "<sheetData/>")))
	require.ErrorContains(t, err, themePart+": ")
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
}
