//go:build cluster

package main

import (
	"context"

	"atelier/internal/cluster/embedded"
)

func init() {
	startEmbedded = func(ctx context.Context, name, dir string, n *embeddedServer, c *clusterFlags) (string, func(), error) {
		s, err := embedded.Start(ctx, embedded.Options{Name: name, Dir: dir, Listen: n.clients, ClusterListen: n.listen, Routes: n.routes, Cert: c.cert, Key: c.certKey, CA: c.ca})
		if err != nil {
			return "", nil, err
		}
		return s.URL(), s.Close, nil
	}
}
