// Package acp serves an editor with the Agent Client Protocol, version 1: JSON-RPC
// 2.0 over standard input and output, one object a line (agentclientprotocol.com).
//
//	err := acp.Serve(ctx, eng, os.Stdin, os.Stdout, acp.Options{Log: log})
//
// A session of the protocol is the conversation of a folder: its id is the
// workbench_id, and its cwd is the folder. docs/decisions/0110-acp.md gives the
// reasons, docs/acp.md what a person configures.
package acp
