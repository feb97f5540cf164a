package docx

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// binding says where a content control takes its text from (17.5.2.6): an
// element of a custom XML part or of the properties. Word puts that text back
// whenever it opens the document, so it must be translated along.
type binding struct{ store, xpath, prefixes string }

// boundTexts returns the texts of the bound controls of a part.
func boundTexts(doc []byte) map[binding]string {
	if !bytes.Contains(doc, []byte("dataBinding")) {
		return nil
	}
	type control struct {
		depth int
		by    binding
		text  strings.Builder
	}
	out := map[binding]string{}
	var open []*control
	inText := false
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Is(nsW, "sdt") && !t.Empty:
			open = append(open, &control{depth: t.Depth})
		case t.Kind == xmlscan.Start && t.Is(nsW, "dataBinding") && len(open) > 0 && t.Depth == open[len(open)-1].depth+2:
			open[len(open)-1].by = binding{strings.ToUpper(t.AttrLocal("storeItemID")), t.AttrLocal("xpath"), t.AttrLocal("prefixMappings")}
		case t.Kind == xmlscan.Start && t.Is(nsW, "t"):
			inText = !t.Empty
		case t.Kind == xmlscan.Text && inText:
			for _, c := range open {
				c.text.WriteString(xmlscan.Unescape(t.Bytes()))
			}
		case t.Kind == xmlscan.End:
			inText = false
			if n := len(open); n > 0 && t.Is(nsW, "sdt") && open[n-1].depth == t.Depth {
				if c := open[n-1]; c.by.xpath != "" {
					out[c.by] = c.text.String()
				}
				open = open[:n-1]
			}
		}
	}
	return out
}

// noteBound remembers which bound texts the translation of a part changed.
func (r *replacement) noteBound(before, after []byte) {
	now := boundTexts(after)
	for by, was := range boundTexts(before) {
		if text, ok := now[by]; ok && text != was {
			r.bound[by] = [2]string{was, text}
		}
	}
}

// The properties have their own stores that no part declares.
const (
	storeCore     = "{6C3C8BC8-F283-45AE-878A-BAB7291924A1}"
	storeExtended = "{6668398D-A668-4E3E-A5EB-62B293D839F1}"
)

// stores returns the parts that controls can be bound to, by the id of the
// store.
func (r *replacement) stores(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	word := func(rel opc.Relationship) string { return rel.Type[strings.LastIndexByte(rel.Type, '/')+1:] }
	for _, source := range []string{"", r.main} {
		rels, err := r.ed.Rels(ctx, source)
		if err != nil {
			return nil, err
		}
		for _, rel := range rels {
			switch {
			case rel.External || !r.ed.Has(rel.Target):
			case word(rel) == "core-properties":
				out[storeCore] = rel.Target
			case word(rel) == "extended-properties":
				out[storeExtended] = rel.Target
			case word(rel) == "customXml":
				props, err := r.ed.Rels(ctx, rel.Target)
				if err != nil {
					return nil, err
				}
				for _, p := range props {
					if word(p) == "customXmlProps" && !p.External && r.ed.Has(p.Target) {
						doc, err := r.ed.ReadXML(ctx, p.Target)
						if err != nil {
							return nil, err
						}
						if sc := xmlscan.New(doc); root(sc) {
							out[strings.ToUpper(sc.Token().AttrLocal("itemID"))] = rel.Target
						}
					}
				}
			}
		}
	}
	return out, nil
}

// root moves to the root element.
func root(sc *xmlscan.Scanner) bool {
	for sc.Next() {
		if sc.Token().Kind == xmlscan.Start {
			return true
		}
	}
	return false
}

// writeBound puts the new texts of bound controls where Word takes them from.
// What a path does not lead to, or says otherwise than its control, stays; left
// is how many do.
func (r *replacement) writeBound(ctx context.Context) (left int, err error) {
	if len(r.bound) == 0 {
		return 0, nil
	}
	stores, err := r.stores(ctx)
	if err != nil {
		return 0, err
	}
	for by, texts := range r.bound {
		part, ok := stores[by.store]
		if !ok {
			left++
			continue
		}
		doc, err := r.ed.ReadXML(ctx, part)
		if err != nil {
			return 0, err
		}
		at, ok := pathElement(doc, by)
		if !ok || xmlscan.Unescape(doc[at.start:at.end]) != texts[0] {
			left++
			continue
		}
		r.ed.Set(part, xmlscan.Apply(doc, []xmlscan.Splice{{Start: at.start, End: at.end, New: []byte(xmlscan.Escape(texts[1]))}}))
	}
	return left, nil
}

var (
	pathStep = lazyregexp.New(`^(?:([\w.-]+):)?([\w.-]+)(?:\[(\d+)\])?$`)
	mapping  = lazyregexp.New(`xmlns:([\w.-]+)\s*=\s*(?:'([^']*)'|"([^"]*)")`)
)

// pathElement returns the content of the element that a path of child steps,
// such as /ns0:book[1]/ns0:title[1], leads to, when it is only text. Of an empty
// element it returns the tag and false.
func pathElement(doc []byte, by binding) (span, bool) {
	spaces := map[string]string{}
	for _, m := range mapping.FindAllStringSubmatch(by.prefixes, -1) {
		spaces[m[1]] = xmlscan.Transitional(m[2] + m[3])
	}
	type step struct {
		space, local string
		nth          int
	}
	var steps []step
	for _, s := range strings.Split(strings.TrimPrefix(by.xpath, "/"), "/") {
		m := pathStep.FindStringSubmatch(s)
		if m == nil {
			return span{}, false
		}
		nth, err := strconv.Atoi(m[3])
		if err != nil {
			nth = 1
		}
		steps = append(steps, step{spaces[m[1]], m[2], nth})
	}
	sc := xmlscan.New(doc)
	on := 0 // steps taken
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.End && t.Depth == on:
			return span{}, false // the way ends here
		case t.Kind == xmlscan.Start && t.Depth == on+1 && t.Is(steps[on].space, steps[on].local):
			if steps[on].nth--; steps[on].nth > 0 {
				sc.Skip()
				continue
			}
			if on++; on < len(steps) {
				continue
			}
			if t.Empty {
				return span{t.Start, t.End}, false
			}
			end := sc.Skip()
			inner := span{t.End, bytes.LastIndexByte(doc[:end], '<')}
			return inner, inner.end >= inner.start && bytes.IndexByte(doc[inner.start:inner.end], '<') < 0
		case t.Kind == xmlscan.Start:
			sc.Skip()
		}
	}
	return span{}, false
}
