// Package cluster connects processes of this program over NATS JetStream: named
// buckets of keys and of contents, streams, and leases with fencing numbers.
//
//	c, err := cluster.Connect(ctx, cluster.Options{URLs: []string{"nats://10.0.0.1:4222"}, Name: "worker"})
//	leases, err := c.Leases(ctx, "owners", 5*time.Second)
//	lease, err := leases.Acquire(ctx, "workspace-7", cluster.Holder{Owner: "server-1"})
//	defer lease.Release()
//
// Agreement, replication and storage are JetStream's. A key's revision is the sequence
// of a message in the stream of its bucket, so revisions only grow; compare-and-set is a
// publish that expects the last sequence of the key's subject.
//
// # Leases
//
// A lease is a key in a bucket whose messages expire after the time to live. The holder
// renews it by writing the key again with the revision that it wrote last. Two clocks
// decide, and they need not agree: the server removes the key when it has the last
// renewal for the time to live, and the holder stops when its own monotonic clock says
// that the time to live, less a margin, has passed since it sent the last renewal that
// was acknowledged. A process that was paused finds that out when it continues, but maybe
// after its next write was sent. So each write names the fencing number (the revision of
// the key when the lease began) and whatever takes writes refuses a smaller one than
// it has seen.
//
// # What a server promises
//
// JetStream acknowledges a message before it is synced to disk unless its configuration
// says "sync_interval: always". Cluster.Sync asks the servers which of the two holds.
package cluster
