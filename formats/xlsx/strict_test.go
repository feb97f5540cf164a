package xlsx

import (
	"context"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
)

var officeURI = regexp.MustCompile(`http://schemas\.openxmlformats\.org/[^"]+`)

// strict gives a workbook in the strict flavour (ISO/IEC 29500-1, annex A).
func strict(t *testing.T, in []byte) []byte {
	t.Helper()
	pkg, err := opc.Open(t.Context(), src(in))
	require.NoError(t, err)
	ed := pkg.Edit()
	for name, b := range formatstest.Parts(t, in) {
		now := officeURI.ReplaceAllStringFunc(string(b), xmlscan.Strict)
		if strings.HasSuffix(name, "workbook.xml") {
			now = strings.Replace(now, "<workbook ", `<workbook conformance="strict" `, 1)
		}
		ed.Set(name, []byte(now))
	}
	var out strings.Builder
	require.NoError(t, ed.Write(context.Background(), &out))
	return []byte(out.String())
}

// everyObject has one operation of each kind on the sheet of sales.
func everyObject() string {
	return `[{"op":"set_style","sheet":"Sheet1","range":"A1:C1,E:E,9:9","style":` + fullStyle + `},{"op":"merge_cells","sheet":"Sheet1","range":"H1:I2"},{"op":"autofilter","sheet":"Sheet1","range":"L1:M9"},
	{"op":"set_hyperlink","sheet":"Sheet1","cell":"A9","url":"https://example.com/"},{"op":"set_column_widths","sheet":"Sheet1","columns":[{"column":"A","width":"auto"}]},
	{"op":"add_table","sheet":"Sheet1","range":"A1:C4"},{"op":"add_image","sheet":"Sheet1","cell":"A12","path":"p"},{"op":"add_chart","sheet":"Sheet1","cell":"E12","type":"bar","range":"A1:C4","title":"T"},
	{"op":"conditional_format","sheet":"Sheet1","range":"B2:B4","rule":` + everyRule[1] + `},{"op":"data_validation","sheet":"Sheet1","range":"D2:D4","type":"list","list":["a","b"]},
{"op":"copy_styles","source":"Sheet1!A1","sheet":"Sheet1","range":"F1"},
	{"op":"ensure_sheet","sheet":"New"},{"op":"add_image","sheet":"New","cell":"B2","path":"p"},{"op":"set_style","sheet":"New","range":"A1","style":{"font_bold":true}}]`
}

func TestObjectsInStrictWorkbooks(t *testing.T) {
	in := strict(t, sales(t))
	out, _, err := applyWith(t, in, map[string][]byte{"p": picture(t)}, everyObject())
	require.NoError(t, err)
	var odd []string
	for name, b := range formatstest.Parts(t, out) {
		for _, uri := range officeURI.FindAllString(string(b), -1) {
			if !strings.Contains(uri, "/package/2006/") && !strings.Contains(uri, "/markup-compatibility/") {
				odd = append(odd, name+": "+uri)
			}
		}
	}
	sort.Strings(odd)
	require.Empty(t, odd, "new parts use the strict names")
	valid(t, out, in)
	if !testing.Short() {
		formatstest.LibreOfficeOpens(t, formatstest.Write(t, "strict.xlsx", out))
	}
}

// TestX25CommentsInStrictWorkbooks: the strict schema knows no box of a comment
// in a sheet, plain or as a choice, so a first one is refused; where a program
// has put one, further comments join it and the last one takes it along.
func TestX25CommentsInStrictWorkbooks(t *testing.T) {
	in := strict(t, sales(t))
	_, _, err := tryApply(t, in, `[{"op":"add_comment","sheet":"Sheet1","cell":"B2","text":"x"}]`)
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))

	plain, _ := apply(t, sales(t), `[{"op":"add_comment","sheet":"Sheet1","cell":"B2","text":"look here","author":"Ana"}]`)
	element := regexp.MustCompile(`<legacyDrawing [^>]*/>`)
	for name, noted := range map[string][]byte{
		"plain": strict(t, plain),
		"choice": strict(t, edited(t, plain, sheet1, func(s string) string {
			return element.ReplaceAllString(s, `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice xmlns:v="urn:schemas-microsoft-com:vml" Requires="v">$0</mc:Choice></mc:AlternateContent>`)
		})),
	} {
		require.Contains(t, formatstest.ValidateErrors(t, formatstest.Write(t, "noted.xlsx", noted), ""), "legacyDrawing': This element is not expected", name)
		out, _ := apply(t, noted, `[{"op":"add_comment","sheet":"Sheet1","cell":"C3","text":"and here"}]`)
		require.Contains(t, read(t, out, formats.Selector{Include: []string{formats.IncludeAll}}), "and here", name)
		require.Equal(t, 2, strings.Count(part(t, out, "xl/drawings/vmlDrawing1.vml"), "<v:shape "), name)
		require.NotContains(t, formatstest.Parts(t, out), "xl/drawings/vmlDrawing2.vml", name)
		valid(t, out, noted)
		back, _ := apply(t, out, `[{"op":"delete_comment","sheet":"Sheet1","cell":"B2"},{"op":"delete_comment","sheet":"Sheet1","cell":"C3"}]`)
		require.Equal(t, part(t, in, sheet1), part(t, back, sheet1), name)
	}
}

// TestX25ObjectsAreUndone: what an operation adds its inverse takes away again.
func TestX25ObjectsAreUndone(t *testing.T) {
	in := sales(t)
	for do, undo := range map[string]string{
		`{"op":"merge_cells","sheet":"Sheet1","range":"H1:I2"}`:                                      `{"op":"unmerge_cells","sheet":"Sheet1","range":"H1:I2"}`,
		`{"op":"data_validation","sheet":"Sheet1","range":"H1:I2","type":"list","list":["a"]}`:       `{"op":"data_validation","sheet":"Sheet1","range":"H1:I2","remove":true}`,
		`{"op":"conditional_format","sheet":"Sheet1","range":"H1:I2","rule":{"type":"color_scale"}}`: `{"op":"conditional_format","sheet":"Sheet1","range":"H1:I2","remove":true}`,
	} {
		out, _ := apply(t, in, "["+do+"]")
		back, _ := apply(t, out, "["+undo+"]")
		formatstest.SameParts(t, in, back)
	}
	out, _ := apply(t, in, `[{"op":"autofilter","sheet":"Sheet1","range":"A1:C4"}]`)
	back, _ := apply(t, out, `[{"op":"autofilter","sheet":"Sheet1","remove":true}]`)
	formatstest.SameParts(t, in, back, "xl/workbook.xml")
}
