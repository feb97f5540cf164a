// Package s3 puts, gets, lists and removes the objects of one bucket of a store that speaks
// the API of Amazon S3.
//
//	c, err := s3.New(s3.Config{Bucket: "documents", Endpoint: "https://store:9000", PathStyle: true, Key: key, Secret: secret})
//	err = c.Put(ctx, "a/b", s3.Body{Size: n, SHA256: hash, From: file})
//	r, err := c.Get(ctx, "a/b") // errors.Is(err, s3.ErrNotFound)
//	list, err := c.List(ctx, "a/")
//	err = c.Remove(ctx, "a/b")
//
// # Promises
//
//   - Put returns nil only when the store acknowledged the whole object. The hash of the
//     content is part of the signature, so a store that checks it refuses other bytes.
//   - A request that has no answer, or one of 5xx, 429 or 408, is sent again with growing
//     pauses while Config.Patience lasts. A body that ends early, or of which nothing more
//     comes, is continued where it ended.
//   - Each request ends: when nothing passes for Config.Silence, and after a minute more than
//     its size takes at 64 KiB a second.
//   - No error and no log has the secret or the session token.
//   - Redirects are not followed: a signature is for one address.
package s3
