package docx

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
)

// TR-02: the element that a content control takes its text from is translated
// with it, else Word would put the source text back; one that says something
// else stays.
func TestTR02BoundControls(t *testing.T) {
	const store = "{11111111-2222-3333-4444-55555555ABCD}"
	control := func(store, xpath, text string) string {
		return `<w:sdt><w:sdtPr><w:dataBinding w:prefixMappings="xmlns:b='urn:book'" w:xpath="` + xpath + `" w:storeItemID="` + store + `"/></w:sdtPr><w:sdtContent>` + para(text) + `</w:sdtContent></w:sdt>`
	}
	ed, main, err := blankDocument()
	require.NoError(t, err)
	ed.Set(main, []byte(`<w:document`+xmlnsW+`><w:body>`+control(store, "/b:book[1]/b:title[2]", "Second &amp; last")+control(strings.ToLower(store), "/b:book[1]/b:note", "Shown")+
		control(store, "/b:book/b:part", "x y")+control(store, "/b:book/@lang", "attribute")+control("{0}", "/b:book[1]/b:title[1]", "elsewhere")+`<w:sectPr/></w:body></w:document>`))
	item := `<b:book xmlns:b="urn:book"><b:title>First</b:title><other/><b:title>Second &amp; last</b:title><b:note>Not shown</b:note><b:part>x <b:i/>y</b:part></b:book>`
	ed.Set("customXml/item1.xml", []byte(item))
	ed.Set("customXml/itemProps1.xml", []byte(`<ds:datastoreItem ds:itemID="`+store+`" xmlns:ds="urn:ds"/>`))
	for source, rel := range map[string]opc.Relationship{main: {Type: opc.RelPrefix + "customXml", Target: "customXml/item1.xml"}, "customXml/item1.xml": {Type: opc.RelPrefix + "customXmlProps", Target: "customXml/itemProps1.xml"}} {
		_, err := ed.AddRel(ctx, source, rel)
		require.NoError(t, err)
	}
	var in, out bytes.Buffer
	require.NoError(t, ed.Write(ctx, &in))
	src := formats.FromBytes("bound.docx", in.Bytes())
	segs, err := Format().Segmenter.Segments(ctx, src, formats.SegmentOptions{})
	require.NoError(t, err)
	targets := map[string]string{}
	for _, s := range segs {
		targets[s.ID] = "X" + s.Text
	}
	require.NoError(t, Format().Segmenter.Replace(ctx, src, &out, targets, formats.ReplaceOptions{}))
	require.Equal(t, strings.Replace(item, "Second", "XSecond", 1), string(formatstest.Parts(t, out.Bytes())["customXml/item1.xml"]))
}
