package tasks

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/textclip"
)

// Checks of documents and decks.

func init() {
	for name, c := range map[string]struct {
		least int
		text  string
		do    func(context.Context, *state, []string) error
	}{
		"inserted": {2, "inserted FILE PATTERN: text that is a tracked insertion of a docx", func(_ context.Context, s *state, a []string) error { return tracked(s, a, "ins") }},
		"deleted":  {2, "deleted FILE PATTERN: text that is a tracked deletion of a docx", func(_ context.Context, s *state, a []string) error { return tracked(s, a, "del") }},
		"rejected": {1, "rejected FILE [SOURCE]: without its tracked changes the text of a docx is that of SOURCE (default: FILE) before", rejected},
		"stays":    {3, "stays FILE SOURCE PATTERN: the paragraphs that SOURCE had, but for those with the pattern, are in FILE in their order", stays},
		"comment":  {3, "comment FILE TEXT PATTERN: a comment of a docx with the pattern, on a paragraph with the pattern TEXT", comment},
		"row":      {2, "row FILE PATTERN …: a row of a table of a docx or of a slide, or of a sheet as LibreOffice calculates it, has cells with these patterns, in order", row},
		"chart":    {4, "chart FILE SLIDE|SHEET SERIES VALUE …: a chart of the Nth slide shown, or of a sheet, has a series with that name (a pattern) and these values; * is any", chart},
		"pictures": {2, "pictures FILE N [SLIDE]: how many pictures a docx or deck (or its Nth slide) shows", pictures},
	} {
		Checks[name], least[name], doing[name] = c.text, c.least, c.do
	}
}

// docxText is the text of the parts of a docx that hold some, with tracked changes
// accepted or rejected, and what the changes put in and took out, one of the same kind
// in a row as one text.
type docxText struct {
	lines    []string // a paragraph each
	ins, del []string
}

func (s *state) docx(b []byte, reject bool) (t docxText, err error) {
	p, err := parts(b)
	if err != nil {
		return t, err
	}
	var names []string
	for name := range p {
		if regexp.MustCompile(`^word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml$`).MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if err := t.read(p[name], reject); err != nil {
			return t, fmt.Errorf("%s: %w", name, err)
		}
	}
	return t, nil
}

// read reads a part. A paragraph whose mark was put in or taken out is joined to the
// next one when that change is undone or done.
func (t *docxText) read(part []byte, reject bool) error {
	d := xml.NewDecoder(bytes.NewReader(part))
	var open []string
	var line, run strings.Builder
	kind := "" // of the change that run holds
	gone := false
	flush := func() {
		switch {
		case run.Len() == 0:
		case kind == "ins":
			t.ins = append(t.ins, run.String())
		case kind == "del":
			t.del = append(t.del, run.String())
		}
		run.Reset()
	}
	within := func(name string) bool { return slices.Contains(open, name) }
	for {
		tok, err := d.Token()
		if err == io.EOF {
			flush()
			return nil
		}
		if err != nil {
			return err
		}
		switch e := tok.(type) {
		case xml.StartElement:
			open = append(open, e.Name.Local)
			mark := within("rPr") && within("pPr")
			if mark && (e.Name.Local == "ins" && reject || e.Name.Local == "del" && !reject) {
				gone = true
			}
		case xml.EndElement:
			open = open[:len(open)-1]
			if e.Name.Local != "p" {
				continue
			}
			flush()
			if !gone {
				t.lines = append(t.lines, line.String())
				line.Reset()
			}
			gone = false
		case xml.CharData:
			last := ""
			if len(open) > 0 {
				last = open[len(open)-1]
			}
			if last != "t" && last != "delText" {
				continue
			}
			now := ""
			if within("del") || within("moveFrom") {
				now = "del"
			} else if within("ins") || within("moveTo") {
				now = "ins"
			}
			if now != kind {
				flush()
			}
			if kind = now; kind != "" {
				run.Write(e)
			}
			if kind == "" || (kind == "ins") != reject {
				line.Write(e)
			}
		}
	}
}

func tracked(s *state, a []string, kind string) error {
	b, err := s.file(a[0])
	if err != nil {
		return err
	}
	t, err := s.docx(b, false)
	if err != nil {
		return err
	}
	list := t.ins
	if kind == "del" {
		list = t.del
	}
	re, err := regexp.Compile(a[1])
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, re.MatchString) {
		return fmt.Errorf("tracked changes have: %s", textclip.Bytes(strings.Join(list, " | "), 600))
	}
	return nil
}

// joined is the text without blanks at ends and without empty paragraphs.
func joined(lines []string) (list []string) {
	for _, l := range lines {
		if l = strings.Join(strings.Fields(l), " "); l != "" {
			list = append(list, l)
		}
	}
	return list
}

func (s *state) source(name string) ([]byte, error) {
	b, ok := s.before[name]
	if !ok {
		return nil, fmt.Errorf("%s was not there", name)
	}
	return b, nil
}

func rejected(_ context.Context, s *state, a []string) error {
	b, err := s.file(a[0])
	if err != nil {
		return err
	}
	was, err := s.source(a[len(a)-1])
	if err != nil {
		return err
	}
	got, err := s.docx(b, true)
	if err != nil {
		return err
	}
	want, err := s.docx(was, true)
	if err != nil {
		return err
	}
	g, w := joined(got.lines), joined(want.lines)
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			return fmt.Errorf("paragraph %d was %q and is, without tracked changes, %q", i+1, at(w, i), at(g, i))
		}
	}
	return nil
}

func at(list []string, i int) string {
	if i < len(list) {
		return textclip.Bytes(list[i], 200)
	}
	return ""
}

func stays(_ context.Context, s *state, a []string) error {
	text, err := s.text(a[0])
	if err != nil {
		return err
	}
	was, err := s.source(a[1])
	if err != nil {
		return err
	}
	old := string(was)
	if ext := path.Ext(a[1]); ext == ".docx" || ext == ".pptx" {
		if old, err = officeText(was); err != nil {
			return err
		}
	}
	re, err := regexp.Compile(a[2])
	if err != nil {
		return err
	}
	has, n := joined(strings.Split(text, "\n")), 0
	for _, l := range joined(strings.Split(old, "\n")) {
		if re.MatchString(l) {
			continue
		}
		i := slices.Index(has[n:], l)
		if i < 0 {
			return fmt.Errorf("%q is no longer there, or not in its place", textclip.Bytes(l, 200))
		}
		n += i + 1
	}
	return nil
}

type textRun struct {
	Text string `xml:"t"`
}

func comment(_ context.Context, s *state, a []string) error {
	b, err := s.file(a[0])
	if err != nil {
		return err
	}
	p, err := parts(b)
	if err != nil {
		return err
	}
	on, err := regexp.Compile(a[1])
	if err != nil {
		return err
	}
	re, err := regexp.Compile(a[2])
	if err != nil {
		return err
	}
	var all struct {
		List []struct {
			ID         string `xml:"id,attr"`
			Paragraphs []struct {
				Runs []textRun `xml:"r"`
			} `xml:"p"`
		} `xml:"comment"`
	}
	if p["word/comments.xml"] == nil {
		return errors.New("there are no comments")
	}
	if err := xml.Unmarshal(p["word/comments.xml"], &all); err != nil {
		return err
	}
	anchors, err := commented(p["word/document.xml"])
	if err != nil {
		return err
	}
	var has []string
	for _, c := range all.List {
		var sb strings.Builder
		for _, l := range c.Paragraphs {
			for _, r := range l.Runs {
				sb.WriteString(r.Text)
			}
			sb.WriteByte('\n')
		}
		if re.MatchString(sb.String()) && on.MatchString(anchors[c.ID]) {
			return nil
		}
		has = append(has, fmt.Sprintf("%q on %q", strings.TrimSpace(sb.String()), textclip.Bytes(anchors[c.ID], 80)))
	}
	return fmt.Errorf("the comments are %s", strings.Join(has, ", "))
}

// commented are the texts of the paragraphs in which comments begin or are
// referred to, by id.
func commented(part []byte) (map[string]string, error) {
	d := xml.NewDecoder(bytes.NewReader(part))
	m := map[string]string{}
	var ids []string
	var text strings.Builder
	last := ""
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return m, nil
		}
		if err != nil {
			return nil, err
		}
		switch e := tok.(type) {
		case xml.StartElement:
			last = e.Name.Local
			if last == "commentRangeStart" || last == "commentReference" {
				ids = append(ids, attr(e, "id"))
			}
		case xml.EndElement:
			last = ""
			if e.Name.Local == "p" {
				for _, id := range ids {
					m[id] += text.String()
				}
				ids = nil
				text.Reset()
			}
		case xml.CharData:
			if last == "t" || last == "delText" {
				text.Write(e)
			}
		}
	}
}

// tableRows are the rows of all tables of a part: the texts of their cells.
func tableRows(part []byte) (rows [][]string, err error) {
	d := xml.NewDecoder(bytes.NewReader(part))
	var open [][]string // a cell may hold a table
	last := ""
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		n := len(open) - 1
		switch e := tok.(type) {
		case xml.StartElement:
			switch last = e.Name.Local; {
			case last == "tr":
				open = append(open, nil)
			case last == "tc" && n >= 0:
				open[n] = append(open[n], "")
			}
		case xml.EndElement:
			last = ""
			switch {
			case e.Name.Local == "tr" && n >= 0:
				rows, open = append(rows, open[n]), open[:n]
			case e.Name.Local == "p" && n >= 0 && len(open[n]) > 0:
				open[n][len(open[n])-1] += " "
			}
		case xml.CharData:
			if last == "t" && n >= 0 && len(open[n]) > 0 {
				open[n][len(open[n])-1] += string(e)
			}
		}
	}
}

func row(ctx context.Context, s *state, a []string) error {
	var want []*regexp.Regexp
	for _, w := range a[1:] {
		re, err := regexp.Compile(w)
		if err != nil {
			return err
		}
		want = append(want, re)
	}
	rows, err := s.rows(ctx, a[0])
	if err != nil {
		return err
	}
	for _, r := range rows {
		left := want
		for _, c := range r {
			if len(left) > 0 && left[0].MatchString(strings.TrimSpace(c)) {
				left = left[1:]
			}
		}
		if len(left) == 0 {
			return nil
		}
	}
	return fmt.Errorf("none of %d rows of tables is like that", len(rows))
}

// rows are those of all tables of a docx or deck, or of all sheets of a workbook.
func (s *state) rows(ctx context.Context, name string) (all [][]string, err error) {
	if path.Ext(name) == ".xlsx" {
		b, err := s.calculated(ctx, name)
		if err != nil {
			return nil, err
		}
		return b.rows()
	}
	b, err := s.file(name)
	if err != nil {
		return nil, err
	}
	p, err := parts(b)
	if err != nil {
		return nil, err
	}
	names := []string{"word/document.xml"}
	if p["ppt/presentation.xml"] != nil {
		if names, err = shown(p); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		rows, err := tableRows(p[name])
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// related are the parts that a part refers to, with their types.
func related(p map[string][]byte, name string) (map[string]string, error) {
	var rels struct {
		List []struct {
			Type   string `xml:",attr"`
			Target string `xml:",attr"`
			ID     string `xml:"Id,attr"`
		} `xml:"Relationship"`
	}
	data := p[path.Join(path.Dir(name), "_rels", path.Base(name)+".rels")]
	if data == nil {
		return nil, nil
	}
	if err := xml.Unmarshal(data, &rels); err != nil {
		return nil, err
	}
	m := map[string]string{}
	for _, r := range rels.List {
		m[partPath(name, r.Target)] = path.Base(r.Type)
	}
	return m, nil
}

func (s *state) slidePart(name, number string) (p map[string][]byte, part string, err error) {
	b, err := s.file(name)
	if err != nil {
		return nil, "", err
	}
	if p, err = parts(b); err != nil {
		return nil, "", err
	}
	list, err := shown(p)
	if err != nil {
		return nil, "", err
	}
	for i, n := range list {
		if fmt.Sprint(i+1) == number {
			return p, n, nil
		}
	}
	return nil, "", fmt.Errorf("there are %d slides", len(list))
}

func chart(ctx context.Context, s *state, a []string) error {
	re, err := regexp.Compile(a[2])
	if err != nil {
		return err
	}
	read := s.slideCharts
	if path.Ext(a[0]) == ".xlsx" {
		read = s.sheetCharts
	}
	list, err := read(ctx, a[0], a[1])
	if err != nil {
		return err
	}
	var has []string
	for _, x := range list {
		has = append(has, x.name+": "+strings.Join(x.values, " "))
		if re.MatchString(x.name) && slices.EqualFunc(x.values, a[3:], func(got, want string) bool { return want == "*" || sameNumber(got, want) }) {
			return nil
		}
	}
	return fmt.Errorf("the charts there have: %s", strings.Join(has, "; "))
}

// slideCharts are the series of the charts of a slide, as they are stored.
func (s *state) slideCharts(_ context.Context, name, number string) (all []chartSeries, err error) {
	p, slide, err := s.slidePart(name, number)
	if err != nil {
		return nil, err
	}
	rels, err := related(p, slide)
	if err != nil {
		return nil, err
	}
	for target, kind := range rels {
		if kind != "chart" {
			continue
		}
		list, err := series(p[target])
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	var x, y float64
	_, err1 := fmt.Sscan(a, &x)
	_, err2 := fmt.Sscan(b, &y)
	return err1 == nil && err2 == nil && math.Abs(x-y) <= 1e-9*math.Max(1, math.Abs(y))
}

type chartSeries struct {
	name               string
	values             []string
	nameRef, valuesRef string // cells they are in; "" if none
}

// series reads the series of a chart, with the values it is drawn with.
func series(part []byte) (list []chartSeries, err error) {
	d := xml.NewDecoder(bytes.NewReader(part))
	var open []string
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		switch e := tok.(type) {
		case xml.StartElement:
			if open = append(open, e.Name.Local); e.Name.Local == "ser" {
				list = append(list, chartSeries{})
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			i := slices.Index(open, "ser")
			if i < 0 || len(open) < i+2 {
				continue
			}
			list[len(list)-1].add(open[i+1], open[len(open)-1], string(e))
		}
	}
}

// add takes the text of an element within the name or the values of a series.
func (x *chartSeries) add(of, element, text string) {
	values := of == "val" || of == "yVal"
	switch {
	case of == "tx" && element == "v":
		x.name += text
	case of == "tx" && element == "f":
		x.nameRef += text
	case values && element == "v":
		x.values = append(x.values, text)
	case values && element == "f":
		x.valuesRef += text
	}
}

var blip = regexp.MustCompile(`<a:blip\b|<v:imagedata\b`)

func pictures(_ context.Context, s *state, a []string) error {
	b, err := s.file(a[0])
	if err != nil {
		return err
	}
	p, err := parts(b)
	if err != nil {
		return err
	}
	names := []string{"word/document.xml"}
	switch {
	case len(a) > 2:
		_, name, err := s.slidePart(a[0], a[2])
		if err != nil {
			return err
		}
		names = []string{name}
	case p["ppt/presentation.xml"] != nil:
		if names, err = shown(p); err != nil {
			return err
		}
	}
	n := 0
	for _, name := range names {
		n += len(blip.FindAll(p[name], -1))
	}
	if fmt.Sprint(n) != a[1] {
		return fmt.Errorf("there are %d", n)
	}
	return nil
}
