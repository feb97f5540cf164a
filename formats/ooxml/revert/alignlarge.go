package revert

import (
	"bytes"
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// A large worksheet is compared without the rows that both sides have: a run of them
// becomes one row with this attribute, in both, so that the trees of the rest are small.
// The places that are found are given in the bytes of the worksheet itself.
const sameRows = ` atelier-same-rows=""/>`

// rowSpan is a row of a worksheet (ECMA-376-1 18.3.1.73) in its bytes.
type rowSpan struct {
	start, end, number int
	prefix             string // of its name, with a colon, or ""
}

// thinSheet is a worksheet without some of its rows.
type thinSheet struct {
	xml  []byte
	cuts []cut
}

// cut is a run of rows that is left out.
type cut struct {
	start, end int // of its place in the bytes of the thin worksheet
	shift      int // from there on: what to add for the place in the worksheet itself
}

// full returns the place in the worksheet itself.
func (s *thinSheet) full(at int) int {
	i := sort.Search(len(s.cuts), func(i int) bool { return s.cuts[i].end > at })
	if i == 0 {
		return at
	}
	return at + s.cuts[i-1].shift
}

// alignPart is alignXML for parts of any size; nil also where more than most bytes of a
// side are left when the rows of a worksheet that both have are left out.
func alignPart(ctx context.Context, a, b []byte, most int) ([]place, error) {
	if max(len(a), len(b)) <= most {
		return alignXML(ctx, a, b)
	}
	thinA, thinB, err := withoutSameRows(ctx, a, b)
	if err != nil || thinA == nil || max(len(thinA.xml), len(thinB.xml)) > most {
		return nil, err
	}
	places, err := alignShifted(ctx, thinA.xml, thinB.xml, thinA.full)
	if err != nil {
		return nil, err
	}
	for i := range places {
		for j, s := range places[i].splices {
			if bytes.Contains(s.New, []byte(sameRows)) || thinB.overlaps(s) {
				return nil, nil // more goes back than single rows
			}
			places[i].splices[j].Start, places[i].splices[j].End = thinB.full(s.Start), thinB.full(s.End)
		}
	}
	return places, nil
}

// overlaps reports whether a splice removes the place of rows.
func (s *thinSheet) overlaps(x xmlscan.Splice) bool {
	i := sort.Search(len(s.cuts), func(i int) bool { return s.cuts[i].end > x.Start })
	return i < len(s.cuts) && s.cuts[i].start < x.End
}

// withoutSameRows returns both sides without the rows that are the same in both; nil for
// what is not a worksheet, or one whose rows are not in the order of their numbers.
func withoutSameRows(ctx context.Context, a, b []byte) (thinA, thinB *thinSheet, err error) {
	rowsA, err := rowSpans(ctx, a)
	if err != nil || rowsA == nil {
		return nil, nil, err
	}
	rowsB, err := rowSpans(ctx, b)
	if err != nil || rowsB == nil {
		return nil, nil, err
	}
	ta, tb := thinner{doc: a}, thinner{doc: b}
	for i, j := 0, 0; i < len(rowsA) && j < len(rowsB); {
		switch ra, rb := rowsA[i], rowsB[j]; {
		case ra.number < rb.number:
			i++
		case ra.number > rb.number:
			j++
		default:
			n := 0
			for i+n < len(rowsA) && j+n < len(rowsB) && rowsA[i+n].number == rowsB[j+n].number &&
				bytes.Equal(a[rowsA[i+n].start:rowsA[i+n].end], b[rowsB[j+n].start:rowsB[j+n].end]) {
				n++
			}
			if n > 0 {
				ta.leaveOut(rowsA[i : i+n])
				tb.leaveOut(rowsB[j : j+n])
			}
			i, j = i+max(n, 1), j+max(n, 1)
		}
	}
	return ta.finish(), tb.finish(), ctx.Err()
}

// thinner writes a worksheet without some of its rows.
type thinner struct {
	doc  []byte
	out  bytes.Buffer
	at   int // in doc
	cuts []cut
}

func (t *thinner) leaveOut(rows []rowSpan) {
	first, last := rows[0], rows[len(rows)-1]
	t.out.Write(t.doc[t.at:first.start])
	start := t.out.Len()
	fmt.Fprintf(&t.out, `<%srow r="%d"%s`, first.prefix, first.number, sameRows)
	t.at = last.end
	t.cuts = append(t.cuts, cut{start, t.out.Len(), last.end - t.out.Len()})
}

func (t *thinner) finish() *thinSheet {
	t.out.Write(t.doc[t.at:])
	return &thinSheet{t.out.Bytes(), t.cuts}
}

// rowSpans lists the rows of a worksheet; nil for what is not a worksheet, and where their
// numbers do not ascend.
func rowSpans(ctx context.Context, doc []byte) (rows []rowSpan, err error) {
	sc := xmlscan.New(doc)
	inside := false
	for sc.Next() {
		t := sc.Token()
		switch {
		case !inside:
			if inside = t.Kind == xmlscan.Start && t.Local == "sheetData" && t.Depth == 2 && !t.Empty; t.Kind == xmlscan.Start && t.Depth == 2 && !inside {
				sc.Skip()
			}
		case t.Kind == xmlscan.End:
			return rows, nil
		case t.Kind == xmlscan.Start:
			r := rowSpan{start: t.Start}
			if t.Prefix != "" {
				r.prefix = strings.Clone(t.Prefix) + ":"
			}
			n, err := strconv.Atoi(t.AttrLocal("r"))
			if err != nil || t.Local != "row" || n < 1 || len(rows) > 0 && n <= rows[len(rows)-1].number {
				return nil, nil
			}
			r.number, r.end = n, sc.Skip()
			if rows = append(rows, r); len(rows)%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
	}
	return nil, nil // it does not end
}
