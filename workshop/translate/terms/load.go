package terms

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"atelier/workshop"
)

// maxFile limits a glossary file in bytes.
const maxFile = 256 << 20

// Load reads a glossary from a file: TBX (.tbx, .xml, or XML by its first
// bytes), else CSV (.csv, .tsv, .txt).
//
// A CSV has the term and its translation in two columns separated by commas,
// semicolons or tabs, and optionally a note in a third. The first row may
// name the columns: source, target, note, case (yes: the case matters),
// forbidden (a translation that must not be used), status ("forbidden"), or
// any number of languages (en, es, pt-BR …). Lines that begin with # are
// comments. The encoding is UTF-8 or UTF-16.
//
// An error is a workshop.Fault that names the line.
func Load(path string) (*Glossary, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, workshop.Faultf(workshop.NotFound, "the glossary cannot be read: %w", err).OnField("glossary")
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && (st.IsDir() || st.Size() > maxFile) {
		return nil, workshop.Faultf(workshop.Invalid, "the glossary %s is a folder or has more than %d MB; give a CSV or TBX file", path, maxFile>>20).OnField("glossary")
	}
	g, err := Read(filepath.Base(path), f)
	if err != nil {
		return nil, workshop.Faultf(workshop.Invalid, "glossary %s: %w", path, err).OnField("glossary")
	}
	return g, nil
}

// Read is Load from a stream. The extension of name and the first bytes
// determine the format.
func Read(name string, r io.Reader) (*Glossary, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("it has more than %d MB", maxFile>>20)
	}
	var cs []concept
	if isXML(name, data) {
		cs, err = readTBX(bytes.NewReader(data))
	} else {
		cs, err = readCSV(transform.NewReader(bytes.NewReader(data), unicode.BOMOverride(unicode.UTF8.NewDecoder())))
	}
	if err != nil {
		return nil, err
	}
	if len(cs) == 0 {
		return nil, fmt.Errorf("it holds no terms")
	}
	return newGlossary(cs), nil
}

func isXML(name string, data []byte) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".tbx", ".xml":
		return true
	case ".csv", ".tsv":
		return false
	}
	head := data[:min(len(data), 64)]
	head = bytes.TrimLeft(bytes.ReplaceAll(head, []byte{0}, nil), "\xef\xbb\xbf\xff\xfe \t\r\n")
	return bytes.HasPrefix(head, []byte("<"))
}
