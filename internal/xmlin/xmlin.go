// Package xmlin opens XML exchange files (TMX, TBX) for reading as a stream,
// whatever their encoding, with bounds on what one element may cost.
//
//	dec := xmlin.NewDecoder(file)
//	for {
//		tok, err := dec.Token()
//		…
//		dec.Renew() // the next element has its own allowance
//	}
//
// A document type declaration is passed over: encoding/xml expands no entities
// but the five of XML 1.0, so there are no entity bombs.
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

// MaxElement is how many bytes one unit of a file (between two calls of Renew)
// may have.
const MaxElement = 8 << 20

// Decoder is an xml.Decoder with an allowance.
type Decoder struct {
	*xml.Decoder
	meter *meter
}

// NewDecoder reads UTF-8, UTF-16 with a byte order mark or without one, and
// any encoding of the WHATWG index that the XML declaration names.
func NewDecoder(r io.Reader) *Decoder {
	m := &meter{r: decoded(r), left: MaxElement}
	d := &Decoder{Decoder: xml.NewDecoder(m), meter: m}
	d.Strict = true
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if l := strings.ToLower(label); strings.HasPrefix(l, "utf-16") || strings.HasPrefix(l, "utf16") || strings.HasPrefix(l, "ucs-2") {
			return in, nil // decoded by its first bytes already
		}
		enc, err := htmlindex.Get(label)
		if err != nil {
			return nil, fmt.Errorf("the encoding %q is not known; save the file as UTF-8", label)
		}
		return enc.NewDecoder().Reader(in), nil
	}
	return d
}

// Renew gives what follows its own allowance.
func (d *Decoder) Renew() { d.meter.left = MaxElement }

// Line is where the decoder is, for messages; 1-based.
func (d *Decoder) Line() int {
	line, _ := d.InputPos()
	return line
}

// At gives an error of reading its line, and says of a file's early end what
// it is.
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

// Text is the character data up to the end of the element that was just
// opened, that of elements inside included.
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

// Attr is the attribute of that local name, "" when there is none.
func Attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// meter counts what is read and refuses more than the allowance.
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

// decoded turns UTF-16 into UTF-8, seen by its mark or by the zero bytes of
// "<?", and drops a mark (XML 1.0, appendix F).
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
