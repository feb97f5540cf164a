package docx

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/libreoffice"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// layoutLimit bounds the document that LibreOffice is given, in bytes.
const layoutLimit = 64 << 20

// pageForm is a page number in one of its formats.
var pageForm = lazyregexp.New(`^([0-9]{1,6}|[ivxlcdmIVXLCDM]{1,15}|[a-zA-Z]{1,4}|[0-9A-Za-z]{1,6}[-–.:][0-9]{1,6}|\?)$`)

// layoutMark begins the paragraph that pagesOf adds to its copy.
const layoutMark = "ATELIER-PAGES"

// pagesOf returns the pages on which bookmarks of the body begin, as LibreOffice
// lays out a copy of the document and numbers its pages. It is nil with a reason
// where LibreOffice cannot be asked.
func (e *editing) pagesOf(ctx context.Context, marks []string) (pages map[string]string, why string, err error) {
	switch {
	case !libreoffice.Installed():
		return nil, "LibreOffice is not installed", nil
	case e.locked:
		return nil, "the document is encrypted, and is given to no other program", nil
	}
	var buf bytes.Buffer
	if err := e.ed.Write(ctx, &buf); err != nil {
		return nil, "", err
	}
	if buf.Len() > layoutLimit {
		return nil, "the document is too large to be laid out", nil
	}
	pkg, err := opc.Open(ctx, formats.FromBytes("copy.docx", buf.Bytes()))
	if err != nil {
		return nil, "", err
	}
	p, err := e.body(ctx)
	if err != nil {
		return nil, "", err
	}
	w := p.prefix
	var sb strings.Builder
	text := func(t string) { sb.WriteString("<" + w + "r><" + w + "t>" + t + "</" + w + "t></" + w + "r>") }
	sb.WriteString("<" + w + "p>")
	text(layoutMark)
	for _, m := range marks {
		text(";")
		sb.WriteString(fieldRuns(w, "", " PAGEREF "+m+` \h `, "?", false))
	}
	sb.WriteString("</" + w + "p>")
	end := bodyEnd(p)
	ed := pkg.Edit()
	ed.Set(e.main, xmlscan.Apply(p.doc, []xmlscan.Splice{{Start: end, End: end, New: []byte(sb.String())}}))
	dir, err := os.MkdirTemp("", "atelier-pages-*")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "copy.docx")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return nil, "", err
	}
	err = ed.Write(ctx, file)
	if bad := file.Close(); err == nil {
		err = bad
	}
	if err != nil {
		return nil, "", err
	}
	laid, err := libreoffice.Convert(ctx, path, "docx", dir)
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	if err != nil {
		return nil, err.Error(), nil
	}
	return readPages(ctx, laid, marks)
}

// readPages takes the page numbers from the last paragraph that LibreOffice wrote.
func readPages(ctx context.Context, path string, marks []string) (map[string]string, string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	const unread = "LibreOffice did not tell the pages"
	d, err := openDocument(ctx, formats.FromBytes("laid.docx", b))
	if err != nil {
		return nil, unread, ctx.Err()
	}
	p, err := d.body(ctx)
	if err != nil {
		return nil, unread, ctx.Err()
	}
	for _, n := range slices.Backward(p.nodes) {
		_, list, ok := strings.Cut(p.paras[n.para].Text(), layoutMark+";")
		if !ok {
			continue
		}
		out := map[string]string{}
		for i, page := range strings.Split(list, ";") {
			if page = strings.TrimSpace(page); i < len(marks) && page != "?" && pageForm.MatchString(page) {
				out[marks[i]] = page
			}
		}
		return out, "", nil
	}
	return nil, unread, nil
}

// fillPages writes the pages of bookmarks into the PAGEREF fields of the tables of
// contents.
func (e *editing) fillPages(ctx context.Context, op updateContentsArgs, marks map[string]bool, rep *formats.OpReport) error {
	if len(marks) == 0 {
		return nil
	}
	list := make([]string, 0, len(marks))
	for m := range marks {
		list = append(list, m)
	}
	slices.Sort(list)
	var pages map[string]string
	why := "pages is false"
	if op.Pages == nil || bool(*op.Pages) {
		var err error
		if pages, why, err = e.pagesOf(ctx, list); err != nil {
			return err
		}
	}
	all, err := e.contentsFields(ctx)
	if err != nil {
		return err
	}
	p, err := e.body(ctx)
	if err != nil {
		return err
	}
	fields, err := fieldsOf(ctx, p.doc)
	if err != nil {
		return corrupt(p.name, err)
	}
	var splices []xmlscan.Splice
	unknown, filled := 0, 0
	for _, f := range fields {
		in := parseInstruction(f.instr)
		if in.name != "PAGEREF" || len(in.args) == 0 || f.simple || f.result.end <= f.result.start || !marks[in.args[0]] ||
			!slices.ContainsFunc(all, func(c *contentsField) bool { return c.all.start < f.all.start && f.all.end < c.all.end }) {
			continue
		}
		now, was := pages[in.args[0]], plainText(p.doc[f.result.start:f.result.end])
		switch {
		case now != "":
			filled++
			if now != was {
				splices = append(splices, resultText(p, f.result, now)...)
			}
		case was == "?":
			unknown++
		}
	}
	e.document.splice(p, splices...)
	switch {
	case pages != nil && filled > 0:
		rep.Notes = append(rep.Notes, "page numbers are those of LibreOffice's layout; Word may break pages elsewhere, and makes them anew on opening or with F9")
	case why != "":
		rep.Notes = append(rep.Notes, fmt.Sprintf("page numbers were not made (%s); those of entries that stay are the old ones; Word makes them anew on opening or with F9", why))
	}
	if unknown > 0 {
		rep.Notes = append(rep.Notes, fmt.Sprintf("%d entries show ? for their page", unknown))
	}
	return nil
}

// resultText replaces the texts in the runs of a result: the first gets the new
// one.
func resultText(p *part, at span, now string) (out []xmlscan.Splice) {
	raw := p.doc[at.start:at.end]
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Local != "t" {
			continue
		}
		end := sc.Skip()
		text := ""
		if len(out) == 0 {
			text = "<" + p.prefix + "t>" + escape(now) + "</" + p.prefix + "t>"
		}
		out = append(out, xmlscan.Splice{Start: at.start + t.Start, End: at.start + end, New: []byte(text)})
	}
	return out
}
