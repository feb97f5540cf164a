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
// A lease is a key in a bucket. The holder renews it by writing the key again with the
// revision that it wrote last. Another process takes it when it has seen no renewal for the
// time to live, with a compare-and-set against the renewal that it saw; the holder stops when
// the time to live, less a margin, has passed since it sent the last renewal that
// was acknowledged. Both use their own monotonic clock. The keys of Leases are also removed by
// the servers, by their time of day, for what costs little when it ends too early; those of
// LastingLeases are not. A process that was paused finds that out when it continues, but maybe
// after its next write was sent. So each write names the fencing number (the revision of
// the key when the lease began) and what takes writes refuses a smaller one than
// it has seen.
//
// # Claims
//
// Claims are keys that a process has by one lease, so that having many costs no renewals. A
// taker first ends the lease of the process that had a key, which refuses its late renewals. A
// process that releases a key can keep it for another one for a while (Claim.Hand).
//
// # What a server promises
//
// JetStream acknowledges a message before it is synced to disk unless its configuration
// says "sync_interval: always". Cluster.Sync asks the servers which of the two holds.
package cluster
