package endpoint

import (
	"fmt"
	"io"
	"unicode/utf8"

	"atelier/llm"
	"atelier/llm/internal/sse"
)

// AnswerSize counts what was taken of an answer and holds it to the limits.
type AnswerSize struct {
	Limits llm.AnswerLimits
	text   int // bytes of content and reasoning
}

const (
	// perEvent is what an event may have beside its part of the answer.
	perEvent = 1 << 20
	// perByte is how many bytes an endpoint may send for one of the answer: with
	// short tokens an event is a hundred times as long as its text.
	perByte = 128
)

// MaxEvent returns the most bytes of one event. An answer in one piece is one event, in
// which an escape such as \u00e4 has six bytes for a letter of two.
func (s AnswerSize) MaxEvent() int { return 3*(s.Limits.Text+s.Limits.Arguments) + perEvent }

// MaxBytes returns the most bytes of all events.
func (s AnswerSize) MaxBytes() int64 {
	return perByte*(int64(s.Limits.Text)+int64(s.Limits.Arguments)) + 16*perEvent
}

// Clip counts the next piece of text and returns what of it fits.
func (s *AnswerSize) Clip(piece string) (fits string, over bool) {
	left := s.Limits.Text - s.text
	if len(piece) <= left {
		s.text += len(piece)
		return piece, false
	}
	s.text = s.Limits.Text
	for left > 0 && !utf8.RuneStart(piece[left]) {
		left--
	}
	return piece[:left], true
}

// BytesOf writes a number of bytes for people.
func BytesOf(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Bounded returns r, which ends with sse.ErrTooLong after so many bytes.
func Bounded(r io.Reader, most int64) io.Reader { return &boundedBody{r, most} }

// boundedBody ends with sse.ErrTooLong after so many bytes.
type boundedBody struct {
	io.Reader
	left int64
}

// Read reads on until the bytes are used up.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, sse.ErrTooLong
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
