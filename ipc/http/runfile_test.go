package httpapi

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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

// full is a file on a disk without room: it takes a part of a line.
type full struct{ *os.File }

func (f full) Write(b []byte) (int, error) {
	n, err := f.File.Write(b[:len(b)/2])
	return n, errors.Join(err, syscall.ENOSPC)
}

// While the disk is full events are not kept. The others are read back, and those before the
// gap count as missed.
func TestRunFileOnAFullDisk(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	l := newEventLog()
	var err error
	l.kept, err = makeRunFile(dir, keptRun{RunID: "r"}, log)
	require.NoError(t, err)
	l.begin(eventSessionInit, sessionInit{RunID: "r"})
	l.add(eventChunk, chunk{"m", "kept"})
	room := l.kept.f
	l.kept.f = full{room.(*os.File)}
	l.add(eventChunk, chunk{"m", "lost"})
	l.kept.f = room
	l.add(eventChunk, chunk{"m", "with room again"})
	l.add(eventChunk, chunk{"m", "and more"})
	l.leave()

	_, again, ended, err := readRunFile(filepath.Join(dir, "r.jsonl"), log)
	require.NoError(t, err)
	defer again.kept.close()
	assert.True(t, ended.IsZero(), "the next server continues it")
	was, _, _, _ := l.after(3)
	for _, from := range []int64{0, 2, 3} {
		events, missed, _, _ := again.after(from)
		assert.Equal(t, was, events)
		assert.Equal(t, 3-from, missed)
	}
}

// A run that was carried out in part, and waits on the next server, has begun for the one
// after that too.
func TestBegunIsRemembered(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	first := newEventLog()
	var err error
	first.kept, err = makeRunFile(dir, keptRun{RunID: "r"}, log)
	require.NoError(t, err)
	first.begin(eventSessionInit, sessionInit{RunID: "r"})
	first.add(eventChunk, chunk{"m", "The first words."})
	first.leave()
	for server := range 2 {
		_, l, _, err := readRunFile(filepath.Join(dir, "r.jsonl"), log)
		require.NoError(t, err)
		r := &run{log: l}
		r.readWait()
		assert.True(t, r.begun, "server %d", server+2)
		(&runs{}).tellQueued(r)(1)
		l.leave()
	}
}

// A run that waited when it was accepted has not begun, though its server was killed before
// the log had an event about that.
func TestWaitIsInTheFile(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	kept, err := makeRunFile(dir, keptRun{RunID: "r", Waits: true}, log)
	require.NoError(t, err)
	kept.close()
	rs := &runs{opt: Options{Log: log}}
	r, err := rs.restored("w", filepath.Join(dir, "r.jsonl"))
	require.NoError(t, err)
	defer r.log.kept.close()
	assert.False(t, r.begun)
	r.log.add(eventThought, thought{thoughtBegun, "…"})
	r.readWait()
	assert.True(t, r.begun)
}
