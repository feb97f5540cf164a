package workshop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
)

// A line of the conversation ends with a checksum of what comes before it, as its
// last member: most flipped bits leave JSON that is valid and says something else.
// Lines of older releases have none.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const (
	sealStart  = `,"crc":"`
	sealLength = len(sealStart) + 8 + len(`"}`)
)

// sealLines gives each line its checksum, and the first also what the draft's rows
// became since the record before (draftNote).
func sealLines(lines, draft []byte) []byte {
	out := make([]byte, 0, len(lines)+len(draft)+64)
	for line := range bytes.Lines(lines) {
		body := bytes.TrimSuffix(line, []byte("}\n"))
		from := len(out)
		out = append(out, body...)
		if len(draft) > 0 {
			out = append(append(out, `,"draft":`...), draft...)
			draft = nil
		}
		out = fmt.Appendf(out, `%s%08x"}`+"\n", sealStart, crc32.Checksum(out[from:], castagnoli))
	}
	return out
}

// sealed says whether a line, without its end, has a checksum and whether it is
// that of the line.
func sealed(line []byte) (has, right bool) {
	at := len(line) - sealLength
	if at < 0 || !bytes.HasPrefix(line[at:], []byte(sealStart)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return false, false
	}
	return true, string(line[at+len(sealStart):len(line)-2]) == fmt.Sprintf("%08x", crc32.Checksum(line[:at], castagnoli))
}

// readRecord reads a line, without its end.
func readRecord(line []byte) (Record, bool) {
	var r Record
	if has, right := sealed(line); has && !right {
		return r, false
	}
	return r, json.Unmarshal(line, &r) == nil && r.Type != ""
}

// splitLine takes two records apart whose line end is damaged.
func splitLine(line []byte) (first, rest []byte, ok bool) {
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte(sealStart))
		if i < 0 {
			return nil, nil, false
		}
		end := at + i + sealLength
		if end+1 >= len(line) {
			return nil, nil, false
		}
		if _, right := sealed(line[:end]); right {
			return line[:end], line[end+1:], true
		}
		at += i + 1
	}
}

// damagedLine is a line of the conversation that is not a record.
type damagedLine struct {
	line int
	text []byte
}

// scan calls f with every whole line that is a record, and bad with every other.
// What has no line end at the end of the file is no whole line.
func (c *Conversation) scan(f func(r Record, line []byte), bad func(damagedLine)) error {
	file, err := os.Open(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	r := bufio.NewReader(file)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		scanLine(line[:len(line)-1], f, func(text []byte) { bad(damagedLine{n, text}) })
	}
}

// scanLine calls f with the record of a line, or with each of several that were
// joined, and bad with what is no record.
func scanLine(line []byte, f func(r Record, line []byte), bad func(text []byte)) {
	for {
		if rec, ok := readRecord(line); ok {
			f(rec, line)
			return
		}
		first, rest, joined := splitLine(line)
		if !joined {
			bad(line)
			return
		}
		if rec, ok := readRecord(first); ok {
			f(rec, first)
		} else {
			bad(first)
		}
		line = rest
	}
}

func damagedLines(lines []int) string {
	if len(lines) == 1 {
		return fmt.Sprintf("line %d of the conversation is damaged and was left out; the lines after it are there", lines[0])
	}
	return fmt.Sprintf("%d lines of the conversation, the first of them line %d, are damaged and were left out; the others are there", len(lines), lines[0])
}

// wholeTail reports whether what stands behind the last line end is a record whose
// own line end is missing, or damaged.
func wholeTail(tail []byte) (length int, ok bool) {
	for _, n := range []int{len(tail), len(tail) - 1} {
		if n > 0 {
			if _, right := sealed(tail[:n]); right {
				return n, true
			}
		}
	}
	return 0, false
}
