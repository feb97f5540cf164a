package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/go-shiori/go-readability"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"atelier/workshop"
)

// Document is a page in the form for a model.
type Document struct {
	URL         string // after redirects
	Kind        string // "markdown" or "text"
	ContentType string // of the page itself
	Text        string
}

// Read fetches an address and converts it to readable text (S-18).
func Read(ctx context.Context, f Fetcher, uri string) (Document, error) {
	res, err := f.Fetch(ctx, uri)
	if err != nil {
		return Document{}, err
	}
	if res.Status >= 400 {
		fault := workshop.Faultf(workshop.NotFound, "Failed to fetch URL: %d %s", res.Status, res.StatusText).OnField("uri")
		fault.Retryable = res.Status >= 500 || res.Status == http.StatusTooManyRequests
		return Document{}, fault
	}
	return Readable(ctx, res)
}

// Readable converts HTML to Markdown of its main content. Plain text and
// Markdown are returned unchanged, in UTF-8. Other types are refused by name.
func Readable(ctx context.Context, res *Response) (Document, error) {
	doc := Document{URL: res.URL, ContentType: res.ContentType}
	if doc.ContentType == "" {
		doc.ContentType = http.DetectContentType(res.Body)
	}
	media, _, err := mime.ParseMediaType(doc.ContentType)
	if err != nil {
		media, _, _ = strings.Cut(strings.ToLower(doc.ContentType), ";")
		media = strings.TrimSpace(media)
	}
	text, err := decode(res.Body, doc.ContentType)
	if err != nil {
		return doc, err
	}
	switch media {
	case "text/plain":
		doc.Kind, doc.Text = "text", text
	case "text/markdown", "text/x-markdown":
		doc.Kind, doc.Text = "markdown", text
	case "text/html", "application/xhtml+xml":
		doc.Kind = "markdown"
		doc.Text, err = whileCalled(ctx, func() string { return markdown(text, res.URL) })
		return doc, err
	default:
		return doc, workshop.Faultf(workshop.Invalid, "%s is %.100s; only HTML, plain text and Markdown can be read", briefURI(res.URL), media).OnField("uri")
	}
	return doc, nil
}

// decode converts a body to UTF-8 by its byte order mark, the declared
// charset, a meta element, or a guess from its bytes.
func decode(body []byte, contentType string) (string, error) {
	r, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err == nil {
		body, err = io.ReadAll(r)
	}
	if err != nil && err != io.EOF { // EOF: an empty body
		return "", workshop.Faultf(workshop.Invalid, "the text of the page cannot be decoded: %w", err)
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(body), "\uFFFD"), "\ufeff"), nil
}

// whileCalled waits for a conversion as long as the call lasts. A conversion that takes
// longer ends in the background, because a page has at most MaxBody bytes.
func whileCalled(ctx context.Context, f func() string) (string, error) {
	done := make(chan string, 1)
	go func() { done <- f() }()
	select {
	case s := <-done:
		return s, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// markdown returns the main content of a page, or all of it if there is no
// main content, or its bare text if it cannot be parsed.
func markdown(page, from string) (out string) {
	defer func() {
		if r := recover(); r != nil {
			out = bareText(page)
		}
	}()
	parse := func() *html.Node { // conversion changes its input
		n, err := html.Parse(strings.NewReader(page)) // refuses nesting deeper than 512
		if err != nil {
			panic(err)
		}
		return n
	}
	u, err := url.Parse(from)
	if err != nil {
		u = &url.URL{}
	}
	doc := parse()
	title := titleOf(doc)
	whole := convertNode(parse(), u)
	if a, err := readability.FromDocument(doc, u); err == nil && a.Node != nil {
		// A page of links or a form is not an article: all of it is better
		// than a small part.
		if main := convertNode(a.Node, u); len(main) >= 500 || 4*len(main) >= len(whole) {
			if a.Title != "" {
				title = a.Title
			}
			return withTitle(title, main)
		}
	}
	if strings.TrimSpace(whole) == "" {
		whole = bareText(page)
	}
	return withTitle(title, whole)
}

func withTitle(title, text string) string {
	title = strings.Join(strings.Fields(title), " ")
	text = strings.TrimSpace(text)
	if title == "" || strings.HasPrefix(text, "# ") {
		return text + "\n"
	}
	return "# " + title + "\n\n" + text + "\n"
}

func convertNode(n *html.Node, from *url.URL) string {
	c := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	b, err := c.ConvertNode(n, converter.WithDomain(fmt.Sprintf("%s://%s", from.Scheme, from.Host)))
	if err != nil {
		return ""
	}
	return string(b)
}

func titleOf(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Title && n.FirstChild != nil {
			return n.FirstChild.Data
		}
	}
	return ""
}

// bareText returns the text between the tags.
func bareText(page string) string {
	var sb strings.Builder
	z := html.NewTokenizer(strings.NewReader(page))
	skip := 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			return sb.String()
		case html.StartTagToken:
			if name, _ := z.TagName(); isUnseen(name) {
				skip++
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); isUnseen(name) && skip > 0 {
				skip--
			}
		case html.TextToken:
			if t := strings.TrimSpace(string(z.Text())); t != "" && skip == 0 {
				sb.WriteString(t)
				sb.WriteByte('\n')
			}
		}
	}
}

func isUnseen(tag []byte) bool {
	a := atom.Lookup(tag)
	return a == atom.Script || a == atom.Style || a == atom.Template
}
