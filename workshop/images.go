package workshop

import (
	"context"
	"io"
	"strings"
)

// MaxImage is the most bytes of an image that KeepImage takes.
const MaxImage = 4 << 20

// ImageRef names an image that a record of the conversation carries. Its bytes are kept
// beside the contents of files, not in the conversation's text.
type ImageRef struct {
	Object string `json:"object"` // SHA-256 of the bytes
	Name   string `json:"name"`   // what it shows
	MIME   string `json:"mime"`
	Width  int    `json:"width"`  // pixels
	Height int    `json:"height"` // pixels
}

// KeepImage keeps the bytes of an image that a record is about to name and returns
// what to name it by. An image that no record of the conversation names is removed by
// garbage collection.
func (wb *Workbench) KeepImage(ctx context.Context, data []byte) (object string, err error) {
	if wb.readOnly {
		return "", readOnlyWorkbench()
	}
	object, _, err = wb.objects.put(ctx, MaxImage, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return object, err
}

// Image returns the bytes of an image that a record names.
func (wb *Workbench) Image(ctx context.Context, object string) ([]byte, error) {
	if len(object) != 64 || strings.Trim(object, "0123456789abcdef") != "" {
		return nil, Faultf(Invalid, "%q names no image", object)
	}
	src, err := wb.objects.open(ctx, object, "image")
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if src.Size() > MaxImage {
		return nil, Faultf(Invalid, "the image has %d bytes; the limit is %d", src.Size(), MaxImage)
	}
	return io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
}

// conversationImages adds the images that records of the conversation name.
func (wb *Workbench) conversationImages(used map[string]bool) error {
	records, err := wb.conv.AllRecords()
	if err != nil {
		return err
	}
	for _, r := range records {
		for _, im := range r.Images {
			used[im.Object] = true
		}
	}
	return nil
}
