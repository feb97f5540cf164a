package text

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

func mapOf(t testing.TB, name, s string) Info {
	t.Helper()
	v, err := Format().Mapper.Map(context.Background(), formats.FromBytes(name, []byte(s)), formats.MapOptions{})
	require.NoError(t, err)
	return v.(Info)
}

func readLines(t *testing.T, s string, start, count *int) formats.Text {
	t.Helper()
	got, err := Format().Reader.Read(context.Background(), formats.FromBytes("a.txt", []byte(s)), formats.Selector{LineStart: start, LineCount: count, Sheet: "ignored"})
	require.NoError(t, err)
	return got
}

func num(n int) *int { return &n }

func numberedLines(n int) string {
	var sb strings.Builder
	for i := range n {
		fmt.Fprintf(&sb, "line %d\n", i+1)
	}
	return sb.String()
}

func TestLineModelA11(t *testing.T) {
	for s, want := range map[string]int{"": 0, "\n": 1, "a\nb\n": 2, "a\nb": 2, "a\r\nb\r\n": 2, "\n\n": 2, "a\rb": 1} {
		require.Equal(t, want, mapOf(t, "a.txt", s).LineCount, "%q", s)
	}
}

func TestMapW33(t *testing.T) {
	in := mapOf(t, "a.txt", numberedLines(450))
	require.Equal(t, 450, in.LineCount)
	require.Equal(t, 3, in.ChunkCount, "W-42")
	require.Equal(t, []Chunk{{0, "1-200"}, {1, "201-400"}, {2, "401-450"}}, in.Chunks)
	require.Equal(t, "lf", in.LineEnding)
	require.Nil(t, in.Table)
	j, err := json.Marshal(mapOf(t, "a.txt", "añó\r\nx"))
	require.NoError(t, err)
	require.JSONEq(t, `{"encoding":"utf-8","line_ending":"crlf","line_count":2,"char_count":6,"chunks":[{"index":0,"lines":"1-2"}],"chunk_count":1}`, string(j))
	require.Equal(t, "mixed", mapOf(t, "a.txt", "a\nb\r\n").LineEnding)
	big := mapOf(t, "a.txt", numberedLines(100_000))
	require.Equal(t, 500, big.ChunkCount)
	require.Len(t, big.Chunks, maxChunks, "the list is bounded")
}

func TestReadW36(t *testing.T) {
	require.Equal(t, "b\n", readLines(t, "a\nb\nc", num(2), num(1)).Text, "line ends are the file's")
	require.Equal(t, "c", readLines(t, "a\nb\nc", num(3), num(9)).Text)
	require.Equal(t, "a\r\nb\r\n", readLines(t, "a\r\nb\r\nc\r\n", num(0), num(2)).Text)
	require.Equal(t, "a\n", readLines(t, "a\nb", num(-7), num(1)).Text)
	require.Equal(t, formats.Text{Chunk: &formats.ChunkInfo{TotalChunks: 1, Range: "none"}, Notes: []string{"the file has 3 lines; line 4 is past its end"}}, readLines(t, "a\nb\nc", num(4), num(1)), "past the end")
	require.Equal(t, []string{"the file is empty"}, readLines(t, "", num(1), nil).Notes)
	require.Equal(t, formats.Text{Text: "a\nb\n"}, readLines(t, "a\nb\n", nil, nil), "no selector: the whole file as it is")
	require.Equal(t, formats.Text{Text: "a\nb\n"}, readLines(t, "a\nb\n", num(1), nil))

	got := readLines(t, numberedLines(450), num(201), nil)
	require.True(t, strings.HasPrefix(got.Text, "line 201\n"))
	require.True(t, strings.HasSuffix(got.Text, "\nline 400\n"))
	require.Equal(t, &formats.ChunkInfo{ChunkIndex: 1, TotalChunks: 3, HasMore: true, Range: "201-400", Next: "line_start=401"}, got.Chunk)
	got = readLines(t, numberedLines(450), num(401), nil)
	require.Equal(t, &formats.ChunkInfo{ChunkIndex: 2, TotalChunks: 3, Range: "401-450"}, got.Chunk)
	require.Equal(t, "line 1\n", readLines(t, numberedLines(450), nil, num(1)).Text)
}

func TestLargeFiles(t *testing.T) {
	big := numberedLines(200_000)
	got := readLines(t, big, nil, nil)
	require.Equal(t, "1-200", got.Chunk.Range)
	require.True(t, got.Chunk.HasMore)
	require.Equal(t, 1000, got.Chunk.TotalChunks)
	require.Equal(t, "line 150000\n", readLines(t, big, num(150_000), num(1)).Text)
	// One line of 3 MiB: cut, and said so.
	long := strings.Repeat("é", 3<<19) + "\nlast\n"
	got = readLines(t, long, nil, nil)
	require.LessOrEqual(t, len(got.Text), MaxWhole+3)
	require.Contains(t, got.Notes[0], "was cut")
	require.Equal(t, "line_start=2", got.Chunk.Next)
	require.Equal(t, "last\n", readLines(t, long, num(2), nil).Text)
	// A window over the cap ends at a whole line.
	wide := strings.Repeat(strings.Repeat("x", 300_000)+"\n", 9)
	got = readLines(t, wide, num(1), num(9))
	require.Equal(t, "1-3", got.Chunk.Range)
	require.Equal(t, "line_start=4", got.Chunk.Next)
}

func TestCharsets(t *testing.T) {
	const s = "niño €\n"
	le, err := utf16LE.enc.NewEncoder().String(strings.Repeat(s, 20))
	require.NoError(t, err)
	be, err := utf16BE.enc.NewEncoder().String(strings.Repeat(s, 20))
	require.NoError(t, err)
	latin, err := cp1252.enc.NewEncoder().String(strings.Repeat(s, 20))
	require.NoError(t, err)
	for _, c := range []struct{ in, want string }{
		{strings.Repeat(s, 20), "utf-8"}, {"\xef\xbb\xbf" + strings.Repeat(s, 20), "utf-8-bom"},
		{"\xff\xfe" + le, "utf-16le"}, {le, "utf-16le"}, {"\xfe\xff" + be, "utf-16be"}, {be, "utf-16be"}, {latin, "windows-1252"},
	} {
		in := mapOf(t, "a.txt", c.in)
		require.Equal(t, c.want, in.Encoding)
		require.Equal(t, 20, in.LineCount, c.want)
		require.Equal(t, 140, in.CharCount, c.want)
		require.Equal(t, strings.Repeat(s, 20), readLines(t, c.in, nil, nil).Text, c.want)
	}
	// A character cut by the window of the detection is not damage; some damage
	// in much UTF-8 does not make it Windows-1252.
	require.Equal(t, "utf-8", mapOf(t, "a.txt", "x"+strings.Repeat("é", 200_000)).Encoding)
	damaged := strings.Repeat("é", 100) + "\xff\n"
	require.Equal(t, "utf-8", mapOf(t, "a.txt", damaged).Encoding)
	require.Contains(t, readLines(t, damaged, nil, nil).Text, "\uFFFD")
	require.Equal(t, "utf-8", mapOf(t, "a.txt", "").Encoding)
}

func TestMapTable(t *testing.T) {
	in := mapOf(t, "a.csv", "Nombre;Edad\n\"Peña; \nAna\";3\r\n\nLuis;\"4\"\"\"\n")
	require.Equal(t, &Table{Delimiter: ";", Quote: `"`, HasHeader: true, Columns: []TableColumn{{"Nombre", "text"}, {"Edad", "text"}}, ColumnCount: 2, RowCount: 2}, in.Table)
	in = mapOf(t, "a.csv", "1,2\n3,4")
	require.Equal(t, &Table{Delimiter: ",", Quote: `"`, Columns: []TableColumn{{"A", "integer"}, {"B", "integer"}}, ColumnCount: 2, RowCount: 2}, in.Table)
	require.Equal(t, "\t", mapOf(t, "a.tsv", "a,b\tc\n").Delimiter)
	require.Equal(t, 0, mapOf(t, "a.csv", "").RowCount)
	wide := mapOf(t, "a.csv", strings.Repeat("col,", 5000)+"x\n")
	require.Equal(t, 5001, wide.ColumnCount)
	require.LessOrEqual(t, len(wide.Columns), maxColumns)
	long, err := json.Marshal(mapOf(t, "a.csv", strings.Repeat(strings.Repeat("name", 30)+",", 500)+"x\n"+numberedLines(50_000)))
	require.NoError(t, err)
	require.LessOrEqual(t, len(long), formats.MaxMap, "peers.md: maps grow with the file")
	typed := mapOf(t, "a.csv", "id;price;day;ok;name\n1;2,5;2024-01-31;true;x\n2;3,5;;false;\n")
	require.Equal(t, []TableColumn{{"id", "integer"}, {"price", "number"}, {"day", "date"}, {"ok", "boolean"}, {"name", "text"}}, typed.Columns)
	open := mapOf(t, "a.csv", "a,b\n1,\"never closed\n"+strings.Repeat("x,y\n", 5<<20))
	require.Contains(t, open.Damage, "row 2 has more than")
	require.Equal(t, 2+(5<<20), open.LineCount)
	var sb strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&sb, "%d,\"text\n%d\",x\n", i, i)
	}
	require.Equal(t, 50_000, mapOf(t, "a.csv", sb.String()).RowCount)
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	src := formats.FromBytes("a.txt", []byte("x"))
	f := Format()
	_, err := f.Mapper.Map(ctx, src, formats.MapOptions{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = f.Reader.Read(ctx, src, formats.Selector{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = f.Segmenter.Segments(ctx, src, formats.SegmentOptions{})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, f.Segmenter.Replace(ctx, src, io.Discard, map[string]string{"p1": "y"}, formats.ReplaceOptions{}), context.Canceled)
}

func FuzzText(f *testing.F) {
	f.Add("a.md", []byte("# a *b*\n\n| x | y |\n|-|-|\n| c | d |\n"))
	f.Add("a.csv", []byte("a,\"b\"\"\nc\"\n=1,d"))
	f.Add("a.txt", []byte("\xff\xfea\x00b\x00"))
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		src := formats.FromBytes(name, b)
		ft := Format()
		if _, err := ft.Mapper.Map(context.Background(), src, formats.MapOptions{}); err != nil {
			require.NotEmpty(t, formats.CodeOf(err))
		}
		if _, err := ft.Reader.Read(context.Background(), src, formats.Selector{}); err != nil {
			require.NotEmpty(t, formats.CodeOf(err))
		}
		segs, err := ft.Segmenter.Segments(context.Background(), src, formats.SegmentOptions{})
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err))
			return
		}
		same := map[string]string{}
		for _, s := range segs {
			same[s.ID] = s.Text
		}
		var out bytes.Buffer
		require.NoError(t, ft.Segmenter.Replace(context.Background(), src, &out, same, formats.ReplaceOptions{}))
		require.Equal(t, b, append([]byte{}, out.Bytes()...))
	})
}
