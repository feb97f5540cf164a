package replica

import (
	"bytes"
	"context"
	"sync/atomic"
)

// keptLog is a log whose messages were read: what Own read is what Restore needs, and reading it
// once more takes long while others write, since the servers sync each message between.
type keptLog struct {
	Log
	messages []keptMessage
	last     uint64
	bytes    int64
	over     bool // there are too many
}

type keptMessage struct {
	number uint64
	data   []byte
}

// keptMost bounds what all takeovers of the process keep at a time; those above it read again.
var keptMost int64 = 64 << 20 // tests change it

var keptNow atomic.Int64

// keep keeps a message, unless there are too many.
func (k *keptLog) keep(number uint64, message []byte) {
	if k.over {
		return
	}
	n := int64(len(message))
	k.bytes += n
	if keptNow.Add(n) > keptMost {
		k.drop()
		k.over = true
		return
	}
	k.messages = append(k.messages, keptMessage{number, bytes.Clone(message)})
	k.last = number
}

// drop forgets all.
func (k *keptLog) drop() {
	keptNow.Add(-k.bytes)
	k.messages, k.last, k.bytes = nil, 0, 0
}

// Read gives the messages that were kept up to the last, or reads the log.
func (k *keptLog) Read(ctx context.Context, f func(number uint64, message []byte) error) (uint64, error) {
	if k.over || len(k.messages) == 0 {
		return k.Log.Read(ctx, f)
	}
	for _, m := range k.messages {
		if err := f(m.number, m.data); err != nil {
			return 0, err
		}
	}
	return k.last, nil
}
