package segment

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// A part of a presentation read for its paragraphs only has the same ones as otherwise, in
// the same order, each in a fallback or not.
func TestCorpusPlainParts(t *testing.T) {
	plain, other := 0, 0
	for name, doc := range formatstest.SampleParts(t, 4<<20) {
		if !bytes.Contains(doc, []byte("presentationml")) {
			continue
		}
		opt := Options{ID: func(s Series, n int, _ string) string { return fmt.Sprint(s, n) }}
		full, err := Scan(context.Background(), doc, opt)
		if err != nil {
			continue
		}
		opt.PlainOnly = true
		got, err := Scan(context.Background(), doc, opt)
		require.NoError(t, err, name)
		if isPlain(doc) {
			plain++
		} else {
			other++
		}
		list := func(p *Part) (out []string) {
			for _, u := range p.Texts {
				require.False(t, u.Series == Value && isPlain(doc), name)
				if u.Para != nil {
					out = append(out, fmt.Sprint(u.Index, u.Para.Start, u.Para.Text(), u.Fallback))
				}
			}
			return out
		}
		require.Equal(t, list(full), list(got), name)
	}
	formatstest.Report(t, "%d parts are plain, %d are not", plain, other)
	require.NotZero(t, plain)
}

// The words of charts and diagrams matter where namespaces are declared, in any element.
func TestPlainByDeclarations(t *testing.T) {
	for doc, plain := range map[string]bool{
		`<p:sld xmlns:p="p"><a:t>a chart, a diagram</a:t></p:sld>`:                                                      true,
		`<p:sld xmlns:p="p" xmlns:c="` + nsC + `"/>`:                                                                    false,
		`<p:sld xmlns:p="p"><a:t>x</a:t><x:y a=">" xmlns:c='` + nsCX + `'/></p:sld>`:                                    false,
		`<p:sld xmlns:p="p"><c:chart a="1" xmlns:c="http://purl.oclc.org/ooxml/drawingml/chart"/></p:sld>`:              false,
		`<p:sld xmlns:p="p"><dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"/></p:sld>`: false,
		`<p:sld xmlns:p="p"><mc:AlternateContent><mc:Choice/><mc:Fallback/></mc:AlternateContent></p:sld>`:              false,
		`<p:sld xmlns:p="p`: true,
		``:                  true,
	} {
		require.Equal(t, plain, isPlain([]byte(doc)), doc)
	}
}
