package look

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ocr"
	"atelier/formats/preview"
	"atelier/internal/timelimit"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

// maxRecognized is how many pages one read has recognised.
const maxRecognized = 4

// WithImage adds to what is said of an image file the image, for a model that sees, and
// else the text in it as it was recognised. What is said alone where the image cannot be
// drawn.
func WithImage(ctx context.Context, env *tools.Env, p workshop.Path, said string) (any, error) {
	if env.Pages == nil {
		return said, nil
	}
	_, src, err := files.Open(ctx, env, p)
	if err != nil {
		return said, nil
	}
	defer src.Close()
	if !env.Sees {
		got, err := env.Pages.Recognize(ctx, src, 0)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !env.Pages.CanRecognize():
			return said + "; " + ocr.Missing, nil
		case err != nil:
			return said, nil
		}
		return said + "\n" + recognized("the image", got), nil
	}
	drawn, im, err := drawPage(ctx, env.Pages, src, preview.Request{}, 1)
	if err != nil || drawn.Rendering == preview.ByText {
		return said, nil
	}
	im.Name = string(p)
	return shown{said, []llm.Image{im}}, nil
}

// recognized words the text that was made out in a picture.
func recognized(what string, r ocr.Recognition) string {
	if r.Text == "" {
		return fmt.Sprintf("[%s made out no text in %s]", program(r), what)
	}
	end := ""
	if r.Cut {
		end = "\n[the recognised text was cut off here]"
	}
	return fmt.Sprintf("[text in %s as recognised by %s, which makes mistakes:]\n%s%s", what, program(r), r.Text, end)
}

// ReadScans puts in the place of pages of a PDF that have no text what is recognised in
// them, for a model that does not see.
func ReadScans(ctx context.Context, env *tools.Env, p workshop.Path, c *files.Content) error {
	var pages []formats.BlankPage
	for _, b := range c.Blank {
		if b.Ink {
			pages = append(pages, b)
		}
	}
	switch {
	case len(pages) == 0 || env.Pages == nil:
		return nil
	case env.Sees:
		c.Notes = append(c.Notes, `include ["images"] shows them`)
		return nil
	case !env.Pages.CanRecognize():
		c.Notes = append(c.Notes, ocr.Missing)
		return nil
	}
	_, src, err := files.Open(ctx, env, p)
	if err != nil {
		return err
	}
	defer src.Close()
	limited, cancel := timelimit.Early(ctx)
	defer cancel()
	done, why := 0, fmt.Sprintf("at most %d are recognised at once", maxRecognized)
	for _, b := range pages[:min(len(pages), maxRecognized)] {
		got, err := env.Pages.Recognize(limited, src, b.Page-1)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if why = err.Error(); errors.Is(err, context.DeadlineExceeded) {
				why = "the time limit of a tool call (--tool-timeout) was near"
			}
			break
		}
		c.Text = strings.Replace(c.Text, b.Line, recognized(fmt.Sprintf("page %d", b.Page), got), 1)
		done++
	}
	if done < len(pages) {
		c.Notes = append(c.Notes, fmt.Sprintf("the text of page %d and later pages without text was not recognised: %s; read those pages alone", pages[done].Page, why))
	}
	return nil
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
