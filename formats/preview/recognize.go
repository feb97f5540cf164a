package preview

import (
	"context"
	"slices"
	"sync"

	"atelier/formats"
	"atelier/formats/ocr"
	"atelier/formats/password"
)

// recognizeScale makes 216 pixels of an inch: letters of small print have enough.
const recognizeScale = 3

// CanRecognize reports whether Recognize has a program to work with.
func (m *Maker) CanRecognize() bool { return !m.noTesseract && ocr.Installed() }

// Recognize has the text of a page (0-based) or of an image recognised from its looks. The
// last results are kept in memory.
// Errors are those of Page and of ocr.Read.
func (m *Maker) Recognize(ctx context.Context, src formats.Source, page int) (ocr.Recognition, error) {
	if !m.CanRecognize() {
		return ocr.Recognition{}, formats.Errorf(formats.CodeUnsupported, "%s", ocr.Missing)
	}
	key := recognition{src.Hash(), page}
	if got, ok := m.recognized.get(key); ok {
		return got, nil
	}
	ctx, opened := password.Watch(ctx)
	got, err := m.recognize(ctx, src, page)
	if err == nil && !opened.Any() && key.hash != "" { // the text of an encrypted file is for those who have its password
		m.recognized.put(key, got)
	}
	return got, err
}

// HasRecognized reports whether Recognize has the text of a page already.
func (m *Maker) HasRecognized(src formats.Source, page int) bool {
	_, ok := m.recognized.get(recognition{src.Hash(), page})
	return ok
}

func (m *Maker) recognize(ctx context.Context, src formats.Source, page int) (ocr.Recognition, error) {
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

// recognition is the page of a content.
type recognition struct {
	hash string
	page int
}

// maxRecognized limits the texts that are kept, in bytes with what belongs to them.
const maxRecognized = 4 << 20

// recognitions keeps the last recognised texts: recognising takes seconds, and a search
// asks again for what a read has shown.
type recognitions struct {
	mu    sync.Mutex
	texts map[recognition]ocr.Recognition
	order []recognition // the oldest first
	bytes int
}

func (r *recognitions) get(k recognition) (ocr.Recognition, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	got, ok := r.texts[k]
	return got, ok && k.hash != ""
}

func (r *recognitions) put(k recognition, got ocr.Recognition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.texts == nil {
		r.texts = map[recognition]ocr.Recognition{}
	}
	if _, ok := r.texts[k]; ok {
		return
	}
	r.texts[k], r.order = got, append(r.order, k)
	for r.bytes += recognizedSize(got); r.bytes > maxRecognized; {
		r.bytes -= recognizedSize(r.texts[r.order[0]])
		delete(r.texts, r.order[0])
		r.order = slices.Delete(r.order, 0, 1)
	}
}

func recognizedSize(r ocr.Recognition) int { return len(r.Text) + 256 }
