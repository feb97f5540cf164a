package acp

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/fileuri"
)

// A turn is streamed: thoughts, text, calls with their files and diffs, the draft and
// what it took. /review, /publish and /undo work on it.
func TestTurn(t *testing.T) {
	r := newRig(t, `
-- model-1 --
{"reasoning":"First "}
{"reasoning":"I read."}
{"text":"I look."}
{"call":{"id":"tc-1","name":"read_file","arguments":{"path":"notes.md"}}}
-- model-2 --
{"call":{"id":"tc-3","name":"replace_text","arguments":{"path":"notes.md","search":"two","replace":"2"}}}
-- model-3 --
{"call":{"id":"tc-2","name":"xlsx_operations","arguments":{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Ventas","cells":[{"cell":"A1","value":"Changed"}]}]}}}
-- model-4 --
{"text":"Done."}
{"usage":{"prompt_tokens":10,"completion_tokens":3}}
`, map[string]string{"notes.md": "one\ntwo\n", "sales.xlsx": sales(t)})
	require.Equal(t, sdk.StopReasonEndTurn, r.prompt("Do it"))
	log := r.log()
	require.Equal(t, "First I read.", r.text(func(u sdk.SessionUpdate) *sdk.ContentBlock {
		if u.AgentThoughtChunk == nil {
			return nil
		}
		return &u.AgentThoughtChunk.Content
	}))
	require.Contains(t, r.said(), "I look.Done.")
	start := r.wait(func(u sdk.SessionUpdate) bool { return u.ToolCall != nil && u.ToolCall.ToolCallId == "tc-1" })
	require.Equal(t, "read_file notes.md", start.ToolCall.Title)
	require.Equal(t, sdk.ToolKindRead, start.ToolCall.Kind)
	require.Equal(t, r.path("notes.md"), start.ToolCall.Locations[0].Path)
	require.Equal(t, map[string]any{"path": "notes.md"}, start.ToolCall.RawInput)
	edit := r.wait(func(u sdk.SessionUpdate) bool {
		return u.ToolCallUpdate != nil && u.ToolCallUpdate.ToolCallId == "tc-3"
	})
	require.Equal(t, sdk.ToolCallStatusCompleted, *edit.ToolCallUpdate.Status, log)
	d := edit.ToolCallUpdate.Content[0].Diff
	require.Equal(t, []string{r.path("notes.md"), "one\ntwo\n", "one\n2\n"}, []string{d.Path, *d.OldText, d.NewText})
	cells := r.wait(func(u sdk.SessionUpdate) bool {
		return u.ToolCallUpdate != nil && u.ToolCallUpdate.ToolCallId == "tc-2"
	})
	require.Equal(t, sdk.ToolCallStatusCompleted, *cells.ToolCallUpdate.Status, log)
	require.Contains(t, cells.ToolCallUpdate.Content[0].Content.Content.Text.Text, "Changed")
	require.Contains(t, log, `"used":`)
	require.Equal(t, "one\ntwo\n", r.file("notes.md"), "the folder is as it was")
	require.Contains(t, r.said(), "The draft changes:")

	require.Equal(t, sdk.StopReasonEndTurn, r.prompt("/review notes.md"))
	require.Contains(t, r.said(), "- two\n+ 2\n")
	r.choose = func(p sdk.RequestPermissionRequest) string { return publishNo }
	r.prompt("/publish")
	require.Contains(t, r.said(), "Nothing was published.")
	require.Equal(t, "one\ntwo\n", r.file("notes.md"))
	r.choose = nil
	r.prompt("/publish notes.md")
	require.Contains(t, r.said(), "published notes.md")
	require.Equal(t, "one\n2\n", r.file("notes.md"))
	r.prompt("/undo")
	require.Contains(t, r.said(), "restored notes.md")
	require.Equal(t, "one\ntwo\n", r.file("notes.md"))
	r.prompt("/publish")
	require.Contains(t, r.said(), "There is nothing to publish.")
}

func sales(t *testing.T) string {
	b, err := os.ReadFile("../../testdata/documents/sales.xlsx")
	require.NoError(t, err)
	return string(b)
}

// Prompts have files: of the folder by name, others as attachments.
func TestPromptContent(t *testing.T) {
	r := newRig(t, "-- model-1 --\n{\"text\":\"Seen.\"}\n", map[string]string{"a b.md": "x"})
	outside := filepath.Join(t.TempDir(), "other.txt")
	require.NoError(t, os.WriteFile(outside, []byte("elsewhere"), 0o600))
	uri := fileuri.Of(r.path("a b.md"))
	blob := sdk.EmbeddedResourceResource{BlobResourceContents: &sdk.BlobResourceContents{Uri: "mem:///data.bin", Blob: base64.StdEncoding.EncodeToString([]byte{1, 2})}}
	_, err := r.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: r.id, Prompt: []sdk.ContentBlock{
		sdk.TextBlock("Compare "), sdk.ResourceLinkBlock("a b.md", uri), sdk.ResourceLinkBlock("other", fileuri.Of(outside)),
		sdk.ResourceLinkBlock("page", "https://example.org/x"), sdk.ResourceBlock(blob), sdk.ImageBlock(base64.StdEncoding.EncodeToString([]byte("png")), "image/png"),
	}})
	require.NoError(t, err)
	c, err := engine.CallAs[engine.Conversation](t.Context(), r.e, "WorkshopGetConversation", engine.WorkbenchRef{WorkbenchID: string(r.id)})
	require.NoError(t, err)
	require.Equal(t, "Compare `a b.md`[attached: other.txt][page](https://example.org/x)[attached: data.bin][attached: image.png]", c.Messages[0].Text)
	for _, bad := range [][]sdk.ContentBlock{{}, {sdk.TextBlock(" \n")}, {sdk.AudioBlock("AAAA", "audio/wav")}, {sdk.ImageBlock("?", "image/png")}, {sdk.ResourceLinkBlock("x", "file:///no/such/file")}} {
		_, err := r.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: r.id, Prompt: bad})
		require.Error(t, err)
	}
}

// The unsaved text of the editor is what the model reads; publishing puts the result
// into the editor only where the person said so.
func TestUnsavedText(t *testing.T) {
	fixture := `
-- model-1 --
{"call":{"id":"a","name":"read_file","arguments":{"path":"notes.md"}}}
-- model-2 --
{"call":{"id":"b","name":"replace_text","arguments":{"path":"notes.md","search":"unsaved","replace":"edited"}}}
-- model-3 --
{"text":"Done."}
`
	for _, c := range []struct {
		answer, editor, said string
		typed                bool
	}{
		{publishEditor, "", "the editor has the published text", false},
		{publishDisk, "one\nunsaved\n", "has unsaved text in the editor", false},
		{publishEditor, "typed on\n", "newer than what the change began from", true},
	} {
		r := newRig(t, fixture, map[string]string{"notes.md": "one\r\ntwo\r\n"})
		r.mu.Lock()
		r.buffers[r.path("notes.md")] = "one\nunsaved\n"
		r.mu.Unlock()
		r.prompt("Edit")
		require.Contains(t, r.log(), `unsaved`)
		if c.typed {
			r.mu.Lock()
			r.buffers[r.path("notes.md")] = c.editor
			r.mu.Unlock()
		}
		r.choose = func(sdk.RequestPermissionRequest) string { return c.answer }
		r.prompt("/publish")
		require.Contains(t, r.said(), c.said)
		require.Equal(t, "one\r\nedited\r\n", r.file("notes.md"), "with the line ends of the file")
		require.Equal(t, c.editor, r.buffers[r.path("notes.md")])
	}
}

// Ask mode offers no tools that change files.
func TestAskMode(t *testing.T) {
	r := newRig(t, `
-- model-1 --
{"call":{"id":"a","name":"write_text_file","arguments":{"path":"x.md","content":"x"}}}
-- model-2 --
{"text":"I cannot."}
`, map[string]string{"notes.md": "x"})
	_, err := r.conn.SetSessionMode(t.Context(), sdk.SetSessionModeRequest{SessionId: r.id, ModeId: modeAsk})
	require.NoError(t, err)
	r.prompt("Write x")
	u := r.wait(func(u sdk.SessionUpdate) bool { return u.ToolCallUpdate != nil })
	require.Equal(t, sdk.ToolCallStatusFailed, *u.ToolCallUpdate.Status)
	r.prompt("/review")
	require.Contains(t, r.said(), "The draft changes nothing.")
	_, err = r.conn.SetSessionMode(t.Context(), sdk.SetSessionModeRequest{SessionId: r.id, ModeId: "other"})
	require.ErrorContains(t, err, "ask, plan and work")
	resp, err := r.conn.SetSessionConfigOption(t.Context(), sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{SessionId: r.id, ConfigId: optionModel, Value: "pseudo"}})
	require.NoError(t, err)
	require.EqualValues(t, modeAsk, resp.ConfigOptions[0].Select.CurrentValue)
	require.EqualValues(t, "pseudo", resp.ConfigOptions[1].Select.CurrentValue)
}
