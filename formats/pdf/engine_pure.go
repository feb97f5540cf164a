//go:build purepdf

package pdf

import (
	"context"
	"errors"
	"fmt"
	"strings"

	lpdf "github.com/ledongthuc/pdf"

	"atelier/formats"
	"atelier/formats/pdf/internal/layout"
)

// pureEngine reads with ledongthuc/pdf, which panics on some files: every call
// into it goes through runGuarded.
type pureEngine struct{}

func newEngine(string) (engine, error) { return pureEngine{}, nil }

func (pureEngine) use(ctx context.Context, src formats.Source, fn func(context.Context, document) error) (open bool, err error) {
	d, err := runGuarded(ctx, func() (*pureDoc, error) {
		r, err := lpdf.NewReader(src, src.Size())
		if err != nil {
			return nil, err
		}
		d := &pureDoc{r: r, count: r.NumPage(), locked: !r.Trailer().Key("Encrypt").IsNull()}
		if d.count <= 0 {
			return nil, errors.New("it has no pages")
		}
		d.name = r.Trailer().Key("Info").Key("Title").Text()
		d.fields = pureFields(r.Trailer().Key("Root").Key("AcroForm").Key("Fields"), "", 0, nil)
		w := pureWalk{}
		w.children(r.Trailer().Key("Root").Key("Outlines"), 1)
		d.titles = w.titles
		return d, nil
	})
	switch {
	case err == nil:
		return false, fn(ctx, d)
	case errors.Is(err, lpdf.ErrInvalidPassword), strings.Contains(err.Error(), "ncrypt"):
		return false, needsPassword(src)
	}
	return false, err
}

// pureDoc reads everything that Map needs except the text when it is opened.
type pureDoc struct {
	r      *lpdf.Reader
	count  int
	locked bool
	name   string
	titles []Title
	fields []Field
}

func (d *pureDoc) pages() int       { return d.count }
func (d *pureDoc) encrypted() bool  { return d.locked }
func (d *pureDoc) title() string    { return d.name }
func (d *pureDoc) outline() []Title { return d.titles }

func (d *pureDoc) text(ctx context.Context, page int) (string, error) {
	s, err := runGuarded(ctx, func() (string, error) {
		p := d.r.Page(page + 1)
		if p.V.IsNull() {
			return "", nil
		}
		s, err := p.GetPlainText(nil)
		return strings.Trim(s, "\n"), err
	})
	if err != nil && ctx.Err() == nil {
		err = formats.Errorf(formats.CodeCorrupt, "page %d cannot be read: %w", page+1, err)
	}
	return s, err
}

// compiles says that this engine needs no compiled code.
const compiles = false

// canPlace says that this engine does not know where words are: it finds no
// tables.
const canPlace = false

func (d *pureDoc) content(ctx context.Context, page int) (layout.Page, error) {
	s, err := d.text(ctx, page)
	return layout.Page{Plain: s}, err
}

func (d *pureDoc) label(int) string { return "" }

func (d *pureDoc) hasForm() bool { return len(d.fields) > 0 }

func (d *pureDoc) size(page int) (width, height float64) {
	box, err := runGuarded(context.Background(), func() ([2]float64, error) {
		p := d.r.Page(page + 1).V
		b := inherited(p, "MediaBox")
		wh := [2]float64{b.Index(2).Float64() - b.Index(0).Float64(), b.Index(3).Float64() - b.Index(1).Float64()}
		if inherited(p, "Rotate").Int64()%180 != 0 {
			wh[0], wh[1] = wh[1], wh[0]
		}
		return wh, nil
	})
	if err != nil {
		return 0, 0
	}
	return box[0], box[1]
}

// inherited returns a page's attribute, of its own or of a node above
// (7.7.3.4).
func inherited(page lpdf.Value, key string) lpdf.Value {
	v := page
	for range 30 {
		if x := v.Key(key); !x.IsNull() {
			return x
		}
		v = v.Key("Parent")
	}
	return lpdf.Value{}
}

// extras returns all fields with the first page: which page each is on is not
// known here.
func (d *pureDoc) extras(ctx context.Context, page int) pageExtras {
	b, err := runGuarded(ctx, func() (pageExtras, error) {
		var b pageExtras
		list := d.r.Page(page + 1).V.Key("Annots")
		for i := range min(list.Len(), maxExtras) {
			switch list.Index(i).Key("Subtype").Name() {
			case "Widget", "Popup":
			case "Link":
				b.links++
			default:
				b.annotations++
			}
		}
		return b, nil
	})
	if err != nil {
		b = pageExtras{}
	}
	if page == 0 {
		b.fields = d.fields
	}
	return b
}

// pictured takes a page with named images or forms for a picture; drawings in
// the content are not looked for.
func (d *pureDoc) pictured(ctx context.Context, page int) string {
	n, err := runGuarded(ctx, func() (int, error) {
		return len(inherited(d.r.Page(page+1).V, "Resources").Key("XObject").Keys()), nil
	})
	if err != nil || n == 0 {
		return emptyPage
	}
	return pictured
}

func (d *pureDoc) picture(context.Context, int, int, int) ([]byte, error) {
	return nil, formats.Errorf(formats.CodeUnsupported, "this build of Atelier cannot draw PDF pages")
}

// pureFields lists the fields of a form (ISO 32000-1, 12.7.3) with the names
// of their parents.
func pureFields(list lpdf.Value, parent string, depth int, out []Field) []Field {
	for i := 0; i < list.Len() && len(out) < maxExtras && depth < 10; i++ {
		f := list.Index(i)
		name := parent
		if t := f.Key("T").Text(); t != "" {
			name = strings.TrimPrefix(parent+"."+t, ".")
		}
		if kids := f.Key("Kids"); kids.Len() > 0 && kids.Index(0).Key("T").Text() != "" {
			out = pureFields(kids, name, depth+1, out)
			continue
		}
		typ := map[string]string{"Tx": "text", "Btn": "button", "Ch": "list", "Sig": "signature"}[f.Key("FT").Name()]
		out = append(out, Field{Name: name, Type: typ, Value: f.Key("V").Text()})
	}
	return out
}

type pureWalk struct{ titles []Title }

func (w *pureWalk) children(of lpdf.Value, level int) {
	for b, n := of.Key("First"), 0; b.Kind() == lpdf.Dict && len(w.titles) <= maxOutline && n <= maxOutline; b, n = b.Key("Next"), n+1 {
		w.titles = append(w.titles, Title{Title: b.Key("Title").Text(), Level: level})
		if level < maxOutlineLvl {
			w.children(b, level+1)
		}
	}
}

// runGuarded runs fn and turns a panic into an error. A call that never returns
// is ended with the process.
func runGuarded[T any](ctx context.Context, fn func() (T, error)) (v T, err error) {
	if err := ctx.Err(); err != nil {
		return v, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return fn()
}
