package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// SyncMode says when servers acknowledge what they store.
type SyncMode string

// The modes. With SyncLater a failure of all replicas' machines at once may lose what was
// acknowledged in the last seconds.
const (
	SyncAlways  SyncMode = "always"  // after it is synced to disk
	SyncLater   SyncMode = "later"   // before: at least one server syncs at intervals
	SyncUnknown SyncMode = "unknown" // the servers were not asked, or did not answer
)

// Sync asks every server of the cluster when it syncs, with the credentials of the
// system account. Servers that do not answer within a second of the last answer are
// not counted; servers is the number that answered.
func (c *Cluster) Sync(ctx context.Context) (mode SyncMode, servers int, err error) {
	if c.opt.SystemCredentials == "" {
		return SyncUnknown, 0, nil
	}
	conn, err := c.opt.dial(ctx, c.opt.SystemCredentials)
	if err != nil {
		return SyncUnknown, 0, classified("asking the servers how they sync", err)
	}
	defer conn.Close()
	mode, servers, err = askSync(ctx, conn)
	return mode, servers, classified("asking the servers how they sync", err)
}

func askSync(ctx context.Context, conn *nats.Conn) (SyncMode, int, error) {
	inbox := conn.NewRespInbox()
	sub, err := conn.SubscribeSync(inbox)
	if err != nil {
		return SyncUnknown, 0, err
	}
	defer sub.Unsubscribe()
	if err := conn.PublishRequest("$SYS.REQ.SERVER.PING.JSZ", inbox, nil); err != nil {
		return SyncUnknown, 0, err
	}
	mode, servers := SyncAlways, 0
	for {
		wait, cancel := context.WithTimeout(ctx, time.Second)
		msg, err := sub.NextMsgWithContext(wait)
		cancel()
		if ctx.Err() != nil {
			return SyncUnknown, servers, ctx.Err()
		}
		if err != nil {
			break // no more answers
		}
		var answer struct {
			Data struct {
				Disabled bool `json:"disabled"`
				Config   struct {
					SyncAlways bool `json:"sync_always"`
				} `json:"config"`
			} `json:"data"`
		}
		if err := json.Unmarshal(msg.Data, &answer); err != nil {
			return SyncUnknown, servers, fmt.Errorf("an answer of a server is not valid: %w", err)
		}
		if answer.Data.Disabled {
			continue // it stores nothing
		}
		servers++
		if !answer.Data.Config.SyncAlways {
			mode = SyncLater
		}
	}
	if servers == 0 {
		return SyncUnknown, 0, nil
	}
	return mode, servers, nil
}
