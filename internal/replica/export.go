package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// exportTries is how often Export begins again because the log was shortened meanwhile.
const exportTries = 10

// Export reads what a workspace needs to be made elsewhere, while an owner may work with it:
// the messages of its log from the newest snapshot on, and the contents that they name. keep
// is called with each content once; it may be called with some that are not named any more. last
// is the number of the last message, 0 where the log is empty.
//
// Contents are removed only after the log was shortened. So all of them were there for the
// messages that were read if the log still begins with the same message afterwards.
func Export(ctx context.Context, log Log, store Contents, keep func(Content, io.Reader) error) (messages [][]byte, last uint64, err error) {
	kept := map[string]bool{}
	for try := 0; ; try++ {
		var first, now uint64
		if messages, first, last, err = newest(ctx, log); err == nil {
			err = exportContents(ctx, store, messages, kept, keep)
		}
		if err != nil && !errors.Is(err, ErrNoContent) {
			return nil, 0, err
		}
		var rerr error
		if _, now, _, rerr = newest(ctx, log); rerr != nil {
			return nil, 0, rerr
		}
		switch {
		case now == first && err != nil:
			return nil, 0, err // it is missing
		case now == first && (last == 0 || len(messages) > 0):
			return messages, last, nil
		case try == exportTries:
			return nil, 0, fmt.Errorf("the log of the workspace was shortened %d times while it was read", try+1)
		}
		pause(ctx)
	}
}

// newest reads the messages from the newest snapshot on. first is the number of the first
// message of the log.
func newest(ctx context.Context, log Log) (messages [][]byte, first, last uint64, err error) {
	last, err = log.Read(ctx, func(n uint64, message []byte) error {
		if first == 0 {
			first = n
		}
		rec, err := decode(message)
		if err != nil {
			return err
		}
		if rec.Kind == kindSnapshot {
			messages = nil
		}
		messages = append(messages, slices.Clone(message))
		return nil
	})
	return messages, first, last, err
}

// exportContents calls keep with each content that the messages name and that is not in kept.
func exportContents(ctx context.Context, store Contents, messages [][]byte, kept map[string]bool, keep func(Content, io.Reader) error) error {
	one := func(c Content, also io.Writer) error {
		if kept[c.Name] && also == nil {
			return nil
		}
		in, err := openContent(ctx, store, c)
		if err != nil {
			return err
		}
		defer in.Close()
		if also == nil {
			also = io.Discard
		}
		from := io.TeeReader(in, also)
		if kept[c.Name] {
			_, err = io.Copy(io.Discard, from)
		} else {
			err = keep(c, from)
		}
		kept[c.Name] = err == nil
		return err
	}
	for _, m := range messages {
		rec, err := decode(m)
		if err != nil {
			return err
		}
		for _, inner := range []*Content{rec.Snapshot, rec.Payload} {
			if inner == nil {
				continue
			}
			var b bytes.Buffer
			if err := one(*inner, &b); err != nil {
				return err
			}
			if rec, err = decode(b.Bytes()); err != nil {
				return err
			}
		}
		for _, ch := range rec.Changes {
			for _, part := range ch.Parts {
				if err := one(part, nil); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
