// Package backup copies what a cluster keeps into a folder, while its servers work, and from
// there into an empty cluster.
//
//	rep, err := backup.Write(ctx, c, nil, dir) // c is a *cluster.Cluster; its contents are in JetStream
//	rep, err := backup.Restore(ctx, c, dir)
//
// Each workspace is copied as it was at one moment that is not before the call
// (replica.Export), so everything that was acknowledged before the call is in the copy. The
// moments of two workspaces, and of the accounts, differ.
//
// The folder has
//
//	manifest.json             written last: without it the copy is not complete
//	workspaces/ID/log         messages, each after its length as a uvarint
//	workspaces/ID/contents/…  contents by name, which begins with their SHA-256
//	keys/NAME.jsonl           a line for each key of a bucket
//
// What says only who works with what now (leases, servers, workers) is not copied, and neither
// are sessions of the page, so that one that was ended does not come back.
package backup
