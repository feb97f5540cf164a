package revert

import (
	"bytes"
	"slices"
	"strconv"

	"atelier/formats/ooxml/xmlscan"
)

// localNames sets the places of sheets that defined names have (localSheetId, ECMA-376-1
// 18.2.5) in now, which is after with parts of before, since sheets that go or come back
// change them. It returns nil where a name is of a sheet that is not there.
func localNames(before, after, now []byte) []byte {
	was, is, will := sheetNames(before), sheetNames(after), sheetNames(now)
	if slices.Equal(is, will) && slices.Equal(was, will) {
		return now
	}
	var edits []xmlscan.Splice
	sc := xmlscan.New(now)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Local != "definedName" {
			continue
		}
		for a := range t.Attrs() {
			n, err := strconv.Atoi(a.Value())
			if a.Name != "localSheetId" || err != nil {
				continue
			}
			list := was
			if bytes.Contains(after, now[t.Start:t.End]) {
				list = is
			}
			if n < 0 || n >= len(list) {
				return nil
			}
			to := slices.Index(will, list[n])
			if to < 0 {
				return nil
			}
			edits = append(edits, xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: strconv.AppendInt(nil, int64(to), 10)})
		}
	}
	return xmlscan.Apply(now, edits)
}

// sheetNames lists the sheets of a workbook part; none for another part.
func sheetNames(doc []byte) (names []string) {
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind != xmlscan.Start:
		case t.Depth == 1 && t.Local != "workbook":
			return nil
		case t.Local == "sheet" && t.Depth == 3:
			names = append(names, t.AttrLocal("name"))
		}
	}
	return names
}
