package image

import (
	"encoding/binary"
	"math"
)

// Value is a value of a record: Kind says which of the fields holds it.
type Value struct {
	Kind  Kind
	Int   int64
	Float float64
	Text  []byte // within the image
}

// Kind is what a Value is.
type Kind uint8

// The kinds of value that a Writer writes.
const (
	Null Kind = iota
	Int
	Float
	Text
)

// MaxScan is the longest row that Scan can read: longer ones are spread over
// several pages.
const MaxScan = maxLocal

// Pages returns how many pages an image has.
func Pages(img []byte) int { return len(img) / pageSize }

// Scan gives the values of some columns for the rows of the pages from to to-1
// of an image whose rows have at most MaxScan bytes. columns must ascend; f
// gets the 0-based row and the place in columns. Different pages can be scanned
// at once.
func Scan(img []byte, from, to int, columns []int, f func(row, i int, v Value)) {
	for p := max(from, 1); p < to; p++ {
		page := img[p*pageSize : (p+1)*pageSize]
		if page[0] != 0x0d {
			continue // an inner page
		}
		n := int(binary.BigEndian.Uint16(page[3:]))
		for k := range n {
			cell := page[binary.BigEndian.Uint16(page[leafHead+2*k:]):]
			_, cell = varint(cell)
			rowid, cell := varint(cell)
			headLen, rest := varint(cell)
			head, body := rest[:int(headLen)-(len(cell)-len(rest))], cell[headLen:]
			scanRecord(head, body, columns, int(rowid)-1, f)
		}
	}
}

func scanRecord(head, body []byte, columns []int, row int, f func(row, i int, v Value)) {
	for col, i := 0, 0; i < len(columns) && len(head) > 0; col++ {
		var serial uint64
		if head[0] < 0x80 {
			serial, head = uint64(head[0]), head[1:]
		} else {
			serial, head = varint(head)
		}
		size := sizeOf(serial)
		if col == columns[i] {
			f(row, i, valueOf(serial, body[:size]))
			i++
		}
		body = body[size:]
	}
}

func sizeOf(serial uint64) int {
	switch serial {
	case 0, 8, 9:
		return 0
	case 1, 2, 3, 4:
		return int(serial)
	case 5:
		return 6
	case 6, 7:
		return 8
	}
	return int(serial-12) / 2
}

func valueOf(serial uint64, b []byte) Value {
	switch serial {
	case 0:
		return Value{}
	case 7:
		return Value{Kind: Float, Float: math.Float64frombits(binary.BigEndian.Uint64(b))}
	case 8, 9:
		return Value{Kind: Int, Int: int64(serial - 8)}
	case 1, 2, 3, 4, 5, 6:
		n := int64(int8(b[0]))
		for _, c := range b[1:] {
			n = n<<8 | int64(c)
		}
		return Value{Kind: Int, Int: n}
	}
	return Value{Kind: Text, Text: b}
}

// varint reads a variable-length integer (fileformat2, 1.6).
func varint(b []byte) (uint64, []byte) {
	var n uint64
	for i := range 8 {
		n = n<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return n, b[i+1:]
		}
	}
	return n<<8 | uint64(b[8]), b[9:]
}
