// Package workshop is the domain: a workbench is a folder of a person's files
// (the root) and its state, kept apart from it. Work happens in a draft; the
// person publishes or discards it.
//
//	home, err := workshop.OpenHome(dir, workshop.Options{})
//	wb, err := home.OpenFolder(ctx, "./contracts")      // or home.Create, home.Open
//	view := wb.DraftView(workshop.Cause{MessageID: id}) // copy on write over published
//	_, err = view.Put(ctx, p, workshop.PutOptions{}, write)
//	changes, err := wb.Changes(ctx)
//	result, err := wb.Publish(ctx, workshop.PublishOptions{})
//
// # Promises
//
//   - A published file changes only by a publish that listed it (K-10).
//   - Publish is all or nothing, also across a crash (K-01), and only over what
//     the draft was based on (K-02).
//   - Content is stored by its SHA-256 before any row names it.
package workshop
