package formatstest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/tags"
)

// SegmenterOptions adapt CheckSegmenter to a document.
type SegmenterOptions struct {
	Seed   uint64 // chooses the segments that are replaced alone
	Singly int    // how many of them
	// Change returns a target other than a segment's text, with the same tags;
	// nil exchanges the letters A–Z and a–z for those of the other case.
	Change func(string) string
	// Bilingual says that the file has a place for the translation beside the
	// text: a segment with a target is not listed again.
	Bilingual bool
}

// CheckSegmenter holds a segmenter to what package formats promises, on one
// document that has segments:
//
//   - Listing twice gives the same, with unique IDs and valid, non-empty texts.
//   - Replacing nothing, or every text by itself, writes the same bytes.
//   - A text that is replaced alone reads back as its target, and no other
//     segment changes; all replaced together read back as their targets.
//   - An unknown ID, and a target without a tag of its segment or with one too
//     many, is a typed error, and nothing is written.
//   - A cancelled context ends both calls with its error.
//
// It returns the number of segments.
func CheckSegmenter(t testing.TB, seg formats.Segmenter, src formats.Source, opt SegmenterOptions) int {
	t.Helper()
	ctx, name := context.Background(), src.Name()
	segs, err := seg.Segments(ctx, src, formats.SegmentOptions{})
	require.NoError(t, err, name)
	again, err := seg.Segments(ctx, src, formats.SegmentOptions{})
	require.NoError(t, err, name)
	require.Equal(t, segs, again, "%s: listed twice", name)
	ids := map[string]bool{}
	for _, s := range segs {
		require.NotEmpty(t, s.ID, name)
		require.False(t, ids[s.ID], "%s: ID %s twice", name, s.ID)
		ids[s.ID] = true
		require.NotEmpty(t, strings.TrimSpace(tags.Plain(s.Text)), "%s: %s at %s", name, s.ID, s.Place)
		require.True(t, utf8.ValidString(s.Text), "%s: %s", name, s.ID)
		require.NotEmpty(t, s.Place, "%s: %s", name, s.ID)
		require.NoError(t, tags.Check(s.Text, s.Text), "%s: %s", name, s.ID)
	}
	if len(segs) == 0 {
		return 0
	}
	replace := func(targets map[string]string) ([]byte, error) {
		var out bytes.Buffer
		err := seg.Replace(ctx, src, &out, targets, formats.ReplaceOptions{})
		return out.Bytes(), err
	}
	original := make([]byte, src.Size())
	_, err = src.ReadAt(original, 0)
	if len(original) > 0 && err != nil {
		require.ErrorContains(t, err, "EOF", name)
	}

	same := map[string]string{}
	for _, s := range segs {
		same[s.ID] = s.Text
	}
	for what, targets := range map[string]map[string]string{"no targets": nil, "each text itself": same} {
		out, err := replace(targets)
		require.NoError(t, err, "%s: %s", name, what)
		require.True(t, bytes.Equal(original, out), "%s: %s: the bytes changed", name, what)
	}

	change := opt.Change
	if change == nil {
		change = otherCase
	}
	check := func(what string, targets map[string]string) {
		t.Helper()
		out, err := replace(targets)
		require.NoError(t, err, "%s: %s", name, what)
		after, err := seg.Segments(ctx, formats.FromBytes(name, out), formats.SegmentOptions{})
		require.NoError(t, err, "%s: %s", name, what)
		left := segs
		if opt.Bilingual {
			left = slices.DeleteFunc(slices.Clone(segs), func(s formats.Segment) bool {
				target, ok := targets[s.ID]
				require.True(t, !ok || target == s.Text || bytes.Contains(out, []byte(tags.Parse(target)[0].Text)), "%s: %s: %q is not written", name, what, target)
				return ok && target != s.Text
			})
		}
		require.Len(t, after, len(left), "%s: %s", name, what)
		for i, s := range left {
			want, ok := targets[s.ID]
			if !ok {
				want = s.Text
			}
			require.Equal(t, words(want), words(after[i].Text), "%s: %s: %s at %s", name, what, s.ID, s.Place)
		}
	}
	r := rand.New(rand.NewPCG(opt.Seed, 1))
	for range opt.Singly {
		s := segs[r.IntN(len(segs))]
		check("alone", map[string]string{s.ID: change(s.Text)})
	}
	all := map[string]string{}
	for _, s := range segs {
		all[s.ID] = change(s.Text)
	}
	check("all", all)

	refused := func(what string, targets map[string]string) {
		t.Helper()
		out, err := replace(targets)
		require.Error(t, err, "%s: %s", name, what)
		require.NotEmpty(t, formats.CodeOf(err), "%s: %s: %v", name, what, err)
		require.Empty(t, out, "%s: %s: written in spite of %v", name, what, err)
	}
	refused("unknown ID", map[string]string{"no such segment": "x"})
	for _, s := range segs {
		if tokens := tags.Parse(s.Text); len(tokens) > 1 {
			refused("without its tags", map[string]string{s.ID: tags.Escape(tags.Plain(s.Text)) + "x"})
			refused("with a tag too many", map[string]string{s.ID: s.Text + "<77/>"})
			break
		}
	}

	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = seg.Segments(gone, src, formats.SegmentOptions{})
	require.ErrorIs(t, err, context.Canceled, name)
	var out bytes.Buffer
	require.ErrorIs(t, seg.Replace(gone, src, &out, all, formats.ReplaceOptions{}), context.Canceled, name)
	require.Empty(t, out.Bytes(), name)
	return len(segs)
}

// otherCase exchanges capital and small ASCII letters outside tags and
// placeholders.
func otherCase(s string) string {
	tokens := tags.Parse(s)
	for i, tok := range tokens {
		if strings.ContainsAny(tok.Text, "%{}$") {
			continue
		}
		tokens[i].Text = strings.Map(func(r rune) rune {
			if r|0x20 >= 'a' && r|0x20 <= 'z' {
				return r ^ 0x20
			}
			return r
		}, tok.Text)
	}
	return tags.String(tokens)
}

// words returns a text with single spaces, since formats wrap lines anew.
func words(s string) string { return fmt.Sprint(strings.Fields(s)) }
