// Package xmlin opens XML exchange files (TMX, TBX) for reading as a stream, in
// any encoding, with limits on the size of one element.
//
//	dec := xmlin.NewDecoder(file)
//	for {
//		tok, err := dec.Token()
//		…
//		dec.Renew() // the next element has its own allowance
//	}
//
// Document type declarations are skipped: encoding/xml expands only the five
// entities of XML 1.0, so there are no entity bombs.
package xmlin

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// MaxElement is the maximum number of bytes of one unit of a file (between
// two calls of Renew).
const MaxElement = 8 << 20

// Decoder is an xml.Decoder that limits what it reads.
type Decoder struct {
	*xml.Decoder
	meter *meter
}

// NewDecoder reads UTF-8, UTF-16 with or without a byte order mark, and any
// encoding of the WHATWG index that the XML declaration names.
func NewDecoder(r io.Reader) *Decoder {
	m := &meter{r: decoded(r), left: MaxElement}
	d := &Decoder{Decoder: xml.NewDecoder(m), meter: m}
	d.Strict = true
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if l := strings.ToLower(label); strings.HasPrefix(l, "utf-16") || strings.HasPrefix(l, "utf16") || strings.HasPrefix(l, "ucs-2") {
			return in, nil // already decoded by its first bytes
		}
		enc, err := htmlindex.Get(label)
		if err != nil {
			return nil, fmt.Errorf("the encoding %q is not known; save the file as UTF-8", label)
		}
		return enc.NewDecoder().Reader(in), nil
	}
	return d
}

// Renew starts a new allowance for the following content.
func (d *Decoder) Renew() { d.meter.left = MaxElement }

// Line returns the current line of the decoder for messages, 1-based.
func (d *Decoder) Line() int {
	line, _ := d.InputPos()
	return line
}

// At adds the line to a read error, and describes an unexpected end of the
// file.
func (d *Decoder) At(err error) error {
	var se *xml.SyntaxError
	switch {
	case errors.Is(err, io.EOF) || errors.As(err, &se) && se.Msg == "unexpected EOF":
		return fmt.Errorf("line %d: the file ends in the middle of an element; it is cut short", d.Line())
	case se != nil:
		return fmt.Errorf("line %d: %s", se.Line, se.Msg)
	}
	return fmt.Errorf("line %d: %w", d.Line(), err)
}

// Text returns the character data up to the end of the element that was just
// opened, including that of elements inside.
func (d *Decoder) Text() (string, error) {
	var sb strings.Builder
	for depth := 0; ; {
		tok, err := d.Token()
		if err != nil {
			return "", err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			if depth == 0 {
				return sb.String(), nil
			}
			depth--
		case xml.CharData:
			sb.Write(t)
		}
	}
}

// Attr returns the attribute with that local name, or "".
func Attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// meter counts the bytes read and refuses more than the allowance.
type meter struct {
	r    io.Reader
	left int
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, fmt.Errorf("one element has more than %d MB; the file is damaged or not what it seems", MaxElement>>20)
	}
	n, err := m.r.Read(p[:min(len(p), 1<<15)])
	m.left -= n
	return n, err
}

// decoded converts UTF-16 to UTF-8, detected by its byte order mark or by the
// zero bytes of "<?", and removes a byte order mark (XML 1.0, appendix F).
func decoded(r io.Reader) io.Reader {
	head := make([]byte, 4)
	n, err := io.ReadFull(r, head)
	head = head[:n]
	if err != nil && n == 0 {
		return strings.NewReader("")
	}
	whole := io.MultiReader(strings.NewReader(string(head)), r)
	fallback := unicode.UTF8.NewDecoder().Transformer
	switch {
	case string(head) == "<\x00?\x00":
		return transform.NewReader(whole, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder())
	case string(head) == "\x00<\x00?":
		return transform.NewReader(whole, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder())
	case strings.HasPrefix(string(head), "\xef\xbb\xbf"), strings.HasPrefix(string(head), "\xff\xfe"), strings.HasPrefix(string(head), "\xfe\xff"):
		return transform.NewReader(whole, unicode.BOMOverride(fallback))
	}
	return whole
}
