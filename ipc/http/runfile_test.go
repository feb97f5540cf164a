package httpapi

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A run is read back as it was told: its numbers, its end, and not a line that was cut.
func TestRunFile(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	l := newEventLog()
	var err error
	l.kept, err = makeRunFile(dir, keptRun{RunID: "r", MessageID: "m", Workflow: "rpi"}, log)
	require.NoError(t, err)
	defer l.kept.close()
	l.begin(eventSessionInit, sessionInit{RunID: "r"})
	l.add(eventChunk, chunk{"m", "<text>"})
	path := filepath.Join(dir, "r.jsonl")
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(b, `{"id":3,"type":"chu`...), 0o600))

	k, again, ended, err := readRunFile(path, log)
	require.NoError(t, err)
	assert.Equal(t, keptRun{RunID: "r", MessageID: "m", Workflow: "rpi"}, k)
	assert.True(t, ended.IsZero())
	events, missed, closed, _ := again.after(0)
	assert.False(t, closed)
	assert.Zero(t, missed)
	was, _, _, _ := l.after(0)
	assert.Equal(t, was, events)
	again.add(eventChunk, chunk{"m", "more"})
	again.end(eventDone, stopped{})

	_, last, ended, err := readRunFile(path, log)
	require.NoError(t, err)
	assert.False(t, ended.IsZero())
	events, _, closed, _ = last.after(2)
	assert.True(t, closed)
	require.Len(t, events, 2)
	assert.Equal(t, int64(4), events[1].ID)
	assert.Equal(t, eventDone, events[1].Type)
}

// The file of a run stays bounded, and what is told of it is the same.
func TestRunFileIsShortened(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	l := newEventLog()
	var err error
	l.kept, err = makeRunFile(dir, keptRun{RunID: "r"}, log)
	require.NoError(t, err)
	defer l.kept.close()
	l.begin(eventSessionInit, sessionInit{RunID: "r"})
	text := strings.Repeat("x", 100<<10)
	for range 100 {
		l.add(eventChunk, chunk{"m", text})
	}
	st, err := os.Stat(filepath.Join(dir, "r.jsonl"))
	require.NoError(t, err)
	assert.Less(t, st.Size(), int64(runFileMost+(200<<10)))
	_, again, _, err := readRunFile(filepath.Join(dir, "r.jsonl"), log)
	require.NoError(t, err)
	defer again.kept.close()
	want, missed, _, _ := l.after(0)
	got, missedToo, _, _ := again.after(0)
	require.NotZero(t, missed)
	assert.Equal(t, missed, missedToo)
	require.Equal(t, len(want), len(got))
	assert.Equal(t, want[0], got[0])
	assert.Equal(t, want[len(want)-1], got[len(got)-1])
}
