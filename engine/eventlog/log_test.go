package eventlog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func add(t *testing.T, l *Log, text string) (position int64) {
	t.Helper()
	require.NoError(t, l.Add("M", params(text), func(p int64) { position = p }))
	return position
}

func params(text string) json.RawMessage {
	b, _ := json.Marshal(map[string]string{"text": text})
	return b
}

// since returns the texts after a position, "forgotten" when they are not kept.
func since(t *testing.T, l *Log, position int64) (texts []string) {
	t.Helper()
	require.NoError(t, l.Since(&position, func(events []Event, _ int64, complete bool) {
		if !complete {
			texts = []string{"forgotten"}
		}
		before := position
		for _, ev := range events {
			require.Greater(t, ev.Position, before)
			before = ev.Position
			var p struct{ Text string }
			require.NoError(t, json.Unmarshal(ev.Params, &p))
			texts = append(texts, p.Text)
		}
	}))
	return texts
}

// kill ends a log as the end of its process does: its file is closed, and nothing is
// written.
func kill(l *Log) {
	if l.f != nil {
		l.f.Close()
	}
}

// newLog makes a log whose file is closed when the test ends, as Windows needs.
func newLog(t *testing.T, dir string) *Log {
	t.Helper()
	l := New(dir)
	t.Cleanup(func() { kill(l) })
	return l
}

func TestSince(t *testing.T) {
	l := newLog(t, t.TempDir())
	require.Empty(t, since(t, l, 0))
	require.Equal(t, []string{"forgotten"}, since(t, l, 1), "a position that was never given")
	require.Equal(t, int64(1), add(t, l, "a"))
	require.Equal(t, int64(2), add(t, l, "b"))
	require.Equal(t, []string{"a", "b"}, since(t, l, 0))
	require.Equal(t, []string{"b"}, since(t, l, 1))
	require.Empty(t, since(t, l, 2))
	require.Equal(t, []string{"forgotten"}, since(t, l, 3))
}

// TestRestart: after a close, and after a kill of the program, what was missed
// is still there, and no position is given twice.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	l := newLog(t, dir)
	add(t, l, "a")
	add(t, l, "b")
	require.NoError(t, l.Close())
	l = newLog(t, dir)
	require.Equal(t, []string{"b"}, since(t, l, 1))
	require.Equal(t, int64(3), add(t, l, "c"), "a clean close leaves no gap")

	// Killed: the log is not closed, and a line is written by half.
	f, err := os.OpenFile(filepath.Join(dir, current), os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"p":4,"m":"M","d":{"te`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	kill(l)
	l = newLog(t, dir)
	require.Equal(t, []string{"b", "c"}, since(t, l, 1))
	require.Empty(t, since(t, l, 3))
	require.Greater(t, add(t, l, "d"), int64(4))
	require.Equal(t, []string{"c", "d"}, since(t, l, 2))
	require.Equal(t, []string{"d"}, since(t, l, 3))
}

// TestKilledBeforeTheFirst: a program that dies before it stored anything has
// told nothing.
func TestKilledBeforeTheFirst(t *testing.T) {
	l := newLog(t, t.TempDir())
	require.NoError(t, l.load())
	require.NoError(t, l.reserve())
	kill(l)
	l = newLog(t, l.dir)
	require.Empty(t, since(t, l, 0))
	require.Greater(t, add(t, l, "a"), int64(block))
	require.Equal(t, []string{"a"}, since(t, l, 0))
}

// TestAfterAPowerFailure: events that were told may be missing from the disk,
// so older positions are refused, and their numbers are not used again.
func TestAfterAPowerFailure(t *testing.T) {
	dir := t.TempDir()
	l := newLog(t, dir)
	for range 5 {
		add(t, l, "a")
	}
	m, err := readMark(dir)
	require.NoError(t, err)
	m.Boot = "an earlier start of the system"
	require.NoError(t, writeMark(dir, m))
	require.NoError(t, os.Truncate(filepath.Join(dir, current), 40))
	kill(l)
	l = newLog(t, dir)
	for p := range int64(7) {
		require.Equal(t, []string{"forgotten"}, since(t, l, p))
	}
	p := add(t, l, "b")
	require.Greater(t, p, int64(5))
	require.Equal(t, []string{"forgotten"}, since(t, l, 5))
	require.Equal(t, []string{"b"}, since(t, l, p-1))
}

// TestBounded: the files stay below two segments, and what they have is exact.
func TestBounded(t *testing.T) {
	dir := t.TempDir()
	l := newLog(t, dir)
	text := strings.Repeat("x", 60_000)
	var last int64
	for i := range 200 {
		last = add(t, l, fmt.Sprint(i, text))
	}
	var size int64
	for _, name := range []string{current, previous} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		size += info.Size()
	}
	require.LessOrEqual(t, size, int64(2*SegmentMax))
	require.Greater(t, size, int64(SegmentMax))
	require.Len(t, since(t, l, last-30), 30)
	require.Equal(t, []string{"forgotten"}, since(t, l, 1))
	floor := l.floor
	require.Len(t, since(t, l, floor), int(last-floor))
	require.Equal(t, []string{"forgotten"}, since(t, l, floor-1))
	require.NoError(t, l.Close())
	l = newLog(t, dir)
	require.Len(t, since(t, l, floor), int(last-floor), "the same after a restart")
	require.Equal(t, []string{"forgotten"}, since(t, l, floor-1))
}

// TestWhatCannotBeKept: a large event and one that cannot be written are told,
// and later requests say that they are missing.
func TestWhatCannotBeKept(t *testing.T) {
	dir := t.TempDir()
	l := newLog(t, dir)
	add(t, l, "a")
	large := add(t, l, strings.Repeat("x", SegmentMax))
	require.Equal(t, int64(2), large)
	require.Equal(t, []string{"forgotten"}, since(t, l, 1))
	require.Empty(t, since(t, l, 2))
	add(t, l, "b")
	require.Equal(t, []string{"b"}, since(t, l, 2))

	require.NoError(t, l.f.Close()) // the next write fails
	told := false
	require.Error(t, l.Add("M", params("c"), func(p int64) { told = p == 4 }))
	require.True(t, told)
	require.Equal(t, []string{"forgotten"}, since(t, l, 3))
	add(t, l, "d")
	require.Equal(t, []string{"d"}, since(t, l, 4))
	require.NoError(t, l.Close())
	require.Equal(t, []string{"d"}, since(t, newLog(t, dir), 4))
	require.Equal(t, []string{"forgotten"}, since(t, newLog(t, dir), 3))
}

// TestWithoutFolder: a workbench that is open for reading, and a folder that
// cannot be written, still number their events.
func TestWithoutFolder(t *testing.T) {
	l := New("")
	a := add(t, l, "a")
	require.Greater(t, add(t, l, "b"), a)
	require.Equal(t, []string{"forgotten"}, since(t, l, a))

	l = New(filepath.Join(t.TempDir(), "missing"))
	var p int64
	require.Error(t, l.Add("M", params("a"), func(position int64) { p = position }))
	require.Positive(t, p)
	require.NoError(t, l.Add("M", params("b"), func(position int64) { require.Equal(t, p+1, position) }))
	require.Equal(t, []string{"forgotten"}, since(t, l, p))
}

// TestBrokenFiles: files that others have written are not trusted.
func TestBrokenFiles(t *testing.T) {
	for _, broken := range []string{markName, current} {
		dir := t.TempDir()
		l := newLog(t, dir)
		last := add(t, l, "a")
		require.NoError(t, l.Close())
		require.NoError(t, os.WriteFile(filepath.Join(dir, broken), []byte("{nothing\n"), 0o600))
		l = newLog(t, dir)
		var p int64
		require.Error(t, l.Add("M", params("b"), func(position int64) { p = position }))
		require.Greater(t, p, last, broken)
		require.Equal(t, []string{"forgotten"}, since(t, l, 0), broken)
	}
}
