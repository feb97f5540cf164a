package catalogue_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/internal/need"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// cage is a workbench on a live view, with a secret outside it that links of
// its root lead to.
type cage struct {
	t       testing.TB
	outside string
	env     *tools.Env
}

const secret = "TOP-SECRET-9137"

func newCage(t testing.TB) *cage {
	t.Helper()
	c := &cage{t: t, outside: t.TempDir()}
	root := filepath.Join(c.outside, "root")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "dir"), 0o755))
	for path, text := range map[string]string{"secret.txt": secret, "root/a.txt": "one\n", "root/dir/b.txt": "two\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(c.outside, path), []byte(text), 0o644))
	}
	for name, target := range map[string]string{"link.txt": "../secret.txt", "links": "..", "absolute.txt": filepath.Join(c.outside, "secret.txt"), "dir/up": "../.."} {
		need.Symlink(t, target, filepath.Join(root, name))
	}
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(ctx, root)
	require.NoError(t, err)
	c.env = &tools.Env{View: wb.LiveView(workshop.Cause{}), Formats: all.Formats(all.Options{CacheDir: formatstest.Cache}), Session: &tools.Session{}}
	return c
}

// call runs a tool and checks that it kept inside and did not panic.
func (c *cage) call(cat *tools.Catalogue, tool string, args []byte) {
	c.t.Helper()
	r := cat.Call(ctx, c.env, tool, args)
	if r.Text == "" && !r.Success || strings.Contains(r.Full, "internal error in "+tool) {
		c.t.Fatalf("%s %s %s: %q", cat.Name(), tool, args, r.Text)
	}
	if strings.Contains(r.Full+r.Text, secret) && !strings.Contains(string(args), secret) {
		c.t.Fatalf("%s %s %s read what is outside: %q", cat.Name(), tool, args, r.Text)
	}
	b, err := os.ReadFile(filepath.Join(c.outside, "secret.txt"))
	if err != nil || string(b) != secret {
		c.t.Fatalf("%s %s %s changed what is outside: %q, %v", cat.Name(), tool, args, b, err)
	}
	es, err := os.ReadDir(c.outside)
	if err != nil || len(es) != 2 {
		c.t.Fatalf("%s %s %s left something outside: %v, %v", cat.Name(), tool, args, es, err)
	}
}

// with is arguments of a tool with s wherever a text can stand.
func with(tool *jsonschema.Schema, s string) []byte {
	o := object{}
	for name, p := range tool.Properties {
		switch {
		case p.Type == "string" && len(p.Enum) > 0:
			o[name] = p.Enum[0]
		case p.Type == "string", p.Type == "":
			o[name] = s
		case p.Type == "array" && p.Items != nil && p.Items.Type == "string":
			o[name] = []string{s}
		case p.Type == "array":
			o[name] = []any{with(p.Items, s)}
			if p.Items != nil && p.Items.Type == "object" {
				o[name] = []json.RawMessage{with(p.Items, s)}
			}
		case p.Type == "object":
			o[name] = object{}
		}
	}
	if slices.Contains(tool.Required, "source") { // move from something that is there, or to it
		o["destination"] = "dir/"
	}
	return must(json.Marshal(o))
}

var escapes = []string{"a.txt", "/a.txt", "../secret.txt", "/../secret.txt", "dir/../../secret.txt", "link.txt", "/link.txt", "links/secret.txt", "/links/secret.txt", "dir/up/secret.txt",
	"absolute.txt", `..\secret.txt`, "./../secret.txt", "a.txt/../../secret.txt", "file:///../secret.txt", "file:../secret.txt", "file:///%2e%2e/secret.txt", "file:///link.txt", "file:///links%2fsecret.txt",
	"root/../secret.txt", "root/link.txt", "root/links/secret.txt", "//secret.txt", "/proc/self/root/etc/passwd", "\x00", "a\x00b", ".", "..", "/", "", " ", "~", "C:\\secret.txt", "links", "links/x/new.txt", "link.txt/x", "*", "**/*", "../*", "links/*", "[", "{a,b}",
	strings.Repeat("../", 40) + "etc/passwd", strings.Repeat("x", 300), ".atelier/x", "\xff\xfe"}

// through no argument of any tool of any catalogue does a path or a link
// lead out of the root.
func TestA09NothingEscapes(t *testing.T) {
	for _, name := range catalogue.Names() {
		t.Run(name, func(t *testing.T) {
			c := newCage(t)
			cat, err := catalogue.Named(name)
			require.NoError(t, err)
			for _, s := range escapes {
				for _, b := range cat.Bindings() {
					c.call(cat, b.Name, with(b.Schema, s))
				}
			}
		})
	}
}

// FuzzA09Paths looks for a text that leads out of the root.
func FuzzA09Paths(f *testing.F) {
	for i, s := range escapes {
		f.Add(byte(i), s)
	}
	c := newCage(f)
	f.Fuzz(func(t *testing.T, n byte, s string) {
		c.t = t
		names := catalogue.Names()
		cat, err := catalogue.Named(names[int(n)%len(names)])
		require.NoError(t, err)
		b := cat.Bindings()[int(n)/len(names)%len(cat.Bindings())]
		c.call(cat, b.Name, with(b.Schema, s))
	})
}

// FuzzArguments gives tools anything for arguments.
func FuzzArguments(f *testing.F) {
	for i, s := range []string{"", "null", "{}", "[]", `{"path":"a.txt"}`, `{"path":1}`, `{"paths":["a.txt",null,"../secret.txt"],"limit":"1"}`, `{"path":"a.txt","insert_line":-1,"insert_content":"x"}`,
		`{"path":"a.txt","offset":9223372036854775807,"cursor":9223372036854775807,"limit":1}`, `{"path":"v","content":{"text":1,"text":"a"},"file_type":"canvas","overwrite":1}`,
		`{"path":"v","old_string":"a","new_string":"b"}`, `{"pattern":"(a|b)*","context":9}`, `{"pattern":"{a,b}","patterns":["**"]}`, `{"name":"[a-","min_size":-1}`, `{"title":"t","content":"c","path":"p"}`} {
		for tool := range 20 {
			f.Add(byte(tool+i), s)
		}
	}
	c := newCage(f)
	cat, err := catalogue.Named("buildscale")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, n byte, s string) {
		c.t = t
		c.call(cat, cat.Bindings()[int(n)%len(cat.Bindings())].Name, []byte(s))
	})
}
