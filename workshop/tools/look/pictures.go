package look

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/preview"
	"atelier/internal/textclip"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

// The bounds of the pictures of one read.
const (
	maxPictures  = 8        // that are shown
	maxNamed     = 20       // that are named without being shown
	maxSeen      = 5000     // places that are counted
	maxOneSource = 32 << 20 // bytes of a picture in a document
	minSide      = 8        // pixels; smaller ones show nothing
	noteMax      = 2000     // bytes of what is said of them
)

// PictureNote is as long as what WithPictures adds to a note at most.
var PictureNote = strings.Repeat("x", noteMax)

// pictured is a part of a document with its pictures.
type pictured struct {
	tools.Part
	images []llm.Image
}

// ToolImages implements tools.Imager.
func (p pictured) ToolImages() []llm.Image { return p.images }

// WithPictures adds to what was read of a document its pictures, and for a PDF its pages
// without text. A model that takes no images gets their places and descriptions.
func WithPictures(ctx context.Context, env *tools.Env, p workshop.Path, sel formats.Selector, c files.Content, said tools.Part) (any, error) {
	of := *env
	if of.Pages == nil {
		of.Pages = preview.New(env.Formats, preview.Options{})
	}
	_, src, err := files.Open(ctx, &of, p)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	g := &gallery{env: &of, path: string(p), at: map[string]int{}}
	f, err := env.Formats.Detect(ctx, src)
	switch {
	case err != nil:
		return nil, err
	case f.Kind == formats.KindPDF:
		err = g.scans(ctx, src, c.Blank)
	case f.Pictures == nil:
		g.say("pictures inside %s cannot be listed; render shows its pages", f.Kind.WithArticle())
	default:
		err = g.pictures(ctx, f, src, sel)
	}
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	said.Note = textclip.Bytes(strings.TrimPrefix(said.Note+"; "+g.note(), "; "), len(said.Note)+noteMax)
	return pictured{said, g.images}, nil
}

// errEnough ends a walk over pictures.
var errEnough = errors.New("there are more pictures than are counted")

// gallery gathers the pictures of one read.
type gallery struct {
	env     *tools.Env
	path    string
	images  []llm.Image
	at      map[string]int // image of each part, -1 for one that is not shown
	named   []string       // pictures that are not shown, and why
	unnamed int
	seen    int
	said    []string
}

func (g *gallery) say(format string, args ...any) {
	g.said = append(g.said, fmt.Sprintf(format, args...))
}

// leave names a picture that is not shown.
func (g *gallery) leave(what, why string) {
	if len(g.named) == maxNamed {
		g.unnamed++
		return
	}
	g.named = append(g.named, textclip.Bytes(what, 150)+" ("+textclip.Bytes(why, 120)+")")
}

// note says what is shown and what is not.
func (g *gallery) note() string {
	var out []string
	for i, im := range g.images {
		out = append(out, fmt.Sprintf("image %d: %s", i+1, textclip.Bytes(strings.TrimPrefix(im.Name, g.path+" "), 200)))
	}
	if len(g.named) > 0 {
		more := ""
		if g.unnamed > 0 {
			more = fmt.Sprintf(" and %d more", g.unnamed)
		}
		out = append(out, "not shown: "+strings.Join(g.named, ", ")+more)
	}
	if g.seen == 0 && len(g.said) == 0 {
		out = append(out, "there are no pictures in this part")
	}
	return strings.Join(append(out, g.said...), "; ")
}

// pictures gathers those of an office document.
func (g *gallery) pictures(ctx context.Context, f *formats.Format, src formats.Source, sel formats.Selector) error {
	err := f.Pictures.Pictures(ctx, src, sel, func(p formats.Picture) error {
		if g.seen++; g.seen > maxSeen {
			return errEnough
		}
		return g.picture(ctx, p)
	})
	if errors.Is(err, errEnough) {
		g.say("more than %d pictures: the others were not looked at", maxSeen)
	}
	return err
}

// picture shows a picture, or says why not.
func (g *gallery) picture(ctx context.Context, p formats.Picture) error {
	what := p.At
	if p.Name != "" {
		what += " " + p.Name
	}
	if p.Alt != "" {
		what += ": " + textclip.Bytes(strings.Join(strings.Fields(p.Alt), " "), 100)
	}
	if i, again := g.at[p.Part]; again && p.Part != "" {
		if i >= 0 && len(g.images[i].Name) < 150 {
			g.images[i].Name += ", also " + p.At
		}
		return nil
	}
	switch {
	case p.Linked != "":
		g.leave(what, "linked, not in the file: "+p.Linked)
	case p.Lost:
		g.leave(what, "its part is missing")
	case !g.env.Sees:
		g.leave(what, p.Type+"; images are given only to a model that takes images")
	case !shownTypes[p.Type]:
		g.leave(what, p.Type+", which cannot be shown as an image; render shows the page")
	case len(g.images) == maxPictures:
		g.leave(what, fmt.Sprintf("at most %d are shown at once; read a smaller part", maxPictures))
	default:
		im, err := g.draw(ctx, p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			g.leave(what, err.Error())
			break
		}
		im.Name = g.path + " " + textclip.Bytes(what, 150)
		g.at[p.Part] = len(g.images)
		g.images = append(g.images, im)
		return nil
	}
	g.at[p.Part] = -1
	return nil
}

// shownTypes are the types of pictures that can be decoded.
var shownTypes = map[string]bool{"png": true, "jpg": true, "jpeg": true, "jpe": true, "jfif": true, "gif": true, "webp": true}

// draw makes the image of a picture.
func (g *gallery) draw(ctx context.Context, p formats.Picture) (llm.Image, error) {
	if p.Size > maxOneSource {
		return llm.Image{}, fmt.Errorf("%d bytes are too many", p.Size)
	}
	r, err := p.Open()
	if err != nil {
		return llm.Image{}, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxOneSource+1))
	if err != nil {
		return llm.Image{}, err
	}
	drawn, im, err := drawPage(ctx, g.env.Pages, formats.FromBytes("picture."+p.Type, data), preview.Request{}, 1)
	switch {
	case err != nil:
		return im, errors.New("damaged, or no picture that can be shown")
	case drawn.Rendering != preview.ByImage:
		return im, errors.New("it is no picture that can be shown")
	case max(im.Width, im.Height) < minSide:
		return im, fmt.Errorf("%d × %d pixels show nothing", im.Width, im.Height)
	}
	return im, nil
}

// scans shows the pages of a PDF that have no text.
func (g *gallery) scans(ctx context.Context, src formats.Source, pages []formats.BlankPage) error {
	pages = slices.DeleteFunc(slices.Clone(pages), func(b formats.BlankPage) bool { return !b.Ink })
	for _, b := range pages {
		g.seen++
		what := fmt.Sprintf("page %d", b.Page)
		switch {
		case !g.env.Sees:
			g.leave(what, "images are given only to a model that takes images")
			continue
		case len(g.images) == maxPictures:
			g.leave(what, fmt.Sprintf("at most %d are shown at once; read fewer pages", maxPictures))
			continue
		}
		drawn, im, err := drawPage(ctx, g.env.Pages, src, preview.Request{Page: b.Page - 1}, 1)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			g.leave(what, err.Error())
		case drawn.Rendering == preview.ByText:
			g.leave(what, drawn.Note)
		default:
			im.Name = g.path + " " + what
			g.images = append(g.images, im)
		}
	}
	if len(pages) == 0 {
		g.say("no page of this part is without text; render shows pages with their pictures")
	}
	return nil
}
