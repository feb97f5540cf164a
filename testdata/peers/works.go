package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// input is what both sides of a work get: a folder of documents, which neither changes, a
// folder for results, and the size of the documents in rows, paragraphs, slides, pages or
// files.
type input struct {
	dir, out string
	n        int
}

func (in input) file(name string) string   { return filepath.Join(in.dir, name) }
func (in input) result(name string) string { return filepath.Join(in.out, name) }

// work is one thing that Atelier does and, where there is one, what people would use
// instead. Each side must give the result that the input has by its making.
type work struct {
	name  string // of the size %d
	group string // what "…" in the name stands for, set by choose
	n     int    // the size at 1×
	make  func(dir string, n int) error
	ours  ours
	first bool // in a data folder in which no PDF was read yet
	again bool // measured after the same work by another process of the same data folder
	peers []peer
	grows int // the size at 1× in the table of growth; 0: not in it
}

// ours does the work with Atelier in the data folder home and returns what it took.
type ours interface {
	do(r *runner, home string, in input) (usage, error)
}

// peer is another program that does the work. want is what its output must contain.
type peer struct {
	name string
	here func() error
	argv func(in input) []string
	want func(in input) string
}

// calls are calls of tools in one process of atelier mcp.
type calls func(s *session, in input) error

func (c calls) do(r *runner, home string, in input) (usage, error) {
	s, err := open(r.atelier, home, in.dir)
	if err != nil {
		return usage{}, err
	}
	if err := c(s, in); err != nil {
		s.kill()
		return usage{}, err
	}
	return s.close()
}

// command is another command of Atelier.
type command func(r *runner, home string, in input) (usage, error)

func (c command) do(r *runner, home string, in input) (usage, error) { return c(r, home, in) }

// one is one call of a tool whose answer must contain want.
func one(tool string, args, want func(in input) string) ours {
	return calls(func(s *session, in input) error { return s.expect(tool, args(in), want(in)) })
}

// expect calls a tool with arguments as JSON and looks for want in the answer.
func (s *session) expect(tool, args, want string) error {
	answer, err := s.call(tool, raw(args))
	if err == nil && !strings.Contains(answer, want) {
		err = fmt.Errorf("%s %s: no %q in the answer: %s", tool, args, want, clip(answer))
	}
	return err
}

// edit is one operation on a document.
func edit(tool, path string, op, want func(in input) string) ours {
	return one(tool, func(in input) string { return `{"path":"` + path + `","operations":[` + op(in) + `]}` }, want)
}

func always(s string) func(input) string { return func(input) string { return s } }

// sized formats the size, divided by by.
func sized(format string, by int) func(input) string {
	return func(in input) string { return fmt.Sprintf(format, in.n/by) }
}

const replaceOp = `{"op":"replace_text","search":"Widget","replace":"Gadget"}`

func works() []work {
	return append(append(append(workbooks(), documents()...), tables()...), others()...)
}

func workbooks() []work {
	openpyxl := func(program string, want func(input) string, more ...string) []peer {
		return []peer{python("openpyxl", "openpyxl", "xlsx_"+program, want, func(in input) []string {
			return append([]string{in.file("book.xlsx")}, append(more, in.result("book.xlsx"))...)
		})}
	}
	book := func(dir string, n int) error { return writeXLSX(dir, 1, n) }
	return []work{
		{name: "workbook, %d × 10: map", n: 20_000, make: book, grows: 20_000, peers: openpyxl("map", sized("formulas %d", 1)),
			ours: one("get_file_info", always(`{"path":"book.xlsx"}`), func(in input) string { return fmt.Sprintf("A1:J%d", in.n+1) })},
		{name: "… read 50 rows at the top", n: 20_000, make: book, peers: openpyxl("read", always("50 rows"), "1"),
			ours: one("read_file", always(`{"path":"book.xlsx","range":"A1:J50"}`), always("Region"))},
		{name: "… read 50 rows in the middle", n: 20_000, make: book, peers: openpyxl("read", always("50 rows"), "10000"),
			ours: one("read_file", always(`{"path":"book.xlsx","range":"A10000:J10049"}`), always("10049"))},
		{name: "… set 10 cells", n: 20_000, make: book, grows: 20_000, peers: openpyxl("set", always("set 10")),
			ours: edit("xlsx_operations", "book.xlsx", setTen, always("Successfully"))},
		{name: "… insert a row (formulas follow in Atelier only)", n: 20_000, make: book, grows: 20_000, peers: openpyxl("insert", always("inserted")),
			ours: edit("xlsx_operations", "book.xlsx", always(`{"op":"insert_rows","sheet":"Data","row":3,"count":1}`), always("made Data!3:3"))},
		{name: "… `replace_text`, a hit in a tenth of the rows", n: 20_000, make: book, grows: 20_000, peers: openpyxl("replace", sized("replaced %d", 10)),
			ours: edit("xlsx_operations", "book.xlsx", always(replaceOp), sized("%d replaced", 10))},
		{name: "… sort the rows", n: 20_000, make: book, grows: 20_000, peers: openpyxl("sort", sized("sorted %d", 1)),
			ours: edit("xlsx_operations", "book.xlsx", func(in input) string {
				return fmt.Sprintf(`{"op":"sort_range","sheet":"Data","range":"A2:J%d","by":[{"column":"A"}]}`, in.n+1)
			}, always("Successfully"))},
	}
}

func setTen(input) string {
	var cells []string
	for i := range 10 {
		cells = append(cells, fmt.Sprintf(`{"cell":"D%d","value":%d}`, 2+i, 1000+i))
	}
	return `{"op":"set_cells","sheet":"Data","cells":[` + strings.Join(cells, ",") + `]}`
}

func documents() []work {
	office := func(module, program, file string, want func(input) string, more ...string) peer {
		return python("python-"+module, module, program, want, func(in input) []string {
			return append([]string{in.file(file)}, append(more, in.result(file))...)
		})
	}
	report := func(dir string, n int) error { return writeDOCX(filepath.Join(dir, "report.docx"), 1, n) }
	deck := func(dir string, n int) error { return writePPTX(dir, 1, n) }
	lxml := python("zipfile and lxml", "lxml", "pptx_replace_lxml", sized("replaced %d", 1), func(in input) []string {
		return []string{in.file("deck.pptx"), in.result("deck.pptx")}
	})
	return []work{
		{name: "document, %d paragraphs: map", n: 4000, make: report, grows: 1000,
			ours:  one("get_file_info", always(`{"path":"report.docx"}`), sized(`"count":%d`, 20)),
			peers: []peer{office("docx", "docx_map", "report.docx", sized("Chapter %d", 20))}},
		{name: "… read one chapter", n: 4000, make: report,
			ours:  one("read_file", always(`{"path":"report.docx","section":"Chapter 50"}`), always("Chapter 50")),
			peers: []peer{office("docx", "docx_read", "report.docx", always("Chapter 50"), "Chapter 50")}},
		{name: "… read all chapters, one after the other", n: 4000, make: report, grows: 1000, ours: calls(readChapters),
			peers: []peer{{"pandoc, to text", program("pandoc"), func(in input) []string { return []string{"pandoc", "-t", "plain", in.file("report.docx")} }, sized("Chapter %d", 20)}}},
		{name: "… `replace_text`, a hit in a tenth of the paragraphs", n: 4000, make: report, grows: 1000,
			ours:  edit("docx_operations", "report.docx", always(replaceOp), sized("%d replaced", 10)),
			peers: []peer{office("docx", "docx_replace", "report.docx", sized("replaced %d", 10))}},
		{name: "slides, %d: read one", n: 100, make: deck,
			ours:  one("read_file", always(`{"path":"deck.pptx","slide_index":50}`), always("Slide 51")),
			peers: []peer{python("python-pptx", "pptx", "pptx_read", always("Slide 51"), func(in input) []string { return []string{in.file("deck.pptx"), "50"} })}},
		{name: "… `replace_text`, a hit on each", n: 100, make: deck, grows: 50,
			ours:  edit("pptx_operations", "deck.pptx", always(replaceOp), sized("%d replaced", 1)),
			peers: []peer{office("pptx", "pptx_replace", "deck.pptx", sized("replaced %d", 1)), lxml}},
	}
}

func readChapters(s *session, in input) error {
	for i := range in.n / 20 {
		if err := s.expect("read_file", fmt.Sprintf(`{"path":"report.docx","section":"%d"}`, i), fmt.Sprintf("Chapter %d", i+1)); err != nil {
			return err
		}
	}
	return nil
}

func pdfPeers() []peer {
	want := sized("needle on page %d", 1)
	return []peer{
		{"pdftotext", program("pdftotext"), func(in input) []string { return []string{"pdftotext", in.file("report.pdf"), "-"} }, want},
		{"mutool", program("mutool"), func(in input) []string { return []string{"mutool", "draw", "-F", "txt", in.file("report.pdf")} }, want},
		python("PyMuPDF", "fitz", "pdf_text", want, func(in input) []string { return []string{in.file("report.pdf")} }),
	}
}

// pagesRead finds the last page of an answer that does not have the whole document.
var pagesRead = regexp.MustCompile(`"range":"pages? (?:\d+-)?(\d+)"`)

// readPDF reads all pages, at most five at once; an answer may have fewer, and says which.
func readPDF(s *session, in input) error {
	for page := 1; page <= in.n; {
		answer, err := s.call("read_file", map[string]any{"path": "report.pdf", "pages": fmt.Sprintf("%d-%d", page, min(page+4, in.n))})
		if err != nil {
			return err
		}
		last := page
		if part := pagesRead.FindStringSubmatch(answer); part != nil {
			if last, err = strconv.Atoi(part[1]); err != nil {
				return err
			}
		}
		if want := fmt.Sprintf("needle on page %d\n", last); last < page || !strings.Contains(strings.ReplaceAll(answer, `\n`, "\n"), want) {
			return fmt.Errorf("pages from %d: no %q in the answer: %s", page, want, clip(answer))
		}
		page = last + 1
	}
	return nil
}

const groupBy = "SELECT region, count(*), sum(amount) AS total FROM data GROUP BY region ORDER BY region"

func tables() []work {
	csv := func(dir string, n int) error { return writeCSV(dir, 1, n) }
	duckdb := func(program string, want string, more ...string) peer {
		return node("DuckDB", "csv_"+program, always(want), func(in input) []string { return append([]string{in.file("sales.csv")}, more...) })
	}
	query := func(q string) ours {
		return one("table_query", always(`{"path":"sales.csv","query":"`+q+`"}`), always("north"))
	}
	sqlite := peer{"sqlite3, import and query", program("sqlite3"), func(in input) []string {
		return []string{"sqlite3", ":memory:", "-csv", ".import '" + in.file("sales.csv") + "' data", groupBy}
	}, always("north")}
	noAS := strings.Replace(groupBy, " AS total", " total", 1)
	return []work{
		{name: "csv of %d rows: describe", n: 1_000_000, make: csv, grows: 62_500, peers: []peer{duckdb("describe", "region")},
			ours: one("table_describe", always(`{"path":"sales.csv"}`), sized(`"row_count":%d`, 1))},
		{name: "… `GROUP BY`, new file", n: 1_000_000, make: csv, grows: 62_500, peers: []peer{duckdb("query", "north", groupBy), sqlite}, ours: query(groupBy)},
		{name: "… with an alias without AS", n: 1_000_000, make: csv, peers: []peer{duckdb("query", "north", noAS)}, ours: query(noAS)},
		{name: "… another question by another process", n: 1_000_000, make: csv, again: true, peers: []peer{duckdb("query", "north", groupBy)}, ours: query(groupBy)},
	}
}

func others() []work {
	tree := func(dir string, n int) error { return writeTree(dir, 1, n) }
	pdf := func(dir string, n int) error { return writePDF(dir, 1, n) }
	rg := func(want func(input) string, args ...string) []peer {
		return []peer{{"ripgrep", program("rg"), func(in input) []string { return append(append([]string{"rg", "--no-config"}, args...), in.dir) }, want}}
	}
	fd := func(want func(input) string, args ...string) []peer {
		return []peer{{"fd", program("fdfind"), func(in input) []string { return append(append([]string{"fdfind"}, args...), in.dir) }, want}}
	}
	return []work{
		{name: "PDF of %d pages: all text, in windows of 5 pages", n: 200, make: pdf, grows: 50, peers: pdfPeers(), ours: calls(readPDF)},
		{name: "… again, by another process", n: 200, make: pdf, again: true, peers: pdfPeers()[:1], ours: calls(readPDF)},
		{name: "… the first PDF of a data folder", n: 200, make: pdf, first: true, peers: pdfPeers()[:1], ours: calls(readPDF)},
		{name: "%d text files: list them", n: 5000, make: tree, grows: 1000, peers: fd(always("note-999.txt"), "--type", "f", "."), ours: one("list_files", always(`{}`), always("note-0.txt"))},
		{name: "… find by name", n: 5000, make: tree, peers: fd(always("note-999.txt"), "note-999"), ours: one("search_files", always(`{"query":"note-999"}`), always("note-999.txt"))},
		{name: "… grep, as spelled", n: 5000, make: tree, grows: 1000, peers: rg(always("needle"), "needle"), ours: one("search_files", always(`{"query":"needle","match_case":true}`), sized("%d hits in", 100))},
		{name: "… grep, any case, 1,000 hits shown", n: 5000, make: tree, peers: rg(always("Carriers"), "-i", "CARRIERS"), ours: one("search_files", always(`{"query":"CARRIERS","max":1000}`), always("note-1.txt"))},
		{name: "%d documents: translate with Apertium", n: 20, make: reports, ours: translate("apertium"),
			peers: []peer{{"`apertium -f docx` for each", program("apertium"), func(in input) []string {
				return []string{"sh", "-c", `cd "$1" && for f in *.docx; do apertium -f docx eng-spa "$f" "$2/$f" || exit 1; done; ls "$2"`, "sh", in.dir, in.out}
			}, always("report-0.docx")}}},
		{name: "%d documents: translate with the offline model", n: 20, make: reports, grows: 10, ours: translate("pseudo")},
		{name: "conversation of %d messages", n: 20, make: func(dir string, _ int) error { return writeTree(dir, 1, 1) }, grows: 20, ours: command(converse)},
	}
}

// reports are n documents of 60 paragraphs.
func reports(dir string, n int) error {
	for i := range n {
		if err := writeDOCX(filepath.Join(dir, fmt.Sprintf("report-%d.docx", i)), uint64(i), 60); err != nil {
			return err
		}
	}
	return nil
}

func translate(engine string) ours {
	return command(func(r *runner, home string, in input) (usage, error) {
		out := filepath.Join(home, "translated")
		u, _, err := r.run(home, r.atelier, "translate", in.dir, "--from", "en", "--to", "es", "--engine", engine, "--jobs", "1", "--out", out, "--home", home)
		if err != nil {
			return u, err
		}
		found, err := filepath.Glob(filepath.Join(out, "*.docx"))
		if err == nil && len(found) != in.n {
			list, _ := os.ReadDir(out)
			err = fmt.Errorf("%d documents of %d were translated: %v", len(found), in.n, list)
		}
		return u, err
	})
}
