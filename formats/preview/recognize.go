package preview

import (
	"context"

	"atelier/formats"
	"atelier/formats/ocr"
)

// recognizeScale makes 216 pixels of an inch: letters of small print have enough.
const recognizeScale = 3

// CanRecognize reports whether Recognize has a program to work with.
func (m *Maker) CanRecognize() bool { return !m.noTesseract && ocr.Installed() }

// Recognize has the text of a page (0-based) or of an image recognised from its looks.
// Errors are those of Page and of ocr.Read.
func (m *Maker) Recognize(ctx context.Context, src formats.Source, page int) (ocr.Recognition, error) {
	if !m.CanRecognize() {
		return ocr.Recognition{}, formats.Errorf(formats.CodeUnsupported, "%s", ocr.Missing)
	}
	f, err := m.set.Detect(ctx, src)
	if err != nil {
		return ocr.Recognition{}, err
	}
	r := Request{Page: page, Scale: recognizeScale, Area: &Area{0, 0, 1, 1}}
	if f.Kind == formats.KindImage && !isSVG(src) {
		r = Request{Page: page, Scale: 1}
	}
	p, err := m.Page(ctx, src, r)
	if err != nil {
		return ocr.Recognition{}, err
	}
	if p.Rendering == ByText {
		return ocr.Recognition{}, formats.Errorf(formats.CodeUnsupported, "the page cannot be drawn: %s", p.Note)
	}
	return ocr.Read(ctx, p.PNG)
}
