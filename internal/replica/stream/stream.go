// Package stream keeps the logs and contents of workspaces in NATS JetStream, as package
// replica needs them.
//
//	s, err := stream.Open(ctx, c) // c is a *cluster.Cluster
//	r, empty, err := replica.Own(ctx, s.Log(id), s.Contents(id), replica.Options{})
//
// The log of a workspace is the subject atelier.ws.log.ID of one stream, its contents are
// the subjects atelier.ws.content.ID.NAME.PART of another, in parts of 512 KiB. An append
// expects the sequence of the last message of the subject, so JetStream itself refuses the
// append of an owner that is late. Messages are read from the leader of a stream.
package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
	"atelier/internal/replica"
)

const (
	logSubject     = "atelier.ws.log."
	contentSubject = "atelier.ws.content."

	partSize   = 512 << 10 // bytes of a message of contents
	partFlying = 4         // parts that are sent before the first is acknowledged
	lastHeader = "Atelier-Last"

	appendWait = 2 * time.Second // for an acknowledgement, after which it may have been stored or not
)

// readWait bounds the wait for a message; tests have another.
var readWait = 10 * time.Second

// Store has the logs and contents of all workspaces.
type Store struct {
	js       jetstream.JetStream
	logs     jetstream.Stream
	contents jetstream.Stream
}

// Open finds the two streams, and makes them if there are none.
func Open(ctx context.Context, c *cluster.Cluster) (*Store, error) {
	s := &Store{js: c.JetStream()}
	var err error
	if s.logs, err = c.Stream(ctx, "ws-log", jetstream.StreamConfig{Subjects: []string{logSubject + ">"}, DenyDelete: true}); err != nil {
		return nil, err
	}
	s.contents, err = c.Stream(ctx, "ws-content", jetstream.StreamConfig{Subjects: []string{contentSubject + ">"}, DenyDelete: true})
	return s, err
}

// Find is Open that makes nothing; cluster.ErrNotFound.
func Find(ctx context.Context, c *cluster.Cluster) (*Store, error) {
	s := &Store{js: c.JetStream()}
	var err error
	if s.logs, err = c.FindStream(ctx, "ws-log"); err != nil {
		return nil, err
	}
	s.contents, err = c.FindStream(ctx, "ws-content")
	return s, err
}

// token checks that a name can be part of a subject.
func token(name string) error {
	if name == "" || strings.ContainsAny(name, ".*> \t\r\n") {
		return fmt.Errorf("%q cannot name a workspace or content", name)
	}
	return nil
}

// Log returns that of a workspace, whose id is letters, digits and hyphens.
func (s *Store) Log(id string) replica.Log { return &log{s, logSubject + id, token(id)} }

// Contents returns those of a workspace.
func (s *Store) Contents(id string) replica.Contents {
	return &contents{s, contentSubject + id + ".", token(id)}
}

type log struct {
	*Store
	subject string
	bad     error
}

// Append implements replica.Log.
func (l *log) Append(ctx context.Context, last uint64, message []byte) (uint64, error) {
	if l.bad != nil {
		return 0, l.bad
	}
	ctx, cancel := context.WithTimeout(ctx, appendWait)
	defer cancel()
	ack, err := l.js.Publish(ctx, l.subject, message, jetstream.WithExpectLastSequencePerSubject(last), jetstream.WithRetryAttempts(0))
	switch {
	case err == nil:
		return ack.Sequence, nil
	case cluster.IsConflict(err):
		return 0, fmt.Errorf("%w: %w", replica.ErrFenced, err)
	case errors.Is(err, nats.ErrMaxPayload):
		return 0, err
	}
	return 0, fmt.Errorf("%w: %w", replica.ErrUncertain, err)
}

// Read implements replica.Log.
func (l *log) Read(ctx context.Context, f func(uint64, []byte) error) (uint64, error) {
	if l.bad != nil {
		return 0, l.bad
	}
	begin, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	newest, err := l.logs.GetLastMsgForSubject(begin, l.subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, unanswered(err)
	}
	c, err := l.logs.OrderedConsumer(begin, jetstream.OrderedConsumerConfig{FilterSubjects: []string{l.subject}, DeliverPolicy: jetstream.DeliverAllPolicy, InactiveThreshold: 30 * time.Second})
	if err != nil {
		return 0, unanswered(err)
	}
	messages, err := c.Messages(jetstream.PullMaxMessages(256))
	if err != nil {
		return 0, unanswered(err)
	}
	defer messages.Stop()
	for {
		m, err := l.next(ctx, messages)
		if err != nil {
			return 0, unanswered(err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return 0, err
		}
		if meta.Sequence.Stream > newest.Sequence {
			return newest.Sequence, nil
		}
		if err := f(meta.Sequence.Stream, m.Data()); err != nil {
			return 0, err
		}
		if meta.Sequence.Stream == newest.Sequence {
			return newest.Sequence, nil
		}
	}
}

// next waits for one message. The wait is bounded, not the reading of the whole log: a long log
// on servers that are slow would otherwise be read from its beginning again and again.
func (l *log) next(ctx context.Context, messages jetstream.MessagesContext) (jetstream.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	return messages.Next(jetstream.NextContext(ctx))
}

// Purge implements replica.Log.
func (l *log) Purge(ctx context.Context, upto uint64) error {
	newest, err := l.logs.GetLastMsgForSubject(ctx, l.subject)
	if err != nil {
		return unanswered(err)
	}
	// JetStream purges the messages before a sequence.
	return unanswered(l.logs.Purge(ctx, jetstream.WithPurgeSubject(l.subject), jetstream.WithPurgeSequence(min(upto+1, newest.Sequence))))
}

// unanswered says which errors may end by themselves.
func unanswered(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %w", replica.ErrUncertain, err)
}

type contents struct {
	*Store
	prefix string
	bad    error
}

func (c *contents) subject(name string, part int) string {
	return fmt.Sprintf("%s%s.%d", c.prefix, name, part)
}

func (c *contents) check(name string) error { return errors.Join(c.bad, token(name)) }

// Put implements replica.Contents.
func (c *contents) Put(ctx context.Context, what replica.Content, r io.ReadSeeker) error {
	name := what.Name
	if err := c.check(name); err != nil {
		return err
	}
	var flying []jetstream.PubAckFuture
	wait := func(leave int) error {
		for len(flying) > leave {
			select {
			case <-flying[0].Ok():
			case err := <-flying[0].Err():
				return unanswered(err)
			case <-time.After(readWait):
				return fmt.Errorf("%w: a content was not acknowledged", replica.ErrUncertain)
			case <-ctx.Done():
				return ctx.Err()
			}
			flying = flying[1:]
		}
		return nil
	}
	next := make([]byte, partSize)
	n, err := io.ReadFull(r, next)
	for part := 0; ; part++ {
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		m := &nats.Msg{Subject: c.subject(name, part), Data: next[:n]}
		next = make([]byte, partSize)
		last := err != nil
		if !last {
			n, err = io.ReadFull(r, next)
			last = err == io.EOF
		}
		if last {
			m.Header = nats.Header{lastHeader: {"1"}}
		}
		future, perr := c.js.PublishMsgAsync(m)
		if perr != nil {
			return unanswered(perr)
		}
		flying = append(flying, future)
		if last {
			return wait(0)
		}
		if err := wait(partFlying - 1); err != nil {
			return err
		}
	}
}

// Get implements replica.Contents.
func (c *contents) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := c.check(name); err != nil {
		return nil, err
	}
	r := &partReader{ctx: ctx, c: c, name: name}
	return r, r.next()
}

// partReader reads a content part by part.
type partReader struct {
	ctx  context.Context
	c    *contents
	name string
	part int
	left []byte
	last bool
}

func (r *partReader) next() error {
	ctx, cancel := context.WithTimeout(r.ctx, readWait)
	defer cancel()
	m, err := r.c.contents.GetLastMsgForSubject(ctx, r.c.subject(r.name, r.part))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return fmt.Errorf("%w: %s", replica.ErrNoContent, r.name)
	}
	if err != nil {
		return unanswered(err)
	}
	r.left, r.last = m.Data, m.Header.Get(lastHeader) != ""
	r.part++
	return nil
}

// Read reads on.
func (r *partReader) Read(b []byte) (int, error) {
	for len(r.left) == 0 {
		if r.last {
			return 0, io.EOF
		}
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, r.left)
	r.left = r.left[n:]
	return n, nil
}

// Close does nothing.
func (r *partReader) Close() error { return nil }

// Names implements replica.Contents.
func (c *contents) Names(ctx context.Context) ([]string, error) {
	if c.bad != nil {
		return nil, c.bad
	}
	info, err := c.contents.Info(ctx, jetstream.WithSubjectFilter(c.prefix+"*.0"))
	if err != nil {
		return nil, unanswered(err)
	}
	var names []string
	for subject := range info.State.Subjects {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(subject, c.prefix), ".0"))
	}
	return names, nil
}

// Remove implements replica.Contents.
func (c *contents) Remove(ctx context.Context, name string) error {
	if err := c.check(name); err != nil {
		return err
	}
	return unanswered(c.contents.Purge(ctx, jetstream.WithPurgeSubject(c.prefix+name+".*")))
}

// AllContents returns the names of the contents of every workspace that has some.
func (s *Store) AllContents(ctx context.Context) (map[string][]string, error) {
	info, err := s.contents.Info(ctx, jetstream.WithSubjectFilter(contentSubject+"*.*.0"))
	if err != nil {
		return nil, unanswered(err)
	}
	all := map[string][]string{}
	for subject := range info.State.Subjects {
		if parts := strings.Split(strings.TrimPrefix(subject, contentSubject), "."); len(parts) == 3 {
			all[parts[0]] = append(all[parts[0]], parts[1])
		}
	}
	return all, nil
}
