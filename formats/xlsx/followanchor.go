package xlsx

import (
	"bytes"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lazyregexp"
)

// anchor follows the cells that a drawing hangs on (20.5.2.33): 0-based
// columns and rows in from and to. An anchor whose cells are all deleted
// moves up and keeps its size, so that no drawing is lost.
func (w *walk) anchor(t xmlscan.Token) bool {
	switch t.Local {
	case "twoCellAnchor", "oneCellAnchor", "anchor":
		if t.AttrLocal("editAs") != "absolute" && !t.Empty {
			w.moveAnchor(t)
		}
	}
	return true
}

// moveAnchor looks at one anchor and adds its changes.
func (w *walk) moveAnchor(t xmlscan.Token) {
	sh := *w.rw.Shift
	e := w.anchorEnds(t)
	if e.at[0] == 0 {
		return
	}
	from, zero, to, zeroTo := sh.Anchor(e.at[0], e.at[1], t.AttrLocal("editAs") == "oneCell")
	set := func(sp sheetml.Span, old, now int) {
		if now != old {
			w.put(sp.Start, sp.End, strconv.Itoa(now-1))
		}
	}
	set(e.num[0], e.at[0], from)
	if e.at[1] > 0 {
		set(e.num[1], e.at[1], to)
	}
	if zero && e.off[0].OK() {
		w.put(e.off[0].Start, e.off[0].End, "0")
	}
	if zeroTo && e.off[1].OK() {
		w.put(e.off[1].Start, e.off[1].End, "0")
	}
}

// anchorEnds are the two ends of an anchor, from and to, along the axis that
// moves.
type anchorEnds struct {
	at       [2]int // 1-based row or column, 0: none
	num, off [2]sheetml.Span
}

// anchorEnds reads the ends of the anchor whose start tag is t.
func (w *walk) anchorEnds(t xmlscan.Token) (e anchorEnds) {
	want := "row"
	if w.rw.Shift.Cols {
		want = "col"
	}
	end := 0 // 1: in from, 2: in to
	sc := xmlscan.New(w.doc[t.Start:])
	for sc.Next() {
		s := sc.Token()
		if s.Kind == xmlscan.End && s.Depth == 1 {
			break
		}
		if s.Kind != xmlscan.Start || s.Depth > 3 {
			continue
		}
		switch {
		case s.Depth == 2 && s.Local == "from":
			end = 1
		case s.Depth == 2 && s.Local == "to":
			end = 2
		case s.Depth == 2:
			end = 0
		case end > 0 && !s.Empty && (s.Local == want || s.Local == want+"Off"):
			sp := sheetml.Piece(t.Start+s.End, t.Start+sheetml.EndTagStart(w.doc[t.Start:], sc.Skip()))
			if s.Local == want {
				if n := sheetml.Atoi(bytes.TrimSpace(w.doc[sp.Start:sp.End])); n >= 0 {
					e.at[end-1], e.num[end-1] = n+1, sp
				}
			} else {
				e.off[end-1] = sp
			}
		}
	}
	return e
}

var (
	vmlRow    = lazyregexp.New(`(<x:Row>\s*)(\d+)`)
	vmlColumn = lazyregexp.New(`(<x:Column>\s*)(\d+)`)
	vmlAnchor = lazyregexp.New(`(<x:Anchor>)([^<]*)`)
	vmlLink   = lazyregexp.New(`(<x:Fmla(?:Link|Range|Txbx|Group|Pict)>)([^<]*)`)
)

// followVML follows the shapes of notes and controls. The part is often no
// well-formed XML (HTML in it leaves tags open), so it is matched by pattern.
func followVML(rw *formula.Rewriter, doc []byte, home string) []byte {
	doc = vmlLink.ReplaceAllFunc(doc, func(m []byte) []byte {
		g := vmlLink.FindSubmatch(m)
		if now, changed := rw.Text(xmlscan.Unescape(g[2]), formula.Place{Sheet: home}); changed {
			return []byte(string(g[1]) + xmlscan.Escape(now))
		}
		return m
	})
	if rw.Shift == nil || home != rw.Sheet {
		return doc
	}
	return book.VMLShape.ReplaceAllFunc(doc, func(m []byte) []byte { return moveVMLShape(*rw.Shift, m) })
}

func moveVMLShape(s cellref.Shift, m []byte) []byte {
	own := vmlRow
	if s.Cols {
		own = vmlColumn
	}
	moved, note := 0, bytes.Contains(m, []byte(`ObjectType="Note"`))
	if g := own.FindSubmatch(m); g != nil && note {
		old := sheetml.Atoi(g[2]) + 1
		now, ok := s.Index(old)
		if !ok {
			return nil
		}
		moved = now - old
		m = own.ReplaceAll(m, []byte("${1}"+strconv.Itoa(now-1)))
	}
	return vmlAnchor.ReplaceAllFunc(m, func(a []byte) []byte {
		g := vmlAnchor.FindSubmatch(a)
		n := strings.Split(string(g[2]), ",")
		if len(n) != 8 {
			return a
		}
		i, j := 2, 6 // left column, offset, top row, offset, right column, …
		if s.Cols {
			i, j = 0, 4
		}
		from, to := sheetml.Atoi([]byte(strings.TrimSpace(n[i]))), sheetml.Atoi([]byte(strings.TrimSpace(n[j])))
		if from < 0 || to < 0 {
			return a
		}
		var x, y int
		if moved == 0 && s.Moves() && note {
			return a
		}
		if moved != 0 { // a note stays beside its cell
			x, y = max(from+moved, 0), max(to+moved, 1)
		} else {
			x, _, y, _ = s.Anchor(from+1, to+1, true)
			x, y = x-1, y-1
		}
		if x == from && y == to {
			return a
		}
		n[i], n[j] = " "+strconv.Itoa(x), " "+strconv.Itoa(y)
		return []byte(string(g[1]) + strings.TrimSpace(strings.Join(n, ",")))
	})
}
