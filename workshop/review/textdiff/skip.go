package textdiff

import "bytes"

const chunkBytes int64 = 512 << 10

// skipEqual skips equal bytes and stops at the start of the first line that
// differs. It adds context lines to the open hunk and to the next one.
func (c *comparison) skipEqual() error {
	from := c.at
	var done int64 // bytes known to be equal
	left := min(c.a.Size()-from.Old, c.b.Size()-from.New)
	if c.x == nil {
		c.x, c.y = make([]byte, min(left, chunkBytes)), make([]byte, min(left, chunkBytes))
	}
	x, y := c.x, c.y
	for done < left {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		n := min(left-done, chunkBytes)
		if err := readFull(c.a, x[:n], from.Old+done); err != nil {
			return err
		}
		if err := readFull(c.b, y[:n], from.New+done); err != nil {
			return err
		}
		same := n
		if !bytes.Equal(x[:n], y[:n]) {
			same = int64(mismatch(x[:n], y[:n]))
		}
		if last := bytes.LastIndexByte(x[:same], '\n'); last >= 0 {
			lines := bytes.Count(x[:last+1], []byte{'\n'})
			c.at.Old, c.at.New = from.Old+done+int64(last)+1, from.New+done+int64(last)+1
			c.at.OldLine, c.at.NewLine = c.at.OldLine+lines, c.at.NewLine+lines
		}
		done += same
		if same < n {
			break
		}
	}
	if done == c.a.Size()-from.Old && done == c.b.Size()-from.New && c.at.Old < c.a.Size() {
		// Both texts end here, in a line without a terminator.
		c.at.Old, c.at.New = c.a.Size(), c.b.Size()
		c.at.OldLine, c.at.NewLine = c.at.OldLine+1, c.at.NewLine+1
	}
	if c.at.New > from.New {
		return c.addContext(from)
	}
	return nil
}

// addContext adds the first and last lines of the skipped part as context to
// the hunks on both sides.
func (c *comparison) addContext(from Cursor) error {
	behind := from.NewLine // lines of the new text shown or skipped
	if c.out.open() {
		s := newScanner(c.b, from.New, c.at.New)
		for k := 1; k <= contextLines && s.at < c.at.New; k++ {
			l, err := s.next(true)
			if err != nil {
				return err
			}
			c.out.equal(hunkLine(l, Context, from.OldLine+k, from.NewLine+k))
			behind++
		}
	}
	if behind == c.at.NewLine {
		return nil
	}
	c.out.close()
	lines, err := c.linesBefore(from)
	if err != nil {
		return err
	}
	for k, l := range lines {
		back := len(lines) - k
		if n := c.at.NewLine - back + 1; n > behind {
			c.out.equal(hunkLine(l, Context, c.at.OldLine-back+1, n))
		}
	}
	return nil
}

// linesBefore reads the last lines before the cursor, starting at from at the
// earliest.
func (c *comparison) linesBefore(from Cursor) ([]line, error) {
	start := max(from.New, c.at.New-contextLines*maxShown)
	s := newScanner(c.b, start, c.at.New)
	var out []line
	for s.at < c.at.New {
		l, err := s.next(true)
		if err != nil {
			return nil, err
		}
		if l.start == start && start > from.New {
			continue // possibly not the start of a line
		}
		if out = append(out, l); len(out) > contextLines {
			out = out[1:]
		}
	}
	return out, nil
}
