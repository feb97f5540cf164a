// Package htmlpage writes HTML pages that are one file and load nothing.
//
//	err := Page{Title: "Review", CSS: css, JS: js}.Write(w, htmlpage.El("main", htmlpage.Text(text)))
//
// The content security policy of a page names its only style sheet and its only
// script by their hashes, so that a browser runs no other. Texts and values of
// attributes are escaped; only the style sheet and the script are not.
package htmlpage

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// Page is what a page has beside its body. CSS and JS are constants of the
// program, never text of a document.
type Page struct {
	Title   string
	CSS, JS string
	Images  bool // the page has images, as data URLs
}

// Write writes the page to w: a head, and a body that ends with the script. It
// writes while it renders, so that a body whose nodes read rows is never held
// whole. It returns the first error of a node or of w, and an error if CSS or JS
// contain what ends their element.
func (p Page) Write(w io.Writer, body ...Node) error {
	css, err := inElement("style", p.CSS)
	if err != nil {
		return err
	}
	js, err := inElement("script", p.JS)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	page := Group{raw("<!doctype html>"), El("html", Attr("lang", "en"),
		El("head",
			El("meta", Attr("charset", "utf-8")),
			El("meta", Attr("http-equiv", "Content-Security-Policy"), Attr("content", p.policy(css, js))),
			meta("viewport", "width=device-width, initial-scale=1"),
			meta("referrer", "no-referrer"),
			meta("robots", "noindex"),
			El("title", Text(p.Title)),
			El("style", raw(css)),
		), Line,
		El("body", Group(body), Line, El("script", raw(js))),
	)}
	if err := page.write(out, false); err != nil {
		return err
	}
	return out.Flush()
}

func meta(name, content string) Node { return El("meta", Attr("name", name), Attr("content", content)) }

// inElement returns s as the browser sees it in a style or script element. Git on
// Windows may convert line ends to CR LF, which browsers convert back before they
// compute hashes. It refuses what ends the element or changes how the rest of a
// script is read (HTML Standard, 13.2.5.4 and 13.2.5.17).
func inElement(name, s string) (string, error) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	lower := strings.ToLower(s)
	for _, end := range []string{"</" + name, "<!--", "\x00", "\r"} {
		if strings.Contains(lower, end) {
			return "", fmt.Errorf("the %s of a page must not contain %q", name, end)
		}
	}
	return s, nil
}

// policy returns a content security policy (W3C CSP Level 3) that lets the
// browser load nothing and run only this style sheet and script.
func (p Page) policy(css, js string) string {
	images := ""
	if p.Images {
		images = "img-src data:; "
	}
	return "default-src 'none'; " + images + "style-src " + hash(css) + "; script-src " + hash(js) + "; base-uri 'none'; form-action 'none'"
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Line is a line end between elements, for people who read the file.
var Line = Text("\n")

// Bdi is text whose direction does not change that of its surroundings.
func Bdi(text string) Node { return El("bdi", Text(text)) }

// Tag makes an element, such as "p", with one class and one text.
func Tag(element, class, text string) Node {
	return El(element, Attr("class", class), Text(text))
}

// Mark shows a state by a sign and a word, never by color alone.
func Mark(class, sign, word string) Node {
	return El("span", Attr("class", "mark "+class), El("span", Attr("aria-hidden", "true"), Text(sign+" ")), Text(word))
}

// Focusable makes an element that scripts and links can focus, and the Tab key
// passes over.
func Focusable() Node { return Attr("tabindex", "-1") }

// Scroll is a part of a page that scrolls sideways. A name makes it a region that
// the keyboard reaches.
func Scroll(name string, children ...Node) Node {
	if name == "" {
		return El("div", Attr("class", "scroll"), Group(children))
	}
	return El("div", Attr("class", "scroll"), Attr("role", "region"), Attr("aria-label", name), Attr("tabindex", "0"), Group(children))
}

// Head is the head cell of a column; class may be empty.
func Head(class string, children ...Node) Node {
	return El("th", Attr("scope", "col"), Class(class), Group(children))
}

// Class is the class attribute, or nothing if class is empty.
func Class(class string) Node {
	if class == "" {
		return nil
	}
	return Attr("class", class)
}
