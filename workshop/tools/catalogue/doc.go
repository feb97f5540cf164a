// Package catalogue has the built-in tools and the catalogues that present
// them: who may call what, under which name, with which paths and in which
// shape.
//
//	cat := catalogue.Workshop()                       // or catalogue.Named("…")
//	schemas := cat.Tools()                            // for the model
//	r := cat.Call(ctx, env, "read_file", arguments)   // r.Text is the tool result
//
// A catalogue is one file (or a few with its name) of bindings: argument
// structs with the catalogue's names, how they become a tool's arguments, and
// how results become the catalogue's.
package catalogue
