package paragraph

import (
	"strings"

	"atelier/formats/language"
	"atelier/formats/xmlscan"
)

// LocalizeDrawing gives the DrawingML paragraphs of a part for which target
// holds, by number as in Parse, what a language asks for: the language of runs
// that have text and the direction of the paragraph (21.1.2.2.7, 21.1.2.3.9).
// Alignment is a side of the page there, so left and right change places with
// the direction; align says how a paragraph stands that does not say so itself
// ("l", "ctr" …; "" or a nil align: unknown, it stays).
func LocalizeDrawing(doc []byte, target func(int) bool, tag string, align func(int) string) ([]byte, error) {
	w := &drawingWalk{doc: doc, sc: xmlscan.New(doc), tag: language.Culture(tag), rtl: language.RightToLeft(tag), align: align, n: -1}
	for w.sc.Next() {
		t := w.sc.Token()
		if t.Space != Drawing.space {
			continue
		}
		switch {
		case t.Kind == xmlscan.Start && t.Local == "p":
			w.n++
			w.on = target(w.n) && !t.Empty
			if w.on {
				w.direction(t)
			}
		case t.Kind == xmlscan.End && t.Local == "p":
			w.on = false
		case t.Kind == xmlscan.Start && t.Local == "r" && w.on && !t.Empty:
			w.run(t)
		}
	}
	return xmlscan.Apply(doc, w.out), w.sc.Err()
}

type drawingWalk struct {
	doc   []byte
	sc    *xmlscan.Scanner
	tag   string
	rtl   bool
	align func(int) string
	n     int  // number of the paragraph
	on    bool // it has a target
	out   []xmlscan.Splice
}

// firstChild is the start tag that follows a start tag at once, when it has
// that name.
func (w *drawingWalk) firstChild(t xmlscan.Token, local string) (xmlscan.Token, bool) {
	for w.sc.Next() {
		in := w.sc.Token()
		if in.Kind == xmlscan.Text && strings.TrimSpace(string(in.Bytes())) == "" || in.Kind == xmlscan.Other {
			continue
		}
		return in, in.Kind == xmlscan.Start && in.Is(Drawing.space, local)
	}
	return t, false
}

// run sets the language of the run that t begins.
func (w *drawingWalk) run(t xmlscan.Token) {
	props, ok := w.firstChild(t, "rPr")
	if !ok {
		w.out = append(w.out, xmlscan.Splice{Start: t.End, End: t.End, New: []byte("<" + prefixed(t, "rPr") + ` lang="` + w.tag + `"/>`)})
		return
	}
	w.set(props, "lang", w.tag)
}

// direction sets the direction of the paragraph that t begins.
func (w *drawingWalk) direction(t xmlscan.Token) {
	props, ok := w.firstChild(t, "pPr")
	was := ok && (props.AttrLocal("rtl") == "1" || props.AttrLocal("rtl") == "true")
	if was != w.rtl {
		algn := ""
		if ok {
			algn = props.AttrLocal("algn")
		}
		if algn == "" && w.align != nil {
			algn = w.align(w.n)
		}
		rtl := map[bool]string{true: "1", false: "0"}[w.rtl]
		algn = map[string]string{"l": "r", "r": "l"}[algn]
		if !ok {
			attrs := ` rtl="` + rtl + `"`
			if algn != "" {
				attrs = ` algn="` + algn + `"` + attrs
			}
			w.out = append(w.out, xmlscan.Splice{Start: t.End, End: t.End, New: []byte("<" + prefixed(t, "pPr") + attrs + "/>")})
		} else {
			if algn != "" {
				w.set(props, "algn", algn)
			}
			w.set(props, "rtl", rtl)
		}
	}
	// The token read ahead may be the first run.
	if !ok && w.sc.Token().Kind == xmlscan.Start && w.sc.Token().Is(Drawing.space, "r") && !w.sc.Token().Empty {
		w.run(w.sc.Token())
	} else if w.sc.Token().Kind == xmlscan.End && w.sc.Token().Is(Drawing.space, "p") {
		w.on = false
	}
}

// set sets an attribute of a start tag.
func (w *drawingWalk) set(t xmlscan.Token, name, value string) {
	for a := range t.Attrs() {
		if a.Name == name {
			if a.Value() != value {
				w.out = append(w.out, xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: []byte(value)})
			}
			return
		}
	}
	at := t.Start + len("<"+prefixed(t, t.Local))
	w.out = append(w.out, xmlscan.Splice{Start: at, End: at, New: []byte(" " + name + `="` + value + `"`)})
}

// prefixed is a name with the prefix of t.
func prefixed(t xmlscan.Token, local string) string {
	if t.Prefix == "" {
		return local
	}
	return t.Prefix + ":" + local
}
