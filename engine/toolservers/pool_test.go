package toolservers

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// An ordinary program: tools, results, what it gets of the environment, and its end.
func TestProgram(t *testing.T) {
	r := newRig(t)
	r.env["OPENAI_API_KEY"], r.env["ATELIER_HOME"], r.env["MY_TOKEN"] = "key-of-ours", "x", "token of theirs"
	e := program("ok")
	e.Env["TOKEN"], e.Env["PLAIN"] = "${MY_TOKEN}", "a${NOT_SET:-b}c"
	r.set("files", e)
	require.True(t, r.p.Configured(r.scope))
	require.Equal(t, Idle, r.server("files").State)
	set := r.tools()
	require.Empty(t, set.Failed)
	i := slices.IndexFunc(set.Tools, func(t Tool) bool { return t.Name == "files__echo" })
	require.GreaterOrEqual(t, i, 0)
	echo := set.Tools[i]
	require.True(t, echo.ReadOnly)
	require.False(t, echo.Destructive)
	require.False(t, echo.OpenWorld)
	require.Equal(t, "Echo", echo.Title)
	require.Contains(t, string(echo.Schema), `"text"`)
	require.NotEmpty(t, set.Version)
	s := r.server("files")
	require.Equal(t, Ready, s.State)
	require.Equal(t, []string{"Probe", "7"}, []string{s.Title, s.Version})
	require.Equal(t, []string{"PLAIN", "TOKEN", serverMode}, s.Env)

	res := r.must("files", "echo", `{"text":"hello"}`)
	require.Equal(t, "hello", res.Text)
	require.JSONEq(t, `{"text":"hello"}`, string(res.Structured))
	require.Positive(t, res.BytesIn)
	require.Equal(t, len(`{"text":"hello"}`), res.BytesOut)
	var about struct {
		Env []string
		Dir string
	}
	require.NoError(t, json.Unmarshal(r.must("files", "env", "{}").Structured, &about))
	require.Contains(t, about.Env, "TOKEN=token of theirs")
	require.Contains(t, about.Env, "PLAIN=abc")
	require.NotContains(t, strings.Join(about.Env, "\n"), "OPENAI")
	require.NotContains(t, strings.Join(about.Env, "\n"), "ATELIER")
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	require.Equal(t, home, about.Dir)

	failed := r.must("files", "fail", "{}")
	require.True(t, failed.IsError)
	require.Contains(t, failed.Text, "no such order")
	require.Contains(t, r.fails(Unknown, "files", "no such tool", "{}").Error(), "echo")
	require.Contains(t, r.fails(Unknown, "other", "t", "{}").Error(), "files")
	r.fails(BadArguments, "files", "echo", "[1]")
	r.fails(BadArguments, "files", "echo", `{"text":"`+strings.Repeat("x", MaxArguments)+`"}`)

	require.NoError(t, r.p.Enable(t.Context(), "files", false))
	require.Equal(t, Off, r.server("files").State)
	r.fails(NotAllowed, "files", "echo", "{}")
	require.Empty(t, r.tools().Failed, "what is switched off is not told")
	require.False(t, r.p.Configured(r.scope))
	require.NoError(t, r.p.Remove(t.Context(), "files"))
	require.Error(t, r.p.Remove(t.Context(), "files"))
}

// Progress, questions, sampling and roots.
func TestWhatServersAsk(t *testing.T) {
	for _, http := range []bool{false, true} {
		r := newRig(t)
		if http {
			r.set("s", Entry{URL: r.serveHTTP(nil) + "/mcp"})
		} else {
			r.set("s", program("ok"))
		}
		var mu sync.Mutex
		var told []Progress
		res, err := r.call("s", "wait", "{}", func(c *Call) {
			c.Progress = func(p Progress) { mu.Lock(); told = append(told, p); mu.Unlock() }
		})
		require.NoError(t, err)
		require.Equal(t, "waited", res.Text)
		mu.Lock()
		require.NotEmpty(t, told)
		require.Equal(t, Progress{Done: 1, Total: 3, Message: "step"}, told[0])
		mu.Unlock()

		require.Contains(t, r.must("s", "ask", "{}").Text, "decline", "nobody can be asked")
		var asked Question
		res, err = r.call("s", "ask", "{}", func(c *Call) {
			c.Timeout = 300 * time.Millisecond
			c.Ask = func(_ context.Context, q Question) (Answer, error) {
				asked = q
				time.Sleep(500 * time.Millisecond) // the time of the person does not count
				return Answer{Action: "accept", Content: map[string]any{"which": "the second"}}, nil
			}
		})
		require.NoError(t, err)
		require.Contains(t, res.Text, "the second")
		require.Equal(t, "Which one?", asked.Message)
		require.Equal(t, "s", asked.Server)
		require.Contains(t, string(asked.Schema), "which")

		_, err = r.call("s", "sample", "{}")
		require.ErrorContains(t, err, "CreateMessage", "sampling is refused")
		res, err = r.call("s", "roots", "{}")
		require.NoError(t, err)
		require.NotContains(t, res.Text, r.folder, "no root without roots")
		if !http {
			r.set("s", program("ok", func(e *Entry) { e.Roots = true }))
			require.Contains(t, r.must("s", "roots", "{}").Text, filepath.ToSlash(r.folder))
		}
	}
}

// Images, links, files and sound: what is taken, and what is told to be left out.
func TestContent(t *testing.T) {
	r := newRig(t)
	r.set("s", program("ok"))
	res := r.must("s", "media", "{}")
	require.Equal(t, "before⟦U+202E⟧\n[image 1: image/png, 108 bytes]\n[link 1: a file:///a.txt]\n[resource mem://b]\ninside", res.Text)
	require.Len(t, res.Images, 1)
	require.Equal(t, "image/png", res.Images[0].MIME)
	require.Equal(t, []Link{{URI: "file:///a.txt", Name: "a", Size: 12}}, res.Links)
	require.Equal(t, []string{"characters that cannot be seen are spelled out",
		"left out: 1 × file (application/zip) that is not text",
		"left out: 1 × image (image/png) that is not PNG, JPEG, GIF or WebP",
		"left out: 1 × sound (audio/wav), which models here do not get"}, res.Cut)
	big := r.must("s", "big", `{"Bytes":3000001}`)
	require.Len(t, big.Text, MaxText)
	require.Len(t, big.Cut, 1)
	require.Equal(t, 3000000, big.BytesIn)
}

// What a result may have at most, and that the rest is told.
func TestResultBounds(t *testing.T) {
	in := &mcp.CallToolResult{StructuredContent: map[string]any{"x": strings.Repeat("s", MaxStructured)}}
	png := func(n int) *mcp.ImageContent {
		return &mcp.ImageContent{MIMEType: "image/x", Data: append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, n)...)}
	}
	for range MaxImages + 3 {
		in.Content = append(in.Content, png(100))
	}
	for i := range MaxLinks + 7 {
		in.Content = append(in.Content, &mcp.ResourceLink{URI: "https://example.com/" + strconv.Itoa(i), Name: "n\u202e" + strings.Repeat("x", 1000)})
	}
	res := resultOf(in)
	require.Len(t, res.Images, MaxImages)
	require.Len(t, res.Links, MaxLinks)
	require.NotContains(t, res.Links[0].Name, "\u202e")
	require.Less(t, len(res.Links[0].Name), 300)
	require.Nil(t, res.Structured)
	require.Equal(t, []string{"the structured content has 1024 KiB, which is more than 1024 KiB, and is left out", "left out: 3 × image beyond 16", "left out: 7 × link beyond 100"}, res.Cut)
	res = resultOf(&mcp.CallToolResult{Content: []mcp.Content{png(MaxImageBytes / 2), png(MaxImageBytes / 2), png(10), nil}})
	require.Len(t, res.Images, 2)
	require.Equal(t, []string{"left out: 1 × content of a kind that is not known", "left out: 1 × image beyond 8 MiB"}, res.Cut)
	require.Equal(t, &Result{IsError: true}, resultOf(&mcp.CallToolResult{IsError: true}))
}

// A call that is canceled tells the server; one that takes too long ends.
func TestCancelAndTimeout(t *testing.T) {
	for _, http := range []bool{false, true} {
		r := newRig(t)
		t.Setenv("HOME_OF_TEST", r.home)
		if http {
			r.set("s", Entry{URL: r.serveHTTP(nil) + "/mcp"})
		} else {
			r.set("s", program("ok", func(e *Entry) { e.Env["HOME_OF_TEST"] = r.home }))
		}
		ctx, cancel := context.WithCancel(t.Context())
		there := func(name string) func() bool {
			return func() bool { _, err := os.Stat(filepath.Join(r.home, name)); return err == nil }
		}
		canceled := make(chan error, 1)
		go func() {
			_, err := r.p.Call(ctx, r.scope, Call{Server: "s", Tool: "hang"})
			canceled <- err
		}()
		require.Eventually(t, there("begun"), 30*time.Second, 20*time.Millisecond)
		cancel()
		err := <-canceled
		require.ErrorIs(t, err, context.Canceled)
		require.Eventually(t, there("canceled"), 30*time.Second, 20*time.Millisecond)
		e := r.fails(Timeout, "s", "hang", "{}", func(c *Call) { c.Timeout = 200 * time.Millisecond })
		require.True(t, e.Unsure())
		require.Equal(t, "x", r.must("s", "echo", `{"text":"x"}`).Text, "the server is used as before")
	}
}

// A tool that changed is not called, and what changed is told.
func TestToolsChange(t *testing.T) {
	r := newRig(t)
	r.set("s", program("ok"))
	find := func(name string) (Tool, bool) {
		set := r.tools()
		i := slices.IndexFunc(set.Tools, func(t Tool) bool { return t.Tool == name })
		if i < 0 {
			return Tool{}, false
		}
		return set.Tools[i], true
	}
	fail, _ := find("fail")
	echo, _ := find("echo")
	require.Empty(t, fail.Approval)
	require.NoError(t, r.p.ApproveTool(t.Context(), r.scope, "s", "fail", fail.Hash))
	fail, _ = find("fail")
	require.Equal(t, ApprovedSame, fail.Approval)
	r.mu.Lock()
	r.changed = nil
	r.mu.Unlock()
	r.must("s", "rename", "{}")
	require.Eventually(t, func() bool { r.mu.Lock(); defer r.mu.Unlock(); return len(r.changed) > 0 }, 5*time.Second, 20*time.Millisecond, "the server told that its tools changed")
	e := r.fails(ToolChanged, "s", "fail", "{}", func(c *Call) { c.Hash = fail.Hash })
	require.Contains(t, e.Error(), "nothing was sent")
	r.fails(Unknown, "s", "echo", "{}", func(c *Call) { c.Hash = echo.Hash })
	require.Eventually(t, func() bool { now, _ := find("fail"); return now.Approval == ApprovedChanged }, 5*time.Second, 50*time.Millisecond)
	_, there := find("echo")
	require.False(t, there)
	now, _ := find("fail")
	require.Equal(t, "Now it says something else.", now.Description)
	_, err := r.call("s", "fail", "{}", func(c *Call) { c.Hash = now.Hash })
	require.NoError(t, err)
}

// A server that no call uses ends, and starts again; two calls at once start it once.
func TestIdleAndOnce(t *testing.T) {
	r := newRig(t, func(o *Options) { o.IdleAfter = 200 * time.Millisecond })
	r.set("s", program("ok"))
	pids := make([]string, 4)
	var wait sync.WaitGroup
	for i := range pids {
		wait.Go(func() { pids[i] = pidOf(t, r) })
	}
	wait.Wait()
	require.Equal(t, 1, len(slices.Compact(pids)), pids)
	require.Eventually(t, func() bool { return r.server("s").State == Idle }, 5*time.Second, 20*time.Millisecond)
	require.NotEqual(t, pids[0], pidOf(t, r))
	require.Equal(t, 1, r.server("s").Restarts)
	// An entry that changes is used at once.
	r.write(false, strings.Replace(readText(t, filepath.Join(r.home, ConfigName)), `"env": {`, `"env": {"NEW": "yes", `, 1))
	require.Contains(t, string(r.must("s", "env", "{}").Structured), "NEW=yes")
}

func pidOf(t *testing.T, r *rig) string {
	var about struct{ PID json.Number }
	res, err := r.call("s", "env", "{}")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(res.Structured, &about))
	return about.PID.String()
}

func readText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}
