package docs

import "bytes"

// badFiles returns inputs that must be refused with a clear error: empty,
// truncated, misnamed, encrypted, and a small zip bomb.
func badFiles(good map[string][]byte) (map[string][]byte, error) {
	docx := good["documents/contrato.docx"]
	// A compound file header (MS-CFB 2.2), like that of an encrypted office
	// file.
	ole := make([]byte, 1024)
	copy(ole, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	copy(ole[24:], "\x3e\x00\x03\x00\xfe\xff\x09\x00\x06\x00")
	copy(ole[512:], "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")
	bomb, err := pack([]part{
		typesPart("word/document.xml", wordType("document.main")),
		relsPart("_rels/.rels", rel{"rId1", "officeDocument", "word/document.xml"}),
		xmlPart("word/document.xml", `<w:document xmlns:w="`+wordNS+`"><w:body>`+string(bytes.Repeat([]byte("<w:p>"), 100_000))),
		{"word/media/image1.png", make([]byte, 12<<20)},
	})
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"empty.xlsx":       {},
		"cut.docx":         docx[:len(docx)/2],
		"text.pptx":        []byte("Esto es texto, no una presentación.\n"),
		"encrypted.docx":   ole,
		"bomb.docx":        bomb,
		"truncated.pdf":    []byte("%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"),
		"not-a-bitmap.png": []byte("\x89PNG\r\n\x1a\n\x00\x00"),
	}, nil
}
