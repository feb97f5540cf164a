package linepatch

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func ins(after int, lines ...string) Change { return Change{Op: Insert, After: after, New: lines} }
func del(start, end int, expected ...string) Change {
	return Change{Op: Delete, Start: start, End: end, Expected: expected}
}
func rep(start, end int, expected, lines []string) Change {
	return Change{Op: Replace, Start: start, End: end, Expected: expected, New: lines}
}

type ls = []string

// text is a text with the offsets of its lines. A list of lines would take many
// times the memory of the text.
type text struct {
	body   []byte
	starts []int // of each line, and the length of body
}

// split is the line model A-11.
func split(b []byte) text {
	t := text{b, make([]int, 1, bytes.Count(b, []byte("\n"))+2)}
	for at := 0; at < len(b); {
		i := bytes.IndexByte(b[at:], '\n')
		if at += i + 1; i < 0 {
			at = len(b)
		}
		t.starts = append(t.starts, at)
	}
	return t
}

// count returns the number of lines.
func (t text) count() int { return len(t.starts) - 1 }

// P-04…P-06: what changes make of a text.
func TestP06Apply(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		changes        []Change
	}{
		{"top", "a\nb\n", "x\na\nb\n", []Change{ins(0, "x")}},
		{"end", "a\nb\n", "a\nb\nx\n", []Change{ins(2, "x")}},
		{"end without newline", "a\nb", "a\nb\nx", []Change{ins(2, "x")}},
		{"empty", "", "x\ny\n", []Change{ins(0, "x", "y")}},
		{"one newline", "\n", "\nx\n", []Change{ins(1, "x")}},
		{"replace by more", "a\nb\nc\n", "a\n1\n2\nc\n", []Change{rep(2, 2, ls{"b"}, ls{"1", "2"})}},
		{"replace by fewer", "a\nb\nc\n", "x\nc\n", []Change{rep(1, 2, ls{"a", "b"}, ls{"x"})}},
		{"replace the last without newline", "a\nb", "a\nx", []Change{rep(2, 2, ls{"b"}, ls{"x"})}},
		{"delete the last without newline", "a\nb", "a", []Change{del(2, 2, "b")}},
		{"delete all", "a\nb", "", []Change{del(1, 2, "a", "b")}},
		{"crlf", "a\r\nb\r\n", "a\r\nx\r\nb\r\n", []Change{ins(1, "x")}},
		{"crlf without the last", "a\r\nb", "a\r\nb\r\nx", []Change{ins(2, "x")}},
		{"mixed keeps its bytes", "a\r\nb\nc\r\nd\n\r\n", "a\r\nx\r\nc\r\nd\n\r\n", []Change{rep(2, 2, ls{"b"}, ls{"x"})}},
		{"mostly lf", "a\r\nb\nc\n", "a\r\nx\nc\n", []Change{rep(2, 2, ls{"b"}, ls{"x"})}},
		{"a carriage return inside", "a\rb\nc\n", "a\rb\nx\n", []Change{rep(2, 2, ls{"c"}, ls{"x"})}},
		{"several", "1\n2\n3\n4\n5\n", "0\n1\nzwei\n3\n3b\n5\n6\n", []Change{ins(0, "0"), rep(2, 2, ls{"2"}, ls{"zwei"}), ins(3, "3b"), del(4, 4, "4"), ins(5, "6")}},
		{"adjacent", "1\n2\n3\n", "a\nb\n3\n", []Change{rep(1, 1, ls{"1"}, ls{"a"}), rep(2, 2, ls{"2"}, ls{"b"})}},
		{"two inserts at one place", "1\n", "1\na\nb\n", []Change{ins(1, "a"), ins(1, "b")}},
		{"byte order mark", "\ufeffa\nb\n", "\ufeffx\nb\n", []Change{rep(1, 1, ls{"a"}, ls{"x"})}},
		{"in front of it all", "\ufeffa\n", "\ufeffx\na\n", []Change{ins(0, "x")}},
		{"empty lines", "a\n\n\nb\n", "a\n\nb\n", []Change{del(2, 2, "")}},
		{"latin-1 bytes stay", "caf\xe9\nb\n", "caf\xe9\nx\n", []Change{rep(2, 2, ls{"b"}, ls{"x"})}},
		{"latin-1 lines as they are shown", "caf\xe9\nb\n", "x\nb\n", []Change{rep(1, 1, ls{"caf\uFFFD"}, ls{"x"})}},
	} {
		got, err := Apply([]byte(c.in), c.changes)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, string(got), c.name)
	}
}

// P-03…P-05, P-07, P-08: what is refused, and whether as a conflict.
func TestP07Refused(t *testing.T) {
	const text = "a\nb\nc\n"
	for _, c := range []struct {
		name     string
		changes  []Change
		index    int
		conflict bool
		message  string
	}{
		{"P-03", []Change{{Op: "move"}}, 0, false, "insert, replace or delete"},
		{"P-04 afterLine", []Change{ins(-1, "x")}, 0, false, "afterLine"},
		{"P-04 newLines", []Change{ins(0)}, 0, false, "at least one line"},
		{"P-04 outside", []Change{ins(4, "x")}, 0, false, "outside the file, which has 3 lines"},
		{"P-05 zero", []Change{del(0, 1, "a")}, 0, false, "startLine"},
		{"P-05 order", []Change{del(2, 1, "a")}, 0, false, "startLine"},
		{"P-05 outside", []Change{del(3, 4, "c", "d")}, 0, false, "outside the file"},
		{"P-05 expected", []Change{del(1, 1)}, 0, false, "expectedOriginalLines"},
		{"P-05 newLines", []Change{rep(1, 1, ls{"a"}, nil)}, 0, false, "newLines"},
		{"P-05 delete with lines", []Change{{Op: Delete, Start: 1, End: 1, Expected: ls{"a"}, New: ls{"x"}}}, 0, false, "delete takes no newLines"},
		{"P-06 break", []Change{ins(0, "x\ny")}, 0, false, "line break"},
		{"P-06 return", []Change{ins(0, "x\r")}, 0, false, "line break"},
		{"P-06 not UTF-8", []Change{ins(0, "\xff")}, 0, false, "UTF-8"},
		{"P-07 unsorted", []Change{ins(2, "x"), ins(1, "y")}, 1, false, "sorted"},
		{"P-07 overlap", []Change{del(1, 2, "a", "b"), del(2, 3, "b", "c")}, 1, false, "overlap"},
		{"P-07 insert inside", []Change{del(1, 3, "a", "b", "c"), ins(2, "x")}, 1, false, "overlap"},
		{"P-08 differs", []Change{del(1, 1, "A")}, 0, true, `line 1 is not as expected: expected "A", found "a"`},
		{"P-08 blank", []Change{ins(0, "x"), del(2, 2, "b ")}, 1, true, `line 2 is not as expected`},
		{"P-08 count", []Change{del(1, 2, "a")}, 0, true, "has 1 lines, but lines 1 to 2 are 2"},
	} {
		_, err := Apply([]byte(text), c.changes)
		var e *Error
		require.ErrorAs(t, err, &e, c.name)
		assert.Equal(t, c.index, e.Index, c.name)
		assert.Equal(t, c.conflict, e.Conflict, c.name)
		assert.Contains(t, e.Message, c.message, c.name)
	}
	_, err := Apply([]byte("caf\xe9\n"), []Change{ins(1, "é")})
	assert.ErrorContains(t, err, "not UTF-8")
}

// reference applies sorted changes the simplest way: from the bottom up.
func reference(lines []string, changes []Change) []string {
	out := slices.Clone(lines)
	for _, c := range slices.Backward(changes) {
		from, to := c.span()
		out = slices.Concat(out[:from], c.New, out[to:])
	}
	return out
}

// P-06…P-08: Apply does what the reference does, for any text of lines and any
// changes that fit, and keeps terminators and the end of the text.
func TestP06Reference(t *testing.T) {
	word := rapid.StringMatching(`[a-zé ]{0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(word, 0, 12).Draw(t, "lines")
		term := rapid.SampledFrom(ls{"\n", "\r\n"}).Draw(t, "terminator")
		final := rapid.Bool().Draw(t, "final") || len(lines) == 0 || lines[len(lines)-1] == ""
		text := strings.Join(lines, term)
		if final && len(lines) > 0 {
			text += term
		}
		if len(lines) <= 1 && !final {
			term = "\n" // no terminator tells
		}
		var changes []Change
		for at := 0; ; {
			at += rapid.IntRange(0, 3).Draw(t, "gap")
			if at > len(lines) || len(changes) > 6 {
				break
			}
			end := min(len(lines), at+rapid.IntRange(0, 3).Draw(t, "length"))
			c := Change{New: rapid.SliceOfN(word, 0, 3).Draw(t, "new")}
			switch {
			case end == at && len(c.New) == 0:
				continue
			case end == at:
				c.Op, c.After = Insert, at
			default:
				c.Op, c.Start, c.End, c.Expected = Replace, at+1, end, lines[at:end]
				if len(c.New) == 0 {
					c.Op = Delete
				}
			}
			changes, at = append(changes, c), end
		}
		want := reference(lines, changes)
		wantText := strings.Join(want, term)
		if len(want) > 0 && (final || want[len(want)-1] == "") {
			wantText += term
		}
		if len(lines) == 0 {
			wantText = strings.ReplaceAll(wantText, "\r\n", "\n")
		}
		got, err := Apply([]byte(text), changes)
		if err != nil {
			t.Fatalf("%q %+v: %v", text, changes, err)
		}
		if string(got) != wantText {
			t.Fatalf("%q %+v: got %q, want %q", text, changes, got, wantText)
		}
	})
}

// Fuzz: no text and no changes make Apply panic; what it makes has the lines
// that were not named, and nothing is made of changes that do not fit.
func FuzzApply(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"), "insert", 1, 2, 3, "b", "x")
	f.Add([]byte("\ufeffa"), "replace", 0, 1, 1, "a", "x")
	f.Add([]byte("\xff\xfe\x00\n"), "DELETE", -1, 1, 99, "", "")
	f.Fuzz(func(t *testing.T, text []byte, op string, after, start, end int, expected, added string) {
		o, ok := ParseOp(op)
		c := Change{Op: o, After: after, Start: start, End: end}
		if expected != "" {
			c.Expected = strings.Split(expected, "|")
		}
		if added != "" {
			c.New = strings.Split(added, "|")
		}
		out, err := Apply(text, []Change{c})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Message == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if !ok {
			t.Fatal("an unknown operation was applied")
		}
		if utf8.Valid(text) && !utf8.Valid(out) {
			t.Fatalf("%q became %q", text, out)
		}
		before, after2 := split(text).count(), split(out).count()
		from, to := c.span()
		if want := before - (to - from) + len(c.New); after2 != want && !(len(text) > 0 && !strings.HasSuffix(string(text), "\n")) {
			t.Fatalf("%d lines became %d, want %d: %q %+v %q", before, after2, want, text, c, out)
		}
	})
}
