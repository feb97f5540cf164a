package docx

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"atelier/formats/ooxml/opc"
)

// blank is a complete, empty document: styles, numbering, settings, fonts.
//
//go:embed all:blank
var blank embed.FS

const blankMain = "word/document.xml"

// blankDocument starts a new document from nothing.
func blankDocument() (*opc.Edit, string, error) {
	ed := opc.NewEdit()
	err := fs.WalkDir(blank, "blank", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := blank.ReadFile(name)
		if err != nil {
			return err
		}
		part := strings.TrimPrefix(name, "blank/")
		if part == "word/styles.xml" {
			b = []byte(strings.Replace(string(b), "<!--headings-->", headingStyles(), 1))
		}
		ed.Set(strings.Replace(part, "Content_Types.xml", "[Content_Types].xml", 1), b)
		return nil
	})
	return ed, blankMain, err
}

// headingStyles are Heading 1 to 9, which differ in size and level only.
func headingStyles() string {
	var sb strings.Builder
	for i, halfPoints := range []int{32, 26, 24, 22, 22, 22, 21, 21, 21} {
		n := i + 1
		before := 240
		if n > 1 {
			before = 160
		}
		fmt.Fprintf(&sb, `<w:style w:type="paragraph" w:styleId="Heading%d"><w:name w:val="heading %d"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:uiPriority w:val="9"/><w:qFormat/><w:pPr><w:keepNext/><w:keepLines/><w:spacing w:before="%d" w:after="80"/><w:outlineLvl w:val="%d"/></w:pPr><w:rPr><w:b/><w:color w:val="1F3864"/><w:sz w:val="%d"/><w:szCs w:val="%d"/></w:rPr></w:style>`,
			n, n, before, i, halfPoints, halfPoints)
	}
	return sb.String()
}
