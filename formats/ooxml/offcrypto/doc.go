// Package offcrypto decrypts office documents that are encrypted with a password
// ([MS-OFFCRYPTO]), and encrypts edited ones with the same password and
// parameters.
//
//	f, err := offcrypto.Open(src)            // CodeCorrupt, CodeUnsupported; nil, nil if src is not encrypted
//	k, err := f.Unlock(ctx, "secret")        // ErrWrongPassword
//	plain, err := k.Source(ctx)              // the zip package, decrypted as it is read
//	…
//	w, err := k.Encrypt(ctx, dst)            // new salts and a new key, the same password
//	_, err = w.Write(edited)
//	err = w.Close()                          // writes the encrypted document to dst
//
// Both kinds that Office has written since 2007 are supported: agile (AES in CBC
// mode with SHA-1 to SHA-512, and a keyed hash over the whole that is checked),
// and standard (AES in ECB mode with SHA-1). Others, such as RC4 and extensible
// encryption, are CodeUnsupported.
//
// # Promises
//
//   - Nothing is written to disk. A Source decrypts a block when it is read and
//     holds one; a writer holds the encrypted bytes until it is closed.
//   - The other streams of the file, such as its data spaces, stay as they are.
//   - A hostile file takes no more time than MaxSpin rounds of a hash, and no
//     more memory than its size.
package offcrypto
