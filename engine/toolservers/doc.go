// Package toolservers connects to other servers of the Model Context Protocol and
// gives their tools to Atelier's agent: programs on this machine (stdio) and addresses
// (Streamable HTTP).
//
//	pool := toolservers.New(toolservers.Options{Home: dataFolder, Transport: gate, Keys: keys})
//	defer pool.Close()
//	scope := toolservers.Scope{Workbench: id, Folder: folder}
//	set, err := pool.Tools(ctx, scope)           // starts what is not running yet
//	res, err := pool.Call(ctx, scope, toolservers.Call{Server: "files", Tool: "read", Arguments: args})
//
// The servers are those of mcp.json in the data folder, and those of .atelier/mcp.json
// in the folder of a workbench. An entry of the latter counts only after a person
// approved exactly its content (Pool.Decide).
//
// # Promises
//
//   - A server gets an environment of a few variables (PATH, HOME, …) and those that
//     its entry names: no key of Atelier's.
//   - Requests to an address go through Options.Transport, with a purpose, to the origin
//     of the entry only; what signs in goes to the origins that the server's metadata name.
//   - What a server says is data: names, descriptions, schemas and results are bounded
//     and have no hidden characters; what was cut is told.
//   - A server that hangs, dies, floods or lies holds nothing: each wait ends with its
//     context or a timeout, and a process ends with all that it started.
package toolservers
