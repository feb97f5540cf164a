package tasks

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What documents hold is read here with the standard library, not with package
// formats, whose work is what is checked.

// parts are the parts of an office file.
func parts(b []byte) (map[string][]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	m := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		if m[f.Name], err = io.ReadAll(io.LimitReader(r, 64<<20)); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return m, nil
}

// paragraph is one of a docx or of a slide.
type paragraph struct{ style, text string }

// paragraphs reads the elements p of a part; deleted text is left out.
func paragraphs(part []byte) (list []paragraph, err error) {
	d := xml.NewDecoder(bytes.NewReader(part))
	var open []paragraph // a text box stands in a paragraph
	var path []string
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
			path = append(path, e.Name.Local)
			switch {
			case e.Name.Local == "p":
				open = append(open, paragraph{})
			case len(open) == 0:
			case e.Name.Local == "pStyle":
				open[len(open)-1].style = attr(e, "val")
			case e.Name.Local == "tab" && len(path) > 1 && path[len(path)-2] == "r":
				open[len(open)-1].text += "\t"
			case e.Name.Local == "br":
				open[len(open)-1].text += "\n"
			}
		case xml.EndElement:
			path = path[:len(path)-1]
			if e.Name.Local == "p" && len(open) > 0 {
				list, open = append(list, open[len(open)-1]), open[:len(open)-1]
			}
		case xml.CharData:
			if len(open) > 0 && path[len(path)-1] == "t" {
				open[len(open)-1].text += string(e)
			}
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

var number = regexp.MustCompile(`\d+`)

// shown are the slides of a deck in their order.
func shown(p map[string][]byte) (names []string, err error) {
	var pres struct {
		Slides []struct {
			ID string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sldIdLst>sldId"`
	}
	var rels struct {
		List []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:",attr"`
		} `xml:"Relationship"`
	}
	if err := xml.Unmarshal(p["ppt/presentation.xml"], &pres); err != nil {
		return nil, err
	}
	if err := xml.Unmarshal(p["ppt/_rels/presentation.xml.rels"], &rels); err != nil {
		return nil, err
	}
	for _, s := range pres.Slides {
		for _, r := range rels.List {
			if r.ID == s.ID {
				names = append(names, path.Join("ppt", r.Target))
			}
		}
	}
	return names, nil
}

// text is the text of a document, a paragraph a line.
func (s *state) text(name string) (string, error) {
	b, err := s.file(name)
	if err != nil {
		return "", err
	}
	switch path.Ext(name) {
	case ".docx", ".pptx":
		return officeText(b)
	case ".xlsx":
		bk, err := s.book(name)
		if err != nil {
			return "", err
		}
		return bk.text()
	case ".pdf":
		if s.office == nil {
			return "", errNeeds
		}
		return s.office.PageText(context.Background(), path.Join(s.folder, name), 0)
	}
	return string(b), nil
}

func officeText(b []byte) (string, error) {
	p, err := parts(b)
	if err != nil {
		return "", err
	}
	names := []string{}
	for name := range p {
		dir, file := path.Split(name)
		if path.Ext(file) == ".xml" && (dir == "word/" && !slices.Contains([]string{"styles.xml", "numbering.xml", "settings.xml"}, file) || dir == "ppt/notesSlides/") {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		x, y := a == "word/document.xml", b == "word/document.xml"
		if x != y {
			return map[bool]int{true: -1, false: 1}[x]
		}
		n, _ := strconv.Atoi(number.FindString(a))
		m, _ := strconv.Atoi(number.FindString(b))
		return cmp.Or(cmp.Compare(n, m), cmp.Compare(a, b))
	})
	if p["ppt/presentation.xml"] != nil {
		list, err := shown(p)
		if err != nil {
			return "", err
		}
		names = append(list, names...)
	}
	var sb strings.Builder
	for _, name := range names {
		list, err := paragraphs(p[name])
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		for _, l := range list {
			sb.WriteString(l.text + "\n")
		}
	}
	return sb.String(), nil
}

func style(_ context.Context, s *state, a []string) error {
	b, err := s.file(a[0])
	if err != nil {
		return err
	}
	p, err := parts(b)
	if err != nil {
		return err
	}
	list, err := paragraphs(p["word/document.xml"])
	if err != nil {
		return err
	}
	re, err := regexp.Compile(a[2])
	if err != nil {
		return err
	}
	has := "no paragraph with that text"
	for _, l := range list {
		if re.MatchString(l.text) {
			if l.style == a[1] {
				return nil
			}
			has = fmt.Sprintf("%q has the style %q", l.text, l.style)
		}
	}
	return errors.New(has)
}

func (s *state) slides(name string) ([]string, error) {
	b, err := s.file(name)
	if err != nil {
		return nil, err
	}
	p, err := parts(b)
	if err != nil {
		return nil, err
	}
	names, err := shown(p)
	var texts []string
	for _, n := range names {
		list, err := paragraphs(p[n])
		if err != nil {
			return nil, err
		}
		var sb strings.Builder
		for _, l := range list {
			sb.WriteString(l.text + "\n")
		}
		texts = append(texts, sb.String())
	}
	return texts, err
}

func slides(_ context.Context, s *state, a []string) error {
	list, err := s.slides(a[0])
	if err == nil && strconv.Itoa(len(list)) != a[1] {
		err = fmt.Errorf("there are %d", len(list))
	}
	return err
}

func slide(_ context.Context, s *state, a []string) error {
	list, err := s.slides(a[0])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(a[1])
	if err != nil || n < 1 || n > len(list) {
		return fmt.Errorf("there are %d slides", len(list))
	}
	return matches("the slide", list[n-1], a[2])
}

func part(_ context.Context, s *state, a []string) error {
	b, err := s.file(a[0])
	if err != nil {
		return err
	}
	p, err := parts(b)
	if err != nil {
		return err
	}
	re, err := regexp.Compile(a[2])
	if err != nil {
		return err
	}
	found := false
	for name, data := range p {
		if like(a[1], name) {
			found = true
			if re.Match(data) {
				return nil
			}
		}
	}
	if !found {
		return errors.New("there is no such part")
	}
	return errors.New("it does not match")
}

func kept(_ context.Context, s *state, a []string) error {
	b, err := s.file(a[0])
	if err != nil {
		return err
	}
	now, err := parts(b)
	if err != nil {
		return err
	}
	old, err := parts(s.before[a[0]])
	if err != nil {
		return err
	}
	n := 0
	for name, data := range old {
		if slices.ContainsFunc(a[1:], func(w string) bool { return like(w, name) }) {
			n++
			if !bytes.Equal(data, now[name]) {
				return fmt.Errorf("%s differs", name)
			}
		}
	}
	if n == 0 {
		return errors.New("there were no such parts")
	}
	return nil
}
