package stdio

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// stuck is a connection that ignores the cancellation of its requests.
type stuck struct {
	began   chan struct{}
	once    sync.Once
	release chan struct{}
}

func (s *stuck) RoundTrip(*http.Request) (*http.Response, error) {
	s.once.Do(func() { close(s.began) })
	<-s.release
	return nil, io.ErrUnexpectedEOF
}

// A call that ignores its cancellation does not keep the program from ending
// after a second signal.
func TestServeEndsBesideAStuckCall(t *testing.T) {
	conn := &stuck{began: make(chan struct{}), release: make(chan struct{})}
	e, err := engine.New(engine.Options{Home: t.TempDir(), Model: "m", BaseURL: "http://model.invalid", APIKey: "k", HTTPClient: &http.Client{Transport: conn}})
	require.NoError(t, err)
	t.Cleanup(func() { e.Close() })
	t.Cleanup(func() { close(conn.release) })
	in, requests := io.Pipe()
	ctx, signal := context.WithCancel(context.Background())
	hurry := make(chan struct{})
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, e, in, io.Discard, Options{Drain: time.Hour, Hurry: hurry}) }()
	_, err = fmt.Fprintln(requests, `{"jsonrpc":"2.0","id":1,"method":"ModelsList","params":{}}`)
	require.NoError(t, err)
	<-conn.began
	signal()
	select {
	case err := <-done:
		t.Fatalf("it ended at the first signal: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	close(hurry)
	select {
	case err := <-done:
		require.ErrorIs(t, err, ErrStillRunning)
	case <-time.After(30 * time.Second):
		t.Fatal("it waits for the stuck call")
	}
}
