package docx

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// sdt is a content control with properties and content.
func sdt(props, content string) string {
	return "<w:sdt><w:sdtPr>" + props + "</w:sdtPr><w:sdtContent>" + content + "</w:sdtContent></w:sdt>"
}

const nsW14 = "http://schemas.microsoft.com/office/word/2010/wordml"

// form is a document with a control of each kind, and legacy fields.
func form(t testing.TB) formats.Source {
	placeholder := wrp(`<w:color w:val="808080"/>`, "Click here")
	legacy := func(data, instr, result string) string {
		out := wrx("", `<w:fldChar w:fldCharType="begin"><w:ffData>`+data+`</w:ffData></w:fldChar>`) + wrx("", `<w:instrText xml:space="preserve"> `+instr+` </w:instrText>`)
		if result != "" {
			out += wrx("", `<w:fldChar w:fldCharType="separate"/>`) + wrp(italic, result)
		}
		return out + wrx("", `<w:fldChar w:fldCharType="end"/>`)
	}
	return changedParts(t, withBody(t, wp(wr("Name: "), sdt(`<w:rPr><w:b/></w:rPr><w:alias w:val="Full name"/><w:tag w:val="name"/><w:showingPlcHdr/><w:text/>`, placeholder), wr("."))+
		sdt(`<w:tag w:val="address"/>`, wp(wppr(`<w:jc w:val="right"/>`), wr("old street"))+wp(wr("old town")))+
		wp(sdt(`<w:tag w:val="day"/><w:date><w:dateFormat w:val="d. MMMM yyyy"/><w:lid w:val="en-GB"/></w:date>`, wr("?")))+
		wp(sdt(`<w:tag w:val="colour"/><w:dropDownList><w:listItem w:displayText="Deep red" w:value="R"/><w:listItem w:displayText="Blue" w:value="B"/></w:dropDownList>`, wr("Blue")))+
		wp(sdt(`<w:tag w:val="agree"/><w14:checkbox><w14:checked w14:val="0"/><w14:checkedState w14:val="2612" w14:font="MS Gothic"/><w14:uncheckedState w14:val="2610" w14:font="MS Gothic"/></w14:checkbox>`, wr("☐")))+
		wp(legacy(`<w:name w:val="Text1"/><w:enabled/><w:textInput/>`, "FORMTEXT", "old"))+
		wp(legacy(`<w:name w:val="Check1"/><w:enabled/><w:checkBox><w:sizeAuto/><w:default w:val="0"/></w:checkBox>`, "FORMCHECKBOX", ""))+
		wp(legacy(`<w:name w:val="List1"/><w:enabled/><w:ddList><w:listEntry w:val="one"/><w:listEntry w:val="two"/></w:ddList>`, "FORMDROPDOWN", ""))), swap(t, blankMain, ` xmlns:mc="`, ` xmlns:w14="`+nsW14+`" mc:Ignorable="w14" xmlns:mc="`))
}

func formValues(t testing.TB, src formats.Source) map[string]string {
	t.Helper()
	m, err := Format().Mapper.Map(ctx, src, formats.MapOptions{})
	require.NoError(t, err)
	out := map[string]string{}
	for _, f := range m.(*Map).FormFields {
		out[f.Name] = f.Kind + " " + f.Value
		if f.Empty {
			out[f.Name] = f.Kind + " (empty)"
		}
	}
	return out
}

func TestFillFormField(t *testing.T) {
	src := form(t)
	require.Equal(t, map[string]string{"name": "text (empty)", "address": "text old streetold town", "day": "date ?", "colour": "dropdown Blue", "agree": "checkbox false", "Text1": "text old", "Check1": "checkbox false", "List1": "dropdown one"}, formValues(t, src))
	out, _ := edited(t, src, `{"op":"fill_form_field","name":"Full name","value":"Ana & Co"}`, `{"op":"fill_form_field","name":"address","value":"New 1\nTown"}`, `{"op":"fill_form_field","name":"day","value":"2026-01-31"}`,
		`{"op":"fill_form_field","name":"colour","value":"r"}`, `{"op":"fill_form_field","name":"agree","value":"true"}`, `{"op":"fill_form_field","name":"text1","value":"new"}`, `{"op":"fill_form_field","name":"Check1","value":"yes"}`, `{"op":"fill_form_field","name":"List1","value":"two"}`)
	good(t, out)
	require.Equal(t, map[string]string{"name": "text Ana & Co", "address": "text New 1Town", "day": "date 31. January 2026", "colour": "dropdown Deep red", "agree": "checkbox true", "Text1": "text new", "Check1": "checkbox true", "List1": "dropdown two"}, formValues(t, out))
	xml := mainXML(t, out)
	for _, want := range []string{`<w:r><w:rPr><w:b/></w:rPr><w:t>Ana &amp; Co</w:t></w:r>`, `<w:p><w:pPr><w:jc w:val="right"/></w:pPr>`, `<w:date w:fullDate="2026-01-31T00:00:00Z">`, `<w14:checked w14:val="1"/>`, "☒", `<w:result w:val="1"/>`, `<w:checked w:val="1"/>`, `<w:rPr><w:i/></w:rPr><w:t>new</w:t>`} {
		require.Contains(t, xml, want)
	}
	require.NotContains(t, xml, "showingPlcHdr")
	require.NotContains(t, xml, "old town")
	for in, want := range map[string]string{
		`"value":"x"`:                     "name and value",
		`"name":"no","value":"x"`:         `there is no form field "no"; there are name, address`,
		`"name":"colour","value":"Green"`: "takes one of: Deep red, Blue",
		`"name":"agree","value":"maybe"`:  "true or false",
		`"name":"day","value":"tomorrow"`: "2026-01-31",
	} {
		_, _, err := applyWith(t, src, options(t), `{"op":"fill_form_field",`+in+`}`)
		require.ErrorContains(t, err, want, in)
	}
	_, _, err := applyWith(t, sixLines(t), options(t), `{"op":"fill_form_field","name":"a","value":"x"}`)
	require.ErrorContains(t, err, "no form fields")
}

// The data that a control shows is changed with it, and the other controls that
// show it.
func TestFillBoundField(t *testing.T) {
	const store = "{11111111-2222-3333-4444-555555555555}"
	bind := func(path string) string {
		return `<w:dataBinding w:prefixMappings="xmlns:d='urn:d'" w:xpath="/d:deal[1]/d:` + path + `[1]" w:storeItemID="` + store + `"/>`
	}
	src := changedParts(t, withBody(t, wp(sdt(`<w:tag w:val="buyer"/>`+bind("buyer")+`<w:text/>`, wr("A")))+wp(sdt(bind("buyer")+`<w:text/>`, wr("A")))+wp(sdt(`<w:tag w:val="empty"/>`+bind("empty")+`<w:text/>`, wr("?")))), func(p map[string]string) {
		p["customXml/item1.xml"] = `<deal xmlns="urn:d"><buyer>A</buyer><empty/></deal>`
		p["customXml/itemProps1.xml"] = `<ds:datastoreItem xmlns:ds="http://schemas.openxmlformats.org/officeDocument/2006/customXml" ds:itemID="` + store + `"/>`
		p["customXml/_rels/item1.xml.rels"] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/customXmlProps" Target="itemProps1.xml"/></Relationships>`
		p["word/_rels/document.xml.rels"] = strings.Replace(p["word/_rels/document.xml.rels"], "</Relationships>", `<Relationship Id="rIdData" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/customXml" Target="../customXml/item1.xml"/></Relationships>`, 1)
	})
	out, rep := edited(t, src, `{"op":"fill_form_field","name":"buyer","value":"B & Sons"}`, `{"op":"fill_form_field","name":"empty","value":"full"}`)
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.Empty(t, rep.Ops[0].Warnings)
	require.Equal(t, "B & Sons\nB & Sons\nfull", read(t, out, ""))
	require.Equal(t, `<deal xmlns="urn:d"><buyer>B &amp; Sons</buyer><empty>full</empty></deal>`, string(formatstest.Parts(t, must(formats.ReadAll(out, 1<<20)))["customXml/item1.xml"]))
}

// LibreOffice shows what was filled in.
func TestFormInLibreOffice(t *testing.T) {
	campaign.Slow(t)
	out, _ := edited(t, form(t), `{"op":"fill_form_field","name":"name","value":"Zebra"}`, `{"op":"fill_form_field","name":"day","value":"2026-01-31"}`, `{"op":"fill_form_field","name":"agree","value":"true"}`, `{"op":"fill_form_field","name":"Text1","value":"Quagga"}`, `{"op":"fill_form_field","name":"colour","value":"R"}`)
	text := string(must(os.ReadFile(formatstest.LibreOffice(t, formatstest.Write(t, "form.docx", must(formats.ReadAll(out, 1<<20))), "txt:Text:UTF8"))))
	for _, want := range []string{"Name: Zebra.", "31. January 2026", "☒", "Quagga", "Deep red"} {
		require.Contains(t, text, want)
	}
}

// Each named field of the real documents that takes text is filled: other parts
// keep their bytes, no schema error comes.
func TestCorpusForms(t *testing.T) {
	filled := 0
	for _, path := range formatstest.Corpus(t, "docx") {
		b := must(os.ReadFile(path))
		src := formats.FromBytes(filepath.Base(path), b)
		d, err := openDocument(ctx, src)
		if err != nil {
			continue
		}
		all, err := d.formFields(ctx)
		require.NoError(t, err, path)
		for i, f := range all {
			if f.Name == "" || i > 5 {
				continue
			}
			value := map[string]string{"checkbox": "true", "date": "2026-01-31", "dropdown": strings.Join(f.Choices[:min(1, len(f.Choices))], "")}[f.Kind]
			if value == "" {
				value = "filled"
			}
			out, _, err := applyWith(t, src, options(t), string(must(jsonOp("fill_form_field", f.Name, value))))
			if err != nil {
				require.NotEmpty(t, formats.CodeOf(err), "%s: %v", path, err)
				continue
			}
			except := []string{d.main, f.part.name}
			for name := range formatstest.Parts(t, b) {
				if strings.HasPrefix(name, "customXml/") || strings.HasPrefix(name, "docProps/") {
					except = append(except, name)
				}
			}
			formatstest.SameParts(t, b, out, except...)
			formatstest.Validate(t, formatstest.Write(t, "form.docx", out), path)
			filled++
		}
	}
	formatstest.Report(t, "docx  %d form fields of real documents filled", filled)
}

func jsonOp(op, name, value string) ([]byte, error) {
	return json.Marshal(map[string]string{"op": op, "name": name, "value": value})
}
