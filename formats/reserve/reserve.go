// Package reserve has operations on documents wait for the memory that they take.
//
//	return reserve.Office(&formats.Format{Kind: formats.KindDocx, Reader: reader{}}, reserve.Needs{…})
//
// What an operation takes is estimated from the sizes of the parts that the file says it
// unpacks to, before any is unpacked. Sizes are those that were measured
// (TestEstimatesCoverTheWork in formats/all), with the garbage that the work leaves.
package reserve

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"path"
	"strings"

	"atelier/formats"
	"atelier/internal/budget"
)

// Needs is the memory of operations, as multiples of the size of a document's XML, or of
// a text.
type Needs struct {
	Read     float64 // map, read, parts, blocks, windows, pictures
	Edit     float64
	Heavy    float64 // edits with an operation of HeavyOps; 0 is Edit
	HeavyOps []string
	Audit    float64
	Segments float64 // of the texts to translate, and to put them back
	Bulk     float64 // … one by one, where the format can (formats.BulkSegmenter)
	Diff     float64 // for each byte of both files
	Most     int64   // bytes, where the format bounds what it holds; 0: it does not
}

// Least is what each operation takes, whatever the size.
const Least = 4 << 20

// packed is how many bytes of XML an office file whose sizes cannot be read is taken to
// have for each of its bytes.
const packed = 8

// Office returns a format whose operations wait for memory of budget.Process. Sizes of
// the parts come from the zip directory.
func Office(f *formats.Format, n Needs) *formats.Format { return wrap(f, n, xmlSize) }

// Text returns a format whose operations wait for memory of budget.Process. The size is
// that of the file.
func Text(f *formats.Format, n Needs) *formats.Format {
	return wrap(f, n, func(src formats.Source) int64 { return src.Size() })
}

// Size returns how many bytes of XML an office document has, how many bytes another file.
func Size(src formats.Source) int64 {
	switch formats.KindOfName(src.Name()) {
	case formats.KindDocx, formats.KindXlsx, formats.KindPptx, formats.KindODT:
		return xmlSize(src)
	}
	return src.Size()
}

// xmlSize returns how many bytes of XML a package has unpacked.
func xmlSize(src formats.Source) int64 {
	if src == nil {
		return 0
	}
	zr, err := zip.NewReader(src, src.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return src.Size() * packed // encrypted, or damaged
	}
	total := uint64(0)
	for _, f := range zr.File {
		switch strings.ToLower(path.Ext(f.Name)) {
		case ".xml", ".rels", ".vml":
			total += min(f.UncompressedSize64, 1<<40)
		}
	}
	return int64(min(total, 1<<40))
}

type reserver struct {
	Needs
	size func(formats.Source) int64
}

// reserve waits for what an operation takes on sources.
func (r reserver) reserve(ctx context.Context, each float64, srcs ...formats.Source) (context.Context, *budget.Reservation, error) {
	var n int64
	for _, s := range srcs {
		n += int64(each * float64(r.size(s)))
	}
	if r.Most > 0 {
		n = min(n, r.Most)
	}
	return budget.Process.Reserve(ctx, Least+n)
}

// heavy returns the multiple of Needs for a call with these operations.
func (r reserver) heavy(ops []json.RawMessage) float64 {
	for _, raw := range ops {
		var op struct {
			Op string `json:"op"`
		}
		if json.Unmarshal(raw, &op) != nil {
			continue // the editor says what is wrong
		}
		for _, h := range r.HeavyOps {
			if op.Op == h {
				return max(r.Heavy, r.Edit)
			}
		}
	}
	return r.Edit
}

func wrap(f *formats.Format, n Needs, size func(formats.Source) int64) *formats.Format {
	r := reserver{n, size}
	out := *f
	if f.Mapper != nil {
		out.Mapper = mapper{r, f.Mapper}
	}
	if f.Reader != nil {
		out.Reader = wrapReader(r, f.Reader)
	}
	if f.Editor != nil {
		out.Editor = wrapEditor(r, f.Editor)
	}
	if f.Segmenter != nil {
		out.Segmenter = wrapSegmenter(r, f.Segmenter)
	}
	if f.Differ != nil {
		out.Differ = differ{r, f.Differ}
	}
	if f.Auditor != nil {
		out.Auditor = auditor{f.Auditor, r}
	}
	if f.Pictures != nil {
		out.Pictures = pictures{r, f.Pictures}
	}
	if f.Sheets != nil {
		out.Sheets = sheets{r, f.Sheets}
	}
	if f.Blocks != nil {
		out.Blocks = blocks{r, f.Blocks}
	}
	return &out
}

type mapper struct {
	r reserver
	f formats.Mapper
}

func (m mapper) Map(ctx context.Context, src formats.Source, opt formats.MapOptions) (any, error) {
	ctx, mem, err := m.r.reserve(ctx, m.r.Read, src)
	if err != nil {
		return nil, err
	}
	defer mem.Release()
	return m.f.Map(ctx, src, opt)
}

type segmenter struct {
	r reserver
	f formats.Segmenter
}

func (s segmenter) Segments(ctx context.Context, src formats.Source, opt formats.SegmentOptions) ([]formats.Segment, error) {
	ctx, mem, err := s.r.reserve(ctx, s.r.Segments, src)
	if err != nil {
		return nil, err
	}
	defer mem.Release()
	return s.f.Segments(ctx, src, opt)
}

func (s segmenter) Replace(ctx context.Context, src formats.Source, dst io.Writer, targets map[string]string, opt formats.ReplaceOptions) error {
	ctx, mem, err := s.r.reserve(ctx, s.r.Segments, src)
	if err != nil {
		return err
	}
	defer mem.Release()
	return s.f.Replace(ctx, src, dst, targets, opt)
}

// bulkSegmenter waits for memory and gives segments one by one.
type bulkSegmenter struct {
	segmenter
	bulk formats.BulkSegmenter
}

func (s bulkSegmenter) EachSegment(ctx context.Context, src formats.Source, opt formats.SegmentOptions, do func(formats.Segment) error) error {
	ctx, mem, err := s.r.reserve(ctx, s.r.Bulk, src)
	if err != nil {
		return err
	}
	defer mem.Release()
	return s.bulk.EachSegment(ctx, src, opt, do)
}

func (s bulkSegmenter) ReplaceEach(ctx context.Context, src formats.Source, dst io.Writer, targets iter.Seq2[string, string], opt formats.ReplaceOptions) error {
	ctx, mem, err := s.r.reserve(ctx, s.r.Bulk, src)
	if err != nil {
		return err
	}
	defer mem.Release()
	return s.bulk.ReplaceEach(ctx, src, dst, targets, opt)
}

func wrapSegmenter(r reserver, f formats.Segmenter) formats.Segmenter {
	own := segmenter{r, f}
	if bulk, ok := f.(formats.BulkSegmenter); ok {
		return bulkSegmenter{own, bulk}
	}
	return own
}

type differ struct {
	r reserver
	f formats.Differ
}

func (d differ) Diff(ctx context.Context, before, after formats.Source, opt formats.DiffOptions) (*formats.Diff, error) {
	ctx, mem, err := d.r.reserve(ctx, d.r.Diff, before, after)
	if err != nil {
		return nil, err
	}
	defer mem.Release()
	return d.f.Diff(ctx, before, after, opt)
}

type auditor struct {
	formats.Auditor
	r reserver
}

func (a auditor) Audit(ctx context.Context, src formats.Source, opt formats.AuditOptions) (*formats.Audit, error) {
	ctx, mem, err := a.r.reserve(ctx, a.r.Audit, src)
	if err != nil {
		return nil, err
	}
	defer mem.Release()
	return a.Auditor.Audit(ctx, src, opt)
}

type pictures struct {
	r reserver
	f formats.Illustrated
}

func (p pictures) Pictures(ctx context.Context, src formats.Source, sel formats.Selector, emit func(formats.Picture) error) error {
	ctx, mem, err := p.r.reserve(ctx, p.r.Read, src)
	if err != nil {
		return err
	}
	defer mem.Release()
	return p.f.Pictures(ctx, src, sel, emit)
}

type sheets struct {
	r reserver
	f formats.SheetViewer
}

func (s sheets) SheetWindow(ctx context.Context, src formats.Source, req formats.SheetRequest) (*formats.SheetWindow, error) {
	ctx, mem, err := s.r.reserve(ctx, s.r.Read, src)
	if err != nil {
		return nil, err
	}
	defer mem.Release()
	return s.f.SheetWindow(ctx, src, req)
}

type blocks struct {
	r reserver
	f formats.BlockViewer
}

func (b blocks) Blocks(ctx context.Context, src formats.Source, req formats.BlockRequest) (*formats.BlockWindow, error) {
	ctx, mem, err := b.r.reserve(ctx, b.r.Read, src)
	if err != nil {
		return nil, err
	}
	defer mem.Release()
	return b.f.Blocks(ctx, src, req)
}
