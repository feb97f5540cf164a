package catalogue_test

import (
	"atelier/internal/campaign"

	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/formats/tags"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

var update = flag.Bool("update", false, "rewrite golden files")

var ctx = context.Background()

// rig is a workbench on our own documents with the workshop catalogue.
type rig struct {
	t   testing.TB
	wb  *workshop.Workbench
	cat *tools.Catalogue
	env *tools.Env
}

func newRig(t testing.TB) *rig {
	t.Helper()
	dir := t.TempDir()
	root := formatstest.Root(t)
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, "testdata", "documents"))))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "bad"), os.DirFS(filepath.Join(root, "testdata", "bad"))))
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(ctx, dir)
	require.NoError(t, err)
	r := &rig{t: t, wb: wb, cat: catalogue.Workshop()}
	r.env = &tools.Env{View: wb.DraftView(workshop.Cause{}), Formats: all.Formats(all.Options{CacheDir: formatstest.Cache}),
		Recall: func(ctx context.Context, id int64) (string, error) {
			e, err := wb.ToolLog(ctx, id)
			return e.Result, err
		},
		LogResult: func(ctx context.Context, tool, args, full string, ok bool) (int64, error) {
			return wb.LogTool(ctx, workshop.ToolLogEntry{Tool: tool, Args: args, Result: full, Success: ok})
		}}
	return r
}

func (r *rig) call(tool, args string) tools.Result {
	return r.cat.Call(ctx, r.env, tool, json.RawMessage(args))
}

// ok is a call that must succeed.
func (r *rig) ok(tool, args string) string {
	r.t.Helper()
	res := r.call(tool, args)
	require.True(r.t, res.Success, "%s %s: %s", tool, args, res.Text)
	return res.Text
}

func (r *rig) bytes(path string) []byte {
	r.t.Helper()
	src, err := r.env.View.Open(ctx, workshop.Path(path))
	require.NoError(r.t, err)
	defer src.Close()
	b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	require.NoError(r.t, err)
	return b
}

// W-06…W-08, W-21, W-34…W-41, W-46, W-47, X-20, X-41: each failure in the words
// a model gets.
func TestMessages(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct{ tool, args, want string }{
		{"foo", `{}`, "Error: unknown tool: foo"},
		{"read_file", `{"path":"x.txt"}`, "Error: file not found: x.txt"},
		{"get_file_info", `{"path":"x.txt"}`, "Error: file not found: x.txt"},
		{"get_file_info", `{}`, "Error: path is required"},
		{"get_file_info", `{"path":null}`, "Error: path is required"},
		{"read_file", `{"path":""}`, "Error: path is required"},
		{"read_file", `{"path"`, "Error: invalid arguments: the JSON is cut off"},
		{"read_file", `[1]`, "Error: invalid arguments: expected an object"},
		{"read_file", `{"path":7}`, "Error: invalid arguments: path: expected a string, got number"},
		{"read_file", `{"path":"notas.md","line_start":"x"}`, `Error: invalid arguments: line_start: expected an integer, got "x"`},
		{"read_file", `{"path":"../notas.md"}`, "Error: SANDBOX_VIOLATION"},
		{"read_file", `{"path":"/etc/passwd"}`, "Error: SANDBOX_VIOLATION"},
		{"read_file", `{"path":"a\\b"}`, "Error: SANDBOX_VIOLATION"},
		{"read_file", `{"path":"sales.xlsx","sheet":"X"}`, "Error: unknown sheet: X"},
		{"read_file", `{"path":"contrato.docx","section":"X"}`, "Error: section not found: X"},
		{"read_file", `{"path":"presentacion.pptx","slide_index":99}`, "Error: invalid slide_index"},
		{"write_text_file", `{"path":"a.pdf","content":"x"}`, "Error: a.pdf is a pdf file; pdf files are read-only"},
		{"write_text_file", `{"path":"a.png","content":"x"}`, "Error: a.png is an image file; image files are read-only"},
		{"write_text_file", `{"path":"a.xlsx","content":"x"}`, "Error: a.xlsx is an xlsx file and cannot be written as text; use xlsx_operations"},
		{"write_text_file", `{"path":"a.txt"}`, "Error: content is required"},
		{"xlsx_operations", `{"path":"sales.xlsx"}`, "Error: operations is required"},
		{"xlsx_operations", `{"path":"sales.xlsx","operations":[]}`, "Error: operations is required"},
		{"xlsx_operations", `{"path":"none.xlsx","operations":[{"op":"ensure_sheet","sheet":"A"}]}`, "Error: file not found: none.xlsx"},
		{"xlsx_operations", `{"path":"n.xlsx","create_new":true,"copy_from":"q.xlsx","operations":[{"op":"ensure_sheet","sheet":"A"}]}`, "Error: FILE_READ_FAILED: source file not found: q.xlsx"},
		{"xlsx_operations", `{"path":"contrato.docx","operations":[{"op":"ensure_sheet","sheet":"A"}]}`, "Error: contrato.docx is a docx file, not xlsx"},
		{"docx_operations", `{"path":"contrato.docx","operations":[{"op":"insert_field","at":"p1","code":"INCLUDETEXT a.docx"}]}`, "Error: the field \"INCLUDETEXT\" cannot be written; there are DATE"},
		{"docx_operations", `{"path":"bad/cut.docx","operations":[{"op":"append_paragraph","text":"x"}]}`, "Error: FILE_READ_FAILED: "},
		{"docx_operations", `{"path":"bad/encrypted.docx","operations":[{"op":"append_paragraph","text":"x"}]}`, "Error: FILE_READ_FAILED: "},
		{"read_file", `{"path":"bad/text.pptx"}`, "Error: FILE_READ_FAILED: "},
		{"read_file", `{"path":"bad/empty.xlsx"}`, "Error: FILE_READ_FAILED: "},
		{"read_file", `{"path":"bad/truncated.pdf"}`, "Error: FILE_READ_FAILED: "},
		{"get_file_info", `{"path":"bad/bomb.docx"}`, "Error: FILE_READ_FAILED: "},
		{"get_segments", `{"path":"bad/not-a-bitmap.png"}`, "Error: bad/not-a-bitmap.png is an image file, which cannot be translated"},
		{"put_translations", `{"path":"notas.md","translations":[]}`, "Error: translations is required"},
		{"recall_tool_result", `{"entry_id":12345}`, "Error: there is no tool log entry 12345"},
	} {
		res := r.call(c.tool, c.args)
		require.False(t, res.Success, "%s %s", c.tool, c.args)
		require.True(t, strings.HasPrefix(res.Text, c.want), "%s %s: %s", c.tool, c.args, res.Text)
		require.NotNil(t, res.Fault)
	}
	for _, c := range []struct{ tool, path, op, want string }{
		{"xlsx_operations", "sales.xlsx", `{"op":"explode"}`, "unsupported op: explode"},
		{"docx_operations", "contrato.docx", `{"op":"explode"}`, "unsupported op: explode"},
		{"pptx_operations", "presentacion.pptx", `{"op":"explode"}`, "unsupported op: explode"},
		{"pptx_operations", "presentacion.pptx", `{"op":"set_slide_text","index":77,"title":"x"}`, "invalid slide index"},
		{"pptx_operations", "presentacion.pptx", `{"op":"set_slide_text","slide_index":77,"title":"x"}`, "invalid slide index"},
		{"xlsx_operations", "sales.xlsx", `{"op":"delete_sheet","sheet":"Nope"}`, "unknown sheet: Nope"},
		{"xlsx_operations", "sales.xlsx", `5`, "an operation must be an object with a member op"},
		{"docx_operations", "contrato.docx", `5`, "an operation must be an object with a member op"},
	} {
		res := r.call(c.tool, fmt.Sprintf(`{"path":%q,"operations":[%s]}`, c.path, c.op))
		require.False(t, res.Success)
		require.Equal(t, "Error: "+c.want, res.Text)
		var head struct{ Op string }
		json.Unmarshal([]byte(c.op), &head)
		named := "operation 1: "
		if head.Op != "" {
			named = "operation 1 (" + head.Op + "): "
		}
		res = r.call(c.tool, fmt.Sprintf(`{"path":%q,"operations":[%s,%s]}`, c.path, c.op, c.op))
		require.Equal(t, "Error: "+named+c.want, res.Text, "W-46: of several, the position is named")
	}
	cs, err := r.wb.Changes(ctx)
	require.NoError(t, err)
	require.Empty(t, cs, "failures change nothing")
}

// W-31, W-33, W-35…W-38, W-41…W-43, X-11, X-26, A-15, A-16.
func TestResults(t *testing.T) {
	r := newRig(t)
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.ok("list_files", `{}`)), &list))
	require.Equal(t, "bad/bomb.docx", list[0]["path"])
	require.Equal(t, "docx", list[0]["kind"])
	require.Equal(t, "Successfully wrote 6 bytes to carpeta ñ/hola 🙂.txt", r.ok("write_text_file", `{"path":"carpeta ñ/hola 🙂.txt","content":"añ\nb\n"}`))
	require.Equal(t, "añ\nb\n", r.ok("read_file", `{"path":"carpeta ñ/hola 🙂.txt","sheet":"X","section":null}`))
	require.Contains(t, r.ok("read_file", `{"path":"carpeta ñ/hola 🙂.txt","line_start":" 2 ","line_count":1}`), "b")
	require.Contains(t, r.ok("list_files", `{}`), "hola 🙂.txt")
	require.True(t, strings.HasPrefix(r.ok("read_file", `{"path":"sales.xlsx","sheet":"Sales","range":"A1:B4"}`), `{"chunk_info":`) ||
		strings.HasPrefix(r.ok("read_file", `{"path":"sales.xlsx","sheet":"Sales","range":"A1:B4"}`), "Sheet: Sales\n"))
	require.Equal(t, "Image file: bad/not-a-bitmap.png (use get_file_info for metadata)", r.ok("read_file", `{"path":"bad/not-a-bitmap.png"}`))
	require.Equal(t, "Successfully created n.xlsx", r.ok("xlsx_operations", `{"path":"n.xlsx","create_if_missing":"TRUE","operations":[{"op":"ensure_sheet","sheet":"A"}]}`))
	require.Equal(t, "Successfully updated n.xlsx (2 operations)", r.ok("xlsx_operations", `{"path":"n.xlsx","operations":[{"op":"ensure_sheet","sheet":"A"},{"op":"set_range","sheet":"A","start":"B2","values":[["x",1.5],[true,null]]}]}`))
	require.Contains(t, r.ok("docx_operations", `{"path":"contrato.docx","operations":[{"op":"replace_text","find":"Fabricante","replace":"Productor"}]}`), "replaced")
	require.Contains(t, r.ok("docx_operations", `{"path":"contrato.docx","operations":[{"op":"replace_text","search":"qqqq","replace":"x"}]}`), "was not found")
	require.Equal(t, "Successfully updated presentacion.pptx (1 operations)", r.ok("pptx_operations", `{"path":"presentacion.pptx","operations":[{"op":"set_slide_text","slide_index":0,"title":"Nuevo"}]}`))
	require.True(t, strings.Contains(r.ok("read_file", `{"path":"presentacion.pptx","slide_index":0}`), "# Slide 1"))
	require.Equal(t, r.ok("read_file", `{"path":"contrato.docx","section":"1"}`), r.ok("read_file", `{"path":"contrato.docx","section":1}`), "W-38: a number is its digits")
	require.Equal(t, "Successfully created y.xlsx", r.ok("xlsx_operations", `{"path":"y.xlsx","create_if_missing":true,"operations":[{"op":"set_range","sheet":"2025","start":"A1","values":[["x"]]}]}`))
	require.Contains(t, r.ok("read_file", `{"path":"y.xlsx","sheet":2025}`), "Sheet: 2025\nA1: x")
	for path, keys := range map[string][]string{"sales.xlsx": {"sheets"}, "contrato.docx": {"sections"}, "presentacion.pptx": {"slides", "slide_count"}, "notas.md": {"line_count", "char_count", "chunks"}} {
		text := r.ok("get_file_info", fmt.Sprintf(`{"path":%q}`, path))
		require.LessOrEqual(t, len(text), 9<<10)
		var info map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &info))
		for _, k := range append(keys, "path", "kind", "size", "mime_type", "hash") {
			require.Contains(t, info, k, path)
		}
	}
}

// W-46: a failing operation leaves the file as before and is named.
func TestW46AllOrNothing(t *testing.T) {
	r := newRig(t)
	before := r.bytes("sales.xlsx")
	res := r.call("xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Sales","cells":[{"cell":"A1","value":"x"}]},{"op":"set_cells","sheet":"Sales","cells":[{"cell":"A0","value":1}]},{"op":"ensure_sheet","sheet":"Z"}]}`)
	require.False(t, res.Success)
	require.Contains(t, res.Text, "operation 2 (set_cells)")
	require.Equal(t, before, r.bytes("sales.xlsx"))
}

// D-11: the English copy beside the original; numbers and formulas unchanged.
func TestD11EnglishCopy(t *testing.T) {
	r := newRig(t)
	require.Contains(t, r.ok("read_file", `{"path":"sales.xlsx","sheet":"Sales","range":"A1:J6"}`), "Producto")
	r.ok("xlsx_operations", `{"path":"data_english.xlsx","create_new":true,"copy_from":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Resumen","cells":[{"cell":"A1","value":"Summary"}]}]}`)
	a, err := excelize.OpenReader(bytes.NewReader(r.bytes("sales.xlsx")))
	require.NoError(t, err)
	b, err := excelize.OpenReader(bytes.NewReader(r.bytes("data_english.xlsx")))
	require.NoError(t, err)
	require.Equal(t, a.GetSheetList(), b.GetSheetList())
	changed := 0
	for _, sheet := range a.GetSheetList() {
		rows, err := a.GetRows(sheet, excelize.Options{RawCellValue: true})
		require.NoError(t, err)
		for i, row := range rows {
			for j := range row {
				cell, _ := excelize.CoordinatesToCellName(j+1, i+1)
				fa, _ := a.GetCellFormula(sheet, cell)
				fb, _ := b.GetCellFormula(sheet, cell)
				require.Equal(t, fa, fb, cell)
				va, _ := a.GetCellValue(sheet, cell, excelize.Options{RawCellValue: true})
				vb, _ := b.GetCellValue(sheet, cell, excelize.Options{RawCellValue: true})
				if fa == "" && va != vb {
					changed++
				}
			}
		}
	}
	require.Equal(t, 1, changed)
}

// Segments go out in pages and come back in several calls, over every kind;
// a target with wrong tags is refused by itself.
func TestTranslationRoundTrip(t *testing.T) {
	r := newRig(t)
	r.env.ResultMax = 3000
	for _, path := range []string{"sales.xlsx", "contrato.docx", "presentacion.pptx", "notas.md", "clientes.csv"} {
		to := "out-" + path
		want := map[string]string{}
		for offset := 0; ; {
			var page struct {
				Total, Next int
				HasMore     bool `json:"has_more"`
				Segments    []formats.Segment
			}
			text := r.ok("get_segments", fmt.Sprintf(`{"path":%q,"offset":%d,"limit":30}`, path, offset))
			require.LessOrEqual(t, len(text), 3000)
			require.NoError(t, json.Unmarshal([]byte(text), &page))
			var ts []map[string]string
			for _, s := range page.Segments {
				want[s.ID] = "«" + s.Text + "»"
				ts = append(ts, map[string]string{"id": s.ID, "text": want[s.ID]})
			}
			ts = append(ts, map[string]string{"id": page.Segments[0].ID, "text": "<9>wrong</9>"}, map[string]string{"id": "nope", "text": "x"})
			args, _ := json.Marshal(map[string]any{"path": path, "to_path": to, "translations": ts})
			res := r.ok("put_translations", string(args))
			require.Contains(t, res, `"id":"nope","reason":"no segment has this id"`)
			require.Contains(t, res, fmt.Sprintf(`"rejected":[{"id":%q,"reason":"the tag `, page.Segments[0].ID))
			if offset = page.Next; !page.HasMore {
				require.Len(t, want, page.Total)
				break
			}
		}
		src := formats.FromBytes(to, r.bytes(to))
		f, err := r.env.Formats.Detect(ctx, src)
		require.NoError(t, err)
		segs, err := f.Segmenter.Segments(ctx, src, formats.SegmentOptions{})
		require.NoError(t, err)
		for _, s := range segs {
			require.Contains(t, tags.Plain(s.Text), strings.TrimSuffix(strings.TrimPrefix(tags.Plain(want[s.ID]), "«"), "»"), "%s %s", path, s.ID)
		}
	}
}

// W-18: a long result is shortened, says how to go on, and recall gives exactly
// the whole.
func TestW18Recall(t *testing.T) {
	r := newRig(t)
	for i := range 200 {
		require.NoError(t, os.WriteFile(filepath.Join(r.wb.Root(), fmt.Sprintf("línea %d.txt", i)), []byte("x"), 0o600))
	}
	res := r.call("list_files", `{}`)
	require.True(t, res.Truncated)
	require.Greater(t, len(res.Full), tools.DefaultResultMax)
	require.LessOrEqual(t, len(res.Text), tools.DefaultResultMax)
	var part tools.Part
	require.NoError(t, json.Unmarshal([]byte(res.Text), &part))
	var id, offset int
	_, err := fmt.Sscanf(part.Chunk.Next, `recall_tool_result {"entry_id":%d,"offset":%d}`, &id, &offset)
	require.NoError(t, err, part.Chunk.Next)
	require.Equal(t, len([]rune(part.Text)), offset)
	whole := part.Text
	for range 20 {
		text := r.ok("recall_tool_result", fmt.Sprintf(`{"entry_id":%d,"offset":%d,"limit":"9000"}`, id, offset))
		require.LessOrEqual(t, len(text), tools.DefaultResultMax)
		part := tools.Part{Text: text}
		if strings.HasPrefix(text, `{"chunk_info":`) {
			require.NoError(t, json.Unmarshal([]byte(text), &part))
		}
		whole += part.Text
		if part.Chunk == nil || !part.Chunk.HasMore {
			break
		}
		_, err := fmt.Sscanf(part.Chunk.Next, "offset=%d", &offset)
		require.NoError(t, err)
	}
	require.Equal(t, res.Full, whole)
}

// the same handler on a draft and on the published files.
func TestA03BothViews(t *testing.T) {
	r := newRig(t)
	draft := r.ok("read_file", `{"path":"notas.md"}`)
	r.env.View = r.wb.Published()
	require.Equal(t, draft, r.ok("read_file", `{"path":"notas.md"}`))
	res := r.call("write_text_file", `{"path":"a.txt","content":"x"}`)
	require.False(t, res.Success)
	require.Equal(t, workshop.Forbidden, res.Fault.Code)
}

// names are unique; an unknown one is a NOT_FOUND fault; a panic stays
// inside.
func TestA01Registry(t *testing.T) {
	reg := catalogue.Builtin()
	_, err := reg.Lookup("nope")
	require.True(t, workshop.IsFault(err, workshop.NotFound))
	boom := tools.New("list", "", tools.Read, func(context.Context, *tools.Env, struct{}) (any, error) { panic("boom") })
	require.Error(t, reg.Register(boom))
	own := tools.NewRegistry()
	require.NoError(t, own.Register(boom))
	cat, err := tools.NewCatalogue(tools.Style{Name: "own"}, tools.Direct("list", boom))
	require.NoError(t, err)
	res := cat.Call(ctx, &tools.Env{}, "list", nil)
	require.Equal(t, "Error: internal error in list", res.Text)
	require.Equal(t, workshop.Internal, res.Fault.Code)
}

// W-30, A-02: the schemas are what the golden file says, plain enough for every
// endpoint.
func TestW30Schemas(t *testing.T) {
	ts := catalogue.Workshop().Tools()
	have, err := json.MarshalIndent(ts, "", "  ")
	require.NoError(t, err)
	path := filepath.Join("testdata", "schemas.json")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, append(have, '\n'), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(have)+"\n", "schemas changed: go test ./workshop/tools/catalogue -update")
	require.NotContains(t, string(have), `"$ref"`)
	require.NotContains(t, string(have), `"null"`)
	for _, tool := range ts {
		var s jsonschema.Schema
		require.NoError(t, json.Unmarshal(tool.Function.Parameters, &s))
		_, err := s.Resolve(nil)
		require.NoError(t, err, tool.Function.Name)
		require.Equal(t, "object", s.Type)
		if strings.HasSuffix(tool.Function.Name, "_operations") {
			item := s.Properties["operations"].Items
			require.Equal(t, []string{"op"}, item.Required)
			require.NotEmpty(t, item.Properties["op"].Enum)
		}
	}
}

// No arguments whatever make a tool panic, and one that fails changes nothing.
func TestRandomArguments(t *testing.T) {
	r := newRig(t)
	var names []string
	for _, tool := range r.cat.Tools() {
		names = append(names, tool.Function.Name)
	}
	value := rapid.SampledFrom([]string{`1`, `-1`, `""`, `"notas.md"`, `"sales.xlsx"`, `"contrato.docx"`, `"presentacion.pptx"`, `null`, `true`, `[]`, `{}`, `[{}]`, `[{"op":"set_cells"}]`,
		`[{"op":"replace_text","search":"a"}]`, `[null]`, `[[1]]`, `"1-5"`, `"A1:ZZ"`, `1e300`, `"../x"`, `"\u0000"`, `[{"op":"set_range","sheet":"S","start":"A1","values":[1]}]`, `[{"op":"add_slide","at":-5}]`, `"ventas.csv"`, `"SELECT * FROM data"`, `{"a":"sales.xlsx#x"}`, `"out.xlsx"`})
	key := rapid.SampledFrom(strings.Fields("path sheet range section slide_index pages line_start line_count content operations create_if_missing create_new copy_from entry_id offset limit translations to_path language query target_path columns row_start window_rows tables mode start_cell"))
	rapid.Check(t, func(rt *rapid.T) {
		m := rapid.MapOfN(key, value, 0, 6).Draw(rt, "args")
		var sb strings.Builder
		for k, v := range m {
			fmt.Fprintf(&sb, `,%q:%s`, k, v)
		}
		args := "{" + strings.TrimPrefix(sb.String(), ",") + "}"
		before, err := r.wb.Changes(ctx)
		require.NoError(rt, err)
		res := r.call(rapid.SampledFrom(names).Draw(rt, "tool"), args)
		require.NotContains(rt, res.Text, "internal error", args)
		if !res.Success {
			after, err := r.wb.Changes(ctx)
			require.NoError(rt, err)
			require.Equal(rt, before, after, args)
		}
	})
}

// Every real document gives text or an error that says why.
func TestCorpusReads(t *testing.T) {
	set := all.Formats(all.Options{CacheDir: formatstest.Cache})
	cat := catalogue.Workshop()
	for _, kind := range []string{"docx", "xlsx", "pptx", "pdf"} {
		home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
		require.NoError(t, err)
		defer home.Close()
		files := formatstest.Corpus(t, kind)
		if testing.Short() {
			files = formatstest.Sample(t, kind)
		}
		wb, err := home.OpenFolder(ctx, filepath.Dir(files[0]))
		require.NoError(t, err)
		failed := 0
		for i, path := range files {
			if campaign.Leaves(i, 3) {
				continue
			}
			for _, tool := range []string{"get_file_info", "read_file"} {
				args, _ := json.Marshal(map[string]string{"path": filepath.Base(path)})
				res := cat.Call(ctx, &tools.Env{View: wb.DraftView(workshop.Cause{}), Formats: set}, tool, args)
				require.LessOrEqual(t, len(res.Text), tools.DefaultResultMax)
				require.NotContains(t, res.Text, "internal error")
				if !res.Success {
					failed++
					require.True(t, strings.HasPrefix(res.Text, "Error: FILE_READ_FAILED: "), "%s: %s", path, res.Text)
				}
			}
		}
		t.Logf("%s: %d files, %d calls failed with a reason", kind, len(files), failed)
	}
}

func BenchmarkReadSmall(b *testing.B) {
	r := newRig(b)
	r.ok("write_text_file", `{"path":"a.txt","content":"hello"}`)
	for b.Loop() {
		r.ok("read_file", `{"path":"a.txt"}`)
	}
}

func BenchmarkListFiles(b *testing.B) {
	r := newRig(b)
	for b.Loop() {
		r.ok("list_files", `{}`)
	}
}
