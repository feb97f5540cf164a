package catalogue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// B9-01, B9-02, B9-03, B9-04, B9-05, B9-06, C-23, C-24, C-25.
func TestB9Grep(t *testing.T) {
	disk := map[string]string{"src/main.rs": "// TODO: a\nfn main() {\n}\n// todo: b\n", "src2/x.rs": "TODO x\n", "README.md": "todo list\n", "bin": "TODO\x00", "a_b.txt": "todo"}
	onBothViews(t, disk, func(s *scale) {
		s.ok("write", `{"path":"/known.md","content":"first\nTODO here\nlast"}`)
		grep := func(a string) []string {
			var out []string
			for _, m := range s.ok("grep", a)["matches"].([]any) {
				m := m.(object)
				out = append(out, fmt.Sprintf("%s:%v", m["path"], m["line_number"]))
			}
			return out
		}
		m := s.ok("grep", `{"pattern":"fn \\w+\\("}`)["matches"].([]any) // B9-02
		require.Equal(s, []any{object{"path": "/src/main.rs", "line_number": 2.0, "line_text": "fn main() {"}}, m)
		require.Equal(s, []string{"/README.md:1", "/a_b.txt:1", "/known.md:2", "/src/main.rs:1", "/src/main.rs:4", "/src2/x.rs:1"}, grep(`{"pattern":"todo"}`), "B9-05, B9-06: path, then line")
		require.Equal(s, []string{"/known.md:2", "/src/main.rs:1", "/src2/x.rs:1"}, grep(`{"pattern":"TODO","case_sensitive":"true"}`))
		require.Equal(s, []string{"/README.md:1", "/a_b.txt:1"}, grep(`{"pattern":"todo","limit":2}`))
		for pattern, want := range map[string][]string{ // B9-04
			"%.rs": {"/src/main.rs:1", "/src/main.rs:4", "/src2/x.rs:1"}, "*.RS": {"/src/main.rs:1", "/src/main.rs:4", "/src2/x.rs:1"},
			"src/*": {"/src/main.rs:1", "/src/main.rs:4"}, "/src/%": {"/src/main.rs:1", "/src/main.rs:4"}, "readme": {"/README.md:1"}, "a_b": {"/a_b.txt:1"}, "a.b": nil,
		} {
			require.Equal(s, want, grep(args("pattern", "todo", "path_pattern", pattern)), pattern)
		}
		require.Equal(s, []string{"/src/main.rs:2"}, grep(`{"pattern":"\\mmain\\M"}`), "C-23")

		m = s.ok("grep", `{"pattern":"here","context":1}`)["matches"].([]any) // B9-03
		require.Equal(s, []any{object{"path": "/known.md", "line_number": 2.0, "line_text": "TODO here", "before_context": []any{"first"}, "after_context": []any{"last"}}}, m)
		m = s.ok("grep", `{"pattern":"here","context":5,"after_context":0}`)["matches"].([]any)
		require.Equal(s, []any{object{"path": "/known.md", "line_number": 2.0, "line_text": "TODO here", "before_context": []any{"first"}}}, m)

		require.Contains(s, s.call("grep", `{"pattern":"no such thing"}`).Full, `"matches":[]`)
		s.fails("grep", `{"pattern":""}`, workshop.Invalid, "pattern", "Pattern cannot be empty")
		s.fails("grep", `{}`, workshop.Invalid, "pattern", "missing field `pattern`")
		s.fails("grep", `{"pattern":"x","path_pattern":"../x"}`, workshop.Invalid, "path_pattern", "path_pattern cannot contain ..")
		for _, bad := range []string{`(`, `(a)\1`, `(?=a)`, `a{2,1}`} {
			r := s.call("grep", args("pattern", bad))
			require.False(s, r.Success, bad)
			require.Equal(s, []string{"INVALID", "pattern"}, []string{string(r.Fault.Code), r.Fault.Field}, bad)
		}
		s.fails("grep", `{"pattern":"x","context":5000}`, workshop.Invalid, "context", "context must be from 0 to 1000")
	})
}

// B10-01, B10-02, B10-03, B10-04, B10-05, B10-06, C-17, C-18, C-19.
func TestB10Glob(t *testing.T) {
	disk := map[string]string{"main.rs": "", "src/lib.rs": "", "src/deep/test_x.rs": "", "a/file.txt": "", "a/b/file.txt": "", ".hidden.rs": "", "docs/x.md": "", "y.md": ""}
	onBothViews(t, disk, func(s *scale) {
		glob := func(a string) []string { s.Helper(); return pluck(s.ok("glob", a)["matches"], "path") }
		r := s.ok("glob", `{"pattern":"*.rs"}`)
		require.Equal(s, []any{"*.rs", "/"}, []any{r["pattern"], r["base_path"]})
		first := r["matches"].([]any)[0].(object)
		require.Equal(s, object{"path": "/main.rs", "name": "main.rs", "synced": false, "file_type": "document", "is_virtual": false, "size": 0.0, "updated_at": first["updated_at"]}, first)
		for a, want := range map[string][]string{
			`{"pattern":"*.rs"}`:                     {"/main.rs", "/src/deep/test_x.rs", "/src/lib.rs"},
			`{"pattern":"*.rs","path":"/src"}`:       {"/src/deep/test_x.rs", "/src/lib.rs"},
			`{"pattern":"test_*.rs"}`:                {"/src/deep/test_x.rs"},
			`{"pattern":"**/*.md"}`:                  {"/docs/x.md", "/y.md"},
			`{"pattern":"/src/**/*.rs"}`:             {"/src/deep/test_x.rs", "/src/lib.rs"},
			`{"pattern":"*/file.txt"}`:               {"/a/file.txt"},
			`{"pattern":"?.md"}`:                     {"/docs/x.md", "/y.md"},
			`{"pattern":"[x-z].{md,txt}"}`:           {"/docs/x.md", "/y.md"},
			`{"pattern":"dee*"}`:                     {"/src/deep"},
			`{"pattern":".*.rs"}`:                    {"/.hidden.rs"},
			`{"patterns":["y.md","*.md","main.rs"]}`: {"/docs/x.md", "/main.rs", "/y.md"},
			`{"pattern":"y.md","patterns":["x.md"]}`: {"/docs/x.md", "/y.md"},
			`{"pattern":"nothing"}`:                  {},
			`{"pattern":"*","path":"/none"}`:         {},
		} {
			require.Equal(s, want, glob(a), a)
		}
		require.Equal(s, "y.md,*.md", s.ok("glob", `{"patterns":["y.md","*.md"]}`)["pattern"], "C-17")
		require.Equal(s, "folder", s.ok("glob", `{"pattern":"dee*"}`)["matches"].([]any)[0].(object)["file_type"], "C-19")
		s.fails("glob", `{"pattern":"../*"}`, workshop.Invalid, "pattern", "Pattern cannot contain ..")
		for _, a := range []string{`{"pattern":""}`, `{"pattern":"  "}`, `{}`, `{"patterns":[]}`, `{"patterns":["a"," "]}`} {
			s.fails("glob", a, workshop.Invalid, "pattern", "Pattern cannot be empty")
		}
	})
}

// B12-01, B12-02, B12-03, B12-04, B12-05, C-27.
func TestB12Find(t *testing.T) {
	onBothViews(t, map[string]string{"src/main.rs": "12345", "src/d/lib.rs": "1", "x.txt": "", "dir/test_1": ""}, func(s *scale) {
		require.NoError(s, os.WriteFile(filepath.Join(s.dir, "mega"), make([]byte, 1<<20), 0o644))
		s.ok("write", `{"path":"/p.canvas","content":{"a":1},"file_type":"canvas"}`)
		find := func(a string) []string { s.Helper(); return pluck(s.ok("find", a)["matches"], "path") }
		for a, want := range map[string][]string{
			`{}`:                            {"/dir", "/dir/test_1", "/mega", "/p.canvas", "/src", "/src/d", "/src/d/lib.rs", "/src/main.rs", "/x.txt"},
			`{"name":"*.rs","path":"/src"}`: {"/src/d/lib.rs", "/src/main.rs"},
			`{"name":"*.rs","path":"/src","recursive":"false"}`: {"/src/main.rs"},
			`{"name":"test_[0-9]"}`:                             {"/dir/test_1"},
			`{"name":"?.txt"}`:                                  {"/x.txt"},
			`{"file_type":"folder"}`:                            {"/dir", "/src", "/src/d"},
			`{"file_type":"Canvas"}`:                            {"/p.canvas"},
			`{"file_type":"document","name":"*.rs"}`:            {"/src/d/lib.rs", "/src/main.rs"},
			`{"min_size":1048576}`:                              {},
			`{"min_size":1048575}`:                              {"/mega"},
			`{"min_size":"1","max_size":"6","name":"*.rs"}`:     {"/src/main.rs"},
			`{"max_size":1,"recursive":false}`:                  {"/x.txt"},
			`{"limit":2}`:                                       {"/dir", "/dir/test_1"},
		} {
			require.Equal(s, want, find(a), a)
		}
		m := s.ok("find", `{"name":"main.rs"}`)["matches"].([]any)[0].(object)
		require.Equal(s, object{"path": "/src/main.rs", "name": "main.rs", "synced": false, "file_type": "document", "size": 5.0, "updated_at": m["updated_at"]}, m)
		s.fails("find", `{"path":"/none"}`, workshop.NotFound, "", "Base path not found: /none")
		s.fails("find", `{"path":"/x.txt"}`, workshop.Invalid, "path", "Base path is not a directory: /x.txt")
		s.fails("find", `{"file_type":"nope"}`, workshop.Invalid, "file_type", "Invalid file type: nope")
		for i := range 60 {
			require.NoError(s, os.WriteFile(filepath.Join(s.dir, fmt.Sprintf("n%02d", i)), nil, 0o644))
		}
		require.Len(s, find(`{"name":"n*"}`), 50)
		require.Len(s, find(`{"name":"n*","limit":0}`), 60)
	})
}

// B13-01, B13-02, B13-03.
func TestB13ReadMultipleFiles(t *testing.T) {
	onBothViews(t, map[string]string{"a": "abc", "long": strings.Repeat("x\n", 600), "d/x": ""}, func(s *scale) {
		s.ok("write", `{"path":"/v","content":{"k":1}}`)
		fs := s.ok("read_multiple_files", `{"paths":["a","/nonexistent.txt","/d","long","a","/v","n\u0000l"]}`)["files"].([]any)
		a := object{"path": "/a", "success": true, "content": "abc", "hash": abcHash, "synced": false, "error": nil, "total_lines": 1.0, "truncated": false}
		failed := func(path, msg string) object {
			return object{"path": path, "success": false, "content": nil, "hash": nil, "synced": false, "error": msg, "total_lines": nil, "truncated": nil}
		}
		require.Len(s, fs, 7)
		require.Equal(s, []any{a, failed("/nonexistent.txt", "File not found: /nonexistent.txt"), failed("/d", "Cannot read a folder")}, fs[:3])
		require.Equal(s, []any{600.0, true, strings.TrimSuffix(strings.Repeat("x\n", 500), "\n")}, []any{fs[3].(object)["total_lines"], fs[3].(object)["truncated"], fs[3].(object)["content"]})
		require.Equal(s, a, fs[4], "duplicates are kept")
		require.Equal(s, object{"path": "/v", "success": true, "content": object{"k": 1.0}, "hash": sha(`{"k":1}`), "synced": true, "error": nil, "total_lines": nil, "truncated": nil}, fs[5])
		require.Equal(s, failed("n\x00l", `the path "n\x00l" is not valid`), fs[6])
		whole := s.ok("read_multiple_files", `{"paths":["long"],"limit":0}`)["files"].([]any)[0].(object)
		require.Equal(s, []any{strings.Repeat("x\n", 600), false}, []any{whole["content"], whole["truncated"]})
		s.fails("read_multiple_files", `{"paths":[]}`, workshop.Invalid, "paths", "Paths array cannot be empty")
		s.fails("read_multiple_files", `{}`, workshop.Invalid, "paths", "missing field `paths`")
		s.fails("read_multiple_files", args("paths", strings.Split(strings.Repeat("a,", 50)+"a", ",")), workshop.Invalid, "paths", "Cannot read more than 50 files at once")
		require.Len(s, s.ok("read_multiple_files", args("paths", strings.Split(strings.Repeat("a,", 49)+"a", ",")))["files"], 50)
	})
}

// B14-01, B14-02, B14-03, B14-04, B14-05, B14-06, B14-07, B14-08, C-26.
func TestB14Cat(t *testing.T) {
	five := "1\n2\n3\n4\n5"
	onBothViews(t, map[string]string{"five": five, "tabs": "a\tb \n\n\n\nc\n", "x": "x\n", "y": "y", "empty": ""}, func(s *scale) {
		cat := func(a string) string { s.Helper(); return s.ok("cat", a)["content"].(string) }
		r := s.ok("cat", `{"paths":["five"],"offset":1,"limit":2}`) // B14-02, B14-07
		require.Equal(s, object{"content": "2\n3", "files": []any{object{"path": "/five", "content": "2\n3", "line_count": 2.0, "synced": false, "offset": 1.0, "limit": 2.0, "total_lines": 5.0}}}, r)
		r = s.ok("cat", `{"paths":["five"],"offset":-2}`)["files"].([]any)[0].(object)
		require.Equal(s, []any{3.0, nil, 2.0}, []any{r["offset"], r["limit"], r["line_count"]})
		for a, want := range map[string]string{
			`{"paths":["tabs"]}`:                                          "a\tb \n\n\n\nc\n",
			`{"paths":["tabs"],"show_ends":true}`:                         "a\tb $\n$\n$\n$\nc$", // B14-03
			`{"paths":["tabs"],"show_tabs":true}`:                         "a^Ib \n\n\n\nc",
			`{"paths":["tabs"],"show_tabs":true,"show_ends":"1"}`:         "a^Ib $\n$\n$\n$\nc$",
			`{"paths":["tabs"],"squeeze_blank":true}`:                     "a\tb \n\nc", // B14-05, C-26
			`{"paths":["tabs"],"squeeze_blank":true,"number_lines":true}`: "     1\ta\tb \n     2\t\n     5\tc",
			`{"paths":["five"],"number_lines":true,"offset":-2}`:          "     4\t4\n     5\t5", // B14-04
			`{"paths":["five"],"number_lines":true,"offset":2,"limit":1}`: "     3\t3",
			`{"paths":["x","y","x"]}`:                                     "x\ny\nx\n",                    // B14-08: one newline between
			`{"paths":["y","y"],"show_headers":true}`:                     "==> /y <==\ny\n==> /y <==\ny", // B14-06
			`{"paths":["y","/none","y"]}`:                                 "y\nError reading /none: File not found: /none\ny",
			`{"paths":["empty"]}`:                                         "",
		} {
			require.Equal(s, want, cat(a), a)
		}
		failed := s.ok("cat", `{"paths":["/none","/"]}`)["files"].([]any)
		require.Equal(s, object{"path": "/none", "content": "Error reading /none: File not found: /none", "line_count": 0.0, "synced": false, "offset": nil, "limit": nil, "total_lines": nil}, failed[0])
		require.Equal(s, "Error reading /: Cannot read a folder", failed[1].(object)["content"])
		hundred := strings.Repeat("l\n", 150)
		s.ok("write", args("path", "/h", "content", hundred))
		require.True(s, strings.HasPrefix(cat(`{"paths":["h"],"offset":100,"number_lines":true}`), "   101\tl\n"))
		s.fails("cat", `{"paths":[]}`, workshop.Invalid, "paths", "Paths array cannot be empty")
		s.fails("cat", args("paths", make([]string, 21)), workshop.Invalid, "paths", "Cannot concatenate more than 20 files at once")
		s.ok("write", `{"path":"/v","content":{"k":1}}`)
		require.Equal(s, `{"k":1}`, cat(`{"paths":["v"]}`))
	})
}
