// Package all assembles every format that ships with the program.
//
//	set := all.Formats(all.Options{CacheDir: home.CacheDir()})
//	f, err := set.Detect(ctx, src)
package all
