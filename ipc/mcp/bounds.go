//lint:file-ignore SA1019 roots and logging belong to revisions before 2026-07-28, which are served too

package mcpserver

import (
	"context"
	"runtime/debug"
	"slices"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/textclip"
)

// working are the methods that need a place: what the others do is small.
var working = map[string]bool{
	"tools/call": true, "resources/read": true, "resources/list": true, "prompts/get": true, "completion/complete": true,
}

// levels are those of log messages (RFC 5424, 6.2.1).
var levels = []mcp.LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// bounded limits how many requests are at work and wait at once, and turns a panic into
// an error.
func (s *Server) bounded(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.opt.Log.Error("a request panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error in " + method}
			}
		}()
		if r, ok := req.(*mcp.ServerRequest[*mcp.SetLoggingLevelParams]); ok && !slices.Contains(levels, r.Params.Level) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid level; give one of debug, info, notice, warning, error, critical, alert, emergency"}
		}
		if !working[method] {
			return next(ctx, method, req)
		}
		ctx, done := s.calls.begin(ctx, req)
		defer done()
		select {
		case s.queue <- struct{}{}:
			defer func() { <-s.queue }()
		default:
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "too many requests at once; wait until some are answered"}
		}
		select {
		case s.places <- struct{}{}:
			defer func() { <-s.places }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return next(ctx, method, req)
	}
}

// maxName bounds how much of a name of a client is kept.
const maxName = 60

// clean makes a name of a client one short line that can be shown: it comes from
// outside.
func clean(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(name, "?"))
	return textclip.Head(strings.Join(strings.Fields(name), " "), maxName)
}
