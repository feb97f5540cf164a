//lint:file-ignore SA1019 roots and logging belong to revisions before 2026-07-28, which are served too

package mcpserver

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/fileuri"
)

// Files are resources: listed a page at a time, read as text or bytes, of the draft or of
// the folder.
func TestResources(t *testing.T) {
	r := newRig(t)
	marks := "ü#?"
	if runtime.GOOS == "windows" {
		marks = "ü#%"
	}
	for i := range pageSize + 5 {
		write(t, fmt.Sprintf("%s/n%03d %s.txt", r.folder, i, marks), "x\n")
	}
	s := r.connect("", nil)
	first, err := s.ListResources(t.Context(), nil)
	require.NoError(t, err)
	require.NotEmpty(t, first.NextCursor)
	seen := map[string]bool{}
	for res, err := range s.Resources(t.Context(), nil) {
		require.NoError(t, err)
		require.False(t, seen[res.URI])
		seen[res.URI] = true
	}
	require.Len(t, seen, pageSize+5+5+1)
	read := func(uri string) *mcp.ResourceContents {
		t.Helper()
		res, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		require.NoError(t, err, uri)
		return res.Contents[0]
	}
	require.Equal(t, "x\n", read(uriOf(draftURI, "n000 "+marks+".txt")).Text)
	require.Contains(t, read(uriOf(draftURI, "contrato.docx")).Text, "Olivares del Sur")
	require.Equal(t, r.file("sales.xlsx"), string(read(uriOf(contentURI, "sales.xlsx")).Blob))
	r.must(s, "write_text_file", args{"path": "notas.md", "content": "new\n"})
	require.Equal(t, "new\n", read(draftURI+"notas.md").Text)
	require.Equal(t, r.file("notas.md"), read(folderURI+"notas.md").Text)
	require.Contains(t, read(reviewURI).Text, "notas.md")
	_, err = s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: draftURI + "nothing.txt"})
	require.ErrorContains(t, err, "not found")
	require.NoError(t, os.Truncate(r.folder+"/n001 "+marks+".txt", bytesMax+1))
	_, err = s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uriOf(contentURI, "n001 "+marks+".txt")})
	require.ErrorContains(t, err, "larger")
	tm, err := s.ListResourceTemplates(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, tm.ResourceTemplates, 3)
}

// Clients are told of files that change, and of a list that is another one.
func TestSubscriptions(t *testing.T) {
	r := newRig(t)
	updated, listed := make(chan string, 20), make(chan bool, 20)
	s := r.connect("2025-11-25", &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) { updated <- req.Params.URI },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) {
			listed <- true
		},
	})
	require.NoError(t, s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: draftURI + "notas.md"}))
	require.Error(t, s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "file:///etc/passwd"}))
	r.must(s, "write_text_file", args{"path": "other.txt", "content": "new\n"})
	r.must(s, "write_text_file", args{"path": "notas.md", "content": "new\n"})
	got := func(c any) {
		t.Helper()
		after := time.After(20 * time.Second)
		switch c := c.(type) {
		case chan string:
			select {
			case uri := <-c:
				require.Equal(t, draftURI+"notas.md", uri)
			case <-after:
				t.Fatal("no notification")
			}
		case chan bool:
			select {
			case <-c:
			case <-after:
				t.Fatal("no notification")
			}
		}
	}
	got(listed)
	got(updated)
	require.NoError(t, s.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: draftURI + "notas.md"}))
	for i := range maxSubscriptions {
		require.NoError(t, s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: fmt.Sprintf("%sf%d.txt", draftURI, i)}))
	}
	require.ErrorContains(t, s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: draftURI + "one-more.txt"}), "too many")
}

// Prompts have their arguments in them, and say which is missing.
func TestPrompts(t *testing.T) {
	r := newRig(t)
	s := r.connect("", nil)
	n := 0
	for p, err := range s.Prompts(t.Context(), nil) {
		require.NoError(t, err)
		n++
		given := map[string]string{}
		for _, a := range p.Arguments {
			if a.Required {
				given[a.Name] = "VALUE-{contract}-" + a.Name
			}
		}
		got, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name, Arguments: given})
		require.NoError(t, err)
		text := got.Messages[0].Content.(*mcp.TextContent).Text
		for _, v := range given {
			require.Contains(t, text, v)
		}
		require.NotContains(t, strings.ReplaceAll(text, "VALUE-{", ""), "{", p.Name)
		_, err = s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name})
		require.ErrorContains(t, err, "missing")
	}
	require.Equal(t, len(prompts), n)
}

// Paths, sheets and languages are completed.
func TestCompletion(t *testing.T) {
	r := newRig(t)
	require.NoError(t, os.MkdirAll(r.folder+"/reports/old", 0o700))
	write(t, r.folder+"/reports/old/a.txt", "x")
	s := r.connect("", nil)
	values := func(arg, typed string) []string {
		t.Helper()
		res, err := s.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "x"}, Argument: mcp.CompleteParamsArgument{Name: arg, Value: typed}})
		require.NoError(t, err)
		return res.Completion.Values
	}
	require.Equal(t, []string{"sales.xlsx"}, values("workbook", ""))
	require.Equal(t, []string{"sales.xlsx!Sales"}, values("workbooks", "sales.xlsx!s"))
	require.Equal(t, []string{"reports/old"}, values("folder", "rep"))
	require.Contains(t, values("path", ""), "notas.md")
	require.Equal(t, []string{"fr", "fr-CA", "fr-CH"}, values("language", "fr"))
	require.Equal(t, []string{"de", "de-AT", "de-CH"}, values("language", "ger"))
	require.Empty(t, values("unknown", ""))
	require.Empty(t, values("workbook", "nothing.xlsx!"))
}

// The folder is the client's first root where the server was started without one, and a
// new root counts.
func TestRoots(t *testing.T) {
	r := newRig(t, func(o *Options, _ *engine.Options) { o.Folder = "" })
	other := t.TempDir()
	write(t, other+"/other.txt", "x")
	none := r.connect("2025-11-25", &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	text, failed := r.call(none, "list_files", args{})
	require.True(t, failed)
	require.Contains(t, text, "--in FOLDER")

	here, there := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { r.srv.Run(ctx, there); close(done) }() //nolint:errcheck // it ends with the test
	c := mcp.NewClient(&mcp.Implementation{Name: "probe"}, nil)
	c.AddRoots(&mcp.Root{URI: "https://example.org/"}, &mcp.Root{URI: fileuri.Of(r.folder)})
	s, err := c.Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(t, err)
	defer func() { s.Close(); cancel(); <-done }()
	text, _ = r.call(s, "list_files", args{})
	require.Contains(t, text, "notas.md")
	c.RemoveRoots(fileuri.Of(r.folder))
	c.AddRoots(&mcp.Root{URI: fileuri.Of(other)})
	require.Eventually(t, func() bool {
		text, _ := r.call(s, "list_files", args{})
		return strings.Contains(text, "other.txt")
	}, 20*time.Second, 50*time.Millisecond)
}
