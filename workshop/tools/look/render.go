package look

import (
	"context"
	"fmt"

	"atelier/formats"
	"atelier/formats/preview"
	"atelier/formats/xlsx"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

// The bounds of an image for a model.
const (
	MaxSide  = 2048    // pixels
	MaxBytes = 3 << 19 // 1.5 MiB
	small    = 1024    // pixels of the longer side without zoom
	maxPages = 4       // images of one call
)

// RenderArgs are the arguments of render.
type RenderArgs struct {
	Path workshop.Path
	// From and To are pages or slides, counted from 0, both included.
	From, To int
	// Sheet and Range name cells of a workbook, in the place of pages.
	Sheet, Range string
	// Region is the part of each page, or of the cells, to draw; nil is all of it.
	Region *preview.Area
	// Published draws the file as it is in the folder, without the draft.
	Published bool
	// Zoom is 1 to 2: twice the pixels each way.
	Zoom float64
}

// cells reports whether the arguments name cells.
func (a RenderArgs) cells() bool { return a.Sheet != "" || a.Range != "" }

// Rendered is the result of render.
type Rendered struct {
	Path  string   `json:"path"`
	Pages int      `json:"pages,omitempty"` // of the document; 0 where they were not counted
	Shown []string `json:"shown"`           // what the images show, in order
	// Layout says what does not look as it should, or cannot be seen.
	Layout     []string     `json:"layout,omitempty"`
	Recognized []Recognized `json:"recognized,omitempty"`
	Notes      []string     `json:"notes,omitempty"`

	Images []llm.Image `json:"-"`
}

// ToolImages implements tools.Imager.
func (r Rendered) ToolImages() []llm.Image { return r.Images }

// note adds a note unless it is the same as the last one.
func (r *Rendered) note(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if s != "" && (len(r.Notes) == 0 || r.Notes[len(r.Notes)-1] != s) {
		r.Notes = append(r.Notes, s)
	}
}

// Render draws pages as they look when printed or shown. A model that takes no images
// gets in words what is known of their looks.
func Render() *tools.Tool {
	return tools.New("render", "Draw pages of a document as images.", tools.Read, render)
}

func render(ctx context.Context, env *tools.Env, a RenderArgs) (any, error) {
	if a.Zoom == 0 {
		a.Zoom = 1
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	of := *env
	if of.Pages == nil {
		of.Pages = preview.New(env.Formats, preview.Options{})
	}
	if a.Published {
		if env.Published == nil {
			return nil, workshop.Faultf(workshop.Invalid, "there is no published side here: leave side out").OnField("side")
		}
		of.View = env.Published
	}
	_, src, err := files.Open(ctx, &of, a.Path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	out := Rendered{Path: string(a.Path), Shown: []string{}}
	r := &rendering{env: &of, src: src, args: a, out: &out}
	switch {
	case !env.Sees:
		err = r.describe(ctx)
	case a.cells():
		err = r.drawCells(ctx)
	default:
		err = r.drawPages(ctx)
	}
	return out, err
}

func (a RenderArgs) check() error {
	if a.Zoom < 1 || a.Zoom > 2 {
		return workshop.Faultf(workshop.Invalid, "invalid zoom: %g; give 1 to 2", a.Zoom).OnField("zoom")
	}
	if a.From < 0 || a.To < a.From {
		return workshop.Faultf(workshop.Invalid, "invalid pages: give one like 3, or a range like 1-4").OnField("pages")
	}
	if a.Region != nil && !a.Region.Valid() {
		return workshop.Faultf(workshop.Invalid, "invalid region: give left,top,right,bottom as fractions of the page, like 0.5,0,1,0.5").OnField("region")
	}
	return nil
}

// rendering is one call at work.
type rendering struct {
	env  *tools.Env
	src  formats.Source
	args RenderArgs
	out  *Rendered
}

// drawPages draws the pages that are asked for.
func (r *rendering) drawPages(ctx context.Context) error {
	a, out := r.args, r.out
	for page := a.From; page <= a.To && page < a.From+maxPages; page++ {
		p, im, err := drawPage(ctx, r.env.Pages, r.src, preview.Request{Page: page, Area: a.Region}, a.Zoom)
		if formats.CodeOf(err) == formats.CodeNotFound && page > a.From {
			break // the range goes beyond the end
		}
		if err != nil {
			return err
		}
		r.show(im, fmt.Sprintf("%s page %d of %d", a.Path, page+1, p.Count), p)
		out.Pages = p.Count
	}
	if last := a.From + len(out.Images); last <= min(a.To, out.Pages-1) {
		out.note("at most %d pages are drawn at once; page %d and later were not", maxPages, last+1)
	}
	if last := a.From + len(out.Images); a.To >= out.Pages && last == out.Pages {
		out.note("the document ends with page %d", out.Pages)
	}
	return nil
}

// drawCells draws the cells that are asked for.
func (r *rendering) drawCells(ctx context.Context) error {
	v, err := r.viewCells(ctx)
	if err != nil {
		return err
	}
	p, im, err := drawScaled(func(scale float64) (preview.Page, error) {
		return r.env.Pages.Cells(ctx, r.src, v, preview.Request{Scale: scale, Area: r.args.Region})
	}, r.args.Zoom, preview.MaxAreaScale)
	if err == nil {
		r.show(im, string(r.args.Path)+" "+v.Name(), p)
	}
	return err
}

// viewCells finds the cells and says of them what a picture does not show.
func (r *rendering) viewCells(ctx context.Context) (xlsx.RangeView, error) {
	f, err := r.env.Formats.Detect(ctx, r.src)
	if err != nil {
		return xlsx.RangeView{}, err
	}
	if f.Kind != formats.KindXlsx {
		return xlsx.RangeView{}, workshop.Faultf(workshop.Invalid, "sheet and range are of a workbook (xlsx), and %s is %s: give pages", r.args.Path, f.Kind.WithArticle()).OnField("range")
	}
	v, err := xlsx.ViewRange(ctx, r.src, formats.Selector{Sheet: r.args.Sheet, Range: r.args.Range})
	if err != nil {
		return v, err
	}
	r.out.Layout = v.Facts
	if v.Omitted > 0 {
		r.out.Layout = append(r.out.Layout, fmt.Sprintf("and %d more", v.Omitted))
	}
	if v.Rest != "" {
		r.out.note("%s is as much as one picture shows; %s follows", v.Name(), v.Rest)
	}
	return v, nil
}

// show adds an image.
func (r *rendering) show(im llm.Image, name string, p preview.Page) {
	if reg := r.args.Region; reg != nil {
		name += fmt.Sprintf(" region %g,%g,%g,%g", reg.Left, reg.Top, reg.Right, reg.Bottom)
	}
	if r.args.Published {
		name = "published " + name
	}
	im.Name = name
	r.out.Shown, r.out.Images = append(r.out.Shown, name), append(r.out.Images, im)
	r.out.note("%s", p.Note)
}
