package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/engine"
	"atelier/ipc/ui"
)

// The review as an MCP app (SEP-1865): a page that the client shows in its conversation,
// and one tool that only this page calls.
const (
	appExtension = "io.modelcontextprotocol/ui"
	appType      = "text/html;profile=mcp-app"
	appURI       = "ui://atelier/review.html"
	appTool      = "review_app"
)

// reading and deciding are the methods of the protocol that the page calls.
var (
	reading  = []string{"ReviewGetChangeSet", "ReviewGetContentDiff", "ReviewGetTextDiff", "ReviewGetPreview", "ReviewGetSheetWindow", "ReviewGetBlocks"}
	deciding = []string{"DraftPublish", "DraftDiscard", "DraftRevertChanges"}
)

// showsApps reports whether a client shows pages of servers.
func showsApps(c *mcp.ClientCapabilities) bool {
	if c == nil {
		return false
	}
	_, ok := c.Extensions[appExtension]
	return ok
}

// reviewMeta says that the result of review is shown by the page.
func reviewMeta() mcp.Meta {
	return mcp.Meta{"ui": map[string]any{"resourceUri": appURI}, "ui/resourceUri": appURI}
}

type appArgs struct {
	Key    string          `json:"key" jsonschema:"of the page"`
	Method string          `json:"method" jsonschema:"of Atelier's protocol"`
	Params json.RawMessage `json:"params,omitempty" jsonschema:"of the method"`
}

type appResult struct {
	Result json.RawMessage   `json:"result,omitempty"`
	Error  *engine.ErrorInfo `json:"error,omitempty"`
}

// addApp offers the page and its tool.
func (s *Server) addApp() error {
	key := rand.Text() // a model does not see the page, and so cannot call its tool
	html, err := ui.ReviewApp(appTool, key)
	if err != nil {
		return err
	}
	border := mcp.Meta{"ui": map[string]any{"prefersBorder": true}}
	s.sdk.AddResource(&mcp.Resource{URI: appURI, Name: "review-app", Title: "Review of the draft", MIMEType: appType, Meta: border},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: appURI, MIMEType: appType, Text: html, Meta: border}}}, nil
		})
	no := false
	return addOwn(s, own{name: appTool, title: "Review page", description: "Called by the review page only.", hints: mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
		meta: mcp.Meta{"ui": map[string]any{"visibility": []string{"app"}}}}, func(ctx context.Context, c ownCall, a appArgs) (r appResult, err error) {
		switch {
		case !showsApps(c.ClientCapabilities()) || subtle.ConstantTimeCompare([]byte(a.Key), []byte(key)) == 0:
			return r, errors.New("only the review page can call this tool; use review, publish and discard")
		case !slices.Contains(reading, a.Method) && (s.opt.ReadOnly || !slices.Contains(deciding, a.Method)):
			return r, fmt.Errorf("the review page cannot call %s", a.Method)
		}
		return s.callForApp(ctx, c.id, a)
	})
}

// callForApp calls a method of the protocol for the person at the page.
func (s *Server) callForApp(ctx context.Context, id string, a appArgs) (r appResult, err error) {
	params := map[string]json.RawMessage{}
	if len(a.Params) > 0 {
		if err := json.Unmarshal(a.Params, &params); err != nil {
			return r, errors.New("params must be an object")
		}
	}
	if params["workbench_id"], err = json.Marshal(id); err != nil {
		return r, err
	}
	b, err := json.Marshal(params)
	if err != nil {
		return r, err
	}
	v, err := s.opt.Engine.Call(ctx, a.Method, b)
	if err != nil {
		if errors.As(err, &r.Error) {
			return r, nil // the page shows it
		}
		return r, err
	}
	r.Result, err = json.Marshal(v)
	return r, err
}
