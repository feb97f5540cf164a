// Package secrets determines which files of a workbench no tool gives to a
// model: files that usually hold secrets (one table), and files that the person
// lists in .atelier/ignore. An approval rule that names such a path unlocks it.
//
//	g, err := secrets.Load(ctx, wb, unlocked)
//	env.Guard = g                    // tools.Catalogue.Call lays it over the view
//	err = g.Check("deploy/.env")     // the message for the model; nil if it may read
//
// # Promises
//
//   - A guarded view does not open such a file for any tool, nor move it to a
//     path where it could be opened.
//   - Names, sizes and hashes are visible; entries say why their files are not
//     readable.
//   - Nothing that a model writes changes what is withheld.
package secrets
