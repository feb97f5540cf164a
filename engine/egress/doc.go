// Package egress is the transport through which requests leave the engine, and the
// log of them. Package consent decides what is allowed and says so in the purpose
// of each request.
//
//	client := &http.Client{Transport: egress.New(egress.Options{Logs: logs})}
//	ctx = egress.With(ctx, egress.Purpose{Kind: egress.KindRun, Origin: "https://api.example.com"})
//	resp, err := client.Do(req.WithContext(ctx)) // to that origin or this machine, nowhere else
//
// # Promises
//
//   - A request without a Purpose reaches this machine only, a redirect to
//     another origin than the one that was allowed is not followed, and neither
//     sends a byte.
//   - Each request has a row in its log before it is sent; when that row cannot
//     be written, it is not sent. A program that is killed leaves the row.
//   - The log holds names and numbers: no content, no keys, no address beyond
//     the host.
package egress
