// Package replicatest has a log and a store of contents in memory, for tests.
package replicatest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"

	"atelier/internal/replica"
)

// Memory is a Log and a Contents. Its zero value is empty. It is safe for concurrent use.
type Memory struct {
	mu       sync.Mutex
	messages []message
	last     uint64
	contents map[string][]byte
	// Before is called before a message is added, with its number; an error of it is that
	// of Append. After is the same after it was added.
	Before, After func(number uint64) error
	// Puts counts the contents that were stored, Bytes those of the messages.
	Puts, Bytes int
}

type message struct {
	number uint64
	data   []byte
}

// Clone returns a copy that later calls of m do not change.
func (m *Memory) Clone() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &Memory{messages: slices.Clone(m.messages), last: m.last, contents: maps.Clone(m.contents)}
}

// StartAfter has the first message of an empty log follow a number.
func (m *Memory) StartAfter(number uint64) { m.last = number }

// Append implements replica.Log.
func (m *Memory) Append(ctx context.Context, last uint64, data []byte) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Before != nil {
		if err := m.Before(m.last + 1); err != nil {
			return 0, err
		}
	}
	if last != m.last {
		return 0, replica.ErrFenced
	}
	m.last++
	m.Bytes += len(data)
	m.messages = append(m.messages, message{m.last, bytes.Clone(data)})
	if m.After != nil {
		if err := m.After(m.last); err != nil {
			return 0, err
		}
	}
	return m.last, nil
}

// Read implements replica.Log.
func (m *Memory) Read(ctx context.Context, f func(uint64, []byte) error) (uint64, error) {
	m.mu.Lock()
	all, last := slices.Clone(m.messages), m.last
	m.mu.Unlock()
	for _, msg := range all {
		if err := f(msg.number, msg.data); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// Purge implements replica.Log.
func (m *Memory) Purge(ctx context.Context, upto uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.messages = slices.DeleteFunc(slices.Clone(m.messages), func(msg message) bool { return msg.number <= upto && msg.number < m.last })
	return nil
}

// Len returns how many messages there are.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.messages)
}

// Put implements replica.Contents.
func (m *Memory) Put(ctx context.Context, c replica.Content, r io.ReadSeeker) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.contents == nil {
		m.contents = map[string][]byte{}
	}
	if m.contents[c.Name] != nil {
		return errors.New("a name was given twice")
	}
	m.Puts++
	m.contents[c.Name] = b
	return nil
}

// Get implements replica.Contents.
func (m *Memory) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.contents[name]
	if !ok {
		return nil, replica.ErrNoContent
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

// Names implements replica.Contents.
func (m *Memory) Names(context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.contents)), nil
}

// Remove implements replica.Contents.
func (m *Memory) Remove(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.contents, name)
	return nil
}
