// Package tools is the frame of what a model can do to a workbench: a registry
// of tools, each there once, and catalogues that say how a client sees them.
// The tools themselves are in the packages below, one file each; package
// catalogue puts them together.
//
//	t := tools.New("list", "…", tools.Read, func(ctx context.Context, env *tools.Env, a ListArgs) (any, error) {…})
//	b := tools.Bind("ls", "…", t, argumentsOf, shapeOf)   // or tools.Direct("list", t)
//	cat, err := tools.NewCatalogue(tools.Style{Name: "mine"}, b)
//	r := cat.Call(ctx, env, "ls", arguments)              // r.Text for a model, r.Data for a client
//
// A tool works on a workshop.View without knowing whether that is a draft or
// the published files, nor which catalogue called it. Adding one is its
// file and a line in package catalogue.
//
// # Promises
//
//   - A call that fails has changed nothing.
//   - No argument, however malformed, makes Call panic; nor does a panic of a
//     tool leave it.
//   - Result.Text is never longer than Env.ResultMax; what is left out is said,
//     with how to get it.
package tools
