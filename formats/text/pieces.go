package text

import (
	"strings"

	"atelier/formats/tags"
)

// Piece is a piece of running text with markup: text, a tag, or a mark that is
// alone, such as a line break.
type Piece struct {
	Kind       tags.Kind
	N          int    // number of its tag, which Pieces gives
	Start, End int    // the bytes it stands for
	Text       string // of Text, decoded
	Name       string // of tags: what an opening and a closing one have in common
}

// Pieces pairs tags by their names, makes marks of those without a partner, of
// marks side by side and of pairs around nothing, leaves out what is around all
// text (blanks, marks, pairs of tags), and numbers the tags that are left. s is
// what the pieces are of; ps is used up.
func Pieces(s string, ps []Piece) []Piece {
	return numberTags(trimPieces(s, pairTags(ps)))
}

// Tagged returns the segment text of pieces.
func Tagged(ps []Piece) string {
	tokens := make([]tags.Token, len(ps))
	for i, p := range ps {
		tokens[i] = tags.Token{Kind: p.Kind, N: p.N, Text: p.Text}
	}
	return tags.String(tokens)
}

// Plain returns the text of pieces without tags.
func Plain(ps []Piece) string {
	var sb strings.Builder
	for _, p := range ps {
		sb.WriteString(p.Text)
	}
	return sb.String()
}

// WritePieces writes a target in place of pieces: its text through encode, its
// tags as their original bytes.
func WritePieces(ps []Piece, target string, inside func(start, end int) string, encode func(string) string) string {
	type key struct {
		kind tags.Kind
		n    int
	}
	marks := map[key]Piece{}
	for _, p := range ps {
		if p.Kind != tags.Text {
			marks[key{p.Kind, p.N}] = p
		}
	}
	var sb strings.Builder
	for _, t := range tags.Parse(target) {
		if t.Kind == tags.Text {
			sb.WriteString(encode(t.Text))
			continue
		}
		m := marks[key{t.Kind, t.N}]
		sb.WriteString(inside(m.Start, m.End))
	}
	return sb.String()
}

func pairTags(ps []Piece) []Piece {
	out := ps[:0]
	var open []int // in out
	for _, p := range ps {
		switch p.Kind {
		case tags.Text:
			out = append(out, p)
		case tags.Open:
			open = append(open, len(out))
			out = append(out, p)
		case tags.Single:
			out = mergeMarks(append(out, p))
		case tags.Close:
			k := len(open) - 1
			for k >= 0 && out[open[k]].Name != p.Name {
				k--
			}
			if k < 0 {
				p.Kind = tags.Single
				out = mergeMarks(append(out, p))
				continue
			}
			for _, i := range open[k+1:] {
				out[i].Kind = tags.Single
			}
			i, last := open[k], len(out)-1
			open = open[:k]
			if last == i || last == i+1 && out[last].Kind == tags.Single {
				out = mergeMarks(append(out[:i], Piece{Kind: tags.Single, Start: out[i].Start, End: p.End}))
				continue
			}
			out = append(out, p)
		}
	}
	for _, i := range open {
		out[i].Kind = tags.Single
	}
	return out
}

// mergeMarks makes one of two marks that stand side by side at the end.
func mergeMarks(out []Piece) []Piece {
	n := len(out)
	if n > 1 && out[n-1].Kind == tags.Single && out[n-2].Kind == tags.Single && out[n-2].End == out[n-1].Start {
		out[n-2].End = out[n-1].End
		return out[:n-1]
	}
	return out
}

const blanks = " \t\r\n\f"

// trimPieces removes what is not text from both ends.
func trimPieces(s string, ps []Piece) []Piece {
	partner := map[int]int{} // of opening tags, to see which pair encloses all
	var open []int
	for i := range ps {
		switch ps[i].Kind {
		case tags.Open:
			open = append(open, i)
		case tags.Close:
			partner[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	for a, b := 0, len(ps); a < b; {
		first, last := &ps[a], &ps[b-1]
		switch {
		case first.Kind == tags.Single || first.Kind == tags.Text && strings.Trim(first.Text, blanks) == "":
			a++
		case last.Kind == tags.Single || last.Kind == tags.Text && strings.Trim(last.Text, blanks) == "":
			b--
		case first.Kind == tags.Open && partner[a] == b-1:
			a, b = a+1, b-1
		default:
			if first.Kind == tags.Text {
				first.Start += len(s[first.Start:first.End]) - len(strings.TrimLeft(s[first.Start:first.End], blanks))
				first.Text = strings.TrimLeft(first.Text, blanks)
			}
			if last.Kind == tags.Text {
				last.End -= len(s[last.Start:last.End]) - len(strings.TrimRight(s[last.Start:last.End], blanks))
				last.Text = strings.TrimRight(last.Text, blanks)
			}
			return ps[a:b]
		}
	}
	return nil
}

// numberTags returns tags their numbers in order of appearance.
func numberTags(ps []Piece) []Piece {
	n := 0
	var open []int
	for i := range ps {
		switch ps[i].Kind {
		case tags.Open:
			n++
			ps[i].N = n
			open = append(open, n)
		case tags.Single:
			n++
			ps[i].N = n
		case tags.Close:
			ps[i].N = open[len(open)-1]
			open = open[:len(open)-1]
		}
	}
	return ps
}
