// Package bucket keeps the contents of workspaces in a bucket of a store that speaks the API
// of S3, while their logs stay in NATS JetStream, and has the servers of a cluster agree on
// which store they use.
//
//	logs, err := stream.Open(ctx, c)
//	choice, err := bucket.OpenChoice(ctx, c)
//	s, err := bucket.Open(ctx, logs, choice, place) // an owner.Store; place.Store "jetstream" has no bucket
//	err = s.Ready(ctx)                              // before each workspace that is taken
//
// The content NAME of the workspace ID is the object PREFIX/ID/NAME. A content that the bucket
// does not have is looked for in JetStream, where it was stored before the cluster had the
// bucket. The object PREFIX/atelier-cluster.json names the cluster, so that a bucket of the
// same name in another store, or of another cluster, is refused.
package bucket
