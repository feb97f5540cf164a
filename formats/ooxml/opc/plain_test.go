package opc_test

import (
	"archive/zip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// methods are how the entries of a package are stored.
func methods(t testing.TB, b []byte) map[string]uint16 {
	out := map[string]uint16{}
	raw, _ := rawOf(t, b)
	for _, e := range raw {
		out[e.Header.Name] = e.Header.Method
	}
	return out
}

// Changed parts are stored as they are up to the limit, and deflated by the last edit,
// whether that changes them or not; entries that were stored before stay so.
func TestPlainPartsAreDeflatedInTheEnd(t *testing.T) {
	b := simple(t, entry{"big.xml", strings.Repeat("<x/>", 5000), true}, entry{"small.xml", "<y/>", true}, entry{"z.bin", "stored", false})
	first := mustOpen(t, b).Edit()
	first.Set("doc/main.xml", []byte("<new>"+strings.Repeat("text ", 99)+"</new>"))
	first.Set("big.xml", []byte(strings.Repeat("<xx/>", 5000)))
	first.Set("small.xml", []byte("<yy/>"))
	first.Set("added.xml", []byte("<z/>"))
	first.Remove("z.bin")
	first.Fast()
	names := first.StorePlain(2000)
	require.Equal(t, []string{"doc/main.xml", "small.xml"}, names)
	middle := write(t, first)
	require.Equal(t, map[string]uint16{"[Content_Types].xml": zip.Deflate, "_rels/.rels": zip.Deflate, "doc/main.xml": zip.Store, "big.xml": zip.Deflate, "small.xml": zip.Store, "added.xml": zip.Deflate}, methods(t, middle))

	for _, changes := range []bool{false, true} {
		last := mustOpen(t, middle).Edit()
		last.Deflate(names)
		if changes {
			last.Set("small.xml", []byte("<yyy/>"))
		}
		out := write(t, last)
		for name, method := range methods(t, out) {
			require.Equal(t, uint16(zip.Deflate), method, name)
		}
		if changes {
			formatstest.SameParts(t, middle, out, "small.xml")
		} else {
			formatstest.SameParts(t, middle, out)
		}
	}

	kept := mustOpen(t, b).Edit()
	kept.Set("small.xml", []byte("<yy/>"))
	kept.Deflate([]string{"small.xml"})
	require.Equal(t, uint16(zip.Store), methods(t, write(t, kept))["z.bin"])
}
