// Package web fetches pages for the read tool, if fetching is allowed.
//
//	var f web.Fetcher = web.Deny{}          // the default: nothing leaves the machine
//	f = web.NewHTTP(web.Options{})          // http and https, public addresses only
//	doc, err := web.Read(ctx, f, "https://example.com/notes")   // readable Markdown
//
// # Promises
//
//   - A connection goes to exactly the address that was checked. Neither a
//     redirect nor a name that resolves differently the second time leads to a
//     private, loopback, link-local or otherwise special address.
//   - Only the request is sent: no cookies, no credentials, no referrer, no proxy
//     from the environment.
//   - A body has at most MaxBody bytes after decompression, and a fetch takes at
//     most Options.Timeout.
package web
