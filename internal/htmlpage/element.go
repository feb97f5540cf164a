package htmlpage

import (
	"bufio"
	"html"
	"strings"
)

// Node is an element, an attribute, a text, a Group or a Stream; nil is nothing.
// Only this package makes nodes, so that no other can write text unescaped.
type Node interface {
	// write writes the node, attributes only within a start tag.
	write(w *bufio.Writer, startTag bool) error
}

// Group is several nodes in their order.
type Group []Node

func (g Group) write(w *bufio.Writer, startTag bool) error {
	for _, n := range g {
		if n == nil {
			continue
		}
		if err := n.write(w, startTag); err != nil {
			return err
		}
	}
	return nil
}

// El is an element; name is a literal. Attributes among the children become its
// attributes, wherever they are.
func El(name string, children ...Node) Node { return &element{name, children} }

type element struct {
	name     string
	children Group
}

// void has the elements without content and end tag (HTML Standard, 13.1.2) that
// the pages have.
var void = map[string]bool{"col": true, "img": true, "input": true, "meta": true}

func (e *element) write(w *bufio.Writer, startTag bool) error {
	if startTag {
		return nil
	}
	w.WriteByte('<')
	w.WriteString(e.name)
	if err := e.children.write(w, true); err != nil {
		return err
	}
	w.WriteByte('>')
	if void[e.name] {
		return nil
	}
	if err := e.children.write(w, false); err != nil {
		return err
	}
	w.WriteString("</")
	w.WriteString(e.name)
	return w.WriteByte('>') // the writer keeps the first error
}

// Attr is an attribute; name is a literal.
func Attr(name, value string) Node { return &attribute{name, value} }

type attribute struct{ name, value string }

func (a *attribute) write(w *bufio.Writer, startTag bool) error {
	if !startTag {
		return nil
	}
	w.WriteByte(' ')
	w.WriteString(a.name)
	w.WriteString(`="`)
	w.WriteString(escaped(a.value))
	return w.WriteByte('"')
}

// Text is text that a browser shows as it is.
func Text(s string) Node { return text(s) }

type text string

func (t text) write(w *bufio.Writer, startTag bool) error {
	return raw(escaped(string(t))).write(w, startTag)
}

// escaped returns s as the text of an element or the value of an attribute in
// double quotes. A browser would leave NUL out (HTML Standard, 13.2.6.4.7).
func escaped(s string) string { return html.EscapeString(strings.ReplaceAll(s, "\x00", "\ufffd")) }

// raw is text of this package that is not escaped.
type raw string

func (r raw) write(w *bufio.Writer, startTag bool) error {
	if startTag {
		return nil
	}
	_, err := w.WriteString(string(r))
	return err
}

// Stream is the nodes that each writes when the page is written, one after the
// other, so that they are not held at once. An error that each returns ends the
// page.
func Stream(each func(write func(Node) error) error) Node { return stream(each) }

type stream func(write func(Node) error) error

func (s stream) write(w *bufio.Writer, startTag bool) error {
	if startTag {
		return nil
	}
	return s(func(n Node) error { return n.write(w, false) })
}

// Map makes a node of each of a list.
func Map[T any](list []T, node func(T) Node) Group {
	out := make(Group, 0, len(list))
	for _, v := range list {
		out = append(out, node(v))
	}
	return out
}
