package pptx

import (
	"strings"
)

// keptParagraph is an old paragraph that stands for some of the new lines.
type keptParagraph struct {
	p     *node
	lines int
}

// keepMax bounds the table that keep fills, in cells.
const keepMax = 1 << 20

// keepParagraphs finds the old paragraphs that can stay, by the position of the first
// line they stand for: the longest common subsequence of what the slide says
// and what it shall say, where a paragraph with line breaks covers several
// lines.
func (t *tree) keepParagraphs(old []*node, lines []line) map[int]keptParagraph {
	n, m := len(lines), len(old)
	if (n+1)*(m+1) > keepMax {
		return nil
	}
	says := make([][]string, m)
	for j, p := range old {
		says[j] = strings.Split(strings.Repeat("\t", level(p))+t.paragraphText(p), "\n")
	}
	best := make([][]int, n+1) // lines kept of lines[i:] by old[j:]
	for i := range best {
		best[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if covers(says[j], lines[i:]) {
				best[i][j] = max(best[i][j], len(says[j])+best[i+len(says[j])][j+1])
			}
		}
	}
	kept := map[int]keptParagraph{}
	for i, j := 0, 0; i < n && j < m; {
		switch k := len(says[j]); {
		case covers(says[j], lines[i:]) && best[i][j] == k+best[i+k][j+1]:
			kept[i] = keptParagraph{old[j], k}
			i, j = i+k, j+1
		case best[i][j] == best[i][j+1]:
			j++
		default:
			i++
		}
	}
	return kept
}

// covers reports whether lines begins with what a paragraph says.
func covers(says []string, lines []line) bool {
	if len(says) > len(lines) {
		return false
	}
	for k, s := range says {
		if lines[k].level < 0 {
			s = strings.TrimLeft(s, "\t")
		}
		if !lines[k].asIs() || lines[k].String() != s {
			return false
		}
	}
	return true
}
