package htmlpage

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	xhtml "golang.org/x/net/html"
	"pgregory.net/rapid"
)

func write(t require.TestingT, p Page, body ...Node) string {
	var b bytes.Buffer
	require.NoError(t, p.Write(&b, body...))
	return b.String()
}

// The style sheet and the script that a parser sees have the hashes of the policy.
func TestPolicy(t *testing.T) {
	s := write(t, Page{Title: "x", CSS: "p > a { content: \"<\" }\r\n", JS: "1 < 2 && 3 > 2;\r\n'&amp;';", Images: true})
	doc, err := xhtml.Parse(strings.NewReader(s))
	require.NoError(t, err)
	policy, texts := "", map[string]string{}
	for n := range doc.Descendants() {
		switch n.Data {
		case "style", "script":
			texts[n.Data] = n.FirstChild.Data
		case "meta":
			if len(n.Attr) == 2 && n.Attr[0].Val == "Content-Security-Policy" {
				policy = n.Attr[1].Val
			}
		}
	}
	require.Equal(t, map[string]string{"style": "p > a { content: \"<\" }\n", "script": "1 < 2 && 3 > 2;\n'&amp;';"}, texts)
	for name, text := range texts {
		sum := sha256.Sum256([]byte(text))
		require.Contains(t, policy, name+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	require.Contains(t, policy, "default-src 'none'; img-src data:;")
	require.NotContains(t, write(t, Page{}), "img-src")
}

// What would end the style sheet or the script early is an error.
func TestEndOfElement(t *testing.T) {
	for _, p := range []Page{{CSS: "a</STYLE >"}, {JS: "'</script'"}, {JS: "<!--"}, {CSS: "\x00"}, {JS: "a\rb"}} {
		var b bytes.Buffer
		require.ErrorContains(t, p.Write(&b), "must not contain")
		require.Zero(t, b.Len())
	}
	require.NotEmpty(t, write(t, Page{CSS: "</script>", JS: "</style>"}))
}

// Texts and values of attributes are the same behind a parser, whatever they
// contain, and make no element.
func TestTextsStayTexts(t *testing.T) {
	hostile := rapid.OneOf(
		rapid.StringOf(rapid.SampledFrom([]rune("<>\"'&;/!-=+()scripton `\n\t\u202e\u05d0漢]x#0"))),
		rapid.SampledFrom([]string{"</script><script>", "</style>", "]]>", "<!--", "javascript:alert(1)", "\" onload=\"x", "&amp;lt;", "&#43;+", "&notit;", "</bdi></p>"}),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		text, value, title := hostile.Draw(t, "text"), hostile.Draw(t, "value"), hostile.Draw(t, "title")
		s := write(t, Page{Title: title, JS: "1"}, El("p", Attr("id", value), Class(value), Text("a"+text), Bdi("b"+text)), Mark("m", text, value), Scroll(value, Tag("div", "c", "d"+text)))
		// What a parser makes of characters in any text: HTML Standard, 13.2.3.5 and 13.2.5.
		read := func(s string) string {
			return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\ufffd").Replace(s)
		}
		doc, err := xhtml.Parse(strings.NewReader(s))
		require.NoError(t, err)
		var names, texts, values []string
		for n := range doc.Descendants() {
			switch n.Type {
			case xhtml.ElementNode:
				names = append(names, n.Data)
				for _, a := range n.Attr {
					require.Contains(t, []string{"lang", "charset", "http-equiv", "name", "content", "id", "class", "aria-hidden", "aria-label", "role", "tabindex"}, a.Key)
					if a.Key == "id" || a.Key == "aria-label" {
						values = append(values, a.Val)
					}
				}
			case xhtml.TextNode:
				texts = append(texts, n.Data)
			case xhtml.CommentNode:
				t.Fatalf("a comment: %s", n.Data)
			}
		}
		want := []string{"html", "head", "meta", "meta", "meta", "meta", "meta", "title", "style", "body", "p", "bdi", "span", "span", "div", "script"}
		if value != "" {
			want = []string{"html", "head", "meta", "meta", "meta", "meta", "meta", "title", "style", "body", "p", "bdi", "span", "span", "div", "div", "script"}
			require.Equal(t, read(value), values[1])
		} else {
			want = append(want[:15], "div", "script")
		}
		require.Equal(t, want, names)
		require.Equal(t, read(value), values[0])
		all := strings.Join(texts, "|")
		for _, s := range []string{title, "a" + text, "b" + text, "d" + text} {
			require.Contains(t, all, read(s))
		}
	})
}

// Streamed nodes are written as they come, and an error ends the page.
func TestStream(t *testing.T) {
	boom := errors.New("boom")
	var b bytes.Buffer
	err := Page{}.Write(&b, El("ul", Stream(func(write func(Node) error) error {
		for range 10_000 {
			if err := write(El("li", Text("a & b"))); err != nil {
				return err
			}
		}
		require.NotZero(t, b.Len(), "written before the page ends")
		return boom
	})))
	require.ErrorIs(t, err, boom)
	require.NotContains(t, b.String(), "</ul>")
}

// Other packages write no names of elements and attributes that come from texts.
// Without the names nothing is unescaped, since only this package makes nodes.
func TestNamesAreLiterals(t *testing.T) {
	users := 0
	require.NoError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(b, []byte(`"atelier/internal/htmlpage"`)) {
			return err
		}
		users++
		f, err := parser.ParseFile(token.NewFileSet(), path, b, 0)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"El", "Attr", "Tag"}, sel.Sel.Name) {
					require.IsType(t, &ast.BasicLit{}, n.Args[0], "%s: the name in a call of %s", path, sel.Sel.Name)
				}
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				require.False(t, ok && x.Name == "htmlpage", "%s: htmlpage is imported as h", path)
			}
			return true
		})
		return nil
	}))
	require.GreaterOrEqual(t, users, 4)
}
