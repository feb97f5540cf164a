package opc

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// Parts with the same relationships, packed, get them from one reading; the folder of the
// part and the sum of the entry count.
func TestSameRelationshipsAreReadOnce(t *testing.T) {
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	add := func(name, content string) {
		w, err := zw.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(content))
		require.NoError(t, err)
	}
	add(contentTypesName, `<Types xmlns="`+nsContentTypes+`"/>`)
	rels := func(target string) string {
		return `<Relationships xmlns="` + nsRels + `"><Relationship Id="rId1" Type="t" Target="` + target + `"/></Relationships>`
	}
	for i := range 3 {
		add(fmt.Sprintf("ppt/slides/_rels/s%d.xml.rels", i), rels("../x.xml"))
	}
	add("ppt/deep/er/_rels/s.xml.rels", rels("../x.xml"))
	add("ppt/slides/_rels/other.xml.rels", rels("../y.xml"))
	add("ppt/slides/_rels/broken.xml.rels", rels("../x.xml"))
	require.NoError(t, zw.Close())
	file := buf.Bytes()
	// The last entry promises another sum.
	at := bytes.LastIndex(file, []byte("PK\x01\x02"))
	file[at+16]++

	ctx := context.Background()
	pkg, err := Open(ctx, formats.FromBytes("a.pptx", file))
	require.NoError(t, err)
	before := pkg.read.Load()
	target := func(part string) string {
		list, err := pkg.Rels(ctx, part)
		require.NoError(t, err)
		require.Len(t, list, 1)
		list[0].ID = "changed" // by a caller
		again, err := pkg.Rels(ctx, part)
		require.NoError(t, err)
		require.Equal(t, "rId1", again[0].ID)
		return again[0].Target
	}
	require.Equal(t, "ppt/x.xml", target("ppt/slides/s0.xml"))
	once := pkg.read.Load() - before
	require.Equal(t, "ppt/x.xml", target("ppt/slides/s1.xml"))
	require.Equal(t, "ppt/x.xml", target("/ppt/slides/s2.xml"))
	require.Equal(t, once, pkg.read.Load()-before)
	require.Equal(t, "ppt/deep/x.xml", target("ppt/deep/er/s.xml"))
	require.Equal(t, "ppt/y.xml", target("ppt/slides/other.xml"))
	_, err = pkg.Rels(ctx, "ppt/slides/broken.xml")
	require.Error(t, err)
}
