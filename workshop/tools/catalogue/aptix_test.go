package catalogue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/workshop"
	"atelier/workshop/openfiles"
	"atelier/workshop/tools"
	"atelier/workshop/tools/docs"
)

// open makes a file active; its content is newer than the workbench's.
func (p *profile) activate(docPath, content string) {
	p.t.Helper()
	require.NoError(p.t, p.env.Session.Active.Set([]openfiles.File{{DocPath: docPath, DisplayPath: "c:/dev/" + docPath, IsActive: true, IsDirty: true, Content: content}}, true))
}

// data is the payload of a call, which must be the text's JSON too.
func (p *profile) data(tool, args string) map[string]any {
	p.t.Helper()
	r := p.call(tool, args)
	b, err := json.Marshal(r.Data)
	require.NoError(p.t, err)
	require.JSONEq(p.t, string(b), r.Text)
	var m map[string]any
	require.NoError(p.t, json.Unmarshal(b, &m))
	require.Equal(p.t, r.Success, m["success"])
	require.Equal(p.t, r.Success, r.Fault == nil)
	return m
}

func aptixFiles() map[string]string {
	return map[string]string{
		"src/A.cs": "using System;\nclass A {}\n", "accents.md": "aé", "empty.md": "", "abc.txt": "abc",
		"latin.txt": "caf\xe9!", "noext": "a docPath without extension\n", "crlf.txt": "one\r\ntwo\r\nthree",
		"list.md": "1\n2\n3\n4\n5\n",
	}
}

// T-01…T-12, T-15…T-19, C-01, C-05: each call with its whole payload.
func TestAptixRead(t *testing.T) {
	ok := func(path, content string, size int, truncated bool, full string) string {
		return fmt.Sprintf(`{"success":true,"file":{"path":%q,"sizeBytes":%d,"content":%q,"isTruncated":%v,"sha256":%q},"sessionId":"s-1","conversationId":"c-1"}`, path, size, content, truncated, sha(full))
	}
	fail := func(code, message string) string {
		b, _ := json.Marshal(message)
		return fmt.Sprintf(`{"success":false,"errorCode":%q,"errors":[%s],"sessionId":"s-1","conversationId":"c-1"}`, code, b)
	}
	missing := func(path string) string {
		return fail("NOT_FOUND", "File '"+path+"' is not available in activeFiles or cloud source storage. Ask the user to upload it if needed.")
	}
	bothViews(t, "aptix", aptixFiles(), func(t *testing.T, p *profile) {
		p.activate("Repo/src/Open.cs", "open")
		p.activate("repo/abc.txt", "newer than the workspace's")
		before := p.tree()
		for _, c := range []struct{ id, args, want string }{
			{"T-06", `{"path":"repo/src/a.cs"}`, ok("repo/src/a.cs", "using System;\nclass A {}\n", 25, false, "using System;\nclass A {}\n")},
			{"T-17 C-05 case", `{"path":"Repo/SRC/A.cs"}`, ok("Repo/SRC/A.cs", "using System;\nclass A {}\n", 25, false, "using System;\nclass A {}\n")},
			{"T-08", `{"path":"repo/accents.md","maxBytes":2}`, ok("repo/accents.md", "a", 3, true, "aé")},
			{"T-08 less than a character", `{"path":"repo/crlf.txt","maxBytes":1}`, ok("repo/crlf.txt", "o", 15, true, "one\r\ntwo\r\nthree")},
			{"T-09 equal", `{"path":"repo/accents.md","maxBytes":3}`, ok("repo/accents.md", "aé", 3, false, "aé")},
			{"T-09 more", `{"path":"repo/accents.md","maxBytes":" 99 "}`, ok("repo/accents.md", "aé", 3, false, "aé")},
			{"T-09 empty", `{"path":"repo/empty.md","maxBytes":1}`, ok("repo/empty.md", "", 0, false, "")},
			{"A-15 null", `{"path":"repo/empty.md","maxBytes":null}`, ok("repo/empty.md", "", 0, false, "")},
			{"F-04", `{"path":"repo/noext"}`, ok("repo/noext", "a docPath without extension\n", 28, false, "a docPath without extension\n")},
			{"T-19", `{"path":"repo/latin.txt"}`, ok("repo/latin.txt", "caf\uFFFD!", 5, false, "caf\xe9!")},
			{"T-19", `{"path":"repo/latin.txt","maxBytes":4}`, ok("repo/latin.txt", "caf", 5, true, "caf\xe9!")},
			{"F-37", `{"path":"repo/empty.md","workspaceId":"w","encoding":"utf-16","lastModifiedBy":"x"}`,
				strings.Replace(ok("repo/empty.md", "", 0, false, ""), "{", `{"ignored":["workspaceId","encoding","lastModifiedBy"],`, 1)},
			{"T-10 missing", `{}`, fail("INVALID_ARGUMENT", "path is required")},
			{"T-10 null", `{"path":null}`, fail("INVALID_ARGUMENT", "path is required")},
			{"T-10 blank", `{"path":"  "}`, fail("INVALID_ARGUMENT", "path must be a docPath: a string that is not blank")},
			{"T-10 number", `{"path":5}`, fail("INVALID_ARGUMENT", "invalid arguments: path: expected a string, got number")},
			{"T-10 not an object", `[1]`, fail("INVALID_ARGUMENT", "invalid arguments: expected an object, got array")},
			{"T-10 cut", `{"path"`, fail("INVALID_ARGUMENT", "invalid arguments: the JSON is cut off")},
			{"T-10 zero", `{"path":"repo/abc.md","maxBytes":0}`, fail("INVALID_ARGUMENT", "maxBytes must be 1 or more")},
			{"T-10 negative", `{"path":"repo/abc.md","maxBytes":-1}`, fail("INVALID_ARGUMENT", "maxBytes must be 1 or more")},
			{"T-10 fraction", `{"path":"repo/abc.md","maxBytes":1.5}`, fail("INVALID_ARGUMENT", "invalid arguments: maxBytes: expected an integer, got 1.5")},
			{"T-10 word", `{"path":"repo/abc.md","maxBytes":"x"}`, fail("INVALID_ARGUMENT", `invalid arguments: maxBytes: expected an integer, got "x"`)},
			{"T-11", `{"path":"Repo/SRC/Open.cs"}`, fail("ALREADY_IN_CONTEXT", "File 'Repo/SRC/Open.cs' is already present in activeFiles for this session; reuse that content.")},
			{"T-05 both", `{"path":"repo/abc.txt"}`, fail("ALREADY_IN_CONTEXT", "File 'repo/abc.txt' is already present in activeFiles for this session; reuse that content.")},
			{"T-12", `{"path":"src/Billing/ExperimentalService.cs"}`, missing("src/Billing/ExperimentalService.cs")},
			{"T-04", `{"path":"/etc/passwd"}`, missing("/etc/passwd")},
			{"T-04", `{"path":"../../etc/passwd"}`, missing("../../etc/passwd")},
			{"T-17", `{"path":"repo//src/a.cs"}`, missing("repo//src/a.cs")},
			{"T-17", `{"path":"repo/./src/a.cs"}`, missing("repo/./src/a.cs")},
			{"T-17", `{"path":" repo/src/a.cs"}`, missing(" repo/src/a.cs")},
			{"T-17", `{"path":"src/a.cs"}`, missing("src/a.cs")},
			{"T-18", `{"path":"repo/src/a.cs#method:Main"}`, missing("repo/src/a.cs#method:Main")},
			{"a folder", `{"path":"repo/src"}`, missing("repo/src")},
		} {
			got := p.call("workspace_read_file", c.args)
			assert.JSONEq(t, c.want, got.Text, "%s %s", c.id, c.args)
			again := p.call("workspace.read_file", c.args) // T-01, T-20: the same, always
			assert.Equal(t, got.Text, again.Text, "%s", c.id)
			p.data("workspace_read_file", c.args)
		}
		assert.Equal(t, before, p.tree(), "T-03")
		st, err := p.wb.Draft(ctx)
		require.NoError(t, err)
		assert.False(t, st.HasDraft, "T-03")
		p.env.Session = nil
		assert.JSONEq(t, `{"success":false,"errorCode":"NOT_FOUND","errors":["File 'x' is not available in activeFiles or cloud source storage. Ask the user to upload it if needed."],"sessionId":"","conversationId":""}`,
			p.call("workspace_read_file", `{"path":"x"}`).Text, "T-16")
	})
}

// T-02, T-20: schemas, names and descriptions.
func TestT02Schemas(t *testing.T) {
	p := newProfile(t, "aptix", false, nil)
	seen := map[string]bool{}
	for _, b := range p.cat.Bindings() {
		assert.False(t, seen[b.Name])
		assert.NotEmpty(t, b.Description)
		assert.NotContains(t, b.Name, ".", "C-01")
		seen[b.Name] = true
	}
	assert.Equal(t, map[string]bool{"workspace_read_file": true, "active_file_sha256": true, "workspace_write_patch": true,
		"workspace_create_file": true, "code_hash_normalized": true, "rag_search_docs": true, "rag_search_code": true, "recall_tool_result": true}, seen)
	read := p.cat.Bindings()[0].Schema
	assert.Equal(t, []string{"path"}, read.Required)
	assert.Equal(t, "string", read.Properties["path"].Type)
	assert.Equal(t, "integer", read.Properties["maxBytes"].Type)
	assert.EqualValues(t, 1, *read.Properties["maxBytes"].Minimum)
	e, ok := p.cat.Effect("workspace.read_file")
	assert.True(t, ok)
	assert.Equal(t, tools.Read, e)
}

// spy counts what is asked of the store, and can make it fail.
type spy struct {
	tools.DocStore
	calls int
	err   error
	panic bool
}

func (s *spy) FindDoc(ctx context.Context, v workshop.View, d workshop.DocPath) (workshop.Path, error) {
	s.calls++
	if s.panic {
		panic("secret detail")
	}
	if s.err != nil {
		return "", s.err
	}
	return s.DocStore.FindDoc(ctx, v, d)
}

// T-05: a path in both gives ALREADY_IN_CONTEXT and the store receives no call.
// T-13: store errors and panics become INTERNAL_ERROR without detail.
func TestT05T13Store(t *testing.T) {
	p := newProfile(t, "aptix", false, aptixFiles())
	s := &spy{DocStore: p.wb}
	p.env.Session.Docs = s
	p.activate("repo/abc.txt", "x")
	assert.Equal(t, "ALREADY_IN_CONTEXT", p.data("workspace_read_file", `{"path":"repo/abc.txt"}`)["errorCode"])
	for _, bad := range []string{`{}`, `{"path":""}`, `{"path":"repo/list.md","maxBytes":0}`} {
		p.data("workspace_read_file", bad)
	}
	assert.Zero(t, s.calls)
	p.data("workspace_read_file", `{"path":"repo/list.md"}`)
	assert.Equal(t, 1, s.calls)
	for _, s.err = range []error{errors.New("secret detail"), context.Canceled, workshop.Faultf(workshop.Internal, "secret detail")} {
		m := p.data("workspace_read_file", `{"path":"repo/list.md"}`)
		assert.Equal(t, "INTERNAL_ERROR", m["errorCode"])
		assert.NotContains(t, fmt.Sprint(m), "secret")
		assert.Equal(t, "s-1", m["sessionId"])
	}
	s.panic = true
	m := p.data("workspace_read_file", `{"path":"repo/list.md"}`)
	assert.Equal(t, "INTERNAL_ERROR", m["errorCode"])
	assert.NotContains(t, fmt.Sprint(m), "secret")
	gone, cancel := context.WithCancel(ctx)
	cancel()
	p.env.Session.Docs = p.wb
	r := p.cat.Call(gone, p.env, "workspace_read_file", json.RawMessage(`{"path":"repo/list.md"}`))
	assert.Contains(t, r.Text, `"errorCode":"INTERNAL_ERROR"`, "T-14: cancellation")
}

// T-14, T-15, T-16: whatever the arguments, a payload has one of two shapes and
// one of four codes.
func TestT14Shapes(t *testing.T) {
	p := newProfile(t, "aptix", false, aptixFiles())
	p.activate("repo/abc.txt", "x")
	codes := map[string]bool{"ALREADY_IN_CONTEXT": true, "NOT_FOUND": true, "INVALID_ARGUMENT": true, "INTERNAL_ERROR": true}
	paths := []string{`"repo/abc.txt"`, `"repo/LIST.md"`, `"x"`, `""`, `" "`, `null`, `7`, `[]`, `{}`, `"\u0000"`, `"\ud800"`, `"../x"`}
	limits := []string{"", `,"maxBytes":1`, `,"maxBytes":-7`, `,"maxBytes":"2"`, `,"maxBytes":1e99`, `,"maxBytes":{}`, `,"maxBytes":null`}
	rapid.Check(t, func(t *rapid.T) {
		args := `{"path":` + rapid.SampledFrom(paths).Draw(t, "path") + rapid.SampledFrom(limits).Draw(t, "limit") + `}`
		if rapid.IntRange(0, 3).Draw(t, "cut") == 0 {
			args = args[:rapid.IntRange(0, len(args)).Draw(t, "at")]
		}
		r := p.call("workspace_read_file", args)
		var m map[string]any
		if err := json.Unmarshal([]byte(r.Text), &m); err != nil {
			t.Fatalf("%s: %v", r.Text, err)
		}
		if m["sessionId"] != "s-1" || m["conversationId"] != "c-1" || m["success"] != r.Success {
			t.Fatalf("%s: %s", args, r.Text)
		}
		if r.Success {
			if m["errorCode"] != nil || m["errors"] != nil || m["file"] == nil {
				t.Fatalf("%s: %s", args, r.Text)
			}
			return
		}
		errs, _ := m["errors"].([]any)
		if !codes[m["errorCode"].(string)] || len(errs) == 0 || m["file"] != nil {
			t.Fatalf("%s: %s", args, r.Text)
		}
	})
}

// T-08: the content of a cut read is the longest prefix of whole characters.
func TestT08Cut(t *testing.T) {
	files := map[string]string{"a.txt": "aé漢😀\r\n" + strings.Repeat("é", 50), "raw.txt": "a\xff\xfeé\x80z\xf0\x9f"}
	p := newProfile(t, "aptix", false, files)
	p.env.ResultMax = 1 << 20
	for name, text := range files {
		decoded := string([]rune(text))
		for n := 1; n <= len(text)+1; n++ {
			m := p.data("workspace_read_file", fmt.Sprintf(`{"path":"repo/%s","maxBytes":%d}`, name, n))["file"].(map[string]any)
			content := m["content"].(string)
			if n >= len(text) {
				assert.Equal(t, decoded, content)
				assert.Equal(t, false, m["isTruncated"])
				continue
			}
			assert.LessOrEqual(t, len(content), n)
			assert.True(t, strings.HasPrefix(decoded, content))
			_, size := utf8.DecodeRuneInString(decoded[len(content):])
			assert.Greater(t, len(content)+size, n, "one more character would not fit")
			assert.Equal(t, true, m["isTruncated"])
			assert.EqualValues(t, len(text), m["sizeBytes"])
			assert.Equal(t, sha(text), m["sha256"], "T-07")
		}
	}
}

// F-20: where the truth is, for each of the eight combinations of an active
// file, a file of the workbench and a hit of retrieval, which never counts.
func TestF20Precedence(t *testing.T) {
	for i := range 8 {
		isActive, isCloud, isFound := i&4 != 0, i&2 != 0, i&1 != 0
		p := newProfile(t, "aptix", false, map[string]string{"other.md": "o"})
		if isCloud {
			require.NoError(t, p.wb.SetDocPath(ctx, "other.md", "doc"))
		}
		if isActive {
			p.activate("doc", "active")
		}
		if isFound { // listed by the client as known, but not open: as good as a hit
			require.NoError(t, p.env.Session.Active.Set([]openfiles.File{{DocPath: "snippet", Content: "rag"}}, true))
		}
		d, err := docs.Resolve(ctx, p.env, "doc")
		require.NoError(t, err)
		want := docs.None
		switch {
		case isActive:
			want = docs.Active
		case isCloud:
			want = docs.Cloud
		}
		assert.Equal(t, want, d.Source, "active %v, cloud %v, found %v", isActive, isCloud, isFound)
	}
}

// F-10, F-11, F-12, F-14: the active list.
func TestF10ActiveList(t *testing.T) {
	p := newProfile(t, "aptix", false, map[string]string{"a.md": "cloud"})
	l := p.env.Session.Active
	var f openfiles.File
	require.NoError(t, json.Unmarshal([]byte(`{"docPath":"Repo/A.md","displayPath":"C:/Dev/A.md","sizeBytes":99,"isDirty":true,"isActive":false,"encoding":"x"}`), &f))
	f.Content = "aé"
	require.NoError(t, l.Set([]openfiles.File{f}, false))
	b, err := json.Marshal(l.All())
	require.NoError(t, err)
	assert.JSONEq(t, `[{"docPath":"repo/a.md","displayPath":"C:/Dev/A.md","sizeBytes":3,"isDirty":true,"isActive":false}]`, string(b))
	assert.Equal(t, true, p.data("workspace_read_file", `{"path":"repo/a.md"}`)["success"], "F-11")
	assert.Equal(t, "NOT_FOUND", p.data("active_file_sha256", `{"docPath":"repo/a.md"}`)["errorCode"], "F-11")
	f.IsActive = true
	require.NoError(t, l.Set([]openfiles.File{f, {DocPath: "big", Content: strings.Repeat("x", 102401), IsActive: true}}, true))
	assert.Len(t, l.All(), 2, "F-02: replaced")
	prompt := l.Prompt(1 << 20)
	for _, s := range []string{"docPath=repo/a.md displayPath=C:/Dev/A.md sizeBytes=3 isDirty=true", "Content of repo/a.md:\n```\naé\n```", "docPath=big", "Skipped, since they are too large to show here:\n- big (102401 bytes)"} {
		assert.Contains(t, prompt, s)
	}
	assert.NotContains(t, prompt, "xxx", "F-14")
	assert.NotContains(t, l.Prompt(2), "aé\n```")
	require.NoError(t, l.Remove([]string{"REPO/a.md", "none"}))
	assert.Len(t, l.All(), 1)
	require.Error(t, l.Set([]openfiles.File{{DocPath: " "}}, true))
	assert.Len(t, l.All(), 1)
	require.NoError(t, l.Set(nil, false))
	assert.Empty(t, l.Prompt(100))
	assert.True(t, workshop.IsFault(l.Set([]openfiles.File{{DocPath: "x", Content: strings.Repeat("x", openfiles.MaxBytes+1)}}, false), workshop.Invalid))
}

// F-34, A-12: the hash of an active file.
func TestF34Hash(t *testing.T) {
	p := newProfile(t, "aptix", false, map[string]string{"abc.txt": "abc"})
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	assert.Equal(t, abc, p.data("workspace_read_file", `{"path":"repo/abc.txt"}`)["file"].(map[string]any)["sha256"])
	p.activate("Any Key", "abc")
	assert.Equal(t, map[string]any{"success": true, "docPath": "any key", "sha256": abc, "sizeBytes": 3.0}, p.data("active_file_sha256", `{"docPath":"ANY key"}`))
	for args, code := range map[string]string{`{"docPath":"repo/abc.txt"}`: "NOT_FOUND", `{"docPath":" "}`: "INVALID_ARGUMENT", `{}`: "INVALID_ARGUMENT", `{"docPath":1}`: "INVALID_ARGUMENT"} {
		m := p.data("active_file_sha256", args)
		assert.Equal(t, code, m["errorCode"], args)
		assert.Equal(t, "s-1", m["sessionId"])
	}
}

// P-14: normalised hashes.
func TestP14CodeHash(t *testing.T) {
	p := newProfile(t, "aptix", false, nil)
	long := strings.Repeat("é", 600)
	for in, want := range map[string]string{"a\r\nb\rc": "a\nb\nc\n", "a\nb\nc\n": "a\nb\nc\n", "": "", "\n": "\n", "x": "x\n", "a\n\n": "a\n\n",
		long + "\nb": strings.Repeat("é", 500) + "\nb\n"} {
		args, _ := json.Marshal(map[string]any{"content": in, "docPath": "Repo/X", "label": "L"})
		m := p.data("code_hash_normalized", string(args))
		assert.Equal(t, map[string]any{"success": true, "hash": sha(want), "contentLength": float64(len(in)), "docPath": "repo/x", "label": "L", "errorCode": nil, "errorMessage": nil}, m, "%.20q", in)
	}
	for args, code := range map[string]string{`{}`: "MISSING_CONTENT", `{"content":null}`: "MISSING_CONTENT", `{"content":5}`: "DESERIALIZATION_ERROR", `nonsense`: "DESERIALIZATION_ERROR"} {
		m := p.data("code_hash_normalized", args)
		assert.Equal(t, code, m["errorCode"], args)
		assert.Nil(t, m["hash"])
	}
}
