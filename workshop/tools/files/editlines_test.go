package files

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/text"
	"atelier/internal/campaign"
	"atelier/workshop/linepatch"
)

// oneLine is a line with its end.
type oneLine struct{ text, end string }

func splitLines(s string) []oneLine {
	var out []oneLine
	for l := range strings.SplitAfterSeq(s, "\n") {
		body := strings.TrimSuffix(l, "\n")
		if body != l {
			body = strings.TrimSuffix(body, "\r")
		}
		if l != "" {
			out = append(out, oneLine{body, l[len(body):]})
		}
	}
	return out
}

// editedInMemory makes changes in memory, from the bottom up.
func editedInMemory(s string, changes []linepatch.Change) string {
	lines := splitLines(s)
	crlf := strings.Count(s, "\r\n")
	term := "\n"
	if crlf > strings.Count(s, "\n")-crlf {
		term = "\r\n"
	}
	open := len(lines) > 0 && lines[len(lines)-1].end == ""
	for _, c := range slices.Backward(changes) {
		from, to := c.Start-1, c.End
		if c.Op == linepatch.Insert {
			from, to = c.After, c.After
		}
		var added []oneLine
		for _, l := range c.New {
			added = append(added, oneLine{l, term})
		}
		lines = slices.Concat(lines[:from], added, lines[to:])
	}
	var sb strings.Builder
	for i, l := range lines {
		if l.end == "" {
			l.end = term
		}
		if open && i == len(lines)-1 && l.text != "" {
			l.end = ""
		}
		sb.WriteString(l.text + l.end)
	}
	return sb.String()
}

// P-06, W-30: edit_lines does what editing in memory does, in any encoding and with any
// line ends; every other byte stays.
func TestEditLinesReference(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		s, encode := drawText(t)
		if rapid.IntRange(0, 9).Draw(t, "long") == 0 { // a line of several pieces
			s += strings.Repeat("a", rapid.IntRange(30_000, 70_000).Draw(t, "length")) + "\r\nlast"
		}
		lines := splitLines(s)
		var changes []linepatch.Change
		for at := 0; ; {
			at += rapid.IntRange(0, 3).Draw(t, "gap")
			if at > len(lines) || len(changes) > 5 {
				break
			}
			end := min(len(lines), at+rapid.IntRange(0, 3).Draw(t, "length"))
			c := linepatch.Change{New: rapid.SliceOfN(rapid.StringMatching(`[abñ]{0,4}`), 0, 3).Draw(t, "new")}
			switch {
			case end == at && len(c.New) == 0:
				continue
			case end == at:
				c.Op, c.After = linepatch.Insert, at
			default:
				c.Op, c.Start, c.End, c.Any = linepatch.Replace, at+1, end, rapid.Bool().Draw(t, "any")
				for _, l := range lines[at:end] {
					if !c.Any {
						c.Expected = append(c.Expected, l.text)
					}
				}
				if len(c.New) == 0 {
					c.Op = linepatch.Delete
				}
			}
			changes, at = append(changes, c), end
		}
		st, err := text.OpenStream(ctx, formats.FromBytes("a.txt", encode(s)))
		require.NoError(t, err)
		f := longFile{stream: st, ctx: ctx}
		p, err := linepatch.Plan(f.text, changes)
		require.NoError(t, err)
		want := editedInMemory(s, changes)
		var out bytes.Buffer
		w := st.Writer(&out)
		require.NoError(t, p.Write(w, chunked{f.text(), rapid.IntRange(1, 70_000).Draw(t, "chunk")}))
		require.NoError(t, w.Close())
		if !bytes.Equal(encode(want), out.Bytes()) {
			t.Fatalf("%q %+v: got %q, want %q", s, changes, out.Bytes(), want)
		}
		require.Equal(t, len(splitLines(want)), p.After())
	})
}

// Lines of a text of 200 MB are edited in flat memory.
func TestEditLinesIsFlat(t *testing.T) {
	campaign.Slow(t)
	ctx := context.Background()
	st, err := text.OpenStream(ctx, lineSource{200 << 20})
	require.NoError(t, err)
	f := longFile{stream: st, ctx: ctx}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p, err := linepatch.Plan(f.text, []linepatch.Change{{Op: linepatch.Replace, Start: 2, End: 1_000_000, Any: true, New: []string{"x"}}, {Op: linepatch.Insert, After: 2_000_000, New: []string{"y"}}})
	require.NoError(t, err)
	require.NoError(t, p.Write(st.Writer(io.Discard), f.text()))
	runtime.ReadMemStats(&after)
	require.Less(t, after.HeapSys, before.HeapSys+32<<20)
}
