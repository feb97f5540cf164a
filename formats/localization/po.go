package localization

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/formats/text"
	"atelier/internal/lazyregexp"
)

// span is the bytes [start,end) of a file.
type span struct{ start, end int }

// poEntry is a message of a gettext catalog, as the manual of GNU gettext
// defines it ("The Format of PO Files").
type poEntry struct {
	line     int // 1-based, of its first line
	comments []string
	flags    span // the line of flags, when fuzzy is among them
	id       string
	context  string
	plural   *string
	strs     []poString
	obsolete bool
}

// poString is a msgstr: keyword and strings are at [start,end), value is the
// decoded text.
type poString struct {
	span
	value string
}

var (
	poKeyword = lazyregexp.New(`^\s*(msgctxt|msgid_plural|msgid|msgstr(?:\[\d{1,2}\])?)\s*("|$)`)
	poCharset = lazyregexp.New(`(?i)Content-Type:[^"\n]*charset=([A-Za-z0-9._-]+)`)
	poForms   = lazyregexp.New(`Plural-Forms:[ \t]*((?:[^"\\\n]|\\[^n])*)`)
	poLang    = lazyregexp.New(`"Language:[ \t]*((?:[^"\\\n]|\\[^n])*)`)
	poCount   = lazyregexp.New(`nplurals\s*=\s*(\d)`)
)

func declaredPO(head []byte) string {
	if m := poCharset.FindSubmatch(head); m != nil && string(m[1]) != "CHARSET" {
		return string(m[1])
	}
	return ""
}

// findPO returns units for the messages without a translation and those whose
// translation is marked fuzzy.
func findPO(ctx context.Context, d text.Document) (text.Found, error) {
	f := text.Found{UTF8: &text.Conversion{}}
	entries, err := readPO(ctx, d)
	if err != nil {
		return f, err
	}
	crlf := strings.Contains(d.Text, "\r\n")
	rule := pluralRules[primaryLanguage(d.Language)]
	for n, e := range entries {
		if e.id == "" && e.context == "" && len(e.strs) == 1 { // the header
			f.Edits, f.UTF8.Edits = headerPO(d, e, rule)
			continue
		}
		forms := len(e.strs)
		if d.Language != "" && rule != "" {
			forms = int(poCount.FindStringSubmatch(rule)[1][0] - '0')
		}
		if e.obsolete || len(e.strs) == 0 || e.flags == (span{}) && translated(e.strs) {
			continue
		}
		f.Units = append(f.Units, e.units(fmt.Sprintf("m%d", n), forms, crlf)...)
		if len(f.Units) > maxUnits {
			return f, tooMany(d.Name)
		}
	}
	return f, nil
}

func translated(strs []poString) bool {
	for _, s := range strs {
		if s.value == "" {
			return false
		}
	}
	return true
}

// units returns the segments of an entry: its text, and its plural when it has
// one.
func (e poEntry) units(id string, forms int, crlf bool) (out []text.Unit) {
	var notes []string
	notes = append(notes, e.comments...)
	if e.context != "" {
		notes = append(notes, "context: "+e.context)
	}
	add := func(id, source, place string, start, end int, write func(string) string) {
		_, core, _ := splitEdges(source)
		if !text.Translatable(core) || !utf8.ValidString(core) {
			return
		}
		u := text.Unit{Segment: formats.Segment{ID: id, Text: tags.Escape(core), Place: place, Part: "message", Notes: notes}, Start: start, End: end}
		u.Write = func(target string, inside func(start, end int) string) (string, error) {
			t := strings.TrimSpace(tags.Plain(target))
			if t == "" {
				return "", errEmpty
			}
			lead, _, tail := splitEdges(source)
			fresh := e.withoutFuzzy(inside, start) + write(quotePO(lead+t+tail))
			if crlf {
				fresh = strings.ReplaceAll(strings.ReplaceAll(fresh, "\r\n", "\n"), "\n", "\r\n")
			}
			return fresh, nil
		}
		out = append(out, u)
	}
	start, first, last := e.strs[0].start, e.strs[0], e.strs[len(e.strs)-1]
	if e.flags != (span{}) {
		start = e.flags.start
	}
	place := fmt.Sprintf("line %d", e.line)
	if e.plural == nil {
		add(id, e.id, place, start, last.end, func(q string) string { return "msgstr " + q })
		return out
	}
	// The first form is for the number one, the others for other numbers; a
	// language with one form uses the plural.
	if forms > 1 {
		add(id, e.id, place+", singular", start, first.end, func(q string) string { return "msgstr[0] " + q })
	} else {
		add(id, e.id, place+", singular", first.start, first.end, func(q string) string { return "msgstr[0] " + q })
	}
	from := start
	if forms > 1 {
		from = first.end
	}
	notes = append(notes[:len(notes):len(notes)], "all forms but that for one thing take this text")
	add(id+".p", *e.plural, place+", plural", from, last.end, func(q string) string {
		var sb strings.Builder
		if forms < 2 {
			return "msgstr[0] " + q
		}
		for k := 1; k < forms; k++ {
			fmt.Fprintf(&sb, "\nmsgstr[%d] %s", k, q)
		}
		return sb.String()
	})
	return out
}

// withoutFuzzy returns what is before the entry's strings in a unit that begins
// at start: its flags without "fuzzy", and not what the text was before.
func (e poEntry) withoutFuzzy(inside func(start, end int) string, start int) string {
	if e.flags == (span{}) || start != e.flags.start {
		return ""
	}
	flags := ""
	for _, w := range strings.Split(strings.TrimPrefix(strings.TrimSpace(inside(e.flags.start, e.flags.end)), "#,"), ",") {
		if w = strings.TrimSpace(w); w != "fuzzy" && w != "" {
			flags += ", " + w
		}
	}
	var sb strings.Builder
	if flags != "" {
		sb.WriteString("#" + flags + "\n")
	}
	rest := strings.TrimLeft(inside(e.flags.end, e.strs[0].start), "\r\n")
	for l := range strings.Lines(rest) {
		if !strings.HasPrefix(l, "#|") {
			sb.WriteString(l)
		}
	}
	return sb.String()
}

// headerPO edits the header for the targets' language, and for UTF-8.
func headerPO(d text.Document, e poEntry, rule string) (language, utf8 []text.Edit) {
	from, to := e.strs[0].start, e.strs[0].end
	raw := d.Text[from:to]
	put := func(re *lazyregexp.Regexp, value string) []text.Edit {
		if m := re.FindStringSubmatchIndex(raw); m != nil && raw[m[2]:m[3]] != value {
			return []text.Edit{{Start: from + m[2], End: from + m[3], Text: value}}
		}
		return nil
	}
	utf8 = put(poCharset, "UTF-8")
	if d.Language != "" {
		language = put(poLang, strings.ReplaceAll(d.Language, "-", "_"))
		if rule != "" {
			language = append(language, put(poForms, rule)...)
		}
		if m := poCharset.FindStringSubmatch(raw); m != nil && m[1] == "CHARSET" {
			language = append(language, utf8...)
			utf8 = nil
		}
	}
	return language, utf8
}

// readPO reads the entries of a catalog.
// poReader reads the entries of a catalog.
type poReader struct {
	name        string // of the file
	line        int
	entries     []poEntry
	e           poEntry
	begun       bool    // e has a keyword
	into        *string // what the next strings continue
	translation bool    // into is one
}

// readPO reads the entries of a catalog.
func readPO(ctx context.Context, d text.Document) ([]poEntry, error) {
	r := &poReader{name: d.Name}
	for pos := 0; pos < len(d.Text); {
		if r.line%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if r.line++; len(r.entries) > maxUnits {
			return nil, tooMany(d.Name)
		}
		at := span{pos, len(d.Text)}
		if i := strings.IndexByte(d.Text[pos:], '\n'); i >= 0 {
			at.end = pos + i
		}
		pos = at.end + 1
		if at.end > at.start && d.Text[at.end-1] == '\r' {
			at.end--
		}
		if err := r.readLine(d.Text[at.start:at.end], at); err != nil {
			return nil, err
		}
	}
	r.endEntry()
	return r.entries, nil
}

func (r *poReader) endEntry() {
	if r.begun {
		r.entries = append(r.entries, r.e)
	}
	r.e, r.begun, r.into = poEntry{}, false, nil
}

func (r *poReader) damaged(what string) error {
	return formats.Errorf(formats.CodeCorrupt, "%s is damaged: line %d %s", r.name, r.line, what)
}

func (r *poReader) readLine(s string, at span) error {
	trimmed := strings.TrimSpace(s)
	switch {
	case trimmed == "":
		if len(r.e.strs) > 0 || !r.begun {
			r.endEntry()
		}
	case strings.HasPrefix(trimmed, "#"):
		if len(r.e.strs) > 0 {
			r.endEntry()
		}
		r.e.comment(trimmed, at)
	case strings.HasPrefix(trimmed, `"`):
		return r.continueString(trimmed, at.end)
	default:
		return r.readKeyword(s, at)
	}
	return nil
}

// continueString adds a line that has only a string to the value before it.
func (r *poReader) continueString(quoted string, end int) error {
	if r.into == nil {
		return r.damaged("continues no message")
	}
	v, ok := unquotePO(quoted)
	if !ok {
		return r.damaged("has a string that does not end")
	}
	if *r.into += v; len(*r.into) > maxMessage {
		return formats.Errorf(formats.CodeTooLarge, "%s has a message of more than %d bytes at line %d", r.name, maxMessage, r.line)
	}
	if r.translation {
		last := &r.e.strs[len(r.e.strs)-1]
		last.value, last.end = *r.into, end
	}
	return nil
}

// readKeyword reads a line such as msgid "Yes".
func (r *poReader) readKeyword(s string, at span) error {
	m := poKeyword.FindStringSubmatch(s)
	if m == nil {
		return r.damaged("is no message, comment or string")
	}
	if (m[1] == "msgid" || m[1] == "msgctxt") && len(r.e.strs) > 0 {
		r.endEntry()
	}
	if !r.begun {
		r.begun, r.e.line = true, r.line
	}
	value, ok := unquotePO(strings.TrimSpace(s[strings.Index(s, m[1])+len(m[1]):]))
	if !ok {
		return r.damaged("has a string that does not end")
	}
	r.into, r.translation = &value, false
	switch m[1] {
	case "msgid":
		r.e.id = value
		r.into = &r.e.id
	case "msgctxt":
		r.e.context = value
		r.into = &r.e.context
	case "msgid_plural":
		r.e.plural = r.into
	default:
		r.translation = true
		r.e.strs = append(r.e.strs, poString{at, value})
	}
	return nil
}

func (e *poEntry) comment(s string, at span) {
	switch {
	case strings.HasPrefix(s, "#~"):
		e.obsolete = true
	case strings.HasPrefix(s, "#,"):
		for _, w := range strings.Split(s[2:], ",") {
			switch w = strings.TrimSpace(w); {
			case w == "fuzzy":
				e.flags = at
			case len(e.comments) < maxNotes && strings.HasSuffix(w, "-format") && !strings.HasPrefix(w, "no-"):
				e.comments = append(e.comments, w)
			}
		}
	case strings.HasPrefix(s, "#.") && len(e.comments) < maxNotes:
		e.comments = append(e.comments, strings.TrimSpace(s[2:]))
	}
}

// unquotePO reads a quoted string with C escapes; an empty line gives "".
func unquotePO(s string) (string, bool) {
	if s == "" {
		return "", true
	}
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return "", false
	}
	s = s[1 : len(s)-1]
	if !strings.ContainsAny(s, `\"`) {
		return s, true
	}
	var sb strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			return "", false
		}
		if s[i] != '\\' {
			sb.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return "", false
		}
		switch s[i] {
		case 'n':
			sb.WriteByte('\n')
		case 't':
			sb.WriteByte('\t')
		case 'r':
			sb.WriteByte('\r')
		default:
			sb.WriteByte(s[i])
		}
	}
	return sb.String(), true
}

var poEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\r", `\r`, "\n", `\n`)

// quotePO writes a string, each of its lines on a line when it has several.
func quotePO(s string) string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) < 2 {
		return `"` + poEscaper.Replace(s) + `"`
	}
	var sb strings.Builder
	sb.WriteString(`""`)
	for _, l := range lines {
		sb.WriteString("\n\"" + poEscaper.Replace(l) + `"`)
	}
	return sb.String()
}

// primaryLanguage returns the language of a BCP 47 tag, without script and
// region.
func primaryLanguage(tag string) string {
	tag, _, _ = strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return strings.ToLower(tag)
}
