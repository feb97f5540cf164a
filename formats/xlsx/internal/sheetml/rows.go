package sheetml

import (
	"context"
	"iter"
)

// eventsPerCheck is how many events a pass takes in between two looks at its
// context.
const eventsPerCheck = 256

// Rows moves through the events behind the current one, from HeadEnd to DataEnd.
// It ends with the error of ctx soon after ctx is done, and with the first error
// of the scanner. It yields s itself.
func (s *RowScanner) Rows(ctx context.Context) iter.Seq2[*RowScanner, error] {
	return func(yield func(*RowScanner, error) bool) {
		if s.Event == 0 {
			if _, err := s.Head(); !yield(s, err) || err != nil {
				return
			}
		}
		for n := 0; ; n++ {
			if n%eventsPerCheck == 0 && ctx.Err() != nil {
				yield(s, ctx.Err())
				return
			}
			ev, err := s.Next()
			if err != nil {
				yield(s, err)
				return
			}
			if !yield(s, nil) || ev == DataEnd {
				return
			}
		}
	}
}
