package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/llm"
	"atelier/workshop/tools"
	"atelier/workshop/tools/brief"
)

// withOperations reports whether a tool takes operations on one kind of document. Its
// whole description has a third of the size of all tools together.
func withOperations(tool string) bool { return strings.HasSuffix(tool, "_operations") }

// described returns how the tools of the catalogue are described to the model of a client,
// which reads all of it with each request. Tools with operations are described as to a
// model of Atelier: with the usage lines of the operations, the rare ones by name; and
// describe_tool, which is added here, gives the rest. The others are described whole.
func (s *Server) described() map[string]llm.FunctionDef {
	out := map[string]llm.FunctionDef{}
	for _, t := range s.opt.Catalogue.Tools() {
		out[t.Function.Name] = t.Function
	}
	if s.opt.FullTools || s.opt.ReadOnly { // without writing there are no operations
		return out
	}
	c := brief.For(s.opt.Catalogue, withOperations)
	shorter := false
	for _, t := range c.Tools() {
		if withOperations(t.Function.Name) {
			shorter = true
			out[t.Function.Name] = t.Function
		}
		if t.Function.Name == brief.DescribeTool && shorter {
			s.addDescribeTool(c, t.Function)
		}
	}
	return out
}

// addDescribeTool offers the tool that gives whole descriptions; it is the last of c.
func (s *Server) addDescribeTool(c *brief.Catalogue, f llm.FunctionDef) {
	no := false
	t := &mcp.Tool{Name: f.Name, Title: titleOf(f.Name), Description: f.Description, InputSchema: f.Parameters,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no}}
	s.sdk.AddTool(t, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return resultOf(c.Call(ctx, &tools.Env{}, brief.DescribeTool, req.Params.Arguments)), nil
	})
}
