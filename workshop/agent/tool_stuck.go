package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Stuck detection (W-12): of the last stuckWindow calls, stuckWarn equal ones
// are pointed out to the model, stuckStop end the run.
const (
	stuckWindow = 10
	stuckWarn   = 3
	stuckStop   = 5
)

// stuckness remembers the last calls by what was asked and what came of it.
// Different results are progress, whatever was asked.
type stuckness struct{ window [][sha256.Size]byte }

// seen adds a call and returns how many of the window are equal to it, itself
// included.
func (s *stuckness) seen(tool, args, result string) int {
	h := sha256.New()
	for _, part := range []string{tool, canonical(args), result} {
		fmt.Fprintf(h, "%d:", len(part))
		io.WriteString(h, part)
	}
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	s.window = append(s.window, sum)
	if len(s.window) > stuckWindow {
		s.window = s.window[1:]
	}
	n := 0
	for _, w := range s.window {
		if w == sum {
			n++
		}
	}
	return n
}

// canonical writes JSON arguments with sorted keys and without blanks; what is
// not JSON is only trimmed.
func canonical(args string) string {
	d := json.NewDecoder(strings.NewReader(args))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return strings.TrimSpace(args)
	}
	if _, err := d.Token(); err != io.EOF {
		return strings.TrimSpace(args)
	}
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(v); err != nil {
		return strings.TrimSpace(args)
	}
	return buf.String()
}

// stuckNote returns what the model reads below a result that it has had before.
func stuckNote(times int) string {
	return fmt.Sprintf("\n\n[This is the same call with the same result for time %d of the last %d calls; at %d the run is stopped. Do something else, or answer with what you have.]", times, stuckWindow, stuckStop)
}
