package docx

import "atelier/formats/ooxml/xmlscan"

// localize returns the paragraphs of a part for which target holds, by number,
// what the language needs, and with them their runs, tables and sections.
func (l *localizer) localize(doc []byte, target func(int) bool) ([]byte, error) {
	w := &localWalk{l: l, doc: doc, sc: xmlscan.New(doc), target: target}
	for w.sc.Next() {
		t := w.sc.Token()
		switch t.Kind {
		case xmlscan.Start:
			w.start(t)
			if t.Empty {
				w.end(t)
			}
		case xmlscan.End:
			w.end(t)
		}
	}
	return xmlscan.Apply(doc, w.out), w.sc.Err()
}

// localWalk follows one part.
type localWalk struct {
	l       *localizer
	doc     []byte
	sc      *xmlscan.Scanner
	target  func(int) bool
	paras   int // paragraphs begun
	open    []*localFrame
	section bool // the present section has a target
	out     []xmlscan.Splice
}

// localFrame is an open paragraph, run or table.
type localFrame struct {
	local   string
	prefix  string // with colon
	depth   int
	openEnd int
	props   span // pPr, rPr or tblPr; zero when it has none
	target  bool // paragraph: it has one; run: its paragraph has, and it has text; table: a paragraph in it has
	text    bool // run: it has text
}

func (w *localWalk) top() *localFrame {
	if len(w.open) == 0 {
		return &localFrame{}
	}
	return w.open[len(w.open)-1]
}

func (w *localWalk) start(t xmlscan.Token) {
	if t.Space != nsW {
		return
	}
	top := w.top()
	f := &localFrame{local: t.Local, prefix: colon(t.Prefix), depth: t.Depth, openEnd: t.End}
	switch t.Local {
	case "p":
		f.target = w.target(w.paras) && !t.Empty
		w.paras++
		for _, o := range w.open {
			o.target = o.target || f.target && o.local == "tbl"
		}
		w.section = w.section || f.target
		w.open = append(w.open, f)
	case "r", "tbl":
		f.target = t.Local == "r" && w.inTarget()
		w.open = append(w.open, f)
	case "pPr", "rPr", "tblPr":
		if t.Local[:len(t.Local)-2] == top.local && t.Depth == top.depth+1 {
			top.props.start, top.props.end = t.Start, w.sc.Skip()
		}
	case "t":
		top.text = top.text || top.local == "r" && t.Depth == top.depth+1
	case "sectPr":
		if top.local == "" { // of the body
			end := w.sc.Skip()
			if w.section {
				w.splice(span{t.Start, end}, w.l.section(string(w.doc[t.Start:end]), f.prefix))
			}
		}
	}
}

// inTarget reports whether the innermost open paragraph has a target.
func (w *localWalk) inTarget() bool {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i].local == "p" {
			return w.open[i].target
		}
	}
	return false
}

func (w *localWalk) end(t xmlscan.Token) {
	f := w.top()
	if t.Space != nsW || f.local != t.Local || f.depth != t.Depth {
		return
	}
	w.open = w.open[:len(w.open)-1]
	raw := string(w.doc[f.props.start:f.props.end])
	at := f.props
	if at.end == 0 {
		at = span{f.openEnd, f.openEnd}
	}
	switch {
	case f.local == "p":
		if f.target || raw != "" && w.section {
			w.splice(at, w.l.paragraph(raw, f.prefix, f.target, w.section))
		}
		if len(w.open) == 0 && containsElement(raw, f.prefix+"sectPr") {
			w.section = false
		}
	case f.local == "r" && f.target && f.text:
		w.splice(at, w.l.run(raw, f.prefix))
	case f.local == "tbl" && f.target && raw != "":
		w.splice(at, w.l.table(raw, f.prefix))
	}
}

func containsElement(raw, name string) bool {
	sc := xmlscan.New([]byte(raw))
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Depth == 2 && colon(t.Prefix)+t.Local == name {
			return true
		}
	}
	return false
}

// splice puts s in place of at when they differ.
func (w *localWalk) splice(at span, s string) {
	if s != string(w.doc[at.start:at.end]) {
		w.out = append(w.out, xmlscan.Splice{Start: at.start, End: at.end, New: []byte(s)})
	}
}
