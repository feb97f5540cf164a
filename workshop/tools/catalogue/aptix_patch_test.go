package catalogue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/workshop"
	"atelier/workshop/linepatch"
)

// patchOf is a request that changes one file.
func patchOf(docPath, sha string, changes ...string) string {
	return fmt.Sprintf(`{"batchKey":"k","batchLabel":"l","files":[{"docPath":%q,"originalSha256":%q,"fileKey":"fk","fileLabel":"fl","changes":[%s]}]}`, docPath, sha, strings.Join(changes, ","))
}

const (
	listText = "1\n2\n3\n4\n5\n"
	change2  = `{"operation":"Replace","changeKey":"ck","description":"d","startLine":2,"endLine":2,"expectedOriginalLines":["2"],"newLines":["zwei"]}`
)

var id32 = regexp.MustCompile(`^[0-9a-f]{32}$`)

// P-01, P-03, P-09, P-11: a patch of the workspace's file and its whole result.
func TestP09Result(t *testing.T) {
	bothViews(t, "aptix", aptixFiles(), func(t *testing.T, p *profile) {
		m := p.data("workspace_write_patch", patchOf("Repo/List.MD", sha(listText), change2, `{"operation":"INSERT","afterLine":"4","newLines":["4b"]}`, `{"operation":"delete","startLine":5,"endLine":5,"expectedOriginalLines":["5"]}`))
		ids := map[string]bool{}
		id := func(m map[string]any, key string) {
			s := m[key].(string)
			assert.Regexp(t, id32, s)
			assert.False(t, ids[s], "ids are unique")
			ids[s] = true
			m[key] = "id"
		}
		id(m, "batchId")
		f := m["files"].([]any)[0].(map[string]any)
		id(f, "filePatchId")
		for _, c := range f["changes"].([]any) {
			id(c.(map[string]any), "changeId")
		}
		got, err := json.Marshal(m)
		require.NoError(t, err)
		const want = "1\nzwei\n3\n4\n4b\n"
		assert.JSONEq(t, fmt.Sprintf(`{"success":true,"errorCode":null,"errorMessage":null,"batchId":"id","batchKey":"k","batchLabel":"l","sessionId":"s-1","files":[
			{"filePatchId":"id","fileKey":"fk","fileLabel":"fl","docPath":"repo/list.md","originalSha256":%q,"applied":true,"newSha256":%q,"changes":[
			{"changeId":"id","changeKey":"ck","operation":"replace","description":"d","startLine":2,"endLine":2,"expectedOriginalLines":["2"],"newLines":["zwei"]},
			{"changeId":"id","changeKey":null,"operation":"insert","description":null,"afterLine":4,"expectedOriginalLines":[],"newLines":["4b"]},
			{"changeId":"id","changeKey":null,"operation":"delete","description":null,"startLine":5,"endLine":5,"expectedOriginalLines":["5"],"newLines":[]}]}]}`, sha(listText), sha(want)), string(got))
		assert.Equal(t, want, p.text("list.md"))
		again := p.data("workspace_read_file", `{"path":"repo/list.md"}`)["file"].(map[string]any)
		assert.Equal(t, sha(want), again["sha256"], "F-22: the next patch goes on from here")
		assert.Equal(t, true, p.data("workspace_write_patch", patchOf("repo/list.md", strings.ToUpper(sha(want)), `{"operation":"insert","afterLine":0,"newLines":["0"]}`))["success"])
	})
}

// P-01…P-10, F-21…F-24: what is refused, with which code, and nothing changes.
func TestP10Refused(t *testing.T) {
	long := strings.Repeat("a", 63)

	bothViews(t, "aptix", aptixFiles(), func(t *testing.T, p *profile) {
		p.activate("repo/abc.txt", "abc\ndirty\n")
		p.activate("only/active", "x\n")
		ins := `{"operation":"insert","afterLine":0,"newLines":["x"]}`
		before := p.tree()
		for _, c := range []struct{ id, args, code, message string }{
			{"P-10 nothing", ``, "MISSING_ARGUMENTS", "files is required"},
			{"P-10 empty", `{}`, "MISSING_ARGUMENTS", "files is required"},
			{"P-10 not JSON", `{"files":`, "DESERIALIZATION_ERROR", ""},
			{"P-10 type", `{"files":"x"}`, "DESERIALIZATION_ERROR", ""},
			{"P-10 type inside", patchOf("repo/list.md", sha(listText), `{"operation":"insert","afterLine":"x","newLines":["x"]}`), "DESERIALIZATION_ERROR", ""},
			{"P-01 no files", `{"files":[]}`, "VALIDATION_FAILED", "at least one file"},
			{"P-01 no changes", patchOf("repo/list.md", sha(listText)), "VALIDATION_FAILED", "no changes"},
			{"P-01 twice", fmt.Sprintf(`{"files":[{"docPath":"repo/list.md","originalSha256":%[1]q,"changes":[%[2]s]},{"docPath":"REPO/list.md","originalSha256":%[1]q,"changes":[%[2]s]}]}`, sha(listText), ins), "VALIDATION_FAILED", "'REPO/list.md' is there twice"},
			{"P-01 blank", patchOf(" ", sha(listText), ins), "VALIDATION_FAILED", "files[0].docPath"},
			{"P-02 short", patchOf("repo/list.md", long, ins), "VALIDATION_FAILED", "originalSha256 of 'repo/list.md' must be 64 hexadecimal characters"},
			{"P-02 letters", patchOf("repo/list.md", long+"g", ins), "VALIDATION_FAILED", "'repo/list.md'"},
			{"P-02 empty", patchOf("repo/list.md", "", ins), "VALIDATION_FAILED", "'repo/list.md'"},
			{"P-03", patchOf("repo/list.md", sha(listText), ins, `{"operation":"move"}`), "VALIDATION_FAILED", "changes[1]: operation"},
			{"P-04 no line", patchOf("repo/list.md", sha(listText), `{"operation":"insert","newLines":["x"]}`), "VALIDATION_FAILED", "afterLine"},
			{"P-04 negative", patchOf("repo/list.md", sha(listText), `{"operation":"insert","afterLine":-1,"newLines":["x"]}`), "VALIDATION_FAILED", "afterLine"},
			{"P-04 no lines", patchOf("repo/list.md", sha(listText), `{"operation":"insert","afterLine":1,"newLines":[]}`), "VALIDATION_FAILED", "newLines"},
			{"P-05 no range", patchOf("repo/list.md", sha(listText), `{"operation":"delete","startLine":1,"expectedOriginalLines":["1"]}`), "VALIDATION_FAILED", "startLine and endLine"},
			{"P-05 no lines", patchOf("repo/list.md", sha(listText), `{"operation":"delete","startLine":1,"endLine":1}`), "VALIDATION_FAILED", "expectedOriginalLines"},
			{"P-07 outside", patchOf("repo/list.md", sha(listText), `{"operation":"insert","afterLine":6,"newLines":["x"]}`), "VALIDATION_FAILED", "outside the file"},
			{"P-07 order", patchOf("repo/list.md", sha(listText), change2, ins), "VALIDATION_FAILED", "changes[1]"},
			{"P-08", patchOf("repo/list.md", sha(listText), `{"operation":"delete","startLine":1,"endLine":2,"expectedOriginalLines":["1","zwei"]}`), "LINE_CONFLICT", "line 2 is not as expected"},
			{"P-08 active", patchOf("repo/abc.txt", sha("abc\ndirty\n"), `{"operation":"delete","startLine":1,"endLine":1,"expectedOriginalLines":["x"]}`), "LINE_CONFLICT", "line 1"},
			{"missing file", patchOf("repo/none.md", sha(listText), ins), "NOT_FOUND", "'repo/none.md'"},
			{"T-04", patchOf("../../etc/passwd", sha(listText), ins), "NOT_FOUND", ""},
			{"F-23 invented", patchOf("repo/list.md", sha("guess"), ins), "SHA_MISMATCH", "workspace_read_file"},
			{"F-21 cloud hash of an active file", patchOf("repo/abc.txt", sha("abc"), ins), "SHA_MISMATCH", "active_file_sha256"},
			{"F-32 from a snippet", patchOf("repo/src/a.cs", sha("class A {}\n"), ins), "SHA_MISMATCH", "full file"},
			{"F-33 from a stale rag-full", patchOf("repo/src/a.cs", sha("using System;\nclass B {}\n"), ins), "SHA_MISMATCH", "search results are no base for a patch"},
		} {
			got := p.data("workspace_write_patch", c.args)
			assert.Equal(t, c.code, got["errorCode"], "%s: %v", c.id, got)
			assert.Contains(t, got["errorMessage"], c.message, c.id)
			assert.Equal(t, []any{}, got["files"], c.id)
			assert.Equal(t, "s-1", got["sessionId"], c.id)
			if strings.Contains(c.args, `"batchKey"`) && c.code != "DESERIALIZATION_ERROR" {
				assert.Equal(t, "k", got["batchKey"], c.id)
				assert.Equal(t, "l", got["batchLabel"], c.id)
			}
			for _, path := range []string{"src/A.cs", p.dir} { // F-03
				assert.NotContains(t, got["errorMessage"], path, c.id)
			}
		}
		assert.Equal(t, before, p.tree())
	})
}

// P-11, C-50: a batch of files of both kinds; and one bad file stops them all.
func TestP11Batch(t *testing.T) {
	bothViews(t, "aptix", aptixFiles(), func(t *testing.T, p *profile) {
		p.activate("repo/abc.txt", "abc\n")
		ins := `{"operation":"insert","afterLine":0,"newLines":["new"]}`
		file := func(doc, text string) string {
			return fmt.Sprintf(`{"docPath":%q,"originalSha256":%q,"changes":[%s]}`, doc, sha(text), ins)
		}
		batch := func(files ...string) string { return `{"files":[` + strings.Join(files, ",") + `]}` }
		before := p.tree()
		for _, bad := range []string{file("repo/noext", "stale"), file("repo/abc.txt", "abc"), file("none", "x")} {
			for _, args := range []string{batch(file("repo/list.md", listText), bad), batch(bad, file("repo/list.md", listText))} {
				assert.Equal(t, false, p.data("workspace_write_patch", args)["success"])
				assert.Equal(t, before, p.tree())
			}
		}
		m := p.data("workspace_write_patch", batch(file("repo/list.md", listText), file("repo/abc.txt", "abc\n"), file("repo/crlf.txt", "one\r\ntwo\r\nthree")))
		require.Equal(t, true, m["success"], "%v", m)
		applied := []any{}
		for _, f := range m["files"].([]any) {
			applied = append(applied, f.(map[string]any)["applied"])
		}
		assert.Equal(t, []any{true, false, true}, applied)
		assert.NotContains(t, m["files"].([]any)[1], "newSha256")
		assert.Equal(t, "new\n"+listText, p.text("list.md"))
		assert.Equal(t, "new\r\none\r\ntwo\r\nthree", p.text("crlf.txt"))
		assert.Equal(t, "abc", p.text("abc.txt"), "no tool writes an active file")
	})
}

// racing is a view in which a file changes just before it is written.
type racing struct {
	workshop.View
	first func()
}

func (v *racing) PutAll(ctx context.Context, puts []workshop.Put) ([]workshop.Entry, error) {
	if f := v.first; f != nil {
		v.first = nil
		f()
	}
	return v.View.(workshop.Batcher).PutAll(ctx, puts)
}

// F-24: a change between reading and patching, even at the last moment, is
// noticed; an active file that changes likewise.
func TestF24ApplyTime(t *testing.T) {
	bothViews(t, "aptix", aptixFiles(), func(t *testing.T, p *profile) {
		view := p.env.View
		p.env.View = &racing{view, func() {
			_, err := view.Put(ctx, "list.md", workshop.PutOptions{}, func(w io.Writer) error { _, err := io.WriteString(w, "faster"); return err })
			require.NoError(t, err)
		}}
		m := p.data("workspace_write_patch", patchOf("repo/list.md", sha(listText), change2))
		assert.Equal(t, "SHA_MISMATCH", m["errorCode"], "%v", m)
		assert.Equal(t, "faster", p.text("list.md"))

		p.activate("open", "one\n")
		h := p.data("active_file_sha256", `{"docPath":"open"}`)["sha256"].(string)
		p.activate("open", "two\n")
		assert.Equal(t, "SHA_MISMATCH", p.data("workspace_write_patch", patchOf("open", h, `{"operation":"insert","afterLine":0,"newLines":["x"]}`))["errorCode"])
	})
}

// P-10: failures of the store have their own code and no detail.
func TestP10Store(t *testing.T) {
	p := newProfile(t, "aptix", false, aptixFiles())
	s := &spy{DocStore: p.wb, err: fmt.Errorf("secret detail")}
	p.env.Session.Docs = s
	m := p.data("workspace_write_patch", patchOf("repo/list.md", sha(listText), change2))
	assert.Equal(t, "STORE_ERROR", m["errorCode"])
	s.err = context.Canceled
	assert.Equal(t, "CANCELLED", p.data("workspace_write_patch", patchOf("repo/list.md", sha(listText), change2))["errorCode"])
	s.panic = true
	m2 := p.data("workspace_write_patch", patchOf("repo/list.md", sha(listText), change2))
	assert.Equal(t, "UNEXPECTED_ERROR", m2["errorCode"])
	assert.NotContains(t, fmt.Sprint(m, m2), "secret")
}

// P-11: patches are for text; documents keep their own tools.
func TestP06NotText(t *testing.T) {
	files := map[string]string{"a.docx": "PK", "b.bin": "a\x00b\n", "c.png": "x"}
	p := newProfile(t, "aptix", false, files)
	for name, text := range files {
		m := p.data("workspace_write_patch", patchOf("repo/"+name, sha(text), `{"operation":"insert","afterLine":0,"newLines":["x"]}`))
		assert.Equal(t, "VALIDATION_FAILED", m["errorCode"], "%v", m)
		assert.Equal(t, text, p.text(name))
	}
}

// P-06…P-08, P-11: sequences of patches against text kept in memory.
func TestPatchSequences(t *testing.T) {
	p := newProfile(t, "aptix", false, map[string]string{"t.txt": ""})
	p.env.ResultMax = 1 << 20
	want, line := "", rapid.StringMatching(`[a-zé]{1,3}`)
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.Split(strings.TrimSuffix(want, "\n"), "\n")
		if want == "" {
			lines = nil
		}
		at := rapid.IntRange(0, len(lines)).Draw(t, "at")
		end := min(len(lines), at+rapid.IntRange(0, 2).Draw(t, "length"))
		c := linepatch.Change{Op: linepatch.Insert, After: at, New: rapid.SliceOfN(line, 1, 3).Draw(t, "new")}
		wire := map[string]any{"operation": "insert", "afterLine": at, "newLines": c.New}
		if end > at {
			wire = map[string]any{"operation": "replace", "startLine": at + 1, "endLine": end, "expectedOriginalLines": lines[at:end], "newLines": c.New}
		}
		base := sha(want)
		stale := rapid.IntRange(0, 4).Draw(t, "stale") == 0
		if stale {
			base = sha(want + "x")
		}
		b, _ := json.Marshal(map[string]any{"files": []any{map[string]any{"docPath": "repo/t.txt", "originalSha256": base, "changes": []any{wire}}}})
		r := p.call("workspace_write_patch", string(b))
		if r.Success == stale {
			t.Fatalf("%s: %s", b, r.Text)
		}
		if !stale {
			after := append(append(append([]string{}, lines[:at]...), c.New...), lines[end:]...)
			want = strings.Join(after, "\n") + "\n"
		}
		if got := p.text("t.txt"); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// P-13: files that are made, and each code.
func TestP13Create(t *testing.T) {
	bothViews(t, "aptix", map[string]string{"a.md": "old", "dir/x.md": "x"}, func(t *testing.T, p *profile) {
		m := p.data("workspace_create_file", `{"path":"src/New.md","content":"né"}`)
		assert.Equal(t, map[string]any{"success": true, "message": "Created src/New.md", "path": "src/New.md", "docPath": "repo/src/new.md", "sizeBytes": 3.0,
			"hash": sha("né"), "created": true, "overwritten": false, "errorCode": nil}, m)
		assert.Equal(t, "né", p.text("src/New.md"))
		assert.Equal(t, true, p.data("workspace_read_file", `{"path":"repo/src/new.md"}`)["success"])
		assert.Equal(t, true, p.data("workspace_create_file", `{"path":"repo/by/docpath.md","content":""}`)["created"])
		assert.Equal(t, "", p.text("by/docpath.md"), "the repository's name is no folder")
		m = p.data("workspace_create_file", `{"path":"a.md","content":"new","overwrite":"true"}`)
		assert.Equal(t, []any{true, false, true}, []any{m["success"], m["created"], m["overwritten"]})
		p.activate("repo/open.md", "x")
		before := p.tree()
		for args, code := range map[string]string{
			`{"path":"a.md","content":"x"}`:                     "FileExists",
			`{"path":"open.md","content":"x","overwrite":true}`: "FileExists",
			`{"path":"../a.md","content":"x"}`:                  "InvalidPath",
			`{"path":"/etc/x","content":"x"}`:                   "InvalidPath",
			`{"path":"","content":"x"}`:                         "InvalidPath",
			`{"path":".atelier/x","content":"x"}`:               "InvalidPath",
			`{"path":"a.docx","content":"x"}`:                   "InvalidPath",
			`{"path":"dir","content":"x"}`:                      "InvalidPath",
			`{"content":"x"}`:                                   "InvalidPath",
			`{"path":"a.md/b.md","content":"x"}`:                "DirectoryCreateFailed",
			`nonsense`:                                          "InvalidPath",
		} {
			m := p.data("workspace_create_file", args)
			assert.Equal(t, code, m["errorCode"], "%s: %v", args, m)
			assert.Nil(t, m["hash"])
		}
		assert.Equal(t, before, p.tree())
	})
}

// F-03: nothing but lower case docPaths comes out, whatever goes in.
func TestF03LowerCase(t *testing.T) {
	p := newProfile(t, "aptix", false, map[string]string{"Src/MiXeD.Md": "x\n"})
	p.activate("OPEN/File.CS", "y\n")
	ins := `{"operation":"insert","afterLine":0,"newLines":["z"]}`
	out := p.call("workspace_write_patch", patchOf("Repo/SRC/Mixed.md", sha("x\n"), ins)).Text +
		p.call("workspace_write_patch", patchOf("Open/FILE.cs", sha("y\n"), ins)).Text +
		p.call("active_file_sha256", `{"docPath":"Open/FILE.cs"}`).Text
	b, err := json.Marshal(p.env.Session.Active.All())
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`"docPath":"([^"]*)"`).FindAllStringSubmatch(out+string(b), -1) {
		assert.Equal(t, strings.ToLower(m[1]), m[1])
	}
	assert.Contains(t, p.env.Session.Active.Prompt(0), "docPath=open/file.cs")
}
