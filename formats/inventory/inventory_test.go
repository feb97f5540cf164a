package inventory_test

import (
	"archive/zip"
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
)

// pack makes a small package; parts beside the content types are what is given.
func pack(t *testing.T, parts map[string]string) *opc.Package {
	t.Helper()
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	add := func(name, text string) {
		w, err := zw.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
	}
	add("[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`)
	for name, text := range parts {
		add(name, text)
	}
	require.NoError(t, zw.Close())
	p, err := opc.Open(context.Background(), formats.FromBytes("x.docx", buf.Bytes()))
	require.NoError(t, err)
	return p
}

func thing(kind, key, at, text string) inventory.Item {
	return inventory.Item{Kind: kind, Key: key, At: at, Text: text}
}

// RV-03: items are paired by key, then by content; what is left was added or
// removed.
func TestCompareThings(t *testing.T) {
	p := pack(t, nil)
	a, b := inventory.New(p), inventory.New(p)
	a.Add(thing("merge", "A1:B1", "Sales!A1:B1", "2 cells"), thing("chart", "1", "Sales!E2", "bar chart"), thing("name", "rate", "rate", "0.1"), thing("comment", "B2", "Sales!B2", "check"))
	lost := inventory.Item{Kind: "picture", Key: "1", At: "Sales!A9", Text: "PNG", WarnRemoved: "lost: a picture"}
	a.Add(lost)
	b.Add(thing("merge", "A1:C1", "Sales!A1:C1", "3 cells"), thing("chart", "7", "Sales!G2", "bar chart"), thing("name", "rate", "rate", "0.2"), thing("comment", "B2", "Sales!B2", "check"))
	facts, err := inventory.Compare(context.Background(), a, b)
	require.NoError(t, err)
	type row struct{ kind, change, at, old, now, warning string }
	var got []row
	ids := map[string]bool{}
	for _, f := range facts {
		got = append(got, row{f.Kind, string(f.Change), f.At, f.Old, f.New, f.Warning})
		require.Len(t, f.ID, 16)
		require.False(t, ids[f.ID], "ids are unique")
		ids[f.ID] = true
	}
	require.Equal(t, []row{
		{"merge", "added", "Sales!A1:C1", "", "3 cells", ""},
		{"chart", "moved", "Sales!G2", "Sales!E2", "bar chart", ""},
		{"name", "changed", "rate", "0.1", "0.2", ""},
		{"merge", "removed", "Sales!A1:B1", "2 cells", "", ""},
		{"picture", "removed", "Sales!A9", "PNG", "", "Sales!A9: lost: a picture"},
	}, got)
	again, err := inventory.Compare(context.Background(), a, b)
	require.NoError(t, err)
	require.Equal(t, facts, again, "ids depend on the contents only")
}

// A part that no one walked is reported when it differs, and only then.
func TestPartsThatNobodyTells(t *testing.T) {
	a := pack(t, map[string]string{"a.xml": `<r a="1" b="2"/>`, "same.xml": `<r xmlns:p="urn:x"><p:q/> </r>`, "gone.bin": "x", "told.xml": "<r/>"})
	b := pack(t, map[string]string{"a.xml": `<r a="1" b="3"/>`, "same.xml": `<r xmlns:z="urn:x"><z:q></z:q></r>`, "new.bin": "y", "told.xml": "<s/>"})
	x, y := inventory.New(a), inventory.New(b)
	y.Cover("told.xml")
	facts, err := inventory.Compare(context.Background(), x, y)
	require.NoError(t, err)
	got := map[string]string{}
	for _, f := range facts {
		require.Equal(t, formats.FactPart, f.Kind)
		got[f.At] = string(f.Change) + " " + f.Warning
	}
	require.Equal(t, map[string]string{
		"a.xml":    "changed a.xml: changed in a way that cannot be told here",
		"gone.bin": "removed lost: gone.bin",
		"new.bin":  "added new.bin: a new part whose content cannot be told here",
	}, got)
	differ, err := inventory.Differing(context.Background(), a, b)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"a.xml", "gone.bin", "new.bin", "told.xml"}, differ)
}

// What a walk leaves over is summed by element, whatever prefixes and order of
// attributes it is written in; blanks count in an element without children only.
func TestLeftover(t *testing.T) {
	claimed := func(tok xmlscan.Token, path []string) inventory.Claim {
		switch {
		case len(path) == 1 || tok.Local == "row":
			return inventory.Attrs
		case tok.Local == "told":
			return inventory.Whole
		}
		return inventory.None
	}
	left := func(doc string) map[string]inventory.Sum {
		m, err := inventory.Leftover([]byte(doc), inventory.Canonicalizer{}, claimed)
		require.NoError(t, err)
		return m
	}
	base := left(`<r xmlns="urn:m"><told v="1"/><other a="1" b="2"><t> </t></other><row n="3"><told/><x/></row></r>`)
	require.Len(t, base, 2)
	require.Equal(t, base, left(`<m:r xmlns:m="urn:m"><m:told v="9"/> <m:other b="2" a="1"><m:t> </m:t> </m:other><!-- c --><m:row n="4"><m:x></m:x></m:row></m:r>`))
	for _, other := range []string{
		`<r xmlns="urn:m"><other a="1" b="3"><t> </t></other><row><x/></row></r>`,
		`<r xmlns="urn:m"><other a="1" b="2"><t>  </t></other><row><x/></row></r>`,
		`<r xmlns="urn:m"><other a="1" b="2"><t> </t></other><row><x/><x/></row></r>`,
		`<r xmlns="urn:n"><other a="1" b="2"><t> </t></other><row><x/></row></r>`,
		`<r xmlns="urn:m"><row><x/></row></r>`,
	} {
		require.NotEqual(t, base, left(other), other)
	}
}
