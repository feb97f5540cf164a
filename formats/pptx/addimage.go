package pptx

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/image"
)

const relImage = nsR + "/image"

// imageMax bounds a picture that is put into a deck, in bytes.
const imageMax = 64 << 20

// addImageArgs are the members of add_image.
type addImageArgs struct {
	slideArgs
	Path string `json:"path" usage:"path" jsonschema:"{ops}: the picture file"`
	newObjectArgs
}

// addImage puts a picture on a slide, in its own proportion unless width and
// height are both given.
func (d *deckEdit) addImage(ctx context.Context, c *call, a addImageArgs) error {
	if a.Path == "" {
		return formats.Errorf(formats.CodeInvalid, "path is required: the picture file")
	}
	data, err := d.opt.OpenFile(ctx, a.Path, imageMax)
	if err != nil {
		return err
	}
	pic, err := image.Probe(data)
	if err != nil {
		return err
	}
	if a.Alt == "" {
		c.warn("the picture has no alternative text; give alt")
	}
	return d.addObject(ctx, c, a.newObjectArgs, newObject{
		placeholder: "pic", noun: "Picture",
		place: func(room frame, x, y, w, h float64) frame { return fitPicture(pic, room, x, y, w, h) },
		xml: func(t *tree, s objectShell) (string, error) {
			relID, err := d.addMedia(ctx, t.part, pic, data)
			return fmt.Sprintf(`<p:pic><p:nvPicPr>%s<p:cNvPicPr><a:picLocks noChangeAspect="1"/></p:cNvPicPr>%s</p:nvPicPr><p:blipFill><a:blip r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr>%s<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>`,
				s.props, s.holder, relID, s.frame.xfrmXML("a:xfrm")), err
		},
	})
}

// fitPicture places a picture: where and as large as it is asked to be, else in the
// middle of the room, and no larger than that.
func fitPicture(pic image.Picture, room frame, x, y, w, h float64) frame {
	given := func(v float64) int64 {
		if math.IsNaN(v) {
			return 0
		}
		return int64(v)
	}
	cx, cy := pic.Fit(given(w), given(h), int64(room.w))
	f := frame{w: float64(cx), h: float64(cy)}
	if math.IsNaN(w) && math.IsNaN(h) && f.h > room.h && room.h > 0 {
		f.w, f.h = f.w*room.h/f.h, room.h
	}
	f.x, f.y = room.x+(room.w-f.w)/2, room.y+(room.h-f.h)/2
	return f.moved(x, y, math.NaN(), math.NaN())
}

// addMedia adds a picture as a part, or a relationship to the part that an
// earlier operation made of the same picture.
func (d *deckEdit) addMedia(ctx context.Context, source string, pic image.Picture, data []byte) (relID string, err error) {
	for _, m := range d.media {
		if bytes.Equal(m.data, data) {
			return d.edit.AddRel(ctx, source, relTo(relImage, m.part))
		}
	}
	ext := pic.Ext
	if ext == "jpeg" {
		ext = "jpg"
	}
	pattern := strings.ReplaceAll(path.Join(path.Dir(d.main), "media", "image"), "%", "%%") + "%d." + ext
	part, relID, err := d.edit.AddPart(ctx, source, pattern, relImage, pic.MIME, data)
	d.media = append(d.media, media{part, data})
	return relID, err
}

// media is a picture that was added.
type media struct {
	part string
	data []byte
}
