package reader

import (
	"strconv"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
)

// lineAddresses returns the address of each line of the text of a sheet: "7" for
// the cells of row 7, "7:7" if they cannot be told apart (mixed), "B7" for the
// comment of a cell, "" for other lines.
func lineAddresses(text string, mixed map[int]bool) []string {
	var out []string
	comments := false
	for line := range strings.SplitSeq(text, "\n") {
		at := ""
		switch ref, row := leadingCell(line); {
		case line == "Comments:":
			comments = true
		case ref == "":
		case comments:
			at = ref
		case mixed[row]:
			at = strconv.Itoa(row) + ":" + strconv.Itoa(row)
		default:
			at = strconv.Itoa(row)
		}
		out = append(out, at)
	}
	return out
}

// leadingCell returns the reference of a cell that a line begins with, "" for
// none, and its row.
func leadingCell(line string) (ref string, row int) {
	end := 0
	for end < len(line) && (line[end] >= 'A' && line[end] <= 'Z' || line[end] >= '0' && line[end] <= '9') {
		end++
	}
	if end == 0 || end > 10 || end == len(line) || line[end] != ':' && line[end] != ' ' {
		return "", 0
	}
	c := cellref.ParseEnd(line[:end])
	if c.Kind != cellref.CellEnd {
		return "", 0
	}
	return line[:end], c.Row
}

// holdsLabel reports whether a value has text that looks like the beginning of
// another cell of its row: "see, B7: there".
func holdsLabel(v string, row int) bool {
	for {
		_, rest, ok := strings.Cut(v, ", ")
		if !ok {
			return false
		}
		if ref, r := leadingCell(rest); ref != "" && r == row && strings.HasPrefix(rest[len(ref):], ": ") {
			return true
		}
		v = rest
	}
}

// RowCell is a cell of a line that shows a row.
type RowCell struct{ Ref, Text string }

// RowCells returns the cells of a line of a sheet's text that shows a row, unless
// its address (formats.Part.At) says that they cannot be told apart.
func RowCells(line string) []RowCell {
	var out []RowCell
	_, row := leadingCell(line)
	for line != "" {
		ref, _ := leadingCell(line)
		if ref == "" {
			return out
		}
		line = strings.TrimPrefix(line[len(ref):], ": ")
		end, next := len(line), len(line)
		for from := 0; ; {
			i := strings.Index(line[from:], ", ")
			if i < 0 {
				break
			}
			i += from
			if r, n := leadingCell(line[i+2:]); r != "" && n == row && strings.HasPrefix(line[i+2+len(r):], ": ") {
				end, next = i, i+2
				break
			}
			from = i + 2
		}
		out = append(out, RowCell{ref, line[:end]})
		line = line[next:]
	}
	return out
}
