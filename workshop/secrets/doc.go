// Package secrets says which files of a workbench no tool gives to a model:
// those that usually hold secrets (one table), and those that the person lists in
// .atelier/ignore. An approval rule that names such a path unlocks it.
//
//	g, err := secrets.Load(ctx, wb, unlocked)
//	env.Guard = g                    // tools.Catalogue.Call lays it over the view
//	err = g.Check("deploy/.env")     // what the model is told, nil when it may read
//
// # Promises
//
//   - A guarded view opens no such file, whichever way a tool reaches it, nor
//     moves one to a path where it could be opened.
//   - Names, sizes and hashes are not kept back; entries say why they are not
//     readable.
//   - Nothing that a model writes changes what is kept back.
package secrets
