package main

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rivo/uniseg"
)

// progressLine shows what a run is doing now. The process has one terminal,
// so it has one such line.
var progressLine liveLine

// liveLine is a line at the end of a terminal that is redrawn repeatedly. The
// cursor is on the line below it, where the person types. All output to the
// terminal goes through write, which removes the line first.
type liveLine struct {
	mu     sync.Mutex
	to     *os.File // nil: no line
	shown  bool
	inLine bool // the last output does not end with a line end
}

// Escape sequences of the line (ECMA-48, and those of DEC terminals for the
// cursor).
const (
	lineAbove   = "\x1b[1A\r"
	eraseBelow  = "\x1b[J"
	eraseLine   = "\x1b[2K"
	saveCursor  = "\x1b7"
	takenCursor = "\x1b8"
)

// liveEvery is how often the line is drawn.
const liveEvery = time.Second

// start draws the line that says returns, until stop is called. It does
// nothing if out is not a suitable terminal.
func (l *liveLine) start(out io.Writer, says func() string) (stop func()) {
	f, ok := styled(out)
	if !ok || os.Getenv("TERM") == "dumb" {
		return func() {}
	}
	l.mu.Lock()
	l.to, l.shown, l.inLine = f, false, false
	l.mu.Unlock()
	ended := make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Go(func() {
		t := time.NewTicker(liveEvery)
		defer t.Stop()
		for {
			select {
			case <-ended:
				return
			case <-t.C:
				l.draw(says(), columns(out))
			}
		}
	})
	return sync.OnceFunc(func() {
		close(ended)
		drawing.Wait()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.clear()
		l.to = nil
	})
}

func (l *liveLine) draw(says string, width int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to == nil || l.inLine || says == "" || !inForeground(l.to) {
		return
	}
	says = clipColumns(safeWriter{unseen: true}.safe([]byte(name(says))), width-1)
	if l.shown {
		io.WriteString(l.to, saveCursor+lineAbove+eraseLine+says+takenCursor)
		return
	}
	io.WriteString(l.to, says+"\n")
	l.shown = true
}

// clipColumns returns the beginning of s that fits width columns.
func clipColumns(s string, width int) string {
	if uniseg.StringWidth(s) <= width {
		return s
	}
	var sb strings.Builder
	at := 1 // of the dots
	for g := uniseg.NewGraphemes(s); g.Next() && at+g.Width() <= width; {
		sb.WriteString(g.Str())
		at += g.Width()
	}
	return sb.String() + "…"
}

// write writes p to a terminal or elsewhere. Only output to the terminal
// waits for other writers, and only while there is a line.
func (l *liveLine) write(to io.Writer, p []byte) (int, error) {
	l.mu.Lock()
	f, ok := to.(*os.File)
	if !ok || l.to == nil || len(p) == 0 || f != l.to && f != os.Stderr {
		l.mu.Unlock()
		return to.Write(p)
	}
	defer l.mu.Unlock()
	l.clear()
	l.inLine = p[len(p)-1] != '\n'
	return to.Write(p)
}

// clear removes the line. The caller holds l.mu.
func (l *liveLine) clear() {
	if l.to != nil && l.shown {
		io.WriteString(l.to, lineAbove+eraseBelow)
	}
	l.shown = false
}

// typed records that the person ended a line: the cursor is below it.
func (l *liveLine) typed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown, l.inLine = false, false
}
