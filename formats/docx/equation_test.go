package docx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// shownBody is the body as the read tool shows it.
func shownBody(t testing.TB, src formats.Source) string {
	t.Helper()
	text, err := Format().Reader.Read(ctx, src, formats.Selector{AsShown: true})
	require.NoError(t, err)
	return text.Text
}

func TestInsertEquation(t *testing.T) {
	src := withBody(t, wp(wr("Energy is "))+wp(wrp(bold, "area A=b here"))+wp())
	out, rep := edited(t, src,
		`{"op":"insert_equation","at":"p0","equation":"E=mc^2"}`,
		`{"op":"insert_equation","search":"A=b","equation":"$A=\\pi r^2$"}`,
		`{"op":"insert_equation","at":"p2","equation":"\\int_0^1 x\\,dx=\\frac{1}{2}"}`,
		`{"op":"insert_equation","at":"p0","where":"before","equation":"\\begin{pmatrix}1&0\\\\0&1\\end{pmatrix}"}`)
	require.Equal(t, "$$\\begin{pmatrix}1 & 0 \\\\ 0 & 1\\end{pmatrix}$$\nEnergy is $E=mc^{2}$\narea $A=πr^{2}$ here\n$$\\int_{0}^{1}{x\\,dx}=\\frac{1}{2}$$", shownBody(t, out))
	require.Equal(t, []string{"reads $E=mc^{2}$"}, rep.Ops[0].Notes)
	require.Equal(t, []string{"p0", "p1", "p2", "p0"}, []string{rep.Ops[0].Made, rep.Ops[1].Made, rep.Ops[2].Made, rep.Ops[3].Made})
	require.Contains(t, mainXML(t, out), `<m:oMath xmlns:m="`+nsMath+`">`)
	require.Contains(t, mainXML(t, out), wrp(bold, "area ")+`<m:oMath`, "the text around keeps its formatting")
	good(t, out)

	// Removing what was inserted gives the text again.
	back, _ := edited(t, out, `{"op":"replace_equation","at":"p1","equation":""}`, `{"op":"replace_equation","at":"p2","equation":""}`, `{"op":"replace_equation","at":"p3","equation":""}`, `{"op":"delete_paragraph","at":"p0"}`)
	require.Equal(t, wp(wr("Energy is "))+wp(wrp(bold, "area "), wrp(bold, " here"))+"<w:p></w:p>", bodyOf(t, back))
}

func TestEquationFaults(t *testing.T) {
	src, _ := edited(t, withBody(t, wp(wr("one"))+wp(wr("two"))), `{"op":"insert_equation","at":"p1","equation":"a"}`, `{"op":"insert_equation","at":"p1","equation":"b"}`)
	checkBadEdits(t, src, []badEdit{
		{`"op":"insert_equation","at":"p0","equation":""`, formats.CodeInvalid, "the equation is empty"},
		{`"op":"insert_equation","at":"p0","equation":"\\foo x"`, formats.CodeInvalid, `the command \foo is not known`},
		{`"op":"insert_equation","at":"p9","equation":"x"`, formats.CodeNotFound, "p9"},
		{`"op":"insert_equation","at":"p0","search":"one","where":"after","equation":"x"`, formats.CodeInvalid, "give one of them"},
		{`"op":"insert_equation","search":"none","equation":"x"`, formats.CodeNotFound, "was not found"},
		{`"op":"replace_equation","at":"p0","equation":"x"`, formats.CodeNotFound, "p0 has no equation"},
		{`"op":"replace_equation","at":"p1"`, formats.CodeInvalid, "equation is required"},
		{`"op":"replace_equation","at":"p1","equation":"x"`, formats.CodeInvalid, "2 equations: say with number which one: $a$, $b$"},
		{`"op":"replace_equation","at":"p1","number":3,"equation":"x"`, formats.CodeInvalid, "number is 3"},
	})
}

// A text that names the equations of a paragraph keeps them where it names them.
func TestTextAroundEquations(t *testing.T) {
	src, _ := edited(t, withBody(t, wp(wr("Let "))), `{"op":"insert_equation","at":"p0","equation":"x^2"}`)
	src = changedParts(t, src, swap(t, blankMain, "</m:oMath></w:p>", "</m:oMath>"+wr(" be ")+"</w:p>"))
	src, _ = edited(t, src, `{"op":"insert_equation","at":"p0","equation":"y"}`)
	require.Equal(t, "Let $x^{2}$ be $y$", shownBody(t, src))
	for text, want := range map[string]string{
		"Take $x^{2}$ for $y$.":              "Take $x^{2}$ for $y$.",
		"$x^{2}$ is $y$":                     "$x^{2}$ is $y$",
		"Now $x^{2}$$y$ then":                "Now $x^{2}$$y$ then",
		"Let $x^{2}$ be $y$ here":            "Let $x^{2}$ be $y$ here",
		"Let us say $x^{2}$ be at least $y$": "Let us say $x^{2}$ be at least $y$",
	} {
		op := opJSON(t, map[string]any{"op": "set_paragraph", "at": "p0", "text": text})
		out, rep := edited(t, src, op)
		require.Equal(t, want, shownBody(t, out))
		require.Empty(t, rep.Ops[0].Warnings)
		good(t, out)
		tracked, _ := edited(t, src, strings.TrimSuffix(op, "}")+`,"track_changes":true}`)
		require.Equal(t, want, shownBody(t, tracked))
		good(t, tracked)
		no, _ := edited(t, tracked, `{"op":"reject_changes"}`)
		require.Equal(t, shownBody(t, src), shownBody(t, no), text)
	}
	out, rep := edited(t, src, `{"op":"set_paragraph","at":"p0","text":"Nothing"}`)
	require.Contains(t, shownBody(t, out), "$x^{2}$")
	require.Contains(t, rep.Ops[0].Warnings[0], "keeps equations that the text does not name ($x^{2}$, $y$)")
	_, rep = edited(t, src, `{"op":"set_paragraph","at":"p0","text":"Let $x^{2}$ be $y$ and $z_1$"}`)
	require.Contains(t, rep.Ops[0].Notes[0], "insert_equation makes an equation")
	_, rep = edited(t, src, `{"op":"append_paragraph","text":"more"}`, `{"op":"delete_paragraph","at":"p0"}`)
	require.Contains(t, rep.Ops[1].Warnings, "with it went 2 equations")
}

func TestReplaceEquation(t *testing.T) {
	src, _ := edited(t, withBody(t, wp(wr("a "))+wp()), `{"op":"insert_equation","at":"p0","equation":"x"}`, `{"op":"insert_equation","at":"p0","equation":"y"}`, `{"op":"insert_equation","at":"p1","equation":"z"}`)
	ops := []string{`{"op":"replace_equation","at":"p0","number":2,"equation":"\\sqrt{y}"`, `{"op":"replace_equation","at":"p1","equation":"z+1"`}
	out, rep := edited(t, src, ops[0]+"}", ops[1]+"}")
	require.Equal(t, "a $x$$\\sqrt{y}$\n$$z+1$$", shownBody(t, out))
	require.Equal(t, []string{"reads $\\sqrt{y}$", "was $y$"}, rep.Ops[0].Notes)
	back, _ := edited(t, out, `{"op":"replace_equation","at":"p0","number":2,"equation":"y"}`, `{"op":"replace_equation","at":"p1","equation":"z"}`)
	require.Equal(t, mainXML(t, src), mainXML(t, back))
	_, rep = edited(t, src, `{"op":"replace_equation","at":"p1","equation":" z "}`)
	require.True(t, rep.Ops[0].Unchanged)

	tracked, _ := edited(t, src, ops[0]+`,"track_changes":true}`, ops[1]+`,"track_changes":true}`)
	good(t, tracked)
	yes, _ := edited(t, tracked, `{"op":"accept_changes"}`)
	require.Equal(t, shownBody(t, out), shownBody(t, yes))
	no, _ := edited(t, tracked, `{"op":"reject_changes"}`)
	require.Equal(t, shownBody(t, src), shownBody(t, no))
	gone, _ := edited(t, src, `{"op":"replace_equation","at":"p1","equation":""}`)
	require.NotContains(t, mainXML(t, gone), "oMathPara")
	facts := fmt.Sprint(diff(t, src, out).Facts)
	require.Contains(t, facts, "equation “z”")
	require.Contains(t, facts, "equation “z+1”")
}

// Over the real documents: an equation comes into the first paragraph with text
// and goes again; other parts keep their bytes and no schema error comes.
func TestCorpusEquation(t *testing.T) {
	done := 0
	for _, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), b)
		d, err := openDocument(ctx, src)
		if err != nil {
			continue
		}
		p, err := d.body(ctx)
		require.NoError(t, err)
		kids := p.stories[0].kidsOf(paraNode)
		if len(kids) == 0 {
			continue
		}
		at := fmt.Sprintf("p%d", len(kids)-1)
		out, _, err := applyWith(t, src, options(t), `{"op":"insert_equation","at":"`+at+`","equation":"\\sum_{i=1}^{n} \\frac{x_i}{\\sqrt{2}} \\ge \\left|\\begin{matrix}a&b\\\\c&d\\end{matrix}\\right|"}`)
		require.NoError(t, err, path)
		formatstest.SameParts(t, b, out, d.main)
		formatstest.Validate(t, formatstest.Write(t, "equation.docx", out), path)
		back, _, err := applyWith(t, formats.FromBytes("e.docx", out), options(t), `{"op":"replace_equation","at":"`+at+`","equation":""}`)
		require.NoError(t, err, path)
		require.Equal(t, readWith(t, src, ""), readWith(t, formats.FromBytes("b.docx", back), ""), path)
		done++
	}
	require.Positive(t, done)
	formatstest.Report(t, "docx  equations in %d real documents", done)
}
