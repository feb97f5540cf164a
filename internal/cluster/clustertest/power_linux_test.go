package clustertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// TestLosePower: servers that sync always lose nothing that they acknowledged when all lose
// power at once, and those that sync later do; so a test with LosePower can fail.
func TestLosePower(t *testing.T) {
	campaign.One(t, 0, 3)
	lost := func(t *testing.T, later bool) (lost int) {
		disks := NewDisks(t, 3, 200)
		s := StartWith(t, 3, Options{SyncLater: later, Stores: Stores(disks)})
		connect := func() (*nats.Conn, jetstream.JetStream) {
			conn, err := nats.Connect(strings.Join(s.URLs(), ","))
			require.NoError(t, err)
			js, err := jetstream.New(conn)
			require.NoError(t, err)
			return conn, js
		}
		conn, js := connect()
		_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "s", Subjects: []string{"s.>"}, Replicas: 3})
		require.NoError(t, err)
		for _, d := range disks {
			d.Sync() // the stream is there in any case
		}
		const messages = 200
		for i := range messages {
			_, err := js.Publish(t.Context(), fmt.Sprintf("s.%d", i), []byte("text"))
			require.NoError(t, err)
		}
		conn.Close()
		s.LosePower(disks)
		for i := range 3 {
			s.Restart(i)
		}
		s.Ready()
		conn, js = connect()
		defer conn.Close()
		stream, err := js.Stream(t.Context(), "s")
		require.NoError(t, err)
		for i := range messages {
			if _, err := stream.GetLastMsgForSubject(t.Context(), fmt.Sprintf("s.%d", i)); err != nil {
				require.ErrorIs(t, err, jetstream.ErrMsgNotFound)
				lost++
			}
		}
		return lost
	}
	t.Run("always", func(t *testing.T) { require.Zero(t, lost(t, false)) })
	t.Run("later", func(t *testing.T) {
		n := lost(t, true)
		t.Logf("%d of 200 acknowledged messages are lost", n)
		require.Positive(t, n)
	})
}
