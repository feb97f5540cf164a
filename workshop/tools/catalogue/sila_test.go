package catalogue_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/need"
	"atelier/workshop"
	"atelier/workshop/tools/uris"
	"atelier/workshop/web"
)

func silaFiles() map[string]string {
	return map[string]string{
		"assets/brand.md":         "# Brand\r\nbold & <b>loud</b>\n\n\n",
		"assets/page.html":        "<html><body><p>Hi &amp; bye</p></body></html>",
		"assets/data.json":        `{"a": 1}`,
		"assets/code.ts":          "let x = 1",
		"assets/feed.xml":         "<a/>",
		"assets/notes":            "a name without extension",
		"assets/blob":             "a\x00b",
		"assets/latin.txt":        "caf\xe9",
		"assets/logo.png":         "\x89PNG\r\n\x1a\n",
		"assets/sheet.xlsx":       "PK",
		"assets/Mixed.md":         "Mixed",
		"assets/a%20b.md":         "literal",
		"assets/c d.md":           "decoded",
		"assets/a b.md":           "hidden by the literal",
		"assets/exact.txt":        strings.Repeat("x", uris.MaxBytes),
		"assets/over.txt":         strings.Repeat("x", uris.MaxBytes+1),
		"assets/empty.txt":        "",
		"files/document.md":       "of the chat",
		"files/notes/project.md":  "project",
		"files/My Doc.md":         "mine",
		"files/files/deep.md":     "never named by file:deep.md",
		"etc/passwd.md":           "not the host's",
		".atelier/glossary.md":    "invisible",
		"assets/Ünïcode – x.md":   "accents",
		"assets/plus+and&sign.md": "signs",
	}
}

// an argument that is ignored is named beside the text, which stays as it is.
func TestSilaNamesWhatItIgnores(t *testing.T) {
	p := newProfile(t, "sila", false, silaFiles())
	r := p.call("read", `{"uri":"file:document.md","more":1}`)
	require.Equal(t, `{"ignored":["more"],"text":"of the chat"}`, r.Text)
	b, err := json.Marshal(r.Data)
	require.NoError(t, err)
	require.JSONEq(t, `{"ignored":["more"],"uri":"file:document.md","content":"of the chat"}`, string(b))
}

// S-01…S-16, S-21, C-06: each URI with the text it gives or the message of the
// failure; and a failed read changes nothing (S-20).
func TestSilaRead(t *testing.T) {
	big := strings.Repeat("x", uris.MaxBytes)
	bothViews(t, "sila", silaFiles(), func(t *testing.T, p *profile) {
		p.env.ResultMax = 2 << 20
		before := p.tree()
		for _, c := range []struct{ id, args, want string }{
			{"S-02", `{"uri":"file:///assets/brand.md"}`, "# Brand\r\nbold & <b>loud</b>\n\n\n"},
			{"S-21", `{"uri":"file:document.md"}`, "of the chat"},
			{"S-03", `{"uri":"file:notes/project.md"}`, "project"},
			{"S-04", `{"uri":"file:files/notes/project.md"}`, "project"},
			{"S-04", `{"uri":"file:files/deep.md"}`, "Error: Chat file not found at files/deep.md"},
			{"S-04", `{"uri":"file:files/files/deep.md"}`, "never named by file:deep.md"},
			{"S-05 case", `{"uri":"file:///assets/mixed.md"}`, "Error: Workspace file not found at /assets/mixed.md"},
			{"S-05 dot", `{"uri":"file:///./assets//./Mixed.md"}`, "Mixed"},
			{"S-05 dotdot", `{"uri":"file:///assets/../assets/brand.md"}`, "Error: Workspace file not found at /assets/../assets/brand.md"},
			{"S-05 coded dotdot", `{"uri":"file:///assets/%2e%2e/assets/brand.md"}`, "Error: Workspace file not found at /assets/%2e%2e/assets/brand.md"},
			{"S-05 coded slash", `{"uri":"file:///assets%2Fbrand.md"}`, "Error: Workspace file not found at /assets%2Fbrand.md"},
			{"S-06", `{"uri":"file:My%20Doc.md"}`, "mine"},
			{"S-06", `{"uri":"file:My Doc.md"}`, "mine"},
			{"S-06 literal first", `{"uri":"file:///assets/a%20b.md"}`, "literal"},
			{"S-06", `{"uri":"file:///assets/c%20d.md"}`, "decoded"},
			{"S-06", `{"uri":"file:///assets/%C3%9Cn%C3%AFcode%20%E2%80%93%20x.md"}`, "accents"},
			{"S-06 no plus", `{"uri":"file:///assets/plus+and&sign.md"}`, "signs"},
			{"S-06 bad escape", `{"uri":"file:///assets/%zz.md"}`, "Error: Workspace file not found at /assets/%zz.md"},
			{"S-07 json", `{"uri":"file:///assets/data.json"}`, `{"a": 1}`},
			{"S-07 ts", `{"uri":"file:///assets/code.ts"}`, `let x = 1`},
			{"S-07 xml", `{"uri":"file:///assets/feed.xml"}`, `<a/>`},
			{"S-07 none", `{"uri":"file:///assets/notes"}`, `a name without extension`},
			{"S-08 html", `{"uri":"file:///assets/page.html"}`, "<html><body><p>Hi &amp; bye</p></body></html>"},
			{"S-08 utf-8", `{"uri":"file:///assets/latin.txt"}`, "caf\uFFFD"},
			{"S-08 empty", `{"uri":"file:///assets/empty.txt"}`, ""},
			{"S-09", `{"uri":"file:///assets/nope.md"}`, "Error: Workspace file not found at /assets/nope.md"},
			{"S-09 below a file", `{"uri":"file:///assets/brand.md/x"}`, "Error: Workspace file not found at /assets/brand.md/x"},
			{"S-10", `{"uri":"file:notes/project-a.md"}`, "Error: Chat file not found at files/notes/project-a.md"},
			{"S-11 mime", `{"uri":"file:///assets/logo.png"}`, "Error: File at /assets/logo.png has non-text MIME type (image/png); read tool supports only text files"},
			{"S-11 mime", `{"uri":"file:///assets/sheet.xlsx"}`, "Error: File at /assets/sheet.xlsx has non-text MIME type (application/vnd.openxmlformats-officedocument.spreadsheetml.sheet); read tool supports only text files"},
			{"S-11 unknown binary", `{"uri":"file:///assets/blob"}`, "Error: File at /assets/blob has non-text MIME type (application/octet-stream); read tool supports only text files"},
			{"S-11 folder", `{"uri":"file:///assets"}`, "Error: /assets is a folder, not a file"},
			{"S-12 at the cap", `{"uri":"file:///assets/exact.txt"}`, big},
			{"S-12 over it", `{"uri":"file:///assets/over.txt"}`, "Error: File at /assets/over.txt is too large for read tool (size=1048577 bytes, limit=1048576)"},
			{"S-13", `{"uri":"file:"}`, `Error: Invalid URI "file:": it has no path`},
			{"S-13", `{"uri":"file:///"}`, `Error: Invalid URI "file:///": it has no path`},
			{"S-13", `{"uri":"file:files"}`, `Error: Invalid URI "file:files": it has no path`},
			{"S-13 missing", `{}`, "Error: Invalid URI, needs to be a string"},
			{"S-13 null", `{"uri":null}`, "Error: Invalid URI, needs to be a string"},
			{"S-13 number", `{"uri":7}`, "Error: Invalid URI, needs to be a string"},
			{"S-13 list", `{"uri":["file:a"]}`, "Error: Invalid URI, needs to be a string"},
			{"S-13 scheme", `{"uri":"brand.md"}`, "Error: Invalid URI, needs to start with a scheme, such as https://"},
			{"S-13 scheme", `{"uri":""}`, "Error: Invalid URI, needs to start with a scheme, such as https://"},
			{"S-13 scheme", `{"uri":"/assets/brand.md"}`, "Error: Invalid URI, needs to start with a scheme, such as https://"},
			{"S-14", `{"uri":"file://space/assets/brand.md"}`, `Error: Invalid URI "file://space/assets/brand.md": file:// with a host is reserved`},
			{"S-14", `{"uri":"file://host"}`, `Error: Invalid URI "file://host": file:// with a host is reserved`},
			{"S-16", `{"uri":"file:///etc/passwd"}`, "Error: Workspace file not found at /etc/passwd"},
			{"S-16", `{"uri":"file:///.atelier/glossary.md"}`, "Error: Workspace file not found at /.atelier/glossary.md"},
			{"S-16", `{"uri":"file:../../etc/passwd"}`, "Error: Chat file not found at files/../../etc/passwd"},
			{"scheme in capitals", `{"uri":"FILE:document.md"}`, "of the chat"},
			{"S-19", `{"uri":"https://example.com/a"}`, "Error: cannot fetch https://example.com/a: network access is disabled"},
			{"S-19", `{"uri":"sila://x"}`, "Error: cannot fetch sila://x: network access is disabled"},
		} {
			r := p.call("read", c.args)
			if strings.HasPrefix(c.want, "Error: ") {
				assert.False(t, r.Success, "%s %s", c.id, c.args)
				assert.True(t, strings.HasPrefix(r.Text, c.want), "%s %s: %.300s", c.id, c.args, r.Text)
				assert.Nil(t, r.Data)
				continue
			}
			require.True(t, r.Success, "%s %s: %.300s", c.id, c.args, r.Text)
			assert.True(t, c.want == r.Text, "%s %s: %.300q", c.id, c.args, r.Text)
			b, err := json.Marshal(r.Data) // S-22
			require.NoError(t, err)
			var got struct{ URI, Content string }
			require.NoError(t, json.Unmarshal(b, &got))
			assert.True(t, c.want == got.Content, "%s", c.id)
			var args struct{ URI string }
			require.NoError(t, json.Unmarshal([]byte(c.args), &args))
			assert.Equal(t, args.URI, got.URI, "%s", c.id)
		}
		assert.Equal(t, before, p.tree(), "S-20")
	})
}

// S-10: a chat that has no files, and S-15: no chat at all.
func TestS15NoChat(t *testing.T) {
	bothViews(t, "sila", map[string]string{"document.md": "in the workspace"}, func(t *testing.T, p *profile) {
		assert.Equal(t, "Error: Chat file not found at files/document.md", p.call("read", `{"uri":"file:document.md"}`).Text)
		assert.Equal(t, "-", p.text("files"), "S-20: not created")
		p.env.Session = nil
		r := p.call("read", `{"uri":"file:document.md"}`)
		assert.False(t, r.Success)
		assert.Contains(t, r.Text, "no chat context")
		assert.Equal(t, "in the workspace", p.call("read", `{"uri":"file:///document.md"}`).Text)
	})
}

// S-16, A-09: links that leave the workbench are not followed.
func TestS16Links(t *testing.T) {
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret.md"), []byte("secret"), 0o644))
	bothViews(t, "sila", map[string]string{"a.md": "a"}, func(t *testing.T, p *profile) {
		need.Symlink(t, outside, filepath.Join(p.dir, "out"))
		need.Symlink(t, filepath.Join(outside, "secret.md"), filepath.Join(p.dir, "out.md"))
		for _, uri := range []string{"file:///out/secret.md", "file:///out.md", "file:///out"} {
			r := p.call("read", `{"uri":"`+uri+`"}`)
			assert.False(t, r.Success, uri)
			assert.NotContains(t, r.Text, "secret\n", uri)
			assert.NotEqual(t, "secret", r.Text, uri)
		}
	})
}

// base is a fetch that records what it is asked and gives what it is told to.
type base struct {
	asked  []string
	answer *web.Response
	err    error
}

func (b *base) Fetch(_ context.Context, uri string) (*web.Response, error) {
	b.asked = append(b.asked, uri)
	return b.answer, b.err
}

// S-17, S-18: file: never reaches the base fetch, all else does, once, and what
// it says is passed on, HTML as Markdown.
func TestS17Fetch(t *testing.T) {
	p := newProfile(t, "sila", false, map[string]string{"a.md": "<p>a</p>"})
	b := &base{}
	p.env.Fetch = b
	assert.Equal(t, "<p>a</p>", p.call("read", `{"uri":"file:///a.md"}`).Text)
	assert.False(t, p.call("read", `{"uri":"file:b.md"}`).Success)
	assert.False(t, p.call("read", `{"uri":"file://host/b.md"}`).Success)
	assert.False(t, p.call("read", `{"uri":"nonsense"}`).Success)
	assert.Empty(t, b.asked)
	b.answer = &web.Response{Status: 200, ContentType: "text/markdown", Body: []byte("# Page")}
	assert.Equal(t, "# Page", p.call("read", `{"uri":"https://example.com/x"}`).Text)
	assert.Equal(t, "# Page", p.call("read", `{"uri":"sila://x"}`).Text)
	assert.Equal(t, []string{"https://example.com/x", "sila://x"}, b.asked)
	b.answer = &web.Response{Status: 200, ContentType: "text/html", Body: []byte("<html><body><article><h2>Title</h2><p>Some <b>bold</b> text.</p></article></body></html>")}
	assert.Contains(t, p.call("read", `{"uri":"https://example.com/x"}`).Text, "**bold**")
	b.answer = &web.Response{Status: 404, StatusText: "Not Found"}
	assert.Equal(t, "Error: Failed to fetch URL: 404 Not Found", p.call("read", `{"uri":"https://example.com/x"}`).Text)
	b.err = errors.New("no route")
	assert.Equal(t, "Error: no route", p.call("read", `{"uri":"https://example.com/x"}`).Text)

	// The wrapper answers as a web server would.
	res, err := uris.Files{View: p.env.View, Chat: true, Text: func(workshop.Path) (string, error) { return "text", nil }, Base: b}.Fetch(ctx, "file:///a.md")
	require.NoError(t, err)
	assert.Equal(t, &web.Response{URL: "file:///a.md", Status: 200, StatusText: "OK", ContentType: "text/plain; charset=utf-8", Body: []byte("text")}, res)
}

// S-01: the schema has one member.
func TestS01Schema(t *testing.T) {
	p := newProfile(t, "sila", false, nil)
	b := p.cat.Bindings()[0]
	assert.Equal(t, "read", b.Name)
	schema, err := json.Marshal(b.Schema)
	require.NoError(t, err)
	assert.JSONEq(t, `{"type":"object","required":["uri"],"additionalProperties":false,"properties":{"uri":{"type":"string",
		"description":"file:///folder/name for a file of the workspace, file:name for a file of this chat, https://… for a web page"}}}`, string(schema))
}

// S-07: the media types that are text.
func TestS07Types(t *testing.T) {
	for mime, want := range map[string]bool{"": true, "text/plain": true, "text/x-anything": true, "TEXT/HTML; charset=utf-8": true,
		"application/json; charset=utf-8": true, "application/markdown": true, "application/xml": true, "application/javascript": true,
		"application/x-typescript": true, "image/svg+xml": false, "application/pdf": false, "application/octet-stream": false, "textual/x": false} {
		assert.Equal(t, want, uris.IsText(mime), mime)
	}
}

// listsView counts the folders that are listed.
type listsView struct {
	workshop.View
	lists int
}

func (v *listsView) List(ctx context.Context, dir workshop.Path, o workshop.ListOptions) ([]workshop.Entry, error) {
	v.lists++
	return v.View.List(ctx, dir, o)
}

// Below a folder that is absent nothing is looked for, however many segments follow.
func TestPlaceOfManyAbsentFolders(t *testing.T) {
	p := newProfile(t, "sila", false, map[string]string{"here/a.md": "inside"})
	v := &listsView{View: p.env.View}
	got, err := uris.Place(ctx, v, true, "file:///here/"+strings.Repeat("b%20c/", 300)+"d")
	require.NoError(t, err)
	require.Equal(t, workshop.Path("here/"+strings.Repeat("b c/", 300)+"d"), got)
	require.LessOrEqual(t, v.lists, 4)
}

// no URI opens a file outside the workbench, whatever it looks like.
func FuzzURI(f *testing.F) {
	for _, s := range []string{"file:///etc/passwd", "file:../../x", "file:///%2e%2e/%2e%2e/etc/passwd", `file:///..\..\x`, "file:a/%00", "file:////a", "file:/a", "FILE:%", "file:///C:/x", "file:" + strings.Repeat("a/", 500)} {
		f.Add(s)
	}
	p := newProfile(f, "sila", false, map[string]string{"a.md": "inside", "files/a.md": "inside"})
	outside := filepath.Join(filepath.Dir(p.dir), "outside.md")
	require.NoError(f, os.WriteFile(outside, []byte("outside"), 0o644))
	f.Add("file:///" + outside)
	f.Add("file:../../outside.md")
	f.Fuzz(func(t *testing.T, uri string) {
		args, _ := json.Marshal(map[string]string{"uri": uri})
		if r := p.call("read", string(args)); r.Success {
			require.Equal(t, "inside", r.Text, uri)
		}
		if place, err := uris.Place(ctx, p.env.View, true, uri); err == nil {
			clean, err := workshop.ParseStrict(string(place))
			require.NoError(t, err, uri)
			require.Equal(t, place, clean, uri)
		}
	})
}
