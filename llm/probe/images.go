package probe

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"

	"atelier/llm"
	"atelier/llm/api"
	"atelier/llm/models"
)

// images shows the model a blue square and asks for its colour, also when the table
// says that the model takes no images or nothing at all.
func (p *prober) images(ctx context.Context) {
	square := image.NewRGBA(image.Rect(0, 0, 112, 112))
	draw.Draw(square, square.Bounds(), image.NewUniform(color.RGBA{0, 0, 255, 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, square); err != nil {
		return
	}
	yes := true
	rules := models.Builtin().With(models.Rule{Model: p.o.Model, Settings: models.Settings{Images: &yes}})
	if t := p.o.Endpoint.Models; t != nil {
		rules = t.With(models.Rule{Model: p.o.Model, Settings: models.Settings{Images: &yes}})
	}
	o := p.o.Endpoint
	o.Models = &rules
	c := api.New(o)
	m := user("Which colour is this square? Answer with one word.")
	m.Images = []llm.Image{{Name: "a square", MIME: "image/png", Data: b.Bytes(), Width: 112, Height: 112}}
	resp, err := p.ask(ctx, c, []llm.Message{m}, nil, nil)
	known := p.set.Images != nil
	switch sees := err == nil && strings.Contains(strings.ToLower(resp.Content), "blue"); {
	case err != nil:
		p.add("images", Note, "%s", asError(err).Error())
	case !c.Settings(p.o.Model).TakesImages():
		p.add("images", Note, "it refuses images; the model gets words in their place")
		p.foundImages(false, known)
	case sees:
		p.add("images", OK, "the model sees them")
		p.foundImages(true, known)
	default:
		p.add("images", Note, "images are taken, but the model did not see what is on one: %s", short(resp.Content))
		p.foundImages(false, known)
	}
}

// foundImages proposes an entry where the table says something else. A model that the
// table does not know counts as one that takes none.
func (p *prober) foundImages(takes, known bool) {
	if takes != p.set.TakesImages() || !known && takes {
		p.found.Images = &takes
	}
}
