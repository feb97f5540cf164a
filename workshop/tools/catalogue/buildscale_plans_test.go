package catalogue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// B17-01, B17-02, B17-03, B17-04, B17-05.
func TestB17PlanWrite(t *testing.T) {
	onBothViews(t, nil, func(s *scale) {
		r := s.ok("plan_write", `{"title":"Feature","content":"# Overview\n- Goal 1"}`)
		require.ElementsMatch(s, []string{"path", "file_id", "version_id", "hash", "metadata"}, keys(r))
		require.Regexp(s, `^/plans/[a-z]+-[a-z]+-[a-z]+\.plan$`, r["path"]) // B17-02
		meta := r["metadata"].(object)
		at, err := time.Parse(time.RFC3339, meta["created_at"].(string))
		require.NoError(s, err)
		require.WithinDuration(s, time.Now(), at, time.Minute)
		require.Equal(s, object{"title": "Feature", "status": "draft", "created_at": meta["created_at"]}, meta)
		require.Equal(s, "plan", s.ok("file_info", args("path", r["path"]))["file_type"]) // B17-04
		stored := s.text(r["path"].(string))
		require.Equal(s, fmt.Sprintf("---\ntitle: Feature\nstatus: draft\ncreated_at: %q\n---\n# Overview\n- Goal 1", meta["created_at"]), stored)
		require.Equal(s, sha(stored), r["hash"])

		for in, want := range map[string]string{ // B17-03
			"roadmap": "/plans/roadmap.plan", "/x/y": "/plans/x/y.plan", "/plans/z.plan": "/plans/z.plan", "q.plan": "/plans/q.plan", "/a/../../b": "/plans/b.plan", "plans": "/plans/plans.plan",
		} {
			require.Equal(s, want, s.ok("plan_write", args("title", "t", "content", "c", "path", in))["path"], in)
		}
		for _, title := range []string{`a: b`, `"quoted" 'single'`, "- # not a list", "two\nlines", "---", "yes", "12", "é中🎉", " blanks ", "{a: [}", "null", "&x *y !z %"} { // B17-04
			w := s.ok("plan_write", args("title", title, "content", "---\nbody", "path", "round", "status", "approved"))
			require.Equal(s, title, w["metadata"].(object)["title"])
			p := s.ok("plan_read", `{"name":"round"}`)
			require.Equal(s, w["metadata"], p["metadata"], title)
			require.Equal(s, "---\nbody", p["content"])
		}
		first := s.ok("plan_write", `{"title":"one","content":"1","path":"upd"}`) // B17-05
		again := s.ok("plan_write", `{"title":"two","content":"2","path":"upd","status":"implemented"}`)
		require.Equal(s, first["file_id"], again["file_id"])
		require.NotEqual(s, first["version_id"], again["version_id"])
		require.Equal(s, first["metadata"].(object)["created_at"], again["metadata"].(object)["created_at"])

		s.fails("plan_write", `{"title":" ","content":"x"}`, workshop.Invalid, "title", "Title cannot be empty")
		s.fails("plan_write", `{"title":"t","content":"x","status":"wip"}`, workshop.Invalid, "status", "Invalid plan status: wip. It must be one of draft, approved, implemented, archived")
		s.fails("plan_write", `{"content":"x"}`, workshop.Invalid, "title", "missing field `title`")
		s.fails("plan_write", `{"title":"t","content":"x","path":"/"}`, workshop.Invalid, "path", "The path of a plan needs a name: /")
		s.ok("mkdir", `{"path":"/plans/dir.plan"}`)
		s.fails("plan_write", `{"title":"t","content":"x","path":"dir"}`, workshop.Invalid, "path", "Cannot write a plan to a folder path: /plans/dir.plan")
	})
}

// B18-01, B18-02.
func TestB18PlanRead(t *testing.T) {
	old := map[string]string{
		"plans/legacy.plan":  "# Old\nno front matter\n",
		"plans/broken.plan":  "---\ntitle: [\n---\nbody\n",
		"plans/open.plan":    "---\ntitle: x\nstatus: draft\n",
		"plans/crlf.plan":    "---\r\ntitle: x\r\nstatus: draft\r\ncreated_at: 2025-01-15T10:30:00Z\r\n---\r\nbody\r\n",
		"plans/partial.plan": "---\ntitle: x\n---\nbody\n",
		"notes.md":           "x",
	}
	onBothViews(t, old, func(s *scale) {
		w := s.ok("plan_write", `{"title":"t","content":"1\n2\n3\n4\n5\n","path":"five"}`)
		r := s.ok("plan_read", `{"name":"five"}`)
		require.Equal(s, object{"path": "/plans/five.plan", "metadata": w["metadata"], "content": "1\n2\n3\n4\n5\n", "hash": w["hash"], "total_lines": 5.0}, r)
		require.Equal(s, r, s.ok("plan_read", `{"path":"plans/five.plan"}`))
		require.Equal(s, r, s.ok("plan_read", `{"name":"five.plan"}`))
		require.Equal(s, "2\n3", s.ok("plan_read", `{"name":"five","offset":1,"limit":2}`)["content"])
		require.Equal(s, "5", s.ok("plan_read", `{"name":"five","offset":-1}`)["content"])
		scrolled := s.ok("plan_read", `{"name":"five","cursor":2,"limit":2}`)
		require.Equal(s, []any{"3\n4", 4.0}, []any{scrolled["content"], scrolled["cursor"]})

		for _, name := range []string{"legacy", "broken", "open", "partial"} {
			r := s.ok("plan_read", args("name", name))
			require.Nil(s, r["metadata"], name)
			require.Equal(s, old["plans/"+name+".plan"], r["content"])
		}
		r = s.ok("plan_read", `{"name":"crlf"}`)
		require.Equal(s, []any{"body\r\n", object{"title": "x", "status": "draft", "created_at": "2025-01-15T10:30:00Z"}}, []any{r["content"], r["metadata"]})
		s.fails("plan_read", `{}`, workshop.Invalid, "path", "Either 'path' or 'name' is required")
		s.fails("plan_read", `{"path":"/notes.md"}`, workshop.Invalid, "path", "File is not a plan file, its name must end with .plan: /notes.md")
		s.fails("plan_read", `{"name":"none"}`, workshop.NotFound, "", "Plan not found: /plans/none.plan")
		s.fails("plan_read", `{"name":"../notes"}`, workshop.Invalid, "name", "The name of a plan cannot contain ..")
	})
}

// B19-01, B19-02.
func TestB19PlanEdit(t *testing.T) {
	front := "---\n# kept as it is\ntitle:   'Plan'\nstatus: draft\ncreated_at: 2025-01-15T10:30:00Z\nextra: 1\n---\n"
	onBothViews(t, map[string]string{"plans/p.plan": front + "- Goal 1\n- Goal 2\n", "x.md": "x"}, func(s *scale) {
		hash := s.ok("plan_read", `{"name":"p"}`)["hash"]
		r := s.ok("plan_edit", args("path", "/plans/p.plan", "old_string", "Goal 1", "new_string", "Goal 1 (done)", "last_read_hash", hash))
		require.ElementsMatch(s, []string{"path", "file_id", "version_id", "hash"}, keys(r))
		s.ok("plan_edit", `{"path":"/plans/p.plan","insert_line":0,"insert_content":"# Goals"}`)
		require.Equal(s, front+"# Goals\n- Goal 1 (done)\n- Goal 2\n", s.text("/plans/p.plan"))
		s.fails("plan_edit", `{"path":"/plans/p.plan","old_string":"status: draft","new_string":"status: approved"}`, workshop.Invalid, "old_string", "Search string not found in file content") // B19-02
		s.fails("plan_edit", `{"path":"/plans/p.plan","insert_line":4,"insert_content":"x"}`, workshop.Invalid, "insert_line", "Insert line 4 is out of bounds (file has 3 lines)")
		require.Equal(s, workshop.Conflict, s.call("plan_edit", args("path", "/plans/p.plan", "old_string", "Goal 2", "new_string", "x", "last_read_hash", hash)).Fault.Code)
		s.fails("plan_edit", `{"path":"/x.md","old_string":"x","new_string":"y"}`, workshop.Invalid, "path", "File is not a plan file, its name must end with .plan: /x.md")
		s.fails("plan_edit", `{"path":"/plans/n.plan","old_string":"x","new_string":"y"}`, workshop.NotFound, "", "Plan not found: /plans/n.plan")
		s.fails("plan_edit", `{"path":"/plans/p.plan"}`, workshop.Invalid, "operation", "Must specify either (old_string + new_string) for replace or (insert_line + insert_content) for insert")
	})
}

// B20-01, B20-02.
func TestB20PlanList(t *testing.T) {
	onBothViews(t, map[string]string{"plans/unsynced.plan": "x"}, func(s *scale) {
		require.Equal(s, object{"plans": []any{}, "total": 0.0}, s.ok("plan_list", `{}`))
		put := func(path, created, status string) {
			s.ok("write", args("path", path, "file_type", "plan", "content", "---\ntitle: t\nstatus: "+status+"\ncreated_at: "+created+"\n---\n"))
		}
		put("/plans/old.plan", "2025-01-01T00:00:00Z", "approved")
		put("/plans/deep/new.plan", "2025-03-01T01:00:00+02:00", "draft")
		put("/plans/mid.plan", "2025-02-01T00:00:00Z", "approved")
		s.ok("write", `{"path":"/plans/bare.plan","file_type":"plan","content":"no front matter"}`)
		s.ok("write", `{"path":"/plans/document.plan","content":"x"}`)
		s.ok("write", `{"path":"/plans/other.txt","file_type":"plan","content":"x"}`)
		s.ok("write", `{"path":"/elsewhere.plan","file_type":"plan","content":"x"}`)
		r := s.ok("plan_list", `{}`)
		require.Equal(s, []string{"/plans/deep/new.plan", "/plans/mid.plan", "/plans/old.plan", "/plans/bare.plan"}, pluck(r["plans"], "path"))
		require.Equal(s, []string{"deep/new", "mid", "old", "bare"}, pluck(r["plans"], "name"))
		require.Equal(s, []any{4.0, nil}, []any{r["total"], r["plans"].([]any)[3].(object)["metadata"]})
		r = s.ok("plan_list", `{"status":"approved","limit":1}`)
		require.Equal(s, []any{2.0, []string{"mid"}}, []any{r["total"], pluck(r["plans"], "name")})
		s.fails("plan_list", `{"status":"Approved"}`, workshop.Invalid, "status", "Invalid plan status: Approved. It must be one of draft, approved, implemented, archived")
		s.ok("plan_read", args("name", "deep/new"))
	})
}

// M-01, M-02, M-03: what plan mode guards, and what it leaves.
func TestM02PlanMode(t *testing.T) {
	onBothViews(t, map[string]string{"disk.plan": "document by type"}, func(s *scale) {
		s.ok("write", `{"path":"/doc.md","content":"one"}`)
		s.ok("write", `{"path":"/plans/p.plan","content":"one","file_type":"plan"}`)
		s.ok("mkdir", `{"path":"/plans/sub"}`)
		s.ok("mkdir", `{"path":"/src"}`)
		s.env.Mode = tools.ModePlan
		for a, field := range map[[2]string]string{
			{"write", `{"path":"/new.md","content":"x"}`}:                             "path",
			{"write", `{"path":"/doc.md","content":"x","overwrite":true}`}:            "path",
			{"write", `{"path":"/disk.plan","content":"x","overwrite":true}`}:         "path",
			{"touch", `{"path":"/doc.md"}`}:                                           "path",
			{"touch", `{"path":"/new.txt"}`}:                                          "path",
			{"edit", `{"path":"/doc.md","old_string":"one","new_string":"x"}`}:        "path",
			{"edit", `{"path":"/disk.plan","old_string":"by","new_string":"x"}`}:      "path",
			{"plan_edit", `{"path":"/disk.plan","old_string":"by","new_string":"x"}`}: "path",
			{"rm", `{"path":"/doc.md"}`}:                                              "path",
			{"rm", `{"path":"/plans"}`}:                                               "path",
			{"mkdir", `{"path":"/more"}`}:                                             "path",
			{"mkdir", `{"path":"/plans2/x"}`}:                                         "path",
			{"mv", `{"source":"/doc.md","destination":"/plans/"}`}:                    "source",
			{"mv", `{"source":"/plans/p.plan","destination":"/src/"}`}:                "destination",
			{"mv", `{"source":"/plans/p.plan","destination":"/p.plan"}`}:              "destination",
		} {
			r := s.call(a[0], a[1])
			require.False(s, r.Success, a)
			require.Equal(s, []string{"INVALID", field}, []string{string(r.Fault.Code), r.Fault.Field}, a)
			require.Contains(s, r.Fault.Message, "Plan Mode", a)
			require.Contains(s, r.Fault.Message, "ask_user", a)
			require.Contains(s, r.Fault.Message, "exit_plan_mode", a)
		}
		for _, a := range [][2]string{
			{"write", `{"path":"/plans/q.plan","content":"x"}`}, {"write", `{"path":"/plans/p.plan","content":"two","overwrite":true}`},
			{"touch", `{"path":"/plans/p.plan"}`}, {"touch", `{"path":"/plans/r.plan"}`},
			{"edit", `{"path":"/plans/p.plan","old_string":"two","new_string":"2"}`},
			{"plan_edit", `{"path":"/plans/p.plan","old_string":"2","new_string":"3"}`},
			{"mkdir", `{"path":"/plans/sub/deeper"}`}, {"rm", `{"path":"/plans/sub/deeper"}`},
			{"mv", `{"source":"/plans/p.plan","destination":"/plans/sub/"}`},
			{"plan_write", `{"title":"t","content":"x"}`}, {"plan_write", `{"title":"t","content":"x","path":"mine"}`},
			{"plan_read", `{"name":"mine"}`}, {"plan_list", `{}`}, // M-03
			{"ls", `{}`}, {"read", `{"path":"/doc.md"}`}, {"grep", `{"pattern":"x"}`}, {"glob", `{"pattern":"*"}`}, {"find", `{}`},
			{"file_info", `{"path":"/doc.md"}`}, {"cat", `{"paths":["/doc.md"]}`}, {"read_multiple_files", `{"paths":["/doc.md"]}`},
		} {
			s.ok(a[0], a[1])
		}
		require.Equal(s, "one", s.text("/doc.md"))
		for _, mode := range []string{"", tools.ModeBuild} {
			s.env.Mode = mode
			s.ok("edit", `{"path":"/doc.md","insert_line":0,"insert_content":"x"}`)
		}
	})
	// A tool that does not know plan mode is refused in it.
	boom := tools.New("boom", "", tools.Write, nothing)
	look := tools.New("look", "", tools.Read, nothing)
	cat, err := tools.NewCatalogue(tools.Style{Name: "own"}, tools.Direct("boom", boom), tools.Direct("look", look))
	require.NoError(t, err)
	env := &tools.Env{Mode: tools.ModePlan}
	require.Contains(t, cat.Call(ctx, env, "boom", nil).Text, "Plan Mode: boom is not available")
	require.True(t, cat.Call(ctx, env, "look", nil).Success)
	env.Mode = ""
	require.True(t, cat.Call(ctx, env, "boom", nil).Success)
}
