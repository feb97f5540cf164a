package catalogue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/workshop"
)

// B8-01, B8-02, B8-03, B8-04, B8-05, B8-07, B8-08, C-20.
func TestB8Edit(t *testing.T) {
	onBothViews(t, map[string]string{"d/x": "", "bin.dat": "a\x00b"}, func(s *scale) {
		made := s.ok("write", `{"path":"/a.txt","content":"one two\nthree\n"}`)
		r := s.ok("edit", args("path", "/a.txt", "old_string", "two", "new_string", "2", "last_read_hash", made["hash"]))
		require.Equal(s, []string{"file_id", "hash", "path", "version_id"}, keys(r))
		require.Equal(s, []any{"/a.txt", made["file_id"], sha("one 2\nthree\n")}, []any{r["path"], r["file_id"], r["hash"]})
		require.NoError(s, uuid.Validate(r["version_id"].(string)))
		require.NotEqual(s, made["version_id"], r["version_id"])
		s.ok("edit", `{"path":"/a.txt","old_string":" 2","new_string":""}`) // B8-04: deletes
		require.Equal(s, "one\nthree\n", s.text("/a.txt"))
		if s.live {
			vs, err := s.wb.Versions(ctx, "a.txt")
			require.NoError(s, err)
			require.Len(s, vs, 3, "B8-07")
		}

		neither := "Must specify either (old_string + new_string) for replace or (insert_line + insert_content) for insert"
		both := "Cannot specify both replace (old_string + new_string) and insert (insert_line + insert_content) operations"
		for a, want := range map[string]string{
			`{"path":"/a.txt"}`:                                                                        neither,
			`{"path":"/a.txt","old_string":"a"}`:                                                       neither,
			`{"path":"/a.txt","new_string":"a"}`:                                                       neither,
			`{"path":"/a.txt","insert_line":0}`:                                                        neither,
			`{"path":"/a.txt","insert_content":"a","old_string":"b"}`:                                  neither,
			`{"path":"/a.txt","old_string":null,"new_string":"x"}`:                                     neither,
			`{"path":"/a.txt","old_string":"a","new_string":"b","insert_line":0,"insert_content":"c"}`: both,
			`{"path":"/a.txt","old_string":"a","new_string":"b","insert_line":0}`:                      both,
		} {
			s.fails("edit", a, workshop.Invalid, "operation", want) // B8-02
		}
		s.ok("write", `{"path":"/aaa","content":"aaaa b"}`)
		s.fails("edit", `{"path":"/aaa","old_string":"zz","new_string":"x"}`, workshop.Invalid, "old_string", "Search string not found in file content")
		s.fails("edit", `{"path":"/aaa","old_string":"aa","new_string":"x"}`, workshop.Invalid, "old_string", "Search string found 2 times. Please provide more context to ensure unique match.")
		s.fails("edit", `{"path":"/aaa","old_string":"","new_string":"x"}`, workshop.Invalid, "old_string", "Search string cannot be empty")
		now := s.ok("read", `{"path":"/aaa"}`)["hash"].(string)
		s.fails("edit", `{"path":"/aaa","old_string":"b","new_string":"x","last_read_hash":"feed"}`, workshop.Conflict, "",
			"File content has changed since it was last read. Expected hash: feed, but latest is: "+now+". Please read the file again before editing.")
		require.Equal(s, "aaaa b", s.text("/aaa"))

		s.fails("edit", `{"path":"/d","old_string":"b","new_string":"x"}`, workshop.Invalid, "path", "Cannot edit a folder: /d")
		s.fails("edit", `{"path":"/none","old_string":"b","new_string":"x"}`, workshop.NotFound, "", "File not found: /none")
		s.fails("edit", `{"path":"/bin.dat","old_string":"b","new_string":"x"}`, workshop.Invalid, "path", "/bin.dat is a binary file, which has no text")
		require.NoError(s, os.WriteFile(filepath.Join(s.dir, "long.log"), nil, 0o644))
		require.NoError(s, os.Truncate(filepath.Join(s.dir, "long.log"), 64<<20+1))
		s.fails("edit", `{"path":"/long.log","old_string":"b","new_string":"x"}`, workshop.Invalid, "path", "long.log has 67108865 bytes; files of up to 67108864 can be edited")
		s.fails("edit", `{"old_string":"b","new_string":"x"}`, workshop.Invalid, "path", "missing field `path`")
	})
}

// B8-06: lines are put before a line; line ends and the final newline stay.
func TestB806Insert(t *testing.T) {
	onBothViews(t, nil, func(s *scale) {
		for _, c := range []struct {
			before string
			line   any
			insert string
			after  string
		}{
			{"a\nb\n", 0, "x", "x\na\nb\n"},
			{"a\nb\n", 1, "x\n", "a\nx\nb\n"},
			{"a\nb\n", "2", "x", "a\nb\nx\n"},
			{"a\nb", 2, "x", "a\nb\nx"},
			{"a\nb", 2, "x\n", "a\nb\nx"},
			{"a\nb", 1, "x\ny", "a\nx\ny\nb"},
			{"a\r\nb\r\n", 1, "x\ny", "a\r\nx\r\ny\r\nb\r\n"},
			{"a\r\nb", 2, "x\n", "a\r\nb\r\nx"},
			{"", 0, "x", "x"},
			{"", 0, "x\n", "x\n"},
			{"\n", 1, "x", "\nx\n"},
			{"\ufeffa\n", 0, "x", "\ufeffx\na\n"},
		} {
			s.ok("write", args("path", "/f", "content", c.before, "overwrite", true))
			s.ok("edit", args("path", "/f", "insert_line", c.line, "insert_content", c.insert))
			require.Equal(s, c.after, s.text("/f"), "%q at %v in %q", c.insert, c.line, c.before)
		}
		s.ok("write", `{"path":"/f","content":"a\nb\n","overwrite":true}`)
		s.fails("edit", `{"path":"/f","insert_line":3,"insert_content":"x"}`, workshop.Invalid, "insert_line", "Insert line 3 is out of bounds (file has 2 lines)")
		s.fails("edit", `{"path":"/f","insert_line":-1,"insert_content":"x"}`, workshop.Invalid, "insert_line", "Insert line -1 is out of bounds (file has 2 lines)")
		s.fails("edit", `{"path":"/f","insert_line":0,"insert_content":""}`, workshop.Invalid, "insert_content", "Insert content cannot be empty")
	})
}

// B8-07: an edit keeps encoding, byte order mark and line ends; what its
// encoding lacks is refused.
func TestB807Encodings(t *testing.T) {
	utf16 := "\xff\xfeo\x00n\x00e\x00\r\x00\n\x00t\x00w\x00o\x00"
	disk := map[string]string{"crlf.txt": "one\r\ntwo\r\nthree\r\n", "utf16.txt": utf16, "latin.txt": "caf\xe9 ol\xe9\nna\xefve fa\xe7ade\n", "bom.csv": "\xef\xbb\xbfa,b\n1,2\n",
		"latin": "d\xe9j\xe0 vu, \xe9t\xe9\n", "damaged.txt": strings.Repeat("größe ", 200) + "\xff one\n"}
	onBothViews(t, disk, func(s *scale) {
		edit := func(path, old, new string) {
			s.Helper()
			s.ok("edit", args("path", path, "old_string", old, "new_string", new))
		}
		edit("crlf.txt", "one\ntwo", "1\n2\n2b")
		edit("utf16.txt", "two", "2 ž")
		edit("latin.txt", "olé", "olà")
		edit("latin", "vu", "vû")
		edit("bom.csv", "a,b", "x,b")
		edit("damaged.txt", "one", "two")
		for path, want := range map[string]string{
			"crlf.txt":    "1\r\n2\r\n2b\r\nthree\r\n",
			"utf16.txt":   "\xff\xfeo\x00n\x00e\x00\r\x00\n\x002\x00 \x00\x7e\x01",
			"latin.txt":   "caf\xe9 ol\xe0\nna\xefve fa\xe7ade\n",
			"latin":       "d\xe9j\xe0 v\xfb, \xe9t\xe9\n",
			"bom.csv":     "\xef\xbb\xbfx,b\n1,2\n",
			"damaged.txt": strings.Repeat("größe ", 200) + "\xff two\n",
		} {
			require.Equal(s, want, s.bytes(path), path)
		}
		r := s.ok("read", `{"path":"utf16.txt"}`)
		require.Equal(s, true, r["extracted"])
		require.Contains(s, r["content"], "2 ž")
		require.Contains(s, s.text("latin"), "déjà vû")
		res := s.call("edit", `{"path":"latin.txt","old_string":"olà","new_string":"中"}`)
		require.Contains(s, res.Fault.Message, "latin.txt is stored as windows-1252, which lacks a character of the new text")
		require.Equal(s, workshop.Invalid, res.Fault.Code)
	})
}

// B8-07: the text of structured content is edited; any other stays JSON.
func TestB807JSON(t *testing.T) {
	onBothViews(t, nil, func(s *scale) {
		write := func(v string) { s.ok("write", `{"path":"/v","overwrite":true,"file_type":"canvas","content":`+v+`}`) }
		write(`{"n":1.50,"text":"say \"hi\" & go\nsecond","more":{"text":"hi"}}`)
		s.ok("edit", `{"path":"/v","old_string":"\"hi\" & go","new_string":"<bye>"}`)
		require.Equal(s, `{"n":1.50,"text":"say <bye>\nsecond","more":{"text":"hi"}}`, s.bytes("v"))
		s.ok("edit", `{"path":"/v","insert_line":1,"insert_content":"between"}`)
		require.Equal(s, `{"n":1.50,"text":"say <bye>\nbetween\nsecond","more":{"text":"hi"}}`, s.bytes("v"))
		require.Equal(s, "canvas", s.ok("file_info", `{"path":"/v"}`)["file_type"])
		s.fails("edit", `{"path":"/v","old_string":"1.50","new_string":"2"}`, workshop.Invalid, "old_string", "Search string not found in file content")

		write(`{"elements":[1,2]}`)
		s.ok("edit", `{"path":"/v","old_string":"[1,2]","new_string":"[1, 2, {\"a\": null}]"}`)
		require.Equal(s, `{"elements":[1,2,{"a":null}]}`, s.bytes("v"))
		require.Equal(s, object{"elements": []any{1.0, 2.0, object{"a": nil}}}, s.ok("read", `{"path":"/v"}`)["content"])
		res := s.call("edit", `{"path":"/v","old_string":"]}","new_string":"]"}`)
		require.Equal(s, "new_string", res.Fault.Field)
		require.Contains(s, res.Fault.Message, "the content is a JSON value and would not be one after this edit")
		res = s.call("edit", `{"path":"/v","insert_line":0,"insert_content":"x"}`)
		require.Equal(s, "insert_content", res.Fault.Field)
	})
}

// B8-08: office and PDF files are read as their text and changed by other tools.
func TestB808Documents(t *testing.T) {
	dir := filepath.Join(formatstest.Root(t), "testdata", "documents")
	disk := map[string]string{}
	for _, name := range []string{"sales.xlsx", "contrato.docx", "presentacion.pptx"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		disk[name] = string(b)
	}
	onBothViews(t, disk, func(s *scale) {
		for name, stored := range disk {
			r := s.ok("read", args("path", name))
			require.Equal(s, []any{true, 0.0, sha(stored)}, []any{r["extracted"], r["offset"], r["hash"]}, "%s: the hash is of the stored bytes", name)
			require.NotEmpty(s, r["content"])
			i := s.ok("file_info", args("path", name))
			require.Equal(s, []any{true, r["total_lines"], float64(len(stored)), r["hash"]}, []any{i["extracted"], i["line_count"], i["size"], i["hash"]})
			kind := strings.TrimPrefix(filepath.Ext(name), ".")
			s.fails("edit", args("path", name, "old_string", "a", "new_string", "b"), workshop.Invalid, "path",
				fmt.Sprintf("/%s is %s file and cannot be changed as text; use %s_operations of the workshop catalogue", name, map[string]string{"xlsx": "an xlsx", "docx": "a docx", "pptx": "a pptx"}[kind], kind))
			lines := strings.Split(r["content"].(string), "\n")
			word := strings.Fields(strings.Join(lines, " "))[0]
			m := s.ok("grep", args("pattern", `\Q`+word+`\E`, "path_pattern", name, "limit", 1))["matches"].([]any)
			require.Len(s, m, 1, "%s: %s", name, word)
			require.Equal(s, true, m[0].(object)["extracted"])
			require.Equal(s, lines[int(m[0].(object)["line_number"].(float64))-1], m[0].(object)["line_text"], "grep counts the lines that read gives")
			require.Contains(s, s.ok("cat", args("paths", []string{name}))["content"], word)
		}
	})
}

// of 50 edits that read the same content exactly one succeeds; without a
// hash all that fit do.
func TestA14Edits(t *testing.T) {
	onBothViews(t, nil, func(s *scale) {
		var lines []string
		for i := range 50 {
			lines = append(lines, fmt.Sprintf("line <%d>", i))
		}
		made := s.ok("write", args("path", "/f.txt", "content", strings.Join(lines, "\n")))
		race := func(hash any) (won, conflicts int32) {
			var w, c atomic.Int32
			var wg sync.WaitGroup
			for i := range 50 {
				wg.Go(func() {
					r := s.call("edit", args("path", "/f.txt", "old_string", fmt.Sprintf("<%d>", i), "new_string", fmt.Sprintf("(%d)", i), "last_read_hash", hash))
					switch {
					case r.Success:
						w.Add(1)
					case r.Fault.Code == workshop.Conflict:
						c.Add(1)
					default:
						s.Errorf("%v", r.Fault)
					}
				})
			}
			wg.Wait()
			return w.Load(), c.Load()
		}
		won, conflicts := race(made["hash"])
		require.Equal(s, []int32{1, 49}, []int32{won, conflicts})
		require.Equal(s, 1, strings.Count(s.text("/f.txt"), "("))
		s.ok("write", args("path", "/f.txt", "content", strings.Join(lines, "\n"), "overwrite", true))
		won, conflicts = race(nil)
		require.Equal(s, []int32{50, 0}, []int32{won, conflicts})
		require.Equal(s, 50, strings.Count(s.text("/f.txt"), "("))
	})
}

func (s *scale) bytes(path string) string {
	s.Helper()
	src, err := s.env.View.Open(ctx, workshop.Path(path))
	require.NoError(s, err)
	defer src.Close()
	b := make([]byte, src.Size())
	_, err = src.ReadAt(b, 0)
	require.NoError(s, err)
	return string(b)
}
