package catalogue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/docx"
	"atelier/formats/formatstest"
	"atelier/formats/pptx"
	"atelier/formats/xlsx"
	"atelier/internal/campaign"
	"atelier/workshop/tools"
)

// piece is one answer of read_file.
type piece struct {
	Chunk *formats.ChunkInfo `json:"chunk_info"`
	Note  string             `json:"note"`
	Text  string             `json:"text"`
	next  map[string]any
}

var nextMember = regexp.MustCompile(`(\w+)=("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^\s"]+)`)

// argumentsOf reads what next says, as a model would.
func argumentsOf(t require.TestingT, next string) map[string]any {
	out := map[string]any{}
	for _, m := range nextMember.FindAllStringSubmatch(next, -1) {
		out[m[1]] = m[2]
		if n, err := strconv.Atoi(m[2]); err == nil {
			out[m[1]] = n
		} else if s, err := strconv.Unquote(m[2]); err == nil {
			out[m[1]] = s
		} else if strings.HasPrefix(m[2], "[") {
			var list []string
			for _, q := range regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).FindAllString(m[2], -1) {
				s, err := strconv.Unquote(q)
				require.NoError(t, err)
				list = append(list, s)
			}
			out[m[1]] = list
		}
	}
	require.NotEmpty(t, out, next)
	return out
}

// follow reads a file part by part, as each answer says.
func (r *rig) follow(t require.TestingT, path string, args map[string]any) []piece {
	var out []piece
	for range 20_000 {
		args["path"] = path
		b, err := json.Marshal(args)
		require.NoError(t, err)
		res := r.call("read_file", string(b))
		require.True(t, res.Success, "%s: %s", b, res.Text)
		require.False(t, res.Truncated, "the reader chose what fits: %s", b)
		require.LessOrEqual(t, len(res.Text), r.env.Max())
		p := piece{Text: res.Text}
		if strings.HasPrefix(res.Text, `{"chunk_info":`) || strings.HasPrefix(res.Text, `{"note":`) {
			p = piece{}
			require.NoError(t, json.Unmarshal([]byte(res.Text), &p), res.Text)
		}
		if p.Chunk == nil || !p.Chunk.HasMore {
			return append(out, p)
		}
		p.next = argumentsOf(t, p.Chunk.Next)
		out, args = append(out, p), p.next
	}
	require.Fail(t, "it never ends")
	return nil
}

// joined puts the parts together: sep is between two, but for one that goes on
// inside a line, page or paragraph.
func joined(parts []piece, sep string) string {
	var sb strings.Builder
	for i, p := range parts {
		if i > 0 && parts[i-1].next["offset"] == nil {
			sb.WriteString(sep)
		}
		sb.WriteString(p.Text)
	}
	return sb.String()
}

var resultMax = rapid.SampledFrom([]int{2 << 10, 4 << 10, 16 << 10, 16 << 10, 1 << 20})

// W-36, W-42: following next through a text file gives each of its characters
// once, whatever its lines are like; each part holds the lines it says.
func TestFollowingTextFiles(t *testing.T) {
	campaign.Checks(t, 80)
	r := newRig(t)
	line := rapid.OneOf(
		rapid.StringN(0, 60, 200), rapid.StringMatching(`[a-z ,.]{0,120}`), rapid.Just(""),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.SampledFrom([]string{"x", "ñ", "漢", "🙂", `"`, "\\", "\t", "\u2028", "a b "}).Draw(t, "unit"), rapid.IntRange(500, 20_000).Draw(t, "times"))
		}),
	)
	rapid.Check(t, func(rt *rapid.T) {
		var sb strings.Builder
		lines := rapid.SliceOfN(line, 0, 60).Draw(rt, "lines")
		times := rapid.SampledFrom([]int{1, 1, 5, 40}).Draw(rt, "times")
		for range times {
			for _, l := range lines {
				if sb.Len() > 400_000 {
					break
				}
				l = strings.Map(func(c rune) rune {
					if c == '\n' || c == '\r' || c == 0 || c == '\ufeff' {
						return -1
					}
					return c
				}, strings.ToValidUTF8(l, "?"))
				sb.WriteString(l + rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(rt, "end"))
			}
		}
		content := sb.String()
		if rapid.Bool().Draw(rt, "no final newline") {
			content = strings.TrimRight(content, "\r\n")
		}
		require.NoError(rt, os.WriteFile(filepath.Join(r.wb.Root(), "f.txt"), []byte(content), 0o600))
		r.env.ResultMax = resultMax.Draw(rt, "max")
		parts := r.follow(rt, "f.txt", map[string]any{})
		require.Equal(rt, content, joined(parts, ""))
		at := 1
		for i, p := range parts {
			if content == "" {
				require.Equal(rt, "the file is empty", p.Note)
			}
			if p.Chunk == nil || strings.Contains(p.Chunk.Range, "characters") || i > 0 && parts[i-1].next["offset"] != nil {
				at = -1
				continue
			}
			var from, to int
			_, err := fmt.Sscanf(p.Chunk.Range, "%d-%d", &from, &to)
			require.NoError(rt, err)
			if at > 0 {
				require.Equal(rt, at, from)
			}
			require.Equal(rt, to-from+1, strings.Count(strings.TrimSuffix(p.Text, "\n"), "\n")+1, "the lines it really holds")
			at = to + 1
		}
	})
}

// The window that started it: 200 lines asked for, fewer fit.
func TestCutWindowSaysItsLines(t *testing.T) {
	r := newRig(t)
	var sb strings.Builder
	for i := range 600 {
		fmt.Fprintf(&sb, "%d %s\n", i+1, strings.Repeat("word ", 40))
	}
	require.NoError(t, os.WriteFile(filepath.Join(r.wb.Root(), "long.txt"), []byte(sb.String()), 0o600))
	p := r.follow(t, "long.txt", map[string]any{"line_start": 1})[0]
	held := strings.Count(p.Text, "\n")
	require.Less(t, held, 200)
	require.Equal(t, fmt.Sprintf("1-%d", held), p.Chunk.Range)
	require.Equal(t, fmt.Sprintf("line_start=%d", held+1), p.Chunk.Next)
	require.Greater(t, len(p.Text), tools.DefaultResultMax*9/10, "room is used")
	for args, want := range map[string]piece{
		`{"line_start":601}`:                  {Note: "the file has 600 lines; line 601 is past its end", Chunk: &formats.ChunkInfo{ChunkIndex: 3, TotalChunks: 3, Range: "none"}},
		`{"line_start":599,"line_count":99}`:  {Chunk: &formats.ChunkInfo{ChunkIndex: 2, TotalChunks: 3, Range: "599-600"}},
		`{"line_start":0,"line_count":1}`:     {Chunk: &formats.ChunkInfo{TotalChunks: 3, Range: "1-1", HasMore: true, Next: "line_start=2"}},
		`{"line_start":-9,"line_count":"-1"}`: {Chunk: p.Chunk},
	} {
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(args), &m))
		got := r.follow(t, "long.txt", m)[0]
		require.Equal(t, want.Chunk, got.Chunk, args)
		require.Equal(t, want.Note, got.Note, args)
	}
}

// apply makes an office file in the folder.
func (r *rig) apply(t require.TestingT, f *formats.Format, path string, ops ...any) {
	var raw []json.RawMessage
	for _, op := range ops {
		b, err := json.Marshal(op)
		require.NoError(t, err)
		raw = append(raw, b)
	}
	var out bytes.Buffer
	_, err := f.Editor.Apply(ctx, nil, &out, raw, formats.ApplyOptions{})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(r.wb.Root(), path), out.Bytes(), 0o600))
}

type obj = map[string]any

func filler(t *rapid.T, name string, most int) string {
	unit := rapid.SampledFrom([]string{"word ", "ñandú, ", "漢字", "🙂 ", `"q" `}).Draw(t, name+" unit")
	return strings.TrimSpace(unit + strings.Repeat(unit, rapid.IntRange(0, most/len(unit)).Draw(t, name+" times")))
}

// whole is what a reader gives without any bound.
func (r *rig) whole(t require.TestingT, path string, sel formats.Selector) string {
	src := formats.FromBytes(path, r.bytes(path))
	f, err := r.env.Formats.Detect(ctx, src)
	require.NoError(t, err)
	sel.AsShown = true // as read_file asks for it
	got, err := f.Reader.Read(context.Background(), src, sel)
	require.NoError(t, err)
	return got.Text
}

// Documents: paragraphs, also those longer than an answer, with and without
// addresses.
func TestFollowingDocx(t *testing.T) {
	campaign.Checks(t, 80)
	r := newRig(t)
	rapid.Check(t, func(rt *rapid.T) {
		var ops []any
		for range rapid.IntRange(1, 25).Draw(rt, "paragraphs") {
			ops = append(ops, obj{"op": "append_paragraph", "text": filler(rt, "text", rapid.SampledFrom([]int{20, 3000, 30_000}).Draw(rt, "size"))})
		}
		r.apply(rt, docx.Format(), "f.docx", ops...)
		r.env.ResultMax = resultMax.Draw(rt, "max")
		include := rapid.SampledFrom([][]string{nil, {"addresses"}}).Draw(rt, "include")
		args := obj{}
		if include != nil {
			args["include"] = include
		}
		if include != nil { // next of a chunk does not repeat what to include: ask by section
			args["section"] = "0"
		}
		got := joined(r.follow(rt, "f.docx", args), "\n")
		require.Equal(rt, r.whole(rt, "f.docx", formats.Selector{Include: include}), got)
	})
}

func TestFollowingPptx(t *testing.T) {
	campaign.Checks(t, 80)
	r := newRig(t)
	rapid.Check(t, func(rt *rapid.T) {
		var ops []any
		for i := range rapid.IntRange(1, 12).Draw(rt, "slides") {
			ops = append(ops, obj{"op": "add_slide", "title": fmt.Sprint("Title ", i), "bullets": []string{filler(rt, "bullet", rapid.SampledFrom([]int{20, 2000, 25_000}).Draw(rt, "size"))}})
		}
		r.apply(rt, pptx.Format(), "f.pptx", ops...)
		r.env.ResultMax = resultMax.Draw(rt, "max")
		require.Equal(rt, r.whole(rt, "f.pptx", formats.Selector{}), joined(r.follow(rt, "f.pptx", obj{}), "\n\n"))
	})
}

var cellPair = regexp.MustCompile(`^(?:, )?([A-Z]+[0-9]+): `)

// cellsOf reads the cells that texts of a workbook show, and fails on one that
// is shown twice.
func cellsOf(t require.TestingT, text string, have map[string]string) {
	sheet := ""
	for _, l := range strings.Split(text, "\n") {
		if name, ok := strings.CutPrefix(l, "Sheet: "); ok {
			sheet = name
			continue
		}
		for l != "" && !strings.HasPrefix(l, "... (truncated") {
			m := cellPair.FindStringSubmatch(l)
			require.NotNil(t, m, "%.80q", l)
			l = l[len(m[0]):]
			end := len(l)
			if at := regexp.MustCompile(`, [A-Z]+[0-9]+: `).FindStringIndex(l); at != nil {
				end = at[0]
			}
			require.NotContains(t, have, sheet+"!"+m[1], "shown twice")
			have[sheet+"!"+m[1]], l = l[:end], l[end:]
		}
	}
}

// Workbooks: every cell of every sheet is shown once, beyond 200 rows and 50
// columns too.
func TestFollowingXlsx(t *testing.T) {
	campaign.Checks(t, 20)
	r := newRig(t)
	rapid.Check(t, func(rt *rapid.T) {
		want := map[string]string{}
		var ops []any
		for s := range rapid.IntRange(1, 4).Draw(rt, "sheets") {
			sheet := rapid.SampledFrom([]string{"S", "Ventas Q1", "it's", "2025", "ñ"}).Draw(rt, "name") + fmt.Sprint(s)
			ops = append(ops, obj{"op": "ensure_sheet", "sheet": sheet})
			rows := rapid.SampledFrom([]int{0, 1, 7, 150, 430}).Draw(rt, "rows")
			cols := rapid.SampledFrom([]int{1, 3, 60}).Draw(rt, "cols")
			if rows*cols > 5000 {
				cols = 3
			}
			var cells []any
			for row := 1; row <= rows; row++ {
				if rapid.IntRange(0, 9).Draw(rt, "blank") == 0 {
					continue
				}
				for col := 1; col <= cols; col++ {
					v := fmt.Sprintf("v%d.%d", row, col)
					if rapid.IntRange(0, 400).Draw(rt, "long") == 0 {
						v = filler(rt, "cell", 20_000)
						v = strings.NewReplacer(",", ";").Replace(v)
					}
					at := xlsx.ColumnName(col) + strconv.Itoa(row)
					want[sheet+"!"+at] = v
					cells = append(cells, obj{"cell": at, "value": v, "literal": true})
				}
			}
			if len(cells) > 0 {
				ops = append(ops, obj{"op": "set_cells", "sheet": sheet, "cells": cells, "literal": true})
			}
		}
		r.apply(rt, xlsx.Format(), "f.xlsx", ops...)
		r.env.ResultMax = resultMax.Draw(rt, "max")
		have := map[string]string{}
		cellsOf(rt, joined(r.follow(rt, "f.xlsx", obj{}), "\n"), have)
		require.Equal(rt, want, have)

		book, err := excelize.OpenReader(bytes.NewReader(r.bytes("f.xlsx")))
		require.NoError(rt, err)
		sheet := rapid.SampledFrom(book.GetSheetList()).Draw(rt, "one sheet")
		have = map[string]string{}
		cellsOf(rt, joined(r.follow(rt, "f.xlsx", obj{"sheet": sheet}), "\n"), have)
		for at, v := range want {
			if strings.HasPrefix(at, sheet+"!") {
				require.Equal(rt, v, have[at], at)
				delete(have, at)
			}
		}
		require.Empty(rt, have, "no other sheet")
	})
}

// The corpus, over the agent's path: nothing is skipped and nothing said twice.
func TestFollowingCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("reads documents of the corpus: left out with -short")
	}
	r := newRig(t)
	for kind, sep := range map[string]string{"docx": "\n", "pptx": "\n\n", "pdf": "\n"} {
		n := 0
		for _, path := range formatstest.Sample(t, kind) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			name := "corpus." + kind
			src := formats.FromBytes(name, b)
			f, err := r.env.Formats.Detect(ctx, src)
			require.NoError(t, err)
			if len(b) > 3<<20 {
				continue
			}
			all, err := f.Reader.Read(ctx, src, formats.Selector{AsShown: true})
			if err != nil || len(all.Text) > 600_000 {
				continue
			}
			require.NoError(t, os.WriteFile(filepath.Join(r.wb.Root(), name), b, 0o600))
			require.Equal(t, all.Text, joined(r.follow(t, name, obj{}), sep), path)
			n++
		}
		t.Logf("%s: %d files followed to their end", kind, n)
		require.Positive(t, n)
	}
	var n int
	for _, path := range formatstest.Sample(t, "xlsx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		if len(b) > 300<<10 {
			continue
		}
		require.NoError(t, os.WriteFile(filepath.Join(r.wb.Root(), "corpus.xlsx"), b, 0o600))
		if !r.call("read_file", `{"path":"corpus.xlsx"}`).Success {
			continue
		}
		parts := r.follow(t, "corpus.xlsx", obj{})
		want, have := map[string]int{}, map[string]int{}
		for _, l := range strings.Split(joined(parts, "\n"), "\n") {
			have[l]++
		}
		r.env.ResultMax = math.MaxInt32
		for _, l := range strings.Split(joined(r.follow(t, "corpus.xlsx", obj{}), "\n"), "\n") {
			want[l]++
		}
		r.env.ResultMax = 0
		for _, m := range []map[string]int{want, have} {
			for l := range m {
				if l == "" || strings.HasPrefix(l, "Sheet: ") || strings.HasPrefix(l, "...") || strings.HasPrefix(l, "(") {
					delete(m, l)
				}
			}
		}
		require.Equal(t, want, have, path)
		n++
	}
	require.Positive(t, n)
	t.Logf("xlsx: %d files followed to their end", n)
}
