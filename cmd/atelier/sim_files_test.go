//go:build unix

package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// simFiles are the expected files of a user: texts literally, for office
// files the written marks in order. In a workbook each mark follows its row,
// "2=M7.;".
type simFiles struct {
	disk map[string]string
	rows map[string]*string // of the draft; nil: removed
	base map[string]string  // the base of a row; absent: none
}

func (f *simFiles) clone() *simFiles {
	return &simFiles{maps.Clone(f.disk), maps.Clone(f.rows), maps.Clone(f.base)}
}

// view returns the files as the draft shows them.
func (f *simFiles) view() map[string]string {
	v := maps.Clone(f.disk)
	for p, c := range f.rows {
		if c == nil {
			delete(v, p)
		} else {
			v[p] = *c
		}
	}
	return v
}

func (f *simFiles) put(p string, c *string) {
	if _, ok := f.rows[p]; !ok {
		delete(f.base, p)
		if b, ok := f.disk[p]; ok {
			f.base[p] = b
		}
	}
	if _, published := f.disk[p]; c == nil && !published {
		delete(f.rows, p)
		return
	}
	f.rows[p] = c
}

// conflicts reports whether the published file of a row differs from its
// base.
func (f *simFiles) conflicts() bool {
	for p := range f.rows {
		d, now := f.disk[p]
		b, then := f.base[p]
		if now != then || d != b {
			return true
		}
	}
	return false
}

func (f *simFiles) publish(paths []string) {
	for p, c := range f.rows {
		if len(paths) > 0 && !slices.Contains(paths, p) {
			continue
		}
		if c == nil {
			delete(f.disk, p)
		} else {
			f.disk[p] = *c
		}
		delete(f.rows, p)
	}
}

func (f *simFiles) discard(paths []string) {
	for p := range f.rows {
		if len(paths) == 0 || slices.Contains(paths, p) {
			delete(f.rows, p)
		}
	}
}

// removes reports whether the draft removes files: a rename is published and
// discarded as a whole.
func (f *simFiles) removes() bool {
	for _, c := range f.rows {
		if c == nil {
			return true
		}
	}
	return false
}

// apply applies a successful call of a model.
func (f *simFiles) apply(tool, args string) {
	var a struct {
		Path, Content, Source, Destination string
		Operations                         []struct {
			Text  string
			Cells []struct{ Cell, Value string }
		}
	}
	if json.Unmarshal([]byte(args), &a) != nil {
		return
	}
	a.Path, a.Source, a.Destination = strings.TrimPrefix(a.Path, "/"), strings.TrimPrefix(a.Source, "/"), strings.TrimPrefix(a.Destination, "/")
	now := f.view()[a.Path]
	switch tool {
	case "write_text_file", "write":
		f.put(a.Path, &a.Content)
	case "docx_operations":
		now += a.Operations[0].Text
		f.put(a.Path, &now)
	case "xlsx_operations":
		cells := map[string]string{}
		for _, c := range strings.Split(now, ";") {
			if row, v, ok := strings.Cut(c, "="); ok {
				cells[row] = v
			}
		}
		c := a.Operations[0].Cells[0]
		cells[c.Cell[1:]] = c.Value
		now = ""
		for _, row := range slices.Sorted(maps.Keys(cells)) {
			now += row + "=" + cells[row] + ";"
		}
		f.put(a.Path, &now)
	case "rm":
		f.put(a.Path, nil)
	case "mv":
		c := f.view()[a.Source]
		f.put(a.Source, nil)
		f.put(a.Destination, &c)
	}
}

var simMark = regexp.MustCompile(`M\d+\.`)

// fact returns the form in which contents are compared: the marks of an
// office file, the hash of a text.
func fact(path, content string) string {
	if isOffice(path) {
		return strings.Join(simMark.FindAllString(content, -1), "")
	}
	return simHash(content)
}

func isOffice(path string) bool {
	return strings.HasSuffix(path, ".docx") || strings.HasSuffix(path, ".xlsx")
}

func facts(files map[string]string) map[string]string {
	out := map[string]string{}
	for p, c := range files {
		out[p] = fact(p, c)
	}
	return out
}

// simDisk reads the files like other programs.
func simDisk(root string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		c, err := otherProgram(path)
		files[filepath.ToSlash(rel)] = fact(rel, c)
		return err
	})
	return files, err
}

func otherProgram(path string) (string, error) {
	switch filepath.Ext(path) {
	case ".xlsx":
		return cellTexts(path)
	case ".docx":
		z, err := zip.OpenReader(path)
		if err != nil {
			return "", err
		}
		defer z.Close()
		f, err := z.Open("word/document.xml")
		if err != nil {
			return "", err
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		return string(b), err
	}
	b, err := os.ReadFile(path)
	return string(b), err
}

// cellTexts reads the texts of a workbook's first sheet with encoding/xml. excelize does
// this too, but 20 ms are needed to start a program that contains it, and this test
// program is started hundreds of times.
func cellTexts(path string) (string, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return "", err
	}
	defer z.Close()
	type text struct {
		T    string   `xml:"t"`
		Runs []string `xml:"r>t"`
	}
	var shared struct {
		Items []text `xml:"si"`
	}
	var sheet struct {
		Cells []struct {
			Type   string `xml:"t,attr"`
			Value  string `xml:"v"`
			Inline text   `xml:"is"`
		} `xml:"sheetData>row>c"`
	}
	for name, into := range map[string]any{"xl/sharedStrings.xml": &shared, "xl/worksheets/sheet1.xml": &sheet} {
		f, err := z.Open(name)
		if errors.Is(err, fs.ErrNotExist) && into == any(&shared) {
			continue // every text is inline
		}
		if err != nil {
			return "", err
		}
		err = xml.NewDecoder(f).Decode(into)
		f.Close()
		if err != nil {
			return "", err
		}
	}
	var b strings.Builder
	for _, c := range sheet.Cells {
		t := c.Inline
		switch c.Type {
		case "s":
			i, err := strconv.Atoi(c.Value)
			if err != nil || i < 0 || i >= len(shared.Items) {
				return "", fmt.Errorf("%s: there is no shared string %s", path, c.Value)
			}
			t = shared.Items[i]
		case "inlineStr":
		default:
			t = text{T: c.Value}
		}
		fmt.Fprintln(&b, t.T+strings.Join(t.Runs, ""))
	}
	return b.String(), nil
}

func simHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
