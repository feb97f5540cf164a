// Package tools is what a model can do to a workbench: one registry of tools,
// and catalogues that say how a client sees them.
//
//	cat := tools.Workshop(tools.Builtin())
//	schemas := cat.Tools()                            // for the model
//	r := cat.Call(ctx, env, "read_file", arguments)   // r.Text is the tool result
//
// A tool is one file: a typed argument struct, from which its JSON Schema is
// made, and a function that works on a workshop.View without knowing whether
// that is a draft or the published files, nor which catalogue called it.
// Adding one is that file and a line in Builtin.
//
// # Promises
//
//   - A call that fails has changed nothing.
//   - No argument, however malformed, makes Call panic; nor does a panic of a
//     tool leave it.
//   - Result.Text is never longer than Env.ResultMax; what is left out is said,
//     with how to get it.
package tools
