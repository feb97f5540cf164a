// Package replica keeps the state folder of a workspace in a replicated log, so that
// another server can continue with everything that was acknowledged.
//
//	r, empty, err := replica.Own(ctx, log, store, replica.Options{Owner: "a"})
//	st, err := r.Restore(ctx, home.StateDir(id), "") // unless empty
//	err = r.Follow(ctx, home.StateDir(id), st)
//	wb, err := home.Open(ctx, id)            // repairs what a crash left
//	err = r.Begin(ctx, wb, home.StateDir(id))
//	…                                        // an operation on wb
//	err = r.Commit(ctx)                      // then it is acknowledged
//
// # Promises
//
//   - What happened before a Commit that returned nil is in every later Restore.
//   - Each append names the message that it follows. A new owner begins with a message, so
//     every later append of the owner before fails with ErrFenced, however long that one was
//     paused or cut off: it acknowledges nothing that the new owner does not have.
//   - A restored state is one that a crash at the moment of its record could have left.
//   - A record names a content after the content is in the store.
//   - The log is bounded: a snapshot of the whole state replaces it after 8 MiB or 5,000
//     records. The contents that no snapshot and no record name are removed.
//
// # What a record has
//
// The pages of SQLite databases that changed (from the write-ahead log, which is kept from
// being begun anew until it was read), bytes that were added to the conversation and the
// event log, other files as a whole up to 64 KiB, and the names of larger contents, which
// the store has. Changed files are found by the times of files and folders. Not replicated
// are locks, temporary files and the search index.
package replica
