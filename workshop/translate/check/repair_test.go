package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/tags"
)

// TestRepair (TR-03) shows where tags are put.
func TestRepair(t *testing.T) {
	for _, c := range []struct{ source, target, want string }{
		{"The <1>Seller</1> delivers.", "<1>La vendedora</1> entrega.", "<1>La vendedora</1> entrega."},
		{"<1>All of it</1>", "Todo", "<1>Todo</1>"},
		{"Click <1>here</1> now", "Haga clic aquí ahora", "Haga clic <1>aquí</1> ahora"},
		{"See <1>Acme GmbH</1> for the rest of it", "Für alles Weitere siehe Acme GmbH", "Für alles Weitere siehe <1>Acme GmbH</1>"},
		{"Text<1/>", "Texto", "Texto<1/>"},
		{"<1/>Text", "Texto", "<1/>Texto"},
		{"<1>a</1> b", "<1>a</1> <1>b</1>", "<1>a</1> b"},
		{"<1>a</1> b", "<1>a</1> <7>b</7><8/>", "<1>a</1> b"},
		{"one <1/> two", "uno <1></1> dos", "uno <1/> dos"},
		{"one <1>two</1> three", "uno <1>dos tres", "uno <1>dos</1> tres"},
		{"<1>one</1><2>two</2> x", "<1>uno<2></1>dos</2> x", "<1>uno</1><2>dos</2> x"},
		{"<1>one <2>two</2></1> x", "<1>uno <2>dos</1> y</2> x", "<1>uno <2>dos</2></1> y x"},
		{"I am <1>not</1><2> </2>there", "no</1> estoy<2> </2>pidiendo <1>nada aquí", "no estoy<2> </2>pidiendo <1>nada</1> aquí"},
		{" Hello ", "Hola", " Hola "},
		{"<1>Hello </1>world", "<1> Hola</1> mundo\n", "<1>Hola</1> mundo"},
		{"a < b & <1>c</1>", "a < b & c", "a &lt; b &amp; <1>c</1>"},
	} {
		got, ok := Repair(c.source, c.target)
		require.True(t, ok)
		require.Equal(t, c.want, got, "%s → %s", c.source, c.target)
	}
	got, ok := Repair("<1>broken", "roto")
	require.False(t, ok, "a malformed source")
	require.Equal(t, "roto", got)
}

// tagged draws a well-formed text of words and nested tags.
func tagged(t *rapid.T, label string) string {
	var sb strings.Builder
	n := 0
	var open []int
	for i := range rapid.IntRange(0, 12).Draw(t, label) {
		switch rapid.IntRange(0, 4).Draw(t, fmt.Sprint(label, i)) {
		case 0:
			n++
			open = append(open, n)
			fmt.Fprintf(&sb, "<%d>", n)
		case 1:
			if len(open) > 0 {
				fmt.Fprintf(&sb, "</%d>", open[len(open)-1])
				open = open[:len(open)-1]
			}
		case 2:
			n++
			fmt.Fprintf(&sb, "<%d/>", n)
		default:
			sb.WriteString(rapid.SampledFrom([]string{"word ", "Zwei", " x", "é&lt;", "合同", "\n", "1,234"}).Draw(t, "w"))
		}
	}
	for i := len(open) - 1; i >= 0; i-- {
		fmt.Fprintf(&sb, "</%d>", open[i])
	}
	return sb.String()
}

// TestRepairAlwaysFits (TR-03): for any answer of a model, the repaired text
// fits its segment, keeps every letter, and is not repaired again.
func TestRepairAlwaysFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := tagged(t, "source")
		target := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"<1>", "</1>", "<1/>", "<2>", "</2>", "<2/>", "<3>", "</3>", "<3/>", "<4>", "</4>", "<9/>", "uno", " dos ", "合同条款", "<b>", "a < b", "&lt;", " ", "é",
		}), 0, 14).Draw(t, "target"), "")
		got, ok := Repair(source, target)
		require.True(t, ok)
		require.NoError(t, tags.Check(source, got), "%q", got)
		require.Equal(t, strings.TrimSpace(tags.Plain(target)), strings.TrimSpace(tags.Plain(got)))
		again, _ := Repair(source, got)
		require.Equal(t, got, again)
	})
}

// TestChecksOfAnything: no text makes a check panic.
func TestChecksOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"{", "}", "{n, plural, ", "other {", "%", "%1$", "d", "1", ",", ".", " ", "<1>", "</1>", "`", "/", "\\", "C:", "@", "www.", "１", "٣", "😀", "'"}), 0, 20)
		a, b := strings.Join(pieces.Draw(t, "a"), ""), strings.Join(pieces.Draw(t, "b"), "")
		Rules{From: "en", To: "ar"}.Check(segment(a), b)
		for _, f := range (Rules{To: "es", Mechanical: true}).Check(segment(a), a) {
			require.Contains(t, []Code{Empty, Tags, Punctuation}, f.Code, "a text is a good copy of itself: %v", f)
		}
	})
}

// TestChecksOfLongTexts: the checks of any text that a cell can hold are
// fast. A quadratic step would fail.
func TestChecksOfLongTexts(t *testing.T) {
	const size = 1 << 15 // the limit of a cell
	for _, piece := range []string{"{", "}", "{}", "{a, plural, ", "1 ", "1,5 ", "1.234.", "%s ", "%", "/a", "`", "a@b.c ", "<1/>", "<", "word ", "C:\\", "合", ". ,"} {
		long := strings.Repeat(piece, size/len(piece))
		other := strings.ReplaceAll(long, ",", ".")
		Rules{From: "en", To: "de"}.Check(segment(long), other)
	}
	nested := strings.Repeat("{", size/2) + strings.Repeat("}", size/2)
	Rules{To: "de"}.Check(segment(nested), nested[1:])
	var sb strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&sb, "<%d>word %d</%d> ", i+1, i, i+1)
	}
	got, ok := Repair(sb.String(), tags.Plain(sb.String()))
	require.True(t, ok)
	require.NoError(t, tags.Check(sb.String(), got))
}

// TestChecksOfVeryLongTexts: a paragraph of a document has no size limit.
func TestChecksOfVeryLongTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("long texts: left out with -short")
	}
	list := func(format string, from int) string {
		var sb strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&sb, format, from+i)
		}
		return sb.String()
	}
	start := time.Now()
	for _, c := range [][2]string{
		{list("%d.77. ", 100_000), list("%d.78. ", 300_000)},
		{list("%d words ", 100_000), list("%d words ", 300_000)},
		{strings.Repeat("at 3 pm ", 20_000), strings.Repeat("um 15 Uhr ", 20_000)},
		{list("a%d@b.cd ", 0), list("a%d@b.cd-", 0)},
		{strings.Repeat("${%s", 20_000), strings.Repeat("${%s", 20_000)},
		{strings.Repeat("${%s", 20_000), "none"},
	} {
		Rules{From: "en", To: "de"}.Check(segment(c[0]), c[1])
		require.Less(t, time.Since(start), 30*time.Second, "%.20s", c[0]) // minutes if it is quadratic
	}
	source := list("<%[1]d>word</%[1]d> ", 1)
	got, ok := Repair(source, tags.Plain(source))
	require.False(t, ok, "left as it is rather than repaired for hours")
	require.Equal(t, tags.Plain(source), got)
}

// leftOver gives the same result as a simple search for each number.
func TestLeftOverNumbers(t *testing.T) {
	atom := rapid.SampledFrom([]string{"0", "1", "3", "12", "13", "15", "24", "249", "2024", "0x"})
	one := rapid.Custom(func(t *rapid.T) number {
		n := number{atoms: rapid.SliceOfN(atom, 1, 3).Draw(t, "atoms")}
		n.text = strings.Join(n.atoms, ".")
		if rapid.Bool().Draw(t, "read") {
			n.readings = []string{n.text}
		}
		return n
	})
	rapid.Check(t, func(rt *rapid.T) {
		lost, added := rapid.SliceOfN(one, 0, 6).Draw(rt, "lost"), rapid.SliceOfN(one, 0, 6).Draw(rt, "added")
		l, a := withoutAtoms(lost, added)
		wantL, wantA := plainWithoutAtoms(lost, added)
		require.Equal(rt, wantL, l)
		require.ElementsMatch(rt, wantA, a)
		require.Equal(rt, fmt.Sprint(wantA), fmt.Sprint(a))
		hl, ha := withoutHours(l, a)
		wantL, wantA = plainWithoutHours(l, a)
		require.Equal(rt, fmt.Sprint(wantL, wantA), fmt.Sprint(hl, ha))
	})
}

func plainWithoutAtoms(lost, added []number) (l, a []string) {
	for _, n := range added {
		a = append(a, n.atoms...)
	}
	for _, n := range lost {
		var rest []string
		left := slices.Clone(a)
		for _, atom := range n.atoms {
			if i := slices.Index(left, atom); i >= 0 {
				left = slices.Delete(left, i, i+1)
			} else {
				rest = append(rest, atom)
			}
		}
		switch {
		case len(rest) == 0:
			a = left
		case dateLike(n):
			a, l = left, append(l, rest...)
		default:
			l = append(l, n.text)
		}
	}
	return l, a
}

func plainWithoutHours(lost, added []string) (l, a []string) {
	a = slices.Clone(added)
	for _, n := range lost {
		i := slices.IndexFunc(a, func(o string) bool { return hour(o) == hour(n)+12 || hour(n) == hour(o)+12 })
		if i >= 0 && hour(n) >= 0 {
			a = slices.Delete(a, i, i+1)
		} else {
			l = append(l, n)
		}
	}
	return l, a
}
