package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

var (
	memoryProgram = flag.String("memory-program", "", "another program to measure with TestFiftyWorkbenches, such as an older one; nothing is asserted then")
	memoryBenches = flag.Int("memory-workbenches", 50, "how many workbenches TestFiftyWorkbenches has")
	memorySteps   = flag.String("memory-steps", "", "names of the steps of TestFiftyWorkbenches, such as read,document; all if empty")
	memoryLimit   = flag.String("memory-limit", "512MiB", "ATELIER_MEMORY_LIMIT of TestFiftyWorkbenches: what half of a machine of 1 GiB is")
)

// TestFiftyWorkbenches: fifty workbenches of one program that all read, edit, query,
// search, review and translate large documents at the same time stay within a machine of
// 1 GiB, all processes together, and every call is done.
func TestFiftyWorkbenches(t *testing.T) {
	campaign.Slow(t)
	if campaign.Race {
		t.Skip("measures memory, which the race detector multiplies")
	}
	workbenches := *memoryBenches
	paragraphs, rows := 1000, 2000
	if campaign.Full() {
		paragraphs, rows = 4000, 8000 // of 1.5 MB of XML each
	}
	path := *memoryProgram
	if path == "" {
		path = program(t)
	}
	p := startLoaded(t, path, "--home", t.TempDir(), "--tool-timeout", "30m")
	stop := p.watch()
	var all sync.WaitGroup
	for i := range workbenches {
		dir := filepath.Join(t.TempDir(), fmt.Sprint("folder ", i))
		require.NoError(t, os.Mkdir(dir, 0o700))
		writeLoad(t, dir, i, paragraphs, rows)
		all.Go(func() { p.work(dir, i) })
	}
	all.Wait()
	most, own := stop()
	var m engine.EngineMemory
	if *memoryProgram == "" {
		p.call("EngineGetMemory", obj{}, &m)
		t.Logf("budget: %+v", m)
		assert.Zero(t, m.Work+int64(m.Waiting), "%+v", m)
		assert.Positive(t, m.Waited, "the load is too small to show anything")
		assert.LessOrEqual(t, m.Most, m.Budget+m.Budget/8) // work inside work adds without waiting
		assert.Less(t, most, int64(1<<30))
	}
	formatstest.Report(t, "50 workbenches at work: at most %d MiB of all processes, %d MiB of the program", most>>20, own>>20)
}

// loadedProgram is a program that serves many calls at once.
type loadedProgram struct {
	t   *testing.T
	cmd *exec.Cmd

	mu      sync.Mutex
	in      io.Writer
	next    int
	waiting map[string]chan message
}

func startLoaded(t *testing.T, path string, flags ...string) *loadedProgram {
	cmd := exec.Command(path, append([]string{"serve"}, flags...)...)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=", "OPENAI_BASE_URL=", "ATELIER_MODEL=pseudo", "ATELIER_MEMORY_LIMIT="+*memoryLimit)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	p := &loadedProgram{t: t, cmd: cmd, in: in, waiting: map[string]chan message{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.read(out)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-read
		cmd.Wait()
		if t.Failed() {
			t.Logf("stderr: %.4000s", stderr.String())
		}
	})
	return p
}

func (p *loadedProgram) read(out io.Reader) {
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadBytes('\n')
		var m message
		if len(line) > 0 && json.Unmarshal(line, &m) == nil && m.Method == "" {
			p.mu.Lock()
			ch := p.waiting[string(m.ID)]
			delete(p.waiting, string(m.ID))
			p.mu.Unlock()
			ch <- m
		}
		if err != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			for id, ch := range p.waiting {
				close(ch)
				delete(p.waiting, id)
			}
			return
		}
	}
}

// call makes a call that must succeed.
func (p *loadedProgram) call(method string, params, into any) bool {
	p.mu.Lock()
	p.next++
	ch := make(chan message, 1)
	p.waiting[fmt.Sprint(p.next)] = ch
	b, err := json.Marshal(obj{"jsonrpc": "2.0", "id": p.next, "method": method, "params": params})
	if err == nil {
		_, err = fmt.Fprintf(p.in, "%s\n", b)
	}
	p.mu.Unlock()
	m, ok := <-ch
	if !assert.NoError(p.t, err) || !assert.True(p.t, ok, "%s: the program ended", method) || !assert.Nil(p.t, m.Error, "%s: %+v", method, m.Error) {
		return false
	}
	return into == nil || assert.NoError(p.t, json.Unmarshal(m.Result, into))
}

// tool makes a tool call that must succeed.
func (p *loadedProgram) tool(id, name string, args obj) {
	var r struct {
		Success bool
		Result  struct{ Text string }
		Error   json.RawMessage
	}
	if p.call("ToolCall", obj{"workbench_id": id, "tool": name, "args": args}, &r) {
		assert.True(p.t, r.Success, "%s %v: %s", name, args, r.Error)
		assert.NotEmpty(p.t, r.Result.Text)
	}
}

// work does on one workbench what a person and a model do. Each begins somewhere else.
func (p *loadedProgram) work(dir string, seed int) {
	var wb struct {
		ID string `json:"workbench_id"`
	}
	if !p.call("WorkbenchCreate", obj{"name": filepath.Base(dir), "root": dir}, &wb) {
		return
	}
	diff := func(path string) {
		p.call("ReviewGetContentDiff", obj{"workbench_id": wb.ID, "path": path}, nil)
	}
	steps := []struct {
		name string
		do   func()
	}{
		{"read", func() { p.tool(wb.ID, "read_file", obj{"path": "contract.docx"}) }},
		{"document", func() {
			p.tool(wb.ID, "docx_operations", obj{"path": "contract.docx", "operations": []obj{{"op": "replace_text", "search": "clause 7 ", "replace": "article 7 "}}})
			diff("contract.docx")
		}},
		{"workbook", func() {
			p.tool(wb.ID, "xlsx_operations", obj{"path": "book.xlsx", "operations": []obj{{"op": "sort_range", "sheet": "Data", "range": "A2:H2000", "by": []obj{{"column": "B", "descending": true}}}}})
			diff("book.xlsx")
		}},
		{"table", func() {
			p.tool(wb.ID, "table_query", obj{"path": "orders.csv", "query": "SELECT region, SUM(amount) FROM data GROUP BY region ORDER BY 2 DESC"})
		}},
		{"search", func() { p.tool(wb.ID, "search_files", obj{"query": "clause 999"}) }},
		{"pdf", func() { p.tool(wb.ID, "read_file", obj{"path": "report.pdf"}) }},
		{"translate", func() { p.translate(wb.ID) }},
	}
	for i := range steps {
		step := steps[(i+seed)%len(steps)]
		if *memorySteps == "" || slices.Contains(strings.Split(*memorySteps, ","), step.name) {
			step.do()
		}
	}
}

func (p *loadedProgram) translate(id string) {
	var job struct {
		ID string `json:"job_id"`
	}
	if !p.call("TranslateStart", obj{"workbench_id": id, "paths": []string{"contract.docx", "book.xlsx"}, "to": []string{"es"}, "engine": "pseudo"}, &job) {
		return
	}
	for {
		var st engine.TranslateStatusResult
		if !p.call("TranslateStatus", obj{"workbench_id": id, "job_id": job.ID}, &st) {
			return
		}
		if st.Status != "running" {
			for _, f := range st.Results {
				assert.Contains(p.t, []string{"ok", "flagged"}, string(f.Status), "%s", f.Error)
			}
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// watch measures the program with all processes that it started until the returned
// function is called, which returns the most of all together and of the program alone.
func (p *loadedProgram) watch() func() (all, own int64) {
	done, left := make(chan struct{}), make(chan struct{})
	most := int64(0)
	pid := strconv.Itoa(p.cmd.Process.Pid)
	go func() {
		defer close(left)
		for {
			most = max(most, residentTree(pid))
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return func() (int64, int64) {
		close(done)
		<-left
		return most, formatstest.ProcStatus(pid, "VmHWM") << 10
	}
}

// residentTree returns the resident memory of a process and its descendants, in bytes.
// Pages that several of them share, such as the program's code, count once (Pss of
// proc_pid_smaps(5)).
func residentTree(pid string) int64 {
	n := int64(0)
	rollup, _ := os.ReadFile("/proc/" + pid + "/smaps_rollup")
	for line := range strings.Lines(string(rollup)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			n = kb << 10
		}
	}
	threads, _ := os.ReadDir("/proc/" + pid + "/task")
	for _, th := range threads {
		b, _ := os.ReadFile("/proc/" + pid + "/task/" + th.Name() + "/children")
		for _, child := range strings.Fields(string(b)) {
			n += residentTree(child)
		}
	}
	return n
}

// writeLoad writes the documents of one workbench, which no other has.
func writeLoad(t *testing.T, dir string, seed, paragraphs, rows int) {
	var doc, sheet, csv bytes.Buffer
	for i := range paragraphs {
		fmt.Fprintf(&doc, `<w:p><w:pPr><w:jc w:val="both"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">clause %d of folder %d </w:t></w:r><w:r><w:t>The parties agree that item %d is delivered on day %d, as annex %d says in detail, and paid when it has arrived.</w:t></w:r></w:p>`, i, seed, i*7919%1000003, i*31%365, i%97)
	}
	csv.WriteString("id,region,amount,note\n")
	for r := 1; r <= rows; r++ {
		fmt.Fprintf(&sheet, `<row r="%d">`, r)
		for c := range 8 {
			if c%4 == 0 {
				fmt.Fprintf(&sheet, `<c r="%c%d" t="inlineStr"><is><t>part %d of %d</t></is></c>`, 'A'+c, r, (r*31+c)%9973, seed)
				continue
			}
			fmt.Fprintf(&sheet, `<c r="%c%d"><v>%d</v></c>`, 'A'+c, r, (r*7919+c*104729+seed)%1000003)
		}
		sheet.WriteString("</row>")
		for k := range 5 {
			fmt.Fprintf(&csv, "%d,region %d,%d.%02d,order %d of folder %d\n", r*5+k, r%40, (r*7919+k)%10007, k*7, r, seed)
		}
	}
	const head = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`
	const packageNS = "http://schemas.openxmlformats.org/package/2006/"
	const officeNS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	rel := func(id, kind, target string) string {
		return fmt.Sprintf(`<Relationships xmlns=%q><Relationship Id=%q Type=%q Target=%q/></Relationships>`, packageNS+"relationships", id, officeNS+"/"+kind, target)
	}
	types := func(part, kind string, more string) string {
		return head + `<Types xmlns="` + packageNS + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="` + part + `" ContentType="application/vnd.openxmlformats-officedocument.` + kind + `+xml"/>` + more + `</Types>`
	}
	writePackage(t, filepath.Join(dir, "contract.docx"), [][2]string{
		{"[Content_Types].xml", types("/word/document.xml", "wordprocessingml.document.main", "")},
		{"_rels/.rels", head + rel("rId1", "officeDocument", "word/document.xml")},
		{"word/document.xml", head + `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + doc.String() + `<w:sectPr/></w:body></w:document>`},
	})
	writePackage(t, filepath.Join(dir, "book.xlsx"), [][2]string{
		{"[Content_Types].xml", types("/xl/workbook.xml", "spreadsheetml.sheet.main", `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`)},
		{"_rels/.rels", head + rel("rId1", "officeDocument", "xl/workbook.xml")},
		{"xl/_rels/workbook.xml.rels", head + rel("rId1", "worksheet", "worksheets/sheet1.xml")},
		{"xl/workbook.xml", head + `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + officeNS + `"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`},
		{"xl/worksheets/sheet1.xml", head + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` + sheet.String() + `</sheetData></worksheet>`},
	})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "orders.csv"), csv.Bytes(), 0o600))
	content := fmt.Sprintf("BT /F1 12 Tf 72 720 Td (Report %d of the year) Tj ET", seed)
	pdf := formatstest.PDF("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content), "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "report.pdf"), pdf, 0o600))
}

func writePackage(t *testing.T, path string, parts [][2]string) {
	f, err := os.Create(path)
	require.NoError(t, err)
	z := zip.NewWriter(f)
	for _, p := range parts {
		w, err := z.Create(p[0])
		require.NoError(t, err)
		_, err = io.WriteString(w, p[1])
		require.NoError(t, err)
	}
	require.NoError(t, errors.Join(z.Close(), f.Close()))
}
