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
		require.NoError(s, os.Symlink("a.txt", filepath.Join(s.dir, "link.txt")))
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
		for _, typ := range []string{"document", "canvas", "chat", "whiteboard", "agent", "skill", "plan", "Canvas"} { // C-15, C-16
			s.ok("write", args("path", "/types/"+typ, "content", "x", "file_type", typ))
			require.Equal(s, strings.ToLower(typ), typeOf("/types/"+typ))
		}
		made := s.ok("write", `{"path":"/made","content":"","file_type":"folder"}`)
		require.Equal(s, []any{"folder", nil}, []any{typeOf("/made"), made["hash"]})
		s.ok("write", `{"path":"/p.plan","content":"x"}`) // B3-08
		require.Equal(s, "document", typeOf("/p.plan"))
		s.ok("write", `{"path":"/types/plan","content":"y","overwrite":true}`)
		require.Equal(s, "plan", typeOf("/types/plan"), "overwriting keeps the type")

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
			"/r.xlsx": "/r.xlsx is a xlsx file and cannot be changed as text; use xlsx_operations of the workshop catalogue",
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

// B4-01, B4-02, B4-03.
func TestB4Mkdir(t *testing.T) {
	onBothViews(t, map[string]string{"f": "", "disk/x": ""}, func(s *scale) {
		first := s.ok("mkdir", `{"path":"/docs/v1/api"}`)
		require.Equal(s, "/docs/v1/api", first["path"])
		require.Equal(s, first, s.ok("mkdir", `{"path":"docs/v1/api/"}`))
		require.Equal(s, []string{"/docs/v1", "/docs/v1/api"}, pluck(s.ok("ls", `{"path":"/docs","recursive":true}`)["entries"], "path"))
		require.Equal(s, object{"path": "/", "file_id": nil}, s.ok("mkdir", `{"path":"/"}`))
		disk := s.ok("mkdir", `{"path":"/disk"}`)
		require.NotNil(s, disk["file_id"], "a folder that only the disk knew")
		require.Equal(s, disk, s.ok("mkdir", `{"path":"/disk"}`))
		for _, p := range []string{"/f", "/f/a", "/f/a/b"} {
			require.Equal(s, workshop.Conflict, s.call("mkdir", args("path", p)).Fault.Code, p)
		}
		s.ok("write", `{"path":"/w/deep/x.txt","content":""}`)
		w := s.ok("mkdir", `{"path":"/w/deep"}`)
		require.NotNil(s, w["file_id"], "a folder that a write made")
		require.Equal(s, w, s.ok("mkdir", `{"path":"/w/deep"}`))
	})
}

// B5-01, B5-02, B5-03, B5-04.
func TestB5Rm(t *testing.T) {
	onBothViews(t, map[string]string{"full/unsynced": "", "e.txt": "e"}, func(s *scale) {
		made := s.ok("write", `{"path":"/a.txt","content":"one"}`)
		require.Equal(s, object{"path": "/a.txt", "file_id": made["file_id"]}, s.ok("rm", `{"path":"/a.txt"}`))
		s.fails("read", `{"path":"/a.txt"}`, workshop.NotFound, "", "File not found: /a.txt")
		s.fails("rm", `{"path":"/a.txt"}`, workshop.NotFound, "", "File not found: /a.txt")
		if s.live {
			trash, err := s.wb.Trash(ctx)
			require.NoError(s, err)
			require.Len(s, trash, 1)
			require.NoFileExists(s, filepath.Join(s.dir, "a.txt"))
			vs, err := s.wb.Versions(ctx, "a.txt")
			require.NoError(s, err)
			require.Len(s, vs, 2, "versions are kept")
		}
		s.ok("write", `{"path":"/a.txt","content":"two"}`) // the path is free
		require.Equal(s, "two", s.text("/a.txt"))
		s.fails("rm", `{"path":"/full"}`, workshop.Conflict, "", "Cannot delete folder because it is not empty: /full. Delete what is in it first.")
		s.ok("mkdir", `{"path":"/d/inner"}`)
		s.fails("rm", `{"path":"/d"}`, workshop.Conflict, "", "Cannot delete folder because it is not empty: /d. Delete what is in it first.")
		s.ok("rm", `{"path":"/d/inner"}`)
		s.ok("rm", `{"path":"/d"}`)
		s.fails("ls", `{"path":"/d"}`, workshop.NotFound, "", "Directory not found: /d")
		if s.live { // what file managers keep for themselves does not hold a folder
			require.NoError(s, os.Mkdir(filepath.Join(s.dir, "shown"), 0o755))
			require.NoError(s, os.WriteFile(filepath.Join(s.dir, "shown", ".DS_Store"), nil, 0o644))
			s.ok("rm", `{"path":"/shown"}`)
			require.NoDirExists(s, filepath.Join(s.dir, "shown"))
		}
		s.fails("rm", `{"path":"/"}`, workshop.Invalid, "path", "Cannot delete the root folder")
		s.fails("rm", `{"path":"/x/../.."}`, workshop.Invalid, "path", "Cannot delete the root folder")
	})
}

// B6-01, B6-02, B6-03, B6-04, B6-05, B6-06, B6-07, B6-08, C-29.
func TestB6Mv(t *testing.T) {
	onBothViews(t, map[string]string{"disk.txt": "d", "target/taken.txt": "t"}, func(s *scale) {
		a := s.ok("write", `{"path":"/a.txt","content":"one"}`)
		mv := func(from, to string) string {
			return s.ok("mv", args("source", from, "destination", to))["to_path"].(string)
		}
		fails := func(from, to string, code workshop.FaultCode, field, message string) {
			s.Helper()
			s.fails("mv", args("source", from, "destination", to), code, field, message)
		}
		require.Equal(s, object{"from_path": "/a.txt", "to_path": "/b.txt"}, s.ok("mv", `{"source":"a.txt","destination":" //b.txt "}`)) // B6-01, B6-02
		require.Equal(s, a["file_id"], entry(s, "/b.txt")["id"], "the id is kept")
		require.Equal(s, "/target/b.txt", mv("/b.txt", "/target/")) // B6-03
		require.Equal(s, "/b.txt", mv("/target/b.txt", "/"))        // B6-08
		require.Equal(s, "/target/b.txt", mv("/b.txt", "/target"))  // B6-04
		require.Equal(s, "/b.txt", mv("/target/b.txt", "/b.txt"))
		require.Equal(s, a["file_id"], entry(s, "/b.txt")["id"])
		if s.live {
			vs, err := s.wb.Versions(ctx, "b.txt")
			require.NoError(s, err)
			require.Equal(s, a["hash"], vs[0].Hash)
		}

		fails("/b.txt", "/none/", workshop.NotFound, "", "Destination directory not found: /none")
		fails("/b.txt", "/disk.txt/", workshop.Invalid, "destination", "Destination is not a directory: /disk.txt")
		fails("/b.txt", "/disk.txt", workshop.Conflict, "", "Destination file already exists: /disk.txt") // B6-05
		s.ok("write", `{"path":"/taken.txt","content":"mine"}`)
		for _, to := range []string{"/target", "/target/", "/target/taken.txt"} {
			fails("/taken.txt", to, workshop.Conflict, "", "Destination file already exists: /target/taken.txt")
		}
		require.Equal(s, "mine", s.text("/taken.txt"))
		fails("/nope", "/x", workshop.NotFound, "", "Source file not found: /nope") // B6-06
		fails("/b.txt", "/no/where.txt", workshop.NotFound, "", "Destination parent directory not found: /no")
		fails("/b.txt", "/b.txt", workshop.Conflict, "", "Destination file already exists: /b.txt") // B6-08
		fails("/b.txt", "/", workshop.Conflict, "", "Destination file already exists: /b.txt")
		fails("/", "/x", workshop.Invalid, "source", "Cannot move the root folder")
		s.fails("mv", `{"source":"/b.txt"}`, workshop.Invalid, "destination", "missing field `destination`")

		deep := s.ok("write", `{"path":"/p/q/deep.txt","content":"deep"}`) // B6-07
		for _, to := range []string{"/p/q", "/p/q/", "/p/", "/p/q/r"} {
			fails("/p", to, workshop.Invalid, "destination", "Cannot move a folder into itself or a subfolder.")
		}
		fails("/p", "/p", workshop.Conflict, "", "Destination file already exists: /p")
		require.Equal(s, "/p2", mv("/p", "/p2"))
		require.Equal(s, deep["file_id"], entry(s, "/p2/q/deep.txt")["id"])
		require.Equal(s, "deep", s.text("/p2/q/deep.txt"))
		s.fails("ls", `{"path":"/p"}`, workshop.NotFound, "", "Directory not found: /p")
	})
}

// B7-01, B7-02, B7-03.
func TestB7Touch(t *testing.T) {
	onBothViews(t, map[string]string{"disk.txt": "abc", "dir/x": ""}, func(s *scale) {
		made := s.ok("touch", `{"path":"/x/y/new.txt"}`)
		require.Equal(s, []string{"file_id", "path"}, keys(made))
		e := entry(s, "/x/y/new.txt")
		require.Equal(s, []any{"document", made["file_id"]}, []any{e["file_type"], e["id"]})
		require.Equal(s, "", s.text("/x/y/new.txt"))

		was := s.ok("write", `{"path":"/a.txt","content":"abc"}`)
		old := time.Now().Add(-time.Hour)
		if s.live {
			require.NoError(s, os.Chtimes(filepath.Join(s.dir, "a.txt"), old, old))
		}
		before := s.ok("file_info", `{"path":"/a.txt"}`)
		require.Equal(s, was["file_id"], s.ok("touch", `{"path":"/a.txt"}`)["file_id"])
		after := s.ok("file_info", `{"path":"/a.txt"}`)
		require.NotEqual(s, before["updated_at"], after["updated_at"])
		before["updated_at"] = after["updated_at"]
		require.Equal(s, before, after, "nothing else changes")
		if s.live {
			vs, err := s.wb.Versions(ctx, "a.txt")
			require.NoError(s, err)
			require.Len(s, vs, 1, "no new version")
		}
		s.ok("touch", `{"path":"/disk.txt"}`) // B7-03
		require.Equal(s, true, s.ok("read", `{"path":"/disk.txt"}`)["synced"])
		require.Equal(s, "abc", s.text("/disk.txt"))
		s.ok("touch", `{"path":"/dir"}`)
		require.Equal(s, "folder", s.ok("file_info", `{"path":"/dir"}`)["file_type"])
		require.Equal(s, object{"path": "/", "file_id": nil}, s.ok("touch", `{"path":"/"}`))
		require.Equal(s, workshop.Conflict, s.call("touch", `{"path":"/disk.txt/x"}`).Fault.Code)
	})
}

// B11-01, B11-02, B11-03.
func TestB11FileInfo(t *testing.T) {
	onBothViews(t, map[string]string{"a.txt": "abc\nd\n", "bin.dat": "a\x00b", "dir/x": ""}, func(s *scale) {
		i := s.ok("file_info", `{"path":"/a.txt"}`)
		require.Equal(s, object{"path": "/a.txt", "synced": false, "file_type": "document", "size": 6.0, "line_count": 2.0,
			"created_at": i["updated_at"], "updated_at": i["updated_at"], "hash": s.ok("read", `{"path":"/a.txt"}`)["hash"]}, i)
		i = s.ok("file_info", `{"path":"/dir"}`)
		require.Equal(s, []any{"folder", nil, nil, nil}, []any{i["file_type"], i["size"], i["line_count"], i["hash"]})
		i = s.ok("file_info", `{"path":"/"}`)
		require.Equal(s, []any{"/", "folder"}, []any{i["path"], i["file_type"]})
		i = s.ok("file_info", `{"path":"/bin.dat"}`)
		require.Equal(s, []any{3.0, nil}, []any{i["size"], i["line_count"]})
		s.ok("write", `{"path":"/v.canvas","content":{"a":"b"},"file_type":"canvas"}`)
		i = s.ok("file_info", `{"path":"/v.canvas"}`)
		require.Equal(s, []any{"canvas", 9.0, nil, sha(`{"a":"b"}`)}, []any{i["file_type"], i["size"], i["line_count"], i["hash"]})
		created := i["created_at"]
		s.ok("write", `{"path":"/v.canvas","content":"x","overwrite":true}`)
		i = s.ok("file_info", `{"path":"/v.canvas"}`)
		require.Equal(s, created, i["created_at"])
		require.NoError(s, os.WriteFile(filepath.Join(s.dir, "vast.log"), nil, 0o644))
		require.NoError(s, os.Truncate(filepath.Join(s.dir, "vast.log"), 1<<30+1))
		i = s.ok("file_info", `{"path":"/vast.log"}`) // too large to be opened
		require.Equal(s, []any{float64(1<<30 + 1), nil, nil}, []any{i["size"], i["line_count"], i["hash"]})
		require.False(s, s.call("read", `{"path":"/vast.log"}`).Success)
		s.fails("file_info", `{"path":"/none"}`, workshop.NotFound, "", "File not found: /none")
		s.fails("read", `{"path":"/bin.dat"}`, workshop.Invalid, "path", "/bin.dat is a binary file, which has no text")
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
