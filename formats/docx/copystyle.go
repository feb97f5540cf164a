package docx

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// copyStylesArgs are the members of copy_styles.
type copyStylesArgs struct {
	Path   string   `json:"path" usage:"path" jsonschema:"{ops}: document to copy from"`
	Styles []string `json:"styles" usage:"styles" jsonschema:"{ops}: names of styles"`
	trackingArgs
}

// openOther opens another document that an operation names. The caller closes it.
func (e *editing) openOther(ctx context.Context, path string) (from *document, closeOther func() error, err error) {
	if e.opt.Open == nil {
		return nil, nil, formats.Errorf(formats.CodeUnsupported, "other files cannot be used here: %s", path)
	}
	src, err := e.opt.Open(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	if from, err = openDocument(ctx, src); err != nil {
		src.Close()
		return nil, nil, err
	}
	return from, src.Close, nil
}

// copyStyles takes style definitions over from another document, with those
// they are based on. A style that is there already gets the new definition.
func (e *editing) copyStyles(ctx context.Context, op copyStylesArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	if op.Path == "" {
		return rep, formats.Errorf(formats.CodeInvalid, "path is required: the document to copy styles from")
	}
	if len(op.Styles) == 0 {
		return rep, formats.Errorf(formats.CodeInvalid, "styles is required: the names of the styles to copy")
	}
	from, closeOther, err := e.openOther(ctx, op.Path)
	if err != nil {
		return rep, err
	}
	defer closeOther()
	name, doc, err := e.related(ctx, "styles")
	if err != nil {
		return rep, err
	}
	_, other, err := from.related(ctx, "styles")
	if err != nil {
		return rep, err
	}
	if name == "" || other == nil {
		return rep, formats.Errorf(formats.CodeUnsupported, "one of the documents has no styles part")
	}
	want, err := from.styles.closure(op.Styles)
	if err != nil {
		return rep, err
	}
	donor, host := styleElements(other), styleElements(doc)
	root, err := rootOf(doc)
	if err != nil {
		return rep, corrupt(name, err)
	}
	if e.rev != nil {
		rep.Warnings = append(rep.Warnings, "styles are not recorded as tracked changes")
	}
	var splices []xmlscan.Splice
	for _, id := range want {
		raw, dropped := e.foreign(other, donor[id], root.prefix)
		for _, d := range dropped {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("the style %q lost its %s, which belongs to the other document", from.styles[id].name, d))
		}
		rep.Hits++
		// Ids are localised: the same name is the same style.
		at, there := host[id]
		if same, ok := e.styles.findKind(from.styles[id].kind, from.styles[id].name); ok && !there {
			at, there = host[same]
			raw = strings.Replace(raw, `styleId="`+escape(id)+`"`, `styleId="`+escape(same)+`"`, 1)
		}
		if there {
			splices = append(splices, xmlscan.Splice{Start: at.start, End: at.end, New: []byte(raw)})
			continue
		}
		splices = append(splices, xmlscan.Splice{Start: root.innerEnd, End: root.innerEnd, New: []byte(raw)})
	}
	e.set(name, xmlscan.Apply(doc, splices))
	e.styles, err = e.readStyles(ctx)
	rep.Warnings = uniqueStrings(rep.Warnings)
	return rep, err
}

// closure returns the ids of styles by name and of those they are based on.
func (s styles) closure(names []string) ([]string, error) {
	var out []string
	for _, n := range names {
		id, ok := "", false
		for _, kind := range []string{"paragraph", "character", "table", "numbering"} {
			if id, ok = s.findKind(kind, n); ok {
				break
			}
		}
		if !ok {
			return nil, formats.Errorf(formats.CodeNotFound, "the other document has no style %q", n)
		}
		for range 20 { // basedOn may run in a circle
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
			st, ok := s[id]
			if _, known := s[st.basedOn]; !ok || !known {
				break
			}
			id = st.basedOn
		}
	}
	return out, nil
}

// styleElements returns the extents of style elements by id.
func styleElements(doc []byte) map[string]span {
	out := map[string]span{}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.Start && t.Depth == 2 && t.Is(nsW, "style") {
			out[t.AttrLocal("styleId")] = span{t.Start, sc.Skip()}
		}
	}
	return out
}

// rootElement is the root of a part.
type rootElement struct {
	prefix   string
	innerEnd int
}

func rootOf(doc []byte) (rootElement, error) {
	r := rootElement{innerEnd: -1}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Depth != 1 {
			continue
		}
		if t.Prefix != "" {
			r.prefix = t.Prefix + ":"
		}
		if t.Kind == xmlscan.End {
			r.innerEnd = t.Start
		}
	}
	if sc.Err() == nil && r.innerEnd < 0 {
		return r, io.ErrUnexpectedEOF
	}
	return r, sc.Err()
}

// foreign writes an element of another document in the prefix of this one,
// without what only means something there: numbering, and extensions whose
// namespaces are declared elsewhere.
func (e *editing) foreign(doc []byte, at span, prefix string) (raw string, dropped []string) {
	var sb strings.Builder
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Start < at.start {
			continue
		}
		if t.Start >= at.end {
			break
		}
		switch t.Kind {
		case xmlscan.Start:
			if t.Local == "numPr" {
				dropped = append(dropped, "numbering")
			}
			if t.Space != nsW || t.Local == "numPr" || t.Local == "rsid" {
				sc.Skip()
				continue
			}
			sb.WriteString("<" + prefix + t.Local)
			for a := range t.Attrs() {
				p, local, ok := strings.Cut(a.Name, ":")
				if !ok || sc.Namespace(p) != nsW || strings.HasPrefix(local, "rsid") {
					continue
				}
				sb.WriteString(" " + prefix + local + `="` + escape(a.Value()) + `"`)
			}
			if t.Empty {
				sb.WriteByte('/')
			}
			sb.WriteByte('>')
		case xmlscan.End:
			sb.WriteString("</" + prefix + t.Local + ">")
		}
	}
	return sb.String(), dropped
}
