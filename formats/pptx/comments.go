package pptx

import (
	"context"
	"strings"
)

// nsModern is the namespace of threaded comments ([MS-PPTX] 2.2.9.1).
const nsModern = "http://schemas.microsoft.com/office/powerpoint/2018/8/main"

const (
	relAuthors       = nsR + "/commentAuthors"
	relModernAuthors = "http://schemas.microsoft.com/office/2018/10/relationships/authors"
)

// comment is a comment or a reply to one.
type comment struct {
	author, text string
	reply        bool
}

// comments lists what people noted on a slide, replies after their comment.
func (d *deck) comments(ctx context.Context, slide string) ([]comment, error) {
	rels, err := d.related(ctx, slide, relComments, relModernComments)
	if err != nil || len(rels) == 0 {
		return nil, err
	}
	authors, err := d.authors(ctx)
	if err != nil {
		return nil, err
	}
	var out []comment
	for _, r := range rels {
		t, err := d.tree(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		for n := range t.Root.All() {
			switch {
			case n.Is(nsP, "cm"):
				out = append(out, comment{author: authors[n.Value("authorId")], text: oneLine(t.Text(n.Child(nsP, "text")))})
			case n.Is(nsModern, "cm"), n.Is(nsModern, "reply"):
				out = append(out, comment{author: authors[n.Value("authorId")], text: t.oneLine(n.Child(nsModern, "txBody")), reply: n.Local == "reply"})
			}
		}
	}
	return out, nil
}

// authors returns the names of comment authors by their id.
func (d *deck) authors(ctx context.Context) (map[string]string, error) {
	names := map[string]string{}
	rels, err := d.related(ctx, d.main, relAuthors, relModernAuthors)
	if err != nil {
		return nil, err
	}
	for _, r := range rels {
		t, err := d.tree(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		for n := range t.Root.All() {
			if n.Local == "cmAuthor" || n.Local == "author" {
				names[n.Value("id")] = n.Value("name")
			}
		}
	}
	return names, nil
}

// line returns the comment as a read shows it.
func (c comment) line() string {
	what := "Comment"
	if c.reply {
		what = "Reply"
	}
	if name := strings.TrimSpace(c.author); name != "" {
		what += " by " + oneLine(name)
	}
	return "[" + what + ": " + c.text + "]"
}
