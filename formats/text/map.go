package text

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"unicode/utf8"

	"atelier/formats"
)

// ChunkLines is how many lines one chunk has (W-42).
const ChunkLines = 200

// maxChunks bounds the list of chunks in a map; chunk_count has the true number.
const maxChunks = 100

// Info is the map of a text file (W-33).
type Info struct {
	Encoding   string  `json:"encoding"`              // utf-8, utf-8-bom, utf-16le, utf-16be, windows-1250 …
	LineEnding string  `json:"line_ending,omitempty"` // "lf", "crlf", "mixed"; "" without any
	LineCount  int     `json:"line_count"`
	CharCount  int     `json:"char_count"`            // Unicode characters, line ends included
	Chunks     []Chunk `json:"chunks"`                // the first 100
	ChunkCount int     `json:"chunk_count"`
	*Table             // csv and tsv only
}

// Chunk is a window of lines that one read returns.
type Chunk struct {
	Index int    `json:"index"` // 0-based
	Lines string `json:"lines"` // "1-200": 1-based, both ends included
}

// Map implements formats.Mapper; its value is an Info.
func (format) Map(ctx context.Context, src formats.Source, _ formats.MapOptions) (any, error) {
	cs, err := detectCharset(ctx, src)
	if err != nil {
		return nil, err
	}
	var st stats
	r := io.TeeReader(cs.reader(ctx, src), &st)
	if !isTable(src) {
		if _, err := io.Copy(io.Discard, r); err != nil {
			return nil, err
		}
		return st.info(cs, nil), nil
	}
	t, err := mapTable(ctx, r, ext(src))
	if err != nil {
		return nil, err
	}
	return st.info(cs, t), nil
}

// stats counts lines and characters of a text stream.
type stats struct {
	lf, crlf, chars int
	last            byte
	any             bool
}

// Write counts b.
func (s *stats) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	s.lf += bytes.Count(b, []byte{'\n'})
	s.crlf += bytes.Count(b, []byte("\r\n"))
	if s.any && s.last == '\r' && b[0] == '\n' {
		s.crlf++
	}
	// Counting first bytes instead of characters is right across buffers.
	s.chars += countChars(b)
	s.last, s.any = b[len(b)-1], true
	return len(b), nil
}

// countChars counts the bytes that begin a character. A stray continuation
// byte in a damaged file is not counted.
func countChars(b []byte) int {
	n := 0
	for _, c := range b {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

func (s *stats) lines() int {
	if s.any && s.last != '\n' {
		return s.lf + 1
	}
	return s.lf
}

func (s *stats) info(cs charset, t *Table) Info {
	in := Info{Encoding: cs.name, Table: t, LineCount: s.lines(), CharCount: s.chars, Chunks: []Chunk{}}
	switch {
	case s.lf == 0:
	case s.crlf == 0:
		in.LineEnding = "lf"
	case s.crlf == s.lf:
		in.LineEnding = "crlf"
	default:
		in.LineEnding = "mixed"
	}
	in.ChunkCount = chunksOf(in.LineCount)
	for i := range min(in.ChunkCount, maxChunks) {
		in.Chunks = append(in.Chunks, Chunk{i, fmt.Sprintf("%d-%d", i*ChunkLines+1, min((i+1)*ChunkLines, in.LineCount))})
	}
	in.fit()
	return in
}

func chunksOf(lines int) int { return (lines + ChunkLines - 1) / ChunkLines }
