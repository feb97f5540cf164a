package uris

import (
	"context"

	"atelier/workshop/tools"
	"atelier/workshop/web"
)

// Web is a fetch of pages through f, made readable (S-18).
func Web(f web.Fetcher) tools.Fetch {
	return func(ctx context.Context, uri string) (tools.Fetched, error) {
		res, err := f.Fetch(ctx, uri)
		if err != nil {
			return tools.Fetched{}, err
		}
		out := tools.Fetched{Status: res.Status, StatusText: res.StatusText, ContentType: res.ContentType}
		if res.Status >= 400 {
			return out, nil
		}
		doc, err := web.Readable(ctx, res)
		out.ContentType, out.Text = doc.ContentType, doc.Text
		if doc.Kind == "markdown" {
			out.ContentType = "text/markdown; charset=utf-8"
		}
		return out, err
	}
}
