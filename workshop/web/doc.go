// Package web fetches pages for the read tool, where that is allowed at all.
//
//	var f web.Fetcher = web.Deny{}          // the default: nothing leaves the machine
//	f = web.NewHTTP(web.Options{})          // http and https, public addresses only
//	doc, err := web.Read(ctx, f, "https://example.com/notes")   // readable Markdown
//
// # Promises
//
//   - A connection is made to the very address that was checked: neither a
//     redirect nor a name that resolves differently the second time leads to a
//     private, loopback, link-local or otherwise special address.
//   - Nothing is sent but the request: no cookies, no credentials, no referrer,
//     no proxy from the environment.
//   - A body takes at most MaxBody bytes after decompression, a fetch at most
//     Options.Timeout.
package web
