package docx

import (
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/internal/lazyregexp"
)

// chunkChars is about how many characters a chunk of a long document has
// (W-42).
const chunkChars = 4000

var bodyParagraph = lazyregexp.New(`^p\d+$`)

// chunkStarts returns the lines at which the chunks of a story begin: before a
// paragraph outside tables and the text boxes anchored there, never in a table.
// A block larger than a chunk is one.
func chunkStarts(lines []line) []int {
	starts, size, unit := []int{0}, 0, 0
	begin := 0 // of the unit being measured
	close := func() {
		if size > 0 && size+unit > chunkChars {
			starts, size = append(starts, begin), 0
		}
		size, unit = size+unit, 0
	}
	for i, l := range lines {
		if bodyParagraph.MatchString(l.address) && i > 0 {
			at := withBoxes(lines, i)
			boxes := 0
			for _, b := range lines[at:i] {
				boxes += b.size()
			}
			unit -= boxes
			close()
			begin, unit = at, boxes
		}
		unit += l.size()
	}
	close()
	return starts
}

// withBoxes returns the line at which the text boxes of the paragraph on line i
// begin.
func withBoxes(lines []line, i int) int {
	for i > 0 && strings.HasPrefix(lines[i-1].address, "x") {
		i--
	}
	return i
}

// chunk returns the chunk that begins at a line, with how to read the next.
func (v *view) chunk(lines []line, from int) formats.Text {
	before := 0
	if from > 0 {
		before = len(chunkStarts(lines[:from]))
	}
	rest := lines[from:]
	starts := chunkStarts(rest)
	c := &formats.ChunkInfo{ChunkIndex: before, TotalChunks: before + len(starts), HasMore: len(starts) > 1}
	if c.HasMore {
		next := starts[1]
		for !bodyParagraph.MatchString(rest[next].address) {
			next++
		}
		c.Next = fmt.Sprintf(`section="%s-"`, rest[next].address)
		rest = rest[:starts[1]]
	}
	v.shown = rest
	c.Range = rest[0].address + "-" + rest[len(rest)-1].address
	return formats.Text{Text: v.joinLines(rest), Chunk: c}
}
