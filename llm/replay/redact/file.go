package redact

import (
	"archive/zip"
	"bytes"
	"io"
	"unicode/utf8"
)

// The bounds of what File looks into, in bytes and levels.
const (
	maxInflated = 256 << 20
	maxNested   = 3
)

// LearnFile is Learn for the content of a file.
func (r *Redactor) LearnFile(b []byte) {
	r.eachText(b, func(s string) { r.Learn(s) })
}

// File is Text for the content of a file: text, or an office package, whose
// parts are looked into and stay bit for bit where nothing has to be taken out.
// looked is false when the content is neither and could not be looked into.
func (r *Redactor) File(b []byte) (clean []byte, looked bool) {
	budget := int64(maxInflated)
	return r.file(b, maxNested, &budget)
}

func (r *Redactor) file(b []byte, nested int, budget *int64) ([]byte, bool) {
	if utf8.Valid(b) {
		if spans := r.find(string(b)); len(spans) > 0 {
			return []byte(apply(string(b), spans)), true
		}
		return b, true
	}
	zr, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil || nested == 0 {
		return b, false
	}
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	looked, changed := true, false
	for _, f := range zr.File {
		part, err := inflate(f, budget)
		if err != nil {
			return b, false
		}
		clean, ok := r.file(part, nested-1, budget)
		looked = looked && (ok || len(part) == 0)
		same := bytes.Equal(clean, part)
		changed = changed || !same
		if err := writePart(zw, f, clean, same); err != nil {
			return b, false
		}
	}
	if !changed {
		return b, looked
	}
	if err := zw.Close(); err != nil {
		return b, false
	}
	return out.Bytes(), looked
}

// writePart writes a part of a package with its new content, or as it is.
func writePart(zw *zip.Writer, f *zip.File, content []byte, same bool) error {
	if same {
		return zw.Copy(f)
	}
	w, err := zw.CreateHeader(&zip.FileHeader{Name: f.Name, Method: f.Method, Modified: f.Modified})
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

// eachText calls f for each text in a file, in nested packages too.
func (r *Redactor) eachText(b []byte, f func(string)) {
	budget := int64(maxInflated)
	eachText(b, maxNested, &budget, f)
}

func eachText(b []byte, nested int, budget *int64, f func(string)) {
	if utf8.Valid(b) {
		f(string(b))
		return
	}
	zr, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil || nested == 0 {
		return
	}
	for _, part := range zr.File {
		if data, err := inflate(part, budget); err == nil {
			eachText(data, nested-1, budget, f)
		}
	}
}

func inflate(f *zip.File, budget *int64) ([]byte, error) {
	rc, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	b, err := io.ReadAll(io.LimitReader(rc, *budget+1))
	if *budget -= int64(len(b)); err == nil && *budget < 0 {
		err = io.ErrShortBuffer
	}
	return b, err
}
