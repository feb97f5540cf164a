package xmlin

import "encoding/xml"

// Content reads the content of the element that was just opened, up to its end.
// text, which may be nil, is called for character data, start for each element.
// start returns nil when it has read the whole element, as Text, Skip and Content
// do; otherwise Content reads on in the element and calls end at its end.
func (d *Decoder) Content(text func(string), start func(e xml.StartElement) (end func() error, err error)) error {
	var open []func() error
	for {
		tok, err := d.Token()
		if err != nil {
			return err
		}
		switch t := tok.(type) {
		case xml.CharData:
			if text != nil {
				text(string(t))
			}
		case xml.StartElement:
			end, err := start(t)
			if err != nil {
				return err
			}
			if end != nil {
				open = append(open, end)
			}
		case xml.EndElement:
			last := len(open) - 1
			if last < 0 {
				return nil
			}
			if err := open[last](); err != nil {
				return err
			}
			open = open[:last]
		}
	}
}

// Enter is the end of an element whose content is read and whose end does not
// matter.
func Enter() error { return nil }

// Children reads the child elements of the element that was just opened, up to
// its end. child reports whether it has read the element; others are skipped.
func (d *Decoder) Children(child func(e xml.StartElement) (read bool, err error)) error {
	return d.Content(nil, func(e xml.StartElement) (func() error, error) {
		read, err := child(e)
		if err == nil && !read {
			err = d.Skip()
		}
		return nil, err
	})
}
