// Package password carries the passwords that a person gave to the readers of
// encrypted files.
//
//	k := password.NewKeeper()
//	err := k.Add("secret")
//	ctx = password.With(ctx, k)              // whatever opens a file under ctx may try them
//
//	ctx, opened := password.Watch(ctx)
//	…
//	if opened.Any() { … }                    // content of an encrypted file was read: do not store it
//
// # Promises
//
//   - Passwords are in memory only: nothing here writes them, and no error or
//     text form of a Keeper has them.
//   - Without a Keeper in the context nothing is tried, and the error says that a
//     password is needed.
package password
