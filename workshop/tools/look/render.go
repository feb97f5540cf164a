package look

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/preview"
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
	// Published draws the file as it is in the folder, without the draft.
	Published bool
	// Zoom is 1 to 2: twice the pixels each way.
	Zoom float64
}

// Rendered is the result of render.
type Rendered struct {
	Path  string   `json:"path"`
	Pages int      `json:"pages"` // of the document
	Shown []string `json:"shown"` // what the images show, in order
	Notes []string `json:"notes,omitempty"`

	Images []llm.Image `json:"-"`
}

// ToolImages implements tools.Imager.
func (r Rendered) ToolImages() []llm.Image { return r.Images }

// Render draws pages as they look when printed or shown.
func Render() *tools.Tool {
	return tools.New("render", "Draw pages of a document as images.", tools.Read, render)
}

func render(ctx context.Context, env *tools.Env, a RenderArgs) (any, error) {
	if env.Pages == nil {
		return nil, workshop.Faultf(workshop.Invalid, "pages cannot be drawn here")
	}
	if !env.Sees {
		return nil, workshop.Faultf(workshop.Invalid, "this model takes no images, so nothing was drawn: use get_file_info and read_file to check the result")
	}
	if a.Zoom == 0 {
		a.Zoom = 1
	}
	if a.Zoom < 1 || a.Zoom > 2 {
		return nil, workshop.Faultf(workshop.Invalid, "invalid zoom: %g; give 1 to 2", a.Zoom).OnField("zoom")
	}
	if a.From < 0 || a.To < a.From {
		return nil, workshop.Faultf(workshop.Invalid, "invalid pages: give one like 3, or a range like 1-4").OnField("pages")
	}
	of := *env
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
	for page := a.From; page <= a.To && page < a.From+maxPages; page++ {
		p, im, err := drawPage(ctx, env.Pages, src, page, a.Zoom)
		if formats.CodeOf(err) == formats.CodeNotFound && page > a.From {
			break // the range goes beyond the end
		}
		if err != nil {
			return nil, err
		}
		im.Name = fmt.Sprintf("%s page %d of %d", a.Path, page+1, p.Count)
		if a.Published {
			im.Name = "published " + im.Name
		}
		out.Pages, out.Shown, out.Images = p.Count, append(out.Shown, im.Name), append(out.Images, im)
		if p.Note != "" && (len(out.Notes) == 0 || out.Notes[len(out.Notes)-1] != p.Note) {
			out.Notes = append(out.Notes, p.Note)
		}
	}
	if last := a.From + len(out.Images); last <= min(a.To, out.Pages-1) {
		out.Notes = append(out.Notes, fmt.Sprintf("at most %d pages are drawn at once; page %d and later were not", maxPages, last+1))
	}
	if last := a.From + len(out.Images); a.To >= out.Pages && last == out.Pages {
		out.Notes = append(out.Notes, fmt.Sprintf("the document ends with page %d", out.Pages))
	}
	return out, nil
}

// drawPage makes the image of a page: at first with a pixel for 1/72 inch, then with as
// many as fit.
func drawPage(ctx context.Context, m *preview.Maker, src formats.Source, page int, zoom float64) (preview.Page, llm.Image, error) {
	p, err := m.Page(ctx, src, preview.Request{Page: page, Scale: 1})
	if err != nil {
		return p, llm.Image{}, err
	}
	width, height, err := sizeOf(p.PNG)
	if err != nil {
		return p, llm.Image{}, err
	}
	want := min(small*zoom, MaxSide) / float64(max(width, height, 1))
	if isImage(src) {
		want = min(want, 1) // an image is not drawn larger than it is
	}
	if scale := min(max(want, preview.MinScale), preview.MaxScale); scale < 0.95 || scale > 1.05 {
		if p, err = m.Page(ctx, src, preview.Request{Page: page, Scale: scale}); err != nil {
			return p, llm.Image{}, err
		}
	}
	im, err := fit(p.PNG, int(min(small*zoom, MaxSide)))
	return p, im, err
}

func isImage(src formats.Source) bool {
	switch strings.ToLower(path.Ext(src.Name())) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff":
		return true
	}
	return false
}

// WithImage adds to what is said of an image file the image, for a model that sees; what
// is said alone for others, and where the image cannot be drawn.
func WithImage(ctx context.Context, env *tools.Env, p workshop.Path, said string) any {
	if env.Pages == nil || !env.Sees {
		return said
	}
	_, src, err := files.Open(ctx, env, p)
	if err != nil {
		return said
	}
	defer src.Close()
	drawn, im, err := drawPage(ctx, env.Pages, src, 0, 1)
	if err != nil || drawn.Rendering == preview.ByText {
		return said
	}
	im.Name = string(p)
	return shown{said, []llm.Image{im}}
}

// shown is a text with images.
type shown struct {
	text   string
	images []llm.Image
}

// ToolText implements tools.Texter.
func (s shown) ToolText() string { return s.text }

// ToolImages implements tools.Imager.
func (s shown) ToolImages() []llm.Image { return s.images }

// MarshalJSON writes the text: clients of JSON get what they got without the image.
func (s shown) MarshalJSON() ([]byte, error) { return json.Marshal(s.text) }
