//lint:file-ignore SA1019 roots and logging belong to revisions before 2026-07-28, which are served too

package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/campaign"
	"atelier/workshop/approvals"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// Every tool of every catalogue is offered as the registry describes it.
func TestToolsAreThoseOfTheRegistry(t *testing.T) {
	for _, name := range catalogue.Names() {
		t.Run(name, func(t *testing.T) {
			c, err := catalogue.Named(name)
			require.NoError(t, err)
			r := newRig(t, func(o *Options, _ *engine.Options) { o.Catalogue, o.FullTools = c, true })
			s := r.connect("", yes(nil))
			res, err := s.ListTools(t.Context(), nil)
			require.NoError(t, err)
			byName := map[string]*mcp.Tool{}
			for _, tool := range res.Tools {
				require.NotEmpty(t, tool.Title)
				require.NotNil(t, tool.Annotations)
				byName[tool.Name] = tool
			}
			for _, b := range c.Bindings() {
				tool := byName[b.Name]
				require.NotNil(t, tool, b.Name)
				require.Equal(t, b.Description, tool.Description)
				want, err := json.Marshal(b.Schema)
				require.NoError(t, err)
				got, err := json.Marshal(tool.InputSchema)
				require.NoError(t, err)
				require.JSONEq(t, string(want), string(got))
				require.Equal(t, b.Tool.Effect != tools.Write, tool.Annotations.ReadOnlyHint, b.Name)
			}
			require.Len(t, res.Tools, len(c.Bindings())+5)
			require.True(t, *byName["publish"].Annotations.DestructiveHint)
		})
	}
}

// Tools with operations are described in short, and describe_tool gives the rest; rare
// operations, whose members the description leaves out, work.
func TestOperationsInShort(t *testing.T) {
	r := newRig(t)
	s := r.connect("", nil)
	res, err := s.ListTools(t.Context(), nil)
	require.NoError(t, err)
	size := 0
	for _, tool := range res.Tools {
		tool.OutputSchema = nil // not for models
		size += len(mustJSON(t, tool))
	}
	require.Less(t, size, 56<<10, "about 12,000 tokens")
	text, failed := r.call(s, "describe_tool", args{"tool": "xlsx_operations", "ops": []string{"group_rows"}})
	require.False(t, failed, text)
	require.Contains(t, text, "group_rows(")
	text, failed = r.call(s, "describe_tool", args{"tool": "nosuch"})
	require.True(t, failed)
	require.Contains(t, text, "unknown tool: nosuch")
	r.must(s, "xlsx_operations", args{"path": "sales.xlsx", "operations": []any{args{"op": "protect_sheet", "sheet": "Sales", "args": args{}}}})
	require.Len(t, r.must(s, "review", args{})["changes"], 1)
}

// A server that only reads offers nothing that writes, and ask_user is not offered to
// clients that cannot ask.
func TestWhatIsOffered(t *testing.T) {
	r := newRig(t, func(o *Options, _ *engine.Options) { o.ReadOnly = true })
	s := r.connect("", nil)
	res, err := s.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, tool := range res.Tools {
		require.True(t, tool.Annotations.ReadOnlyHint, tool.Name)
		require.NotEqual(t, askTool, tool.Name)
	}
	require.Greater(t, len(res.Tools), 10)
	_, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: "write_text_file", Arguments: args{"path": "a.txt", "content": "x"}})
	require.ErrorContains(t, err, "unknown tool")
}

// A guest changes the draft, sees it in the review, publishes with the person's yes, and
// undoes; in each revision.
func TestWorkOfAGuest(t *testing.T) {
	for _, version := range revisions {
		t.Run(version, func(t *testing.T) {
			r := newRig(t)
			var asked []string
			s := r.connect(version, yes(&asked))
			require.Equal(t, version, s.InitializeResult().ProtocolVersion)
			before := r.file("notas.md")
			r.must(s, "write_text_file", args{"path": "hello.txt", "content": "one\n"})
			r.must(s, "xlsx_operations", args{"path": "sales.xlsx", "operations": []any{args{"op": "set_cells", "sheet": "Sales", "cells": []any{args{"cell": "A1", "value": "Totals"}}}}})
			rev := r.must(s, "review", args{})
			require.True(t, rev["has_draft"].(bool))
			require.Len(t, rev["changes"], 2)
			one := r.must(s, "review", args{"path": "sales.xlsx"})
			require.Contains(t, mustJSON(t, one["content"]), "Totals")
			undone := r.must(s, "undo", args{})
			require.Equal(t, true, undone["done"])
			require.Len(t, r.must(s, "review", args{})["changes"], 1)
			require.NoFileExists(t, r.folder+"/hello.txt")

			p := r.must(s, "publish", args{})
			require.Equal(t, []any{"hello.txt"}, p["published"])
			require.Len(t, asked, 1)
			require.Contains(t, asked[0], "added: hello.txt")
			require.Equal(t, "one\n", r.file("hello.txt"))
			require.Equal(t, before, r.file("notas.md"))
			text, failed := r.call(s, "undo", args{})
			require.True(t, failed)
			require.Contains(t, text, "only the user can undo")

			r.must(s, "delete", args{"path": "notas.md"})
			require.Equal(t, true, r.must(s, "discard", args{})["done"])
			require.Contains(t, asked[1], "deleted: notas.md")
			require.Equal(t, false, r.must(s, "review", args{})["has_draft"])
		})
	}
}

// Without elicitation nothing is published unless the server was started so, and the
// model is told how the person does it. A person who says no is obeyed.
func TestWhoPublishes(t *testing.T) {
	r := newRig(t)
	s := r.connect("", nil)
	r.must(s, "write_text_file", args{"path": "hello.txt", "content": "one\n"})
	text, failed := r.call(s, "publish", args{})
	require.True(t, failed)
	require.Contains(t, text, "atelier publish")
	for _, said := range []*mcp.ElicitResult{{Action: "decline"}, {Action: "cancel"}, {Action: "accept", Content: map[string]any{"publish": false}}} {
		no := r.connect("", answering(nil, func(*mcp.ElicitParams) *mcp.ElicitResult { return said }))
		got := r.must(no, "publish", args{})
		require.Empty(t, got["published"])
		require.Equal(t, said.Action == "cancel", strings.Contains(got["message"].(string), "closed without an answer"))
		require.Equal(t, said.Action == "cancel", strings.Contains(got["message"].(string), "atelier publish"))
	}
	require.NoFileExists(t, r.folder+"/hello.txt")
	require.Len(t, r.must(s, "review", args{})["changes"], 1)

	r = newRig(t, func(o *Options, _ *engine.Options) { o.AllowPublish = true })
	s = r.connect("", nil)
	r.must(s, "write_text_file", args{"path": "hello.txt", "content": "one\n"})
	require.Len(t, r.must(s, "publish", args{})["published"], 1)
	require.FileExists(t, r.folder+"/hello.txt")
}

// What is published is what the person saw: a change that comes while they decide stops
// it, also one that the question does not show, or has them asked again.
func TestPublishedIsWhatWasShown(t *testing.T) {
	for _, version := range revisions {
		r := newRig(t)
		other := r.connect("", nil)
		asked := 0
		s := r.connect(version, answering(nil, func(p *mcp.ElicitParams) *mcp.ElicitResult {
			if asked++; asked > 1 {
				return &mcp.ElicitResult{Action: "decline"}
			}
			r.must(other, "write_text_file", args{"path": "hello.txt", "content": "two\n"})
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"publish": true}}
		}))
		r.must(s, "write_text_file", args{"path": "hello.txt", "content": "one\n"})
		text, failed := r.call(s, "publish", args{})
		require.NoFileExists(t, r.folder+"/hello.txt", version)
		require.Equal(t, version < stateless, failed, text)
		require.Equal(t, map[bool]int{true: 1, false: 2}[failed], asked)
	}
}

// The person's rules and secret files count for a guest, and the rules ask the person at
// the client.
func TestRulesAndSecrets(t *testing.T) {
	for _, version := range revisions {
		t.Run(version, func(t *testing.T) {
			rules := approvals.Policy{{Path: "contrato.docx", Action: approvals.Deny}, {Path: "notas.md", Effect: approvals.Write, Action: approvals.Ask}}
			r := newRig(t, func(_ *Options, eo *engine.Options) { eo.Approvals = rules })
			write(t, r.folder+"/.env", "KEY=very-secret\n")
			answer := "no"
			var asked []string
			s := r.connect(version, answering(&asked, func(p *mcp.ElicitParams) *mcp.ElicitResult {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approval": answer}}
			}))
			for _, path := range []string{"contrato.docx", ".env"} {
				text, failed := r.call(s, "read_file", args{"path": path})
				require.True(t, failed, path)
				require.NotContains(t, text, "very-secret")
				_, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uriOf(contentURI, path)})
				require.Error(t, err, path)
				_, err = s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uriOf(draftURI, path)})
				require.Error(t, err, path)
			}
			text, failed := r.call(s, "write_text_file", args{"path": "notas.md", "content": "x\n"})
			require.True(t, failed)
			require.Contains(t, text, "refused")
			require.Contains(t, asked[0], "write notas.md")
			answer = "once"
			r.must(s, "write_text_file", args{"path": "notas.md", "content": "x\n"})
			require.Len(t, asked, 2)
			nobody := r.connect(version, nil)
			text, failed = r.call(nobody, "write_text_file", args{"path": "notas.md", "content": "y\n"})
			require.True(t, failed)
			require.Contains(t, text, "nobody is there")
		})
	}
}

// ask_user becomes a form; answers have the types of their schemas, and a person who
// declines is no error of the protocol.
func TestQuestionsAreForms(t *testing.T) {
	for _, version := range revisions {
		r := newRig(t)
		var form *jsonschema.Schema
		say := &mcp.ElicitResult{Action: "accept", Content: map[string]any{"tone": "formal", "rows": 3, "sure": true, "any": `{"a":[1]}`}}
		s := r.connect(version, answering(nil, func(p *mcp.ElicitParams) *mcp.ElicitResult {
			require.NoError(t, json.Unmarshal([]byte(mustJSON(t, p.RequestedSchema)), &form))
			return say
		}))
		ask := args{"questions": []any{
			args{"name": "tone", "question": "Which tone?", "schema": args{"type": "string", "enum": []any{"formal", "plain"}}},
			args{"name": "rows", "question": "How many rows?", "schema": args{"type": "integer", "minimum": 1}},
			args{"name": "sure", "question": "Sure?", "schema": args{"type": "boolean"}},
			args{"name": "any", "question": "More?", "schema": args{"type": "object"}},
		}}
		got := r.must(s, askTool, ask)
		require.JSONEq(t, `{"tone":"formal","rows":3,"sure":true,"any":{"a":[1]}}`, mustJSON(t, got["answers"]), version)
		require.Equal(t, "string", form.Properties["any"].Type)
		say = &mcp.ElicitResult{Action: "decline"}
		text, failed := r.call(s, askTool, ask)
		require.True(t, failed)
		require.Contains(t, text, "did not answer")
	}
}

// Data is structured content too, pictures are images, and a long result can be read on.
func TestFormsOfResults(t *testing.T) {
	if campaign.Race {
		t.Skip("a tool call with LibreOffice takes longer than it may with the race detector")
	}
	// LibreOffice may take its time on a busy machine.
	r := newRig(t, func(_ *Options, eo *engine.Options) { eo.Limits.ToolTimeout = 5 * time.Minute })
	s := r.connect("", nil)
	res := r.result(s, "get_file_info", args{"path": "sales.xlsx"})
	require.JSONEq(t, res.Content[0].(*mcp.TextContent).Text, mustJSON(t, res.StructuredContent))
	res = r.result(s, "read_file", args{"path": "notas.md"})
	require.Nil(t, res.StructuredContent, "a text is no data")
	res = r.result(s, "render", args{"path": "sales.xlsx"})
	require.Len(t, res.Content, 2, "%v", res.Content)
	require.IsType(t, &mcp.ImageContent{}, res.Content[1])
	require.Nil(t, res.StructuredContent, "clients that show data instead of content would leave the picture out")
	text, failed := r.call(s, "read_file", args{"path": "missing.txt"})
	require.True(t, failed)
	require.Contains(t, text, "missing.txt")
	blind := newRig(t, func(o *Options, _ *engine.Options) { o.NoImages = true })
	res = blind.result(blind.connect("", nil), "render", args{"path": "sales.xlsx"})
	require.False(t, res.IsError)
	require.Len(t, res.Content, 1, "words only")

	long := ""
	for range 20_000 {
		long += "lorem ipsum "
	}
	write(t, r.folder+"/long.json", `{"a":"`+long+`"}`)
	text, _ = r.call(s, "read_file", args{"path": "long.json"})
	require.LessOrEqual(t, len(text), tools.DefaultResultMax)
}

// Each call is in the tool log, and each change a step of the conversation with the name
// of the client.
func TestWhatAGuestDoesIsKept(t *testing.T) {
	r := newRig(t)
	s := r.connect("", nil)
	r.must(s, "read_file", args{"path": "notas.md"})
	r.must(s, "write_text_file", args{"path": "hello.txt", "content": "one\n"})
	r.call(s, "read_file", args{"path": "missing.txt"})
	id, err := r.e.GuestFolder(t.Context(), r.folder)
	require.NoError(t, err)
	log, err := engine.CallAs[engine.ToolLogResult](t.Context(), r.srv.opt.Engine, "WorkshopGetToolLog", engine.ToolLogParams{WorkbenchID: id})
	require.NoError(t, err)
	require.Len(t, log.Entries, 3)
	require.Equal(t, []string{"notas.md"}, log.Entries[0].Sources)
	require.NotEmpty(t, log.Entries[2].Error)
	conv, err := engine.CallAs[engine.Conversation](t.Context(), r.srv.opt.Engine, "WorkshopGetConversation", engine.WorkbenchRef{WorkbenchID: id})
	require.NoError(t, err)
	require.Len(t, conv.Messages, 1)
	require.Equal(t, "guest", conv.Messages[0].EventKind)
	require.Equal(t, "probe 1", conv.Messages[0].Metadata["client"])
}

// A long call tells that it is at work, and ends when the client cancels it.
func TestProgressAndCancellation(t *testing.T) {
	r := newRig(t)
	got := make(chan *mcp.ProgressNotificationParams, 100)
	hold := make(chan struct{})
	o := answering(nil, func(*mcp.ElicitParams) *mcp.ElicitResult { <-hold; return &mcp.ElicitResult{Action: "cancel"} })
	o.ProgressNotificationHandler = func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
		select {
		case got <- req.Params:
		default:
		}
	}
	s := r.connect("2025-11-25", o)
	ctx, cancel := context.WithCancel(t.Context())
	p := &mcp.CallToolParams{Name: askTool, Arguments: args{"questions": []any{args{"name": "a", "question": "b?", "schema": args{"type": "string"}}}}}
	p.SetProgressToken("tok")
	ended := make(chan error, 1)
	go func() { _, err := s.CallTool(ctx, p); ended <- err }()
	first := <-got
	second := <-got
	require.Equal(t, "tok", first.ProgressToken)
	require.Greater(t, second.Progress, first.Progress)
	cancel()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(10 * time.Second):
		t.Fatal("the call did not end")
	}
	close(hold)
	r.must(s, "list_files", args{}) // the connection lives
}

// A client gets log messages of the level that it set, and none before.
func TestLogLevels(t *testing.T) {
	r := newRig(t)
	got := make(chan *mcp.LoggingMessageParams, 10)
	s := r.connect("2025-11-25", &mcp.ClientOptions{LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) { got <- req.Params }})
	r.must(s, "list_files", args{})
	require.NoError(t, s.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "error"}))
	r.must(s, "list_files", args{})
	require.NoError(t, s.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "debug"}))
	r.must(s, "get_file_info", args{"path": "notas.md"})
	select {
	case m := <-got:
		require.EqualValues(t, "debug", m.Level)
		require.Contains(t, mustJSON(t, m.Data), "get_file_info", "the first is that of the last call")
	case <-time.After(20 * time.Second):
		t.Fatal("no log message")
	}
	require.Error(t, s.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "loudest"}))
}

// translate is a job that continues without the call.
func TestTranslateIsAJob(t *testing.T) {
	r := newRig(t)
	var messages []string
	s := r.connect("", &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
		messages = append(messages, req.Params.Message)
	}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := args{"to": "en", "paths": []any{"contrato.docx", "sales.xlsx"}}
	s.CallTool(ctx, &mcp.CallToolParams{Name: "translate", Arguments: a}) //nolint:errcheck // a client that goes at once
	done := r.must(s, "translate", a)
	require.Equal(t, "complete", done["status"], done)
	require.Len(t, r.must(s, "review", args{})["changes"], 2)
	text, failed := r.call(s, "translate", args{"to": "fr", "stop": true})
	require.True(t, failed, "there is no such job, and none begins")
	require.Contains(t, text, "no translation job")
	text, failed = r.call(s, "translate", args{"to": "en", "wait_seconds": 900})
	require.True(t, failed)
	require.Contains(t, text, "1 to 600")
}
