package mcpserver

import "github.com/modelcontextprotocol/go-sdk/mcp"

func reviewMeta() mcp.Meta { return nil }
