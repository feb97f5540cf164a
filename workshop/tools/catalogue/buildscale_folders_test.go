package catalogue_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

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
