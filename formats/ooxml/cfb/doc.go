// Package cfb reads and writes compound files ([MS-CFB]): a file system of
// storages and streams in one file, as which encrypted office documents are
// stored.
//
//	f, err := cfb.Open(src, src.Size())      // typed errors; cfb.Is(src) tells whether it is one
//	s := f.Root.Child("EncryptionInfo")
//	b, err := f.ReadAll(s, 64<<10)
//	r, err := f.Stream(s)                    // an io.ReaderAt over its sectors
//
//	err = cfb.Write(dst, &cfb.Storage{Entries: []cfb.Entry{…}})
//
// Every chain is followed at most as far as the file has sectors, and memory
// is bounded by the size of the file.
package cfb
