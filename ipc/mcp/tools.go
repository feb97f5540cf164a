//lint:file-ignore SA1019 roots and logging belong to revisions before 2026-07-28, which are served too

package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/engine"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// askTool is the tool that is offered only to clients that can ask the person.
const askTool = "ask_user"

// addTools offers the tools of the catalogue.
func (s *Server) addTools() error {
	described := s.described()
	for _, b := range s.opt.Catalogue.Bindings() {
		if s.opt.ReadOnly && b.Tool.Effect == tools.Write {
			continue
		}
		short, ok := described[b.Name]
		if !ok {
			return fmt.Errorf("the catalogue does not describe %s", b.Name)
		}
		result, err := b.ResultSchema()
		if err != nil {
			return fmt.Errorf("the result of %s: %w", b.Name, err)
		}
		t := &mcp.Tool{Name: b.Name, Title: titleOf(b.Name), Description: short.Description, InputSchema: short.Parameters, Annotations: annotationsOf(b)}
		if result != nil {
			t.OutputSchema = result
		}
		s.sdk.AddTool(t, s.call)
	}
	return nil
}

// titleOf returns a name as people read it: "Edit lines" of edit_lines.
func titleOf(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words {
		switch w {
		case "xlsx", "docx", "pptx", "ls", "rm", "mv":
			words[i] = strings.ToUpper(w)
		}
	}
	text := strings.Join(words, " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// annotationsOf says what a tool may do. What it changes is a draft, which can be undone
// and discarded, so nothing that it does is destructive.
func annotationsOf(b tools.Binding) *mcp.ToolAnnotations {
	no := false
	return &mcp.ToolAnnotations{ReadOnlyHint: b.Tool.Effect != tools.Write, IdempotentHint: b.Tool.Effect != tools.Write || b.Tool.IsIdempotent(), DestructiveHint: &no, OpenWorldHint: &no}
}

// call runs a tool of the catalogue.
func (s *Server) call(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	id, err := s.workbench(ctx, req, req.Session)
	if err != nil {
		return failed(ctx, err)
	}
	asker, err := newAsker(req)
	if err != nil {
		return nil, err
	}
	stop := s.progress(ctx, req)
	defer stop()
	began := time.Now()
	r, err := s.opt.Engine.Guest(ctx, engine.GuestCall{Workbench: id, Catalogue: s.opt.Catalogue, Tool: req.Params.Name, Args: req.Params.Arguments,
		Client: nameOf(req.ClientInfo()), ID: "mcp-" + uuid.Must(uuid.NewV7()).String(), Asker: asker.orNil(), Sees: !s.opt.NoImages})
	if needed := asker.result(); needed != nil {
		return needed, nil
	}
	if err != nil {
		return failed(ctx, err)
	}
	s.say(ctx, req, "debug", map[string]any{"tool": req.Params.Name, "success": r.Success, "ms": time.Since(began).Milliseconds()})
	return resultOf(r), nil
}

// resultOf returns a result as the protocol has it: the text that a model gets, pictures,
// and without pictures the same as data where it is an object. Some clients show a model
// the data instead of the content, and it would not see the pictures.
func resultOf(r tools.Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{IsError: !r.Success, Content: []mcp.Content{&mcp.TextContent{Text: r.Text}}}
	for _, im := range r.Images {
		if len(im.Data) > 0 {
			out.Content = append(out.Content, &mcp.ImageContent{Data: im.Data, MIMEType: im.MIME})
		}
	}
	if text := strings.TrimSpace(r.Text); len(out.Content) == 1 && r.Success && strings.HasPrefix(text, "{") && isData(r.Data) && json.Valid([]byte(text)) {
		out.StructuredContent = json.RawMessage(text)
	}
	return out
}

// isData reports whether a result is data: the text of a file may look like it.
func isData(v any) bool {
	_, text := v.(string)
	return v != nil && !text
}

// failed returns an error so that a model can act on it: what is wrong, and what to do.
// A request that was canceled gets no result.
func failed(ctx context.Context, err error) (*mcp.CallToolResult, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "Error: " + wordsOf(err)}}}, nil
}

func wordsOf(err error) string {
	var info *engine.ErrorInfo
	if errors.As(err, &info) {
		text := info.Error()
		if info.Hint != "" {
			text += " (" + info.Hint + ")"
		}
		return text
	}
	f := workshop.AsFault(err)
	if f.Hint != "" {
		return f.Message + " (" + f.Hint + ")"
	}
	return f.Message
}

// shown leaves tools out for clients that cannot use them: the one that asks the person,
// and the one of the review page. It lists resources.
func (s *Server) shown(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "resources/list" {
			if r, ok := req.(*mcp.ListResourcesRequest); ok {
				return s.listResources(ctx, r)
			}
		}
		res, err := next(ctx, method, req)
		list, ok := res.(*mcp.ListToolsResult)
		r, isList := req.(*mcp.ListToolsRequest)
		if err != nil || !ok || !isList {
			return res, err
		}
		caps := r.ClientCapabilities()
		shown := *list
		shown.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(t *mcp.Tool) bool {
			return t.Name == askTool && !elicits(caps) || t.Name == appTool && !showsApps(caps)
		})
		return &shown, nil
	}
}

// progress tells the client from time to time that a call is still at work, if it wants
// to know.
func (s *Server) progress(ctx context.Context, req *mcp.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(s.opt.Every)
		defer tick.Stop()
		for n := 1.0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				s.tell(ctx, req, token, n, 0, req.Params.Name+" is at work")
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// tell sends one progress notification; a client that is gone is not waited for.
func (s *Server) tell(ctx context.Context, req *mcp.CallToolRequest, token any, progress, total float64, message string) {
	p := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: progress, Total: total, Message: message}
	if err := req.Session.NotifyProgress(ctx, p); err != nil {
		s.opt.Log.Debug("a client did not take progress", "err", err)
	}
}

// say sends a log message, which the client gets at the level it set.
func (s *Server) say(ctx context.Context, req *mcp.CallToolRequest, level mcp.LoggingLevel, data map[string]any) {
	if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: level, Logger: "atelier", Data: data}); err != nil {
		s.opt.Log.Debug("a client did not take a log message", "err", err)
	}
}
