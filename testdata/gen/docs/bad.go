package docs

import (
	"bytes"
	"encoding/binary"
	"io"

	"atelier/formats/ooxml/cfb"
)

// lockedFile returns a document with standard encryption ([MS-OFFCRYPTO] 2.3.4.5)
// that no password opens.
func lockedFile() ([]byte, error) {
	info := []byte{4, 0, 2, 0, 0x24, 0, 0, 0}
	for _, v := range []uint32{32, 0x24, 0, 0x660E, 0x8004, 128, 0x18, 0, 0, 16} {
		info = binary.LittleEndian.AppendUint32(info, v)
	}
	info = append(info, make([]byte, 32)...)
	info = append(binary.LittleEndian.AppendUint32(info, 20), make([]byte, 32)...)
	var out bytes.Buffer
	err := cfb.Write(&out, &cfb.Storage{Entries: []cfb.Entry{
		{Name: "EncryptionInfo", Size: int64(len(info)), Write: func(w io.Writer) error { _, err := w.Write(info); return err }},
		{Name: "EncryptedPackage", Size: 4104, Write: func(w io.Writer) error { _, err := w.Write(make([]byte, 4104)); return err }},
	}})
	return out.Bytes(), err
}

// badFiles returns inputs that must be refused with a clear error: empty,
// truncated, misnamed, encrypted, and a small zip bomb.
func badFiles(good map[string][]byte) (map[string][]byte, error) {
	docx := good["documents/contrato.docx"]
	locked, err := lockedFile()
	if err != nil {
		return nil, err
	}
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
		"encrypted.docx":   locked,
		"bomb.docx":        bomb,
		"truncated.pdf":    []byte("%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"),
		"not-a-bitmap.png": []byte("\x89PNG\r\n\x1a\n\x00\x00"),
	}, nil
}
