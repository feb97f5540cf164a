package toolservers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/textclip"
	"atelier/internal/textsafe"
)

// imageTypes are the images that a model can be given.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// taker takes content within bounds.
type taker struct {
	res    *Result
	text   strings.Builder
	bytes  int // of images
	unseen bool
	lost   map[string]int // kinds that were left out
	cut    int            // bytes of text
}

// resultOf takes the result of a call within bounds, and says what was cut.
func resultOf(r *mcp.CallToolResult) *Result {
	t := &taker{res: &Result{IsError: r.IsError}, lost: map[string]int{}}
	for _, c := range r.Content {
		t.take(c)
	}
	t.res.Text = t.text.String()
	if r.StructuredContent != nil {
		b, err := json.Marshal(r.StructuredContent)
		switch {
		case err != nil:
			t.lost["structured content that is not JSON"]++
		case len(b) > MaxStructured:
			t.say("the structured content has %d KiB, which is more than %d KiB, and is left out", len(b)>>10, MaxStructured>>10)
			t.res.BytesIn += len(b)
		default:
			t.res.Structured = b
			t.res.BytesIn += len(b)
		}
	}
	t.tell()
	return t.res
}

func (t *taker) say(format string, args ...any) {
	t.res.Cut = append(t.res.Cut, fmt.Sprintf(format, args...))
}

// tell says what was left out.
func (t *taker) tell() {
	if t.cut > 0 {
		t.say("the text was cut at %d KiB; %d more bytes are left out", MaxText>>10, t.cut)
	}
	if t.unseen {
		t.say("characters that cannot be seen are spelled out")
	}
	kinds := make([]string, 0, len(t.lost))
	for k := range t.lost {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		t.say("left out: %d × %s", t.lost[k], k)
	}
}

// addText adds text to the result.
func (t *taker) addText(s string) {
	t.res.BytesIn += len(s)
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	safe := textsafe.Text(s)
	t.unseen = t.unseen || safe != s
	if t.text.Len() > 0 && safe != "" {
		t.text.WriteByte('\n')
	}
	room := max(0, MaxText-t.text.Len())
	head := textclip.Bytes(safe, room)
	t.cut += len(safe) - len(head)
	t.text.WriteString(head)
}

func (t *taker) take(c mcp.Content) {
	switch c := c.(type) {
	case *mcp.TextContent:
		t.addText(c.Text)
	case *mcp.ImageContent:
		t.addImage(c.MIMEType, c.Data)
	case *mcp.AudioContent:
		t.res.BytesIn += len(c.Data)
		t.lost["sound ("+line(c.MIMEType, 60)+"), which models here do not get"]++
	case *mcp.ResourceLink:
		t.addLink(c)
	case *mcp.EmbeddedResource:
		t.addResource(c.Resource)
	default:
		t.lost["content of a kind that is not known"]++
	}
}

func (t *taker) addImage(mime string, data []byte) {
	t.res.BytesIn += len(data)
	kind := http.DetectContentType(data) // what it says of itself does not count
	switch {
	case !slices.Contains(imageTypes, kind):
		t.lost[fmt.Sprintf("image (%s) that is not PNG, JPEG, GIF or WebP", line(mime, 60))]++
	case len(t.res.Images) >= MaxImages:
		t.lost[fmt.Sprintf("image beyond %d", MaxImages)]++
	case t.bytes+len(data) > MaxImageBytes:
		t.lost[fmt.Sprintf("image beyond %d MiB", MaxImageBytes>>20)]++
	default:
		t.bytes += len(data)
		t.res.Images = append(t.res.Images, Image{kind, data})
		t.addText(fmt.Sprintf("[image %d: %s, %d bytes]", len(t.res.Images), kind, len(data)))
		t.res.BytesIn -= len(fmt.Sprintf("[image %d: %s, %d bytes]", len(t.res.Images), kind, len(data)))
	}
}

func (t *taker) addLink(c *mcp.ResourceLink) {
	t.res.BytesIn += len(c.URI) + len(c.Name) + len(c.Description)
	if len(t.res.Links) >= MaxLinks {
		t.lost[fmt.Sprintf("link beyond %d", MaxLinks)]++
		return
	}
	l := Link{URI: line(c.URI, 2000), Name: line(c.Name, maxTitle), Title: line(c.Title, maxTitle), Description: line(c.Description, 1000), MIME: line(c.MIMEType, 100)}
	if c.Size != nil {
		l.Size = max(0, *c.Size)
	}
	t.res.Links = append(t.res.Links, l)
	t.addText(fmt.Sprintf("[link %d: %s %s]", len(t.res.Links), l.Name, l.URI))
}

func (t *taker) addResource(r *mcp.ResourceContents) {
	switch {
	case r == nil:
		t.lost["resource without content"]++
	case r.Blob != nil && strings.HasPrefix(strings.ToLower(r.MIMEType), "image/"):
		t.addImage(r.MIMEType, r.Blob)
	case r.Blob != nil:
		t.res.BytesIn += len(r.Blob)
		t.lost["file ("+line(r.MIMEType, 60)+") that is not text"]++
	default:
		t.addText(fmt.Sprintf("[resource %s]\n%s", line(r.URI, 2000), r.Text))
	}
}
