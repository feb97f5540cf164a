package inventory

import (
	"archive/zip"
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
)

// packageOf returns a package whose main part has links to the targets.
func packageOf(t *testing.T, targets ...string) *Inventory {
	t.Helper()
	var rels strings.Builder
	for i, target := range targets {
		rels.WriteString(`<Relationship Id="r` + strings.Repeat("x", i+1) + `" Type="http://x/hyperlink" Target="` + target + `" TargetMode="External"/>`)
	}
	ns := `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, p := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>`},
		{"_rels/.rels", ns + `<Relationship Id="r" Type="http://x/officeDocument" Target="a.xml"/></Relationships>`},
		{"a.xml", "<a/>"},
		{"_rels/a.xml.rels", ns + rels.String() + `</Relationships>`},
	} {
		w, err := zw.Create(p[0])
		require.NoError(t, err)
		_, err = w.Write([]byte(p[1]))
		require.NoError(t, err)
	}
	require.NoError(t, zw.Close())
	pkg, err := opc.Open(context.Background(), formats.FromBytes("a.docx", buf.Bytes()))
	require.NoError(t, err)
	return New(pkg)
}

// RV-01: a link is known by its whole address, also where only the middle of a
// long one differs, which is not shown.
func TestRV01LongAddressesAreNotTheSame(t *testing.T) {
	long := func(middle string) string {
		return "http://example.com/" + strings.Repeat("a", 150) + middle + strings.Repeat("b", 60)
	}
	facts, err := compareReach(t.Context(), packageOf(t, long("x")), packageOf(t, long("y")), nil)
	require.NoError(t, err)
	require.Len(t, facts, 2)
	require.Equal(t, formats.Added, facts[1].Change)
	require.Contains(t, facts[1].Warning, "new external hyperlink: http://example.com/")
	require.NotContains(t, facts[1].New, strings.Repeat("a", 150))
}

// RV-01: a fact that names a longer address does not report a shorter one, and
// one that warns of something else warns of its target as well.
func TestRV01WarningsOfTargets(t *testing.T) {
	facts := []formats.Fact{{Kind: formats.FactLink, Change: formats.Added, New: "link to http://example.com/longer"}}
	more, err := compareReach(t.Context(), packageOf(t), packageOf(t, "http://example.com/long"), facts)
	require.NoError(t, err)
	require.Len(t, more, 1)
	require.Equal(t, "new external hyperlink: http://example.com/long", more[0].Warning)
	require.Empty(t, facts[0].Warning)

	facts = []formats.Fact{{Kind: formats.FactPicture, Change: formats.Added, New: "picture with a link to http://example.com/a", Warning: "a click runs a program"}}
	more, err = compareReach(t.Context(), packageOf(t), packageOf(t, "http://example.com/a"), facts)
	require.NoError(t, err)
	require.Empty(t, more)
	require.Equal(t, "a click runs a program; new external hyperlink: http://example.com/a", facts[0].Warning)
}
