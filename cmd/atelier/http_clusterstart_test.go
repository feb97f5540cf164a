//go:build unix

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A server that ends before it listens fails the test that starts it, and the end of the test
// does not wait for it.
func TestHTTPNodesThatDoNotStart(t *testing.T) {
	r := &httpNodes{t: t, urls: []string{"nats://127.0.0.1:1"}}
	refused := &httpNode{home: t.TempDir(), log: &lockedBuffer{}, reach: []string{"--no-such-flag"}}
	missing := &httpNode{home: t.TempDir(), log: &lockedBuffer{}, program: "/nonexistent/atelier"}
	require.Error(t, r.launch(refused))
	require.Error(t, r.launch(missing))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.kill(refused)
		r.kill(missing)
	}()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("ending a server that did not start hangs")
	}
	assert.Contains(t, refused.log.String(), "no-such-flag")
}
