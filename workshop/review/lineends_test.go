package review_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/review"
)

// RV-02: a note tells differences that hunks of lines cannot show: line
// endings, and a missing newline at the end.
func TestRV02LineEnds(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"to LF", "a\r\nb\r\n", "a\nb\n", "2 lines of text added, 2 removed; line ends CR LF → LF"},
		{"one line", "a\nb\nc\n", "a\nb\r\nc\n", "1 line of text added, 1 removed; line ends LF → CR LF on 1 of 3 lines"},
		{"last line", "a\nb", "a\nb\n", "the words are the same; the last line has a line end now"},
		{"last line open", "a\nb\n", "a\nb", "the words are the same; the last line has no line end any more"},
		{"mark", "a\n", "\ufeffa\n", "the words are the same; encoding utf-8 → utf-8-bom"},
		{"same ends", "a\r\nb\r\n", "a\r\nc\r\n", "1 line of text added, 1 removed"},
		{"emptied", "a\r\n", "", "0 lines of text added, 1 removed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wb, set, _ := bench(t)
			write := func(text string) {
				_, err := wb.DraftView(workshop.Cause{}).Put(ctx, "x.txt", workshop.PutOptions{}, func(w io.Writer) error {
					_, err := io.WriteString(w, text)
					return err
				})
				require.NoError(t, err)
			}
			write(c.before)
			_, err := wb.Publish(ctx, workshop.PublishOptions{})
			require.NoError(t, err)
			write(c.after)
			changes, err := review.ChangeSet(ctx, wb, set)
			require.NoError(t, err)
			require.Len(t, changes, 1)
			require.Equal(t, c.want, changes[0].Summary)
		})
	}
}
