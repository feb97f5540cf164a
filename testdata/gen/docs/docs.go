// Package docs generates the documents under testdata: a Spanish workbook,
// contract, deck, notes and customer list that look like real office work, and
// a few small bad files. The content is invented.
//
//	files, err := docs.All()   // by path below testdata
package docs

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/flate"
)

// All generates every file; keys are slash paths below testdata.
func All() (map[string][]byte, error) {
	files := map[string][]byte{
		"documents/notas.md":     []byte(notes),
		"documents/clientes.csv": []byte(customers),
	}
	for name, build := range map[string]func() ([]byte, error){
		"documents/sales.xlsx":        workbook,
		"documents/contrato.docx":     contract,
		"documents/presentacion.pptx": deck,
	} {
		b, err := build()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = b
	}
	bad, err := badFiles(files)
	if err != nil {
		return nil, err
	}
	for name, b := range bad {
		files["bad/"+name] = b
	}
	return files, nil
}

// part is one entry of a package.
type part struct {
	name string
	data []byte
}

func xmlPart(name, body string) part {
	return part{name, []byte(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + body)}
}

// pack writes a zip whose bytes depend only on the parts: fixed times, and a
// compressor pinned in go.mod instead of the toolchain's.
func pack(parts []part) ([]byte, error) {
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	zw.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, p := range parts {
		w, err := zw.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Deflate, Modified: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(p.data); err != nil {
			return nil, err
		}
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

const (
	relsNS     = "http://schemas.openxmlformats.org/package/2006/relationships"
	officeRels = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	drawingNS  = "http://schemas.openxmlformats.org/drawingml/2006/main"
	typesNS    = "http://schemas.openxmlformats.org/package/2006/content-types"
)

// rel is a relationship: id, the last step of its type, target.
type rel struct{ id, kind, target string }

func relsPart(name string, rels ...rel) part {
	s := `<Relationships xmlns="` + relsNS + `">`
	for _, r := range rels {
		kind, mode := officeRels+"/"+r.kind, ""
		switch r.kind {
		case "core-properties":
			kind = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
		case "hyperlink":
			mode = ` TargetMode="External"`
		}
		s += fmt.Sprintf(`<Relationship Id="%s" Type="%s" Target="%s"%s/>`, r.id, kind, r.target, mode)
	}
	return xmlPart(name, s+`</Relationships>`)
}

// typesPart declares content types: part name and type in turn.
func typesPart(overrides ...string) part {
	s := `<Types xmlns="` + typesNS + `"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Default Extension="xlsx" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"/>`
	for i := 0; i < len(overrides); i += 2 {
		s += fmt.Sprintf(`<Override PartName="/%s" ContentType="%s"/>`, overrides[i], overrides[i+1])
	}
	return xmlPart("[Content_Types].xml", s+`</Types>`)
}

func corePart(title, subject string) part {
	return xmlPart("docProps/core.xml", `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>`+title+`</dc:title><dc:subject>`+subject+`</dc:subject><dc:creator>Lucía Ferrer</dc:creator><dc:language>es-ES</dc:language><dcterms:created xsi:type="dcterms:W3CDTF">2026-03-02T09:00:00Z</dcterms:created><dcterms:modified xsi:type="dcterms:W3CDTF">2026-03-02T09:00:00Z</dcterms:modified></cp:coreProperties>`)
}

func appPart(app string) part {
	return xmlPart("docProps/app.xml", `<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Application>`+app+`</Application><Company>Olivares del Sur, S.L.</Company></Properties>`)
}

// themePart is a complete theme (ECMA-376-1 20.1.6.9) in the house colours.
func themePart(name string) part {
	rgb := func(tag, v string) string {
		return `<a:` + tag + `><a:srgbClr val="` + v + `"/></a:` + tag + `>`
	}
	colours := rgb("dk1", "1F2A2E") + rgb("lt1", "FFFFFF") + rgb("dk2", "1F4E5F") + rgb("lt2", "F3EFE6") +
		rgb("accent1", "2E7D6B") + rgb("accent2", "D98E32") + rgb("accent3", "5B7DB1") + rgb("accent4", "B5533C") + rgb("accent5", "8A9A5B") + rgb("accent6", "6C5B7B") +
		rgb("hlink", "1F6FB2") + rgb("folHlink", "6C5B7B")
	font := func(tag string) string {
		return `<a:` + tag + `><a:latin typeface="Arial"/><a:ea typeface=""/><a:cs typeface=""/></a:` + tag + `>`
	}
	solid := `<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>`
	line := func(w string) string {
		return `<a:ln w="` + w + `">` + solid + `<a:prstDash val="solid"/></a:ln>`
	}
	effect := `<a:effectStyle><a:effectLst/></a:effectStyle>`
	return xmlPart(name, `<a:theme xmlns:a="`+drawingNS+`" name="Olivares"><a:themeElements><a:clrScheme name="Olivares">`+colours+`</a:clrScheme><a:fontScheme name="Olivares">`+font("majorFont")+font("minorFont")+`</a:fontScheme><a:fmtScheme name="Olivares"><a:fillStyleLst>`+solid+solid+solid+`</a:fillStyleLst><a:lnStyleLst>`+line("6350")+line("12700")+line("19050")+`</a:lnStyleLst><a:effectStyleLst>`+effect+effect+effect+`</a:effectStyleLst><a:bgFillStyleLst>`+solid+solid+solid+`</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`)
}
