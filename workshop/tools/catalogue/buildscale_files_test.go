package catalogue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"atelier/internal/need"
	"atelier/workshop"
)

const abcHash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

// B-01, C-06, C-30: one normal form, clamped at the root, segments verbatim.
func TestB01Paths(t *testing.T) {
	onBothViews(t, map[string]string{"folder/file": "abc", "b": "b", "a/b": "ab", "My File (1).MD": "x"}, func(s *scale) {
		for in, want := range map[string]string{
			" //folder///file/ ": "/folder/file",
			"/a/../../b":         "/b",
			"a/./b":              "/a/b",
			"../../b":            "/b",
			"/My File (1).MD":    "/My File (1).MD",
		} {
			require.Equal(s, want, s.ok("read", args("path", in))["path"], in)
		}
		require.Equal(s, "/", s.ok("ls", args("path", ""))["path"])
		require.Equal(s, "/", s.ok("ls", args("path", "/.."))["path"])
		s.fails("read", `{"path":"a\u0000b"}`, workshop.Invalid, "path", `the path "a\x00b" is not valid`)
		s.fails("read", args("path", "/"+strings.Repeat("x", 300)), workshop.Invalid, "path", `the name "`+strings.Repeat("x", 40)+`"… has 300 bytes; 255 is the most a file system holds`)
		require.False(s, s.call("write", args("path", "/.atelier/x", "content", "x")).Success)
	})
}

// B-02, B-03, B-04, B-05, B-06, C-28: what is only on disk is seen, read, imported by
// the first change, and deleted without a trace in the trash.
func TestB02Synced(t *testing.T) {
	onBothViews(t, map[string]string{"disk.txt": "abc", "mv.txt": "m", "rm.txt": "r"}, func(s *scale) {
		s.ok("write", args("path", "/known.txt", "content", "abc"))
		synced := object{}
		for _, e := range s.ok("ls", `{}`)["entries"].([]any) {
			e := e.(object)
			synced[e["path"].(string)] = e["synced"]
			require.Equal(s, e["synced"].(bool), e["id"] != nil)
		}
		require.Equal(s, object{"/known.txt": true, "/disk.txt": false, "/mv.txt": false, "/rm.txt": false}, synced)
		for path, want := range map[string]bool{"/known.txt": true, "/disk.txt": false} {
			require.Equal(s, want, s.ok("read", args("path", path))["synced"], path)
			require.Equal(s, want, s.ok("file_info", args("path", path))["synced"], path)
		}
		s.ok("write", args("path", "/made/with/it.txt", "content", "abc"))
		for _, e := range s.ok("ls", `{"path":"/made","recursive":true}`)["entries"].([]any) {
			require.Equal(s, true, e.(object)["synced"])
		}
		require.Equal(s, true, entry(s, "/made")["synced"])
		require.Equal(s, true, s.ok("glob", `{"pattern":"/made/with"}`)["matches"].([]any)[0].(object)["synced"])
		require.Nil(s, s.ok("rm", args("path", "/rm.txt"))["file_id"])
		s.fails("read", args("path", "/rm.txt"), workshop.NotFound, "", "File not found: /rm.txt")

		edited := s.ok("edit", args("path", "/disk.txt", "old_string", "b", "new_string", "B"))
		require.NoError(s, uuid.Validate(edited["file_id"].(string)))
		require.Equal(s, true, s.ok("read", args("path", "/disk.txt"))["synced"])
		s.ok("mv", args("source", "/mv.txt", "destination", "/moved.txt"))
		require.Equal(s, true, s.ok("read", args("path", "/moved.txt"))["synced"])
		if s.live {
			vs, err := s.wb.Versions(ctx, "disk.txt")
			require.NoError(s, err)
			require.Len(s, vs, 2, "the import and the edit")
			trash, err := s.wb.Trash(ctx)
			require.NoError(s, err)
			require.Empty(s, trash)
		}
	})
}

// B1-01, B1-02, B1-03, B1-04, B1-05, B1-06, B-07.
func TestB1Ls(t *testing.T) {
	disk := map[string]string{"src/a.txt": "", "src/lib/b.txt": "", "src2/x": "", "Z.txt": "", "a.txt": ""}
	onBothViews(t, disk, func(s *scale) {
		s.ok("mkdir", args("path", "/empty"))
		need.Symlink(s, "a.txt", filepath.Join(s.dir, "link.txt"))
		list := func(a string) []string { return pluck(s.ok("ls", a)["entries"], "path") }

		root := s.ok("ls", `{}`) // B1-01, B1-02
		require.Equal(s, "/", root["path"])
		require.Equal(s, []string{"/empty", "/src", "/src2", "/Z.txt", "/a.txt"}, pluck(root["entries"], "path"), "B1-03, B1-04")
		first := root["entries"].([]any)[0].(object)
		at, err := time.Parse(time.RFC3339Nano, first["updated_at"].(string))
		require.NoError(s, err)
		require.Equal(s, time.UTC, at.Location())
		require.Equal(s, object{"id": first["id"], "synced": true, "name": "empty", "display_name": "empty", "path": "/empty",
			"file_type": "folder", "is_virtual": false, "updated_at": first["updated_at"]}, first)
		require.NoError(s, uuid.Validate(first["id"].(string)))

		require.Equal(s, []string{"/src/lib", "/src/a.txt", "/src/lib/b.txt"}, list(`{"path":"/src","recursive":"TRUE"}`), "B1-03, A-15")
		require.Equal(s, []string{"/src/lib", "/src/a.txt"}, list(`{"path":"src/"}`), "B1-05: a folder only on disk")
		require.Equal(s, []string{}, list(`{"path":"/empty"}`), "B1-06")
		s.fails("ls", `{"path":"/a.txt"}`, workshop.Invalid, "path", "Path is not a directory: /a.txt")
		s.fails("ls", `{"path":"/nope"}`, workshop.NotFound, "", "Directory not found: /nope")
		s.fails("ls", `{"path":"/a.txt/x"}`, workshop.NotFound, "", "Directory not found: /a.txt/x")
		s.fails("ls", `{"limit":-1}`, workshop.Invalid, "limit", "limit must be 0 (unlimited) or more")

		s.ok("rm", args("path", "/a.txt"))
		require.NotContains(s, list(`{}`), "/a.txt", "B1-06")
		for i := range 60 {
			require.NoError(s, os.WriteFile(filepath.Join(s.dir, "src2", fmt.Sprintf("f%02d", i)), nil, 0o644))
		}
		require.Len(s, list(`{"path":"/src2"}`), 50, "B1-04")
		require.Len(s, list(`{"path":"/src2","limit":" 5 "}`), 5, "A-15")
		require.Len(s, list(`{"path":"/src2","limit":0}`), 61)
		require.Len(s, list(`{"path":"/src2","limit":null,"zzz":1}`), 50, "A-15, A-16")
	})
}

// B2-01, B2-02, B2-03, B2-04, B2-05, B2-06, B2-07, B2-08, B2-09, B2-10, B2-11, C-03, C-12, C-44.
func TestB2Read(t *testing.T) {
	var sb strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&sb, "line %d\r\n", i)
	}
	onBothViews(t, map[string]string{"big.txt": sb.String(), "abc": "abc", "empty": "", "two.txt": "a\nb", "d/x": "", "nl": "\n"}, func(s *scale) {
		r := s.ok("read", `{"path":"abc"}`) // B2-02
		require.Equal(s, object{"path": "/abc", "content": "abc", "hash": abcHash, "synced": false, "total_lines": 1.0, "truncated": false, "offset": 0.0, "limit": 500.0}, r, "A-12")
		for _, c := range []struct {
			args              string
			offset, lines     int
			truncated         bool
			first, last, name string
		}{
			{`{"zzz":1}`, 0, 500, true, "line 0", "line 499", "B2-01"},
			{`{"offset":100,"limit":50}`, 100, 50, true, "line 100", "line 149", "B2-03"},
			{`{"offset":-100}`, 4900, 100, false, "line 4900", "line 4999", "B2-04"},
			{`{"offset":-1000,"limit":50}`, 4000, 50, true, "line 4000", "line 4049", "B2-04"},
			{`{"offset":-9000,"limit":1}`, 0, 1, true, "line 0", "line 0", "B2-04"},
			{`{"offset":4999}`, 4999, 1, false, "line 4999", "line 4999", "B2-05"},
			{`{"offset":"10","limit":" 2 "}`, 10, 2, true, "line 10", "line 11", "A-15"},
			{`{"offset":-9223372036854775808,"limit":1}`, 0, 1, true, "line 0", "line 0", "B2-04"},
		} {
			r := s.ok("read", `{"path":"/big.txt",`+strings.TrimPrefix(c.args, "{"))
			lines := strings.Split(r["content"].(string), "\n")
			require.Equal(s, []any{float64(c.offset), c.lines, c.truncated, c.first, c.last}, []any{r["offset"], len(lines), r["truncated"], lines[0], lines[len(lines)-1]}, c.name)
			require.Equal(s, 5000.0, r["total_lines"])
			require.Equal(s, s.ok("file_info", `{"path":"/big.txt"}`)["hash"], r["hash"], "B2-06, B11-03")
			require.NotContains(s, r, "cursor")
		}
		require.Equal(s, sb.String(), s.ok("read", `{"path":"big.txt","limit":0}`)["content"], "all of it stays as it is")
		for _, off := range []int{5000, 9999} { // B2-08
			r := s.ok("read", args("path", "big.txt", "offset", off))
			require.Equal(s, []any{"", false}, []any{r["content"], r["truncated"]})
		}
		require.Equal(s, 0.0, s.ok("read", `{"path":"empty"}`)["total_lines"], "A-11")
		require.Equal(s, 1.0, s.ok("read", `{"path":"nl"}`)["total_lines"], "A-11")
		require.Equal(s, 2.0, s.ok("read", `{"path":"two.txt"}`)["total_lines"], "A-11")

		r = s.ok("read", `{"path":"big.txt","cursor":100,"offset":-10,"limit":5}`) // B2-11
		require.Equal(s, []any{90.0, 95.0}, []any{r["offset"], r["cursor"]})
		r = s.ok("read", `{"path":"big.txt","cursor":3,"offset":-10,"limit":5}`)
		require.Equal(s, []any{0.0, 5.0}, []any{r["offset"], r["cursor"]})
		r = s.ok("read", `{"path":"big.txt","cursor":4998}`)
		require.Equal(s, []any{4998.0, 5000.0, false}, []any{r["offset"], r["cursor"], r["truncated"]})

		s.fails("read", `{"path":"/d"}`, workshop.Invalid, "path", "Cannot read content of a folder") // B2-09
		s.fails("read", `{"path":"/"}`, workshop.Invalid, "path", "Cannot read content of a folder")
		s.fails("read", `{"path":"/nonexistent/file.txt"}`, workshop.NotFound, "", "File not found: /nonexistent/file.txt")
		s.fails("read", `{}`, workshop.Invalid, "path", "missing field `path`")
		s.fails("read", `{"path":"abc","limit":"x"}`, workshop.Invalid, "limit", `invalid arguments: limit: expected an integer, got "x"`)
		s.fails("read", `{"path":"abc","limit":-2}`, workshop.Invalid, "limit", "limit must be 0 (unlimited) or more")
		s.ok("rm", `{"path":"abc"}`)
		s.fails("read", `{"path":"abc"}`, workshop.NotFound, "", "File not found: /abc")
		s.ok("write", `{"path":"abc","content":"1"}`) // B2-10
		s.ok("write", `{"path":"abc","content":"2","overwrite":true}`)
		require.Equal(s, "2", s.text("abc"))
	})
}

// B3-01, B3-02, B3-03, B3-04, B3-05, B3-06, B3-07, B3-08, B-09, C-13, C-14, C-15, C-16, B2-07, C-52.
func TestB3Write(t *testing.T) {
	onBothViews(t, map[string]string{"disk.txt": "disk", "folder/x": ""}, func(s *scale) {
		r := s.ok("write", `{"path":"a/b/new.txt","content":"abc"}`)
		require.ElementsMatch(s, []string{"path", "file_id", "version_id", "hash"}, keys(r))
		require.Equal(s, []any{"/a/b/new.txt", abcHash}, []any{r["path"], r["hash"]})
		require.Equal(s, uuid.Version(7), uuid.MustParse(r["version_id"].(string)).Version())

		already := "File already exists: %s. To overwrite, set overwrite=true. However, for modifying existing files, the 'edit' tool is recommended instead of overwriting."
		s.fails("write", `{"path":"/a/b/new.txt","content":"x"}`, workshop.Invalid, "path", fmt.Sprintf(already, "/a/b/new.txt"))
		s.fails("write", `{"path":"disk.txt","content":"x"}`, workshop.Invalid, "path", fmt.Sprintf(already, "/disk.txt"))
		require.Equal(s, "disk", s.text("/disk.txt"))
		again := s.ok("write", `{"path":"/a/b/new.txt","content":"x","overwrite":"1"}`) // B3-04
		require.Equal(s, r["file_id"], again["file_id"])
		require.NotEqual(s, r["version_id"], again["version_id"])

		require.False(s, s.call("write", `{"path":"/disk.txt/x","content":"x"}`).Success)
		require.Equal(s, workshop.Conflict, s.call("write", `{"path":"/disk.txt/x","content":"x"}`).Fault.Code) // B3-05
		s.fails("write", `{"path":"/folder","content":"x"}`, workshop.Invalid, "path", "Cannot write text content to a folder path")
		s.fails("write", `{"path":"/","content":"x"}`, workshop.Invalid, "path", "Cannot write text content to a folder path")
		s.fails("write", `{"path":"/t","content":"x","file_type":"spreadsheet"}`, workshop.Invalid, "file_type", "Invalid file type: spreadsheet")
		s.fails("write", `{"path":"/t","content":null}`, workshop.Invalid, "content", "missing field `content`") // C-14
		s.fails("write", `{"path":"/t"}`, workshop.Invalid, "content", "missing field `content`")
		s.fails("write", `{"content":"x"}`, workshop.Invalid, "path", "missing field `path`")

		typeOf := func(p string) any { return s.ok("file_info", args("path", p))["file_type"] }
		for i, typ := range []string{"document", "canvas", "chat", "whiteboard", "agent", "skill", "plan", "Canvas"} { // C-15, C-16
			p := fmt.Sprintf("/types/%d-%s", i, typ)
			s.ok("write", args("path", p, "content", "x", "file_type", typ))
			require.Equal(s, strings.ToLower(typ), typeOf(p))
		}
		made := s.ok("write", `{"path":"/made","content":"","file_type":"folder"}`)
		require.Equal(s, []any{"folder", nil}, []any{typeOf("/made"), made["hash"]})
		s.ok("write", `{"path":"/p.plan","content":"x"}`) // B3-08
		require.Equal(s, "document", typeOf("/p.plan"))
		s.ok("write", `{"path":"/types/6-plan","content":"y","overwrite":true}`)
		require.Equal(s, "plan", typeOf("/types/6-plan"), "overwriting keeps the type")

		for _, text := range []string{"", "\n", "a\r\nb", "\ufeffbom", "no end", "<&>\u2028", "\"quoted\"", "null", `{"a":1}`} { // B3-06
			s.ok("write", args("path", "/same", "content", text, "overwrite", true))
			require.Equal(s, text, s.text("/same"))
		}
		for value, kept := range map[string]string{ // B-09, B2-07, A-12
			`{"b": 1,  "a": [true, null, 12345678901234567890.5], "h":"<&>"}`: `{"b":1,"a":[true,null,12345678901234567890.5],"h":"<&>"}`,
			`[1, 2]`: `[1,2]`, `3.50`: `3.50`, `true`: `true`,
		} {
			w := s.ok("write", `{"path":"/v.canvas","overwrite":true,"file_type":"canvas","content":`+value+`}`)
			require.Equal(s, sha(kept), w["hash"])
			res := s.call("read", `{"path":"/v.canvas","limit":1}`)
			require.Contains(s, res.Full, `"content":`+kept+`,"hash":"`+sha(kept)+`"`, "as it was, big numbers and order included")
			require.Contains(s, res.Full, `"total_lines":null,"truncated":null,"offset":null,"limit":null`)
		}
		s.ok("write", `{"path":"/v.canvas","overwrite":true,"content":"text again"}`)
		require.Equal(s, "text again", s.text("/v.canvas"))

		for path, hint := range map[string]string{
			"/r.xlsx": "/r.xlsx is an xlsx file and cannot be changed as text; use xlsx_operations of the workshop catalogue",
			"/r.DOCX": "/r.DOCX is a docx file and cannot be changed as text; use docx_operations of the workshop catalogue",
			"/r.pdf":  "/r.pdf is a file of kind pdf, which cannot be read or changed as text here",
		} {
			s.fails("write", args("path", path, "content", "x"), workshop.Invalid, "path", hint)
		}
		s.ok("write", `{"path":"/drawing.svg","content":"<svg/>"}`)
		s.ok("write", `{"path":"/Makefile","content":"all:"}`)
		require.Equal(s, "<svg/>", s.text("/drawing.svg"))
	})
}

// entry is a file as ls shows it.
func entry(s *scale, path string) object {
	s.Helper()
	for _, e := range s.ok("ls", args("path", path[:strings.LastIndex(path, "/")+1], "limit", 0))["entries"].([]any) {
		if e := e.(object); e["path"] == path {
			return e
		}
	}
	s.Fatalf("%s is not listed", path)
	return nil
}

func keys(o object) []string {
	var out []string
	for k := range o {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
