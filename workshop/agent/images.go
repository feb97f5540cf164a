package agent

import (
	"context"
	"fmt"

	"atelier/llm"
	"atelier/workshop"
)

// keepImages is how many images a request has at most, the newest: each takes about as
// much of the window as a page of text, and of the bytes sent a hundred times as much.
const keepImages = 8

// What stands for images that are not sent (llm.Image.Words).
const (
	olderImage = "newer ones are shown; call the tool again to look at it"
	noRoom     = "left out to fit the model's window; call the tool again to look at it"
	lostImage  = "it is not kept any more; call the tool again to look at it"
)

func (r *run) sees() bool { return r.cfg.Sees != nil && r.cfg.Sees() }

// keepImages keeps the bytes of the images of results before a record names them. The
// results of private phases are in no record.
func (r *run) keepImages(outs []outcome) error {
	if r.phase.private {
		return nil
	}
	for i := range outs {
		if len(outs[i].locked) > 0 {
			continue // pages of encrypted files are not stored
		}
		for j := range outs[i].Images {
			im := &outs[i].Images[j]
			object, err := r.wb.KeepImage(context.Background(), im.Data)
			if err != nil {
				return fmt.Errorf("an image for the model cannot be kept: %w", err)
			}
			im.Object = object
			outs[i].kept = append(outs[i].kept, workshop.ImageRef{Object: object, Name: im.Name, MIME: im.MIME, Width: im.Width, Height: im.Height})
		}
	}
	return nil
}

// dropImages leaves all images out and reports whether there were any: they take much of
// the window and can be drawn again.
func (r *run) dropImages(c *compaction) bool {
	if llm.CountImages(r.msgs) == 0 {
		return false
	}
	for _, m := range r.msgs {
		if len(m.Images) > 0 {
			c.cut["images of "+m.ToolCallID] = true
		}
	}
	c.Shortened = len(c.cut)
	r.msgs = llm.WithoutImages(r.msgs, 0, noRoom)
	return true
}

// imagesOf returns the images of a record without their bytes.
func imagesOf(rec workshop.Record) []llm.Image {
	var out []llm.Image
	for _, im := range rec.Images {
		out = append(out, llm.Image{Name: im.Name, MIME: im.MIME, Width: im.Width, Height: im.Height, Object: im.Object})
	}
	return out
}

// loadImages reads the bytes of the newest images of a conversation; words stand for
// older ones and for those that are gone.
func (r *run) loadImages(ctx context.Context, msgs []llm.Message) []llm.Message {
	msgs = llm.WithoutImages(msgs, keepImages, olderImage)
	for i := range msgs {
		var have []llm.Image
		for _, im := range msgs[i].Images {
			if im.Data == nil {
				var err error
				if im.Data, err = r.wb.Image(ctx, im.Object); err != nil {
					msgs[i].Content += "\n" + im.Words(lostImage)
					continue
				}
			}
			have = append(have, im)
		}
		msgs[i].Images = have
	}
	return msgs
}
