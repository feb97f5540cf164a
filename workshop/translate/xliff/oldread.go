package xliff

import (
	"encoding/xml"
	"strconv"
	"strings"

	"atelier/formats/tags"
	"atelier/internal/lazyregexp"
	"atelier/internal/xmlin"
)

// isOld reports whether a root element is that of XLIFF 1.1 or 1.2. Some
// tools omit the namespace.
func isOld(root xml.StartElement) bool {
	v := xmlin.Attr(root, "version")
	return (v == "1.1" || v == "1.2") && (root.Name.Space == nsOld || root.Name.Space == nsOlder || root.Name.Space == "")
}

// oldHeader reads the data that oldFile wrote into a file's <header>.
func (r *Reader) oldHeader() error {
	return r.dec.Children(func(t xml.StartElement) (bool, error) {
		from := xmlin.Attr(t, "from")
		if !r.is(t, "note") || from != oldHash && from != oldEngine {
			return false, nil
		}
		s, err := r.dec.Text()
		if from == oldHash {
			r.file.Hash = strings.ToLower(strings.TrimSpace(s))
		} else {
			r.file.Engine = s
		}
		return true, err
	})
}

// oldUnit reads a <trans-unit> up to its end.
func (r *Reader) oldUnit(start xml.StartElement) (Unit, error) {
	u := Unit{ID: decodeID(xmlin.Attr(start, "id")), Locked: isLocked(start, r.path[len(r.path)-1].locked)}
	if xmlin.Attr(start, "size-unit") == "char" {
		u.MaxLength, _ = strconv.Atoi(xmlin.Attr(start, "maxwidth"))
	}
	segmented, target := &inlineText{}, &inlineText{}
	state := ""
	err := r.dec.Children(func(t xml.StartElement) (read bool, err error) {
		switch {
		case r.is(t, "source"):
			var source *inlineText
			source, err = r.content()
			u.Source = source.tagged.String()
		case r.is(t, "seg-source"):
			segmented, err = r.content()
		case r.is(t, "target"):
			state = xmlin.Attr(t, "state")
			target, err = r.content()
		case r.is(t, "note"):
			err = r.oldNote(&u, t)
		default: // alt-trans, context-group and extensions of tools
			return false, nil
		}
		return true, err
	})
	if err == nil {
		u.oldTarget(segmented, target, state, xmlin.Attr(start, "approved") == "yes")
	}
	return u, err
}

// oldTarget sets the unit's target. Many tools write an empty target for
// none, for the whole unit or for each segment.
func (u *Unit) oldTarget(segmented, target *inlineText, state string, approved bool) {
	u.State = Initial
	text := target.tagged.String()
	empty := text == "" || len(target.segments) > 0 && strings.TrimSpace(text) == ""
	if empty && (strings.TrimSpace(u.Source) != "" || oldState(state) == Initial) {
		return
	}
	u.Target, u.HasTarget, u.Problem = text, true, target.problem
	u.State = oldState(state)
	if approved && !u.State.ByPerson() {
		u.State = Reviewed
	}
	if len(target.segments) == 0 {
		return // translated as a whole
	}
	without := 0
	for mid, filled := range segmented.segments {
		if filled && !target.segments[mid] {
			without++
		}
	}
	if without > 0 {
		u.Problem = missingTarget(without, len(segmented.segments))
	}
}

// oldState converts a state of 1.2 to one of 2.1. An unknown or missing state
// means that there is a translation.
func oldState(word string) State {
	switch word {
	case "new", "needs-translation", "needs-adaptation", "needs-l10n":
		return Initial
	case "signed-off":
		return Reviewed
	case "final":
		return Final
	}
	return Translated
}

func (r *Reader) oldNote(u *Unit, t xml.StartElement) error {
	s, err := r.dec.Text()
	if err != nil {
		return err
	}
	category, ours := strings.CutPrefix(xmlin.Attr(t, "from"), oldNote)
	switch {
	case !ours:
		u.addNote("", s)
	case category != termNote:
		u.addNote(category, s)
	}
	return nil
}

// charID matches the id of a code for a character that XML cannot represent.
var charID = lazyregexp.New(`^u([0-9A-F]{4,6})\.[0-9]+$`)

// writeOldCode handles a code of 1.2 and returns what to write at its end. native
// reports that the code's content is not text.
func (x *inlineText) writeOldCode(t xml.StartElement) (end string, native bool) {
	id, rid := xmlin.Attr(t, "id"), xmlin.Attr(t, "rid")
	switch t.Name.Local {
	case "g":
		return x.writePair(t, id), false
	case "x", "ph":
		if m := charID.FindStringSubmatch(id); m != nil {
			if c, err := strconv.ParseUint(m[1], 16, 32); err == nil && c <= 0x10FFFF {
				x.tagged.WriteString(tags.Escape(string(rune(c))))
				return "", true
			}
		}
		x.writeTag(t, id, "<%s/>")
		return "", true
	case "bx", "bpt":
		if rid != "" {
			x.begun[rid] = id
		}
		x.writeTag(t, id, "<%s>")
		return "", true
	case "ex", "ept":
		if begun, ok := x.begun[rid]; ok {
			id = begun
		}
		x.writeTag(t, id, "</%s>")
		return "", true
	case "it":
		form := "<%s>"
		if xmlin.Attr(t, "pos") == "close" {
			form = "</%s>"
		}
		x.writeTag(t, id, form)
		return "", true
	}
	return "", false // mrk marks text
}
