package web

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"atelier/workshop"
)

// The size of a page in characters (S-23).
const (
	DefaultChars = 8_000
	MaxChars     = 20_000
)

// Why a cursor was not simply followed (S-23).
const (
	CursorInvalid   = "cursor_invalid"       // it is none of ours; from the beginning
	CursorMismatch  = "cursor_uri_mismatch"  // it belongs to another address; from the beginning
	CursorRecovered = "cache_miss_recovered" // the text was fetched again and is the same; followed
	CursorRestart   = "cache_miss_restart"   // the text was fetched again and differs; from the beginning
)

// PageRequest asks for a part of a text.
type PageRequest struct {
	URI    string
	Cursor string // next_cursor of the page before; "" is the beginning
	// MaxChars is the size of the part in characters: 0 is DefaultChars, more
	// than MaxChars is MaxChars.
	MaxChars int
}

// Content is a whole text that is read in pages.
type Content struct {
	Text        string
	Kind        string // "markdown", "text", "pdf"
	ContentType string
}

// Page is a part of a text and how to get the next (S-23).
type Page struct {
	URI            string `json:"uri"`
	Content        string `json:"content"`
	Truncated      bool   `json:"truncated"`
	NextCursor     string `json:"next_cursor,omitempty"`
	Kind           string `json:"kind"`
	ContentType    string `json:"content_type"`
	CursorProvided bool   `json:"cursor_provided,omitempty"`
	CursorUsed     bool   `json:"cursor_used,omitempty"`
	CursorReset    bool   `json:"cursor_reset,omitempty"` // the page is the first although a cursor was given
	CursorReason   string `json:"cursor_reason,omitempty"`
}

// cursor is what a next_cursor holds: of which address and text, and where in
// it, in bytes.
type cursor struct {
	URI    string `json:"u"` // the beginning of its SHA-256
	Text   string `json:"t"` // likewise
	Offset int    `json:"o"`
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}

func (c cursor) String() string {
	b, _ := json.Marshal(c)
	return base64.RawURLEncoding.EncodeToString(b)
}

func parseCursor(s string) (c cursor, ok bool) {
	if len(s) > 400 {
		return c, false
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || json.Unmarshal(b, &c) != nil || c.URI == "" || c.Text == "" || c.Offset < 0 {
		return cursor{}, false
	}
	return c, true
}

// PageOf cuts the part of a text that is asked for. cached says that the text
// is the one the cursor was made for, not fetched again.
func PageOf(c Content, req PageRequest, cached bool) (Page, error) {
	switch {
	case req.MaxChars < 0:
		return Page{}, workshop.Faultf(workshop.Invalid, "max_chars is %d; give a positive number, at most %d", req.MaxChars, MaxChars).OnField("max_chars")
	case req.MaxChars == 0:
		req.MaxChars = DefaultChars
	}
	p := Page{URI: req.URI, Kind: c.Kind, ContentType: c.ContentType}
	from := p.follow(c.Text, req, cached)
	to := from
	for n := 0; n < min(req.MaxChars, MaxChars) && to < len(c.Text); n++ {
		to++
		for to < len(c.Text) && c.Text[to]&0xc0 == 0x80 { // within a character
			to++
		}
	}
	p.Content = c.Text[from:to]
	if p.Truncated = to < len(c.Text); p.Truncated {
		p.NextCursor = cursor{digest(req.URI), digest(c.Text), to}.String()
	}
	return p, nil
}

// follow decides where in the text to begin.
func (p *Page) follow(text string, req PageRequest, cached bool) int {
	if req.Cursor == "" {
		return 0
	}
	p.CursorProvided = true
	at, ok := parseCursor(req.Cursor)
	switch {
	case !ok:
		p.CursorReason = CursorInvalid
	case at.URI != digest(req.URI):
		p.CursorReason = CursorMismatch
	case at.Text != digest(text):
		p.CursorReason = CursorRestart
	case at.Offset > len(text) || at.Offset < len(text) && text[at.Offset]&0xc0 == 0x80:
		p.CursorReason = CursorInvalid
	default:
		p.CursorUsed = true
		if !cached {
			p.CursorReason = CursorRecovered
		}
		return at.Offset
	}
	p.CursorReset = true
	return 0
}

// How long and how much a Pager keeps (S-23).
const (
	keepFor   = 5 * time.Minute
	keepTexts = 50
)

// Pager reads texts in pages and keeps them meanwhile, so that the pages are of
// one text. The zero value works; it is safe for concurrent use.
type Pager struct {
	Now func() time.Time // the clock; nil is time.Now

	mu    sync.Mutex
	byURI map[string]*list.Element
	used  list.List // of *kept, the latest first
}

type kept struct {
	uri     string
	content Content
	at      time.Time
}

// Read gives the page asked for. load fetches the text when it is not kept, or
// when the reading begins: a text is not older than its first page.
func (g *Pager) Read(ctx context.Context, req PageRequest, load func(ctx context.Context, uri string) (Content, error)) (Page, error) {
	if c, ok := g.get(req.URI); ok && req.Cursor != "" {
		return PageOf(c, req, true)
	}
	c, err := load(ctx, req.URI)
	if err != nil {
		return Page{}, err
	}
	p, err := PageOf(c, req, false)
	if err == nil {
		g.keep(req.URI, c)
	}
	return p, err
}

func (g *Pager) now() time.Time {
	if g.Now != nil {
		return g.Now()
	}
	return time.Now()
}

func (g *Pager) get(uri string) (Content, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	el := g.byURI[uri]
	if el == nil {
		return Content{}, false
	}
	k := el.Value.(*kept)
	if g.now().Sub(k.at) >= keepFor {
		g.drop(el)
		return Content{}, false
	}
	g.used.MoveToFront(el)
	return k.content, true
}

func (g *Pager) keep(uri string, c Content) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byURI == nil {
		g.byURI = map[string]*list.Element{}
	}
	if el := g.byURI[uri]; el != nil {
		g.drop(el)
	}
	g.byURI[uri] = g.used.PushFront(&kept{uri, c, g.now()})
	for g.used.Len() > keepTexts {
		g.drop(g.used.Back())
	}
}

func (g *Pager) drop(el *list.Element) {
	delete(g.byURI, el.Value.(*kept).uri)
	g.used.Remove(el)
}
