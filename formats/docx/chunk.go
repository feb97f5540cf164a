package docx

import (
	"context"
	"fmt"
	"slices"

	"atelier/formats"
)

// chunkChars is about how many characters a chunk of a long document has
// (W-42).
const chunkChars = 4000

// chunkStarts returns the lines at which the chunks of a story begin, from a line on:
// before a paragraph outside tables and the text boxes anchored there, never in a table.
// A block larger than a chunk is one. Those from a later start on are the same.
func (o *outline) chunkStarts(sizes []int32, from int) []int {
	starts, size, unit := []int{from}, 0, 0
	begin := from // of the unit being measured
	close := func() {
		if size > 0 && size+unit > chunkChars {
			starts, size = append(starts, begin), 0
		}
		size, unit = size+unit, 0
	}
	for i := from; i < len(sizes); i++ {
		if o.lines[i].inBody() && i > from {
			at := max(from, o.withBoxes(i))
			boxes := 0
			for _, b := range sizes[at:i] {
				boxes += int(b)
			}
			unit -= boxes
			close()
			begin, unit = at, boxes
		}
		unit += int(sizes[i])
	}
	close()
	return starts
}

// inBody reports whether a line is a paragraph outside tables and text boxes.
func (o outlined) inBody() bool { return o.row < 0 && o.box < 0 }

// withBoxes returns the line at which the text boxes of the paragraph on line i
// begin.
func (o *outline) withBoxes(i int) int {
	for i > 0 && o.lines[i-1].box >= 0 {
		i--
	}
	return i
}

// chunk returns the chunk that begins at a line, with how to read the next. Chunks that
// follow each other from the first on are known; from another line on they are counted.
func (t outlineText) chunk(ctx context.Context, from int) (formats.Text, error) {
	k, err := t.measure(ctx)
	if err != nil {
		return formats.Text{}, err
	}
	before, known := slices.BinarySearch(k.starts, from)
	starts := k.starts[min(before, len(k.starts)):]
	if !known {
		starts = t.chunkStarts(k.sizes, from)
	}
	c := &formats.ChunkInfo{ChunkIndex: before, TotalChunks: before + len(starts), HasMore: len(starts) > 1}
	to := len(t.outline.lines)
	if c.HasMore {
		to = starts[1]
		next := to
		for !t.outline.lines[next].inBody() {
			next++
		}
		c.Next = fmt.Sprintf(`section="%s-"`, t.outline.lines[next].address(t.base))
	}
	lines, err := t.linesOf(ctx, from, to)
	if err != nil {
		return formats.Text{}, err
	}
	t.shown = lines
	c.Range = lines[0].address + "-" + lines[len(lines)-1].address
	return formats.Text{Text: t.joinLines(lines), Chunk: c}, nil
}
