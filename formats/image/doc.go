// Package image reads the size and format of png, jpeg, gif, webp and svg
// files. Only the header is read, never the pixels.
//
//	info, err := image.Format().Mapper.Map(ctx, src, formats.MapOptions{})   // Info{Width, Height, Format}
package image
