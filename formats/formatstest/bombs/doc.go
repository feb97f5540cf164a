// Package bombs makes small files that take a reader much memory or time, for
// tests of limits.
//
//	for _, b := range bombs.All {
//		os.WriteFile(b.Name, b.Build(t), 0o600)
//	}
package bombs
