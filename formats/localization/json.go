package localization

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/formats/text"
	"atelier/internal/lazyregexp"
)

// jsonFrame is an open object or array.
type jsonFrame struct {
	object bool
	name   string // its own step of the path
	key    string // of the value that comes next
	hasKey bool
	n      int // values so far
	off    bool
}

// maxNesting is how many objects and arrays are open at once at most.
const maxNesting = 1000

// symbolic are values that programs read, whatever their key says: addresses,
// identifiers, colours, classes, versions.
var symbolic = lazyregexp.New(`^(?:[a-z0-9]+(?:[_.:/-][A-Za-z0-9]+)+|[A-Z0-9]+(?:_[A-Z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+|#[0-9A-Fa-f]{3,8}|[./@~$][^\s]+|true|false|null|utf-?8)$`)

// findJSON returns a unit for each value that is language; keys stay. Keys that
// begin with @ describe others (Application Resource Bundle), and what a key
// called id, key, url, href, path, class or the like names is not language.
// jsonFinder finds the values that are language in a JSON document.
type jsonFinder struct {
	d            text.Document
	f            text.Found
	stack        []jsonFrame
	ascii        bool // characters beyond ASCII are escaped
	line, lineAt int
	seen         map[string]int
}

// findJSON returns a unit for each value that is language; keys stay. Keys that
// begin with @ describe others (Application Resource Bundle), and what a key
// called id, key, url, href, path, class or the like names is not language.
func findJSON(ctx context.Context, d text.Document) (text.Found, error) {
	dec := json.NewDecoder(strings.NewReader(d.Text))
	dec.UseNumber()
	ascii := !strings.ContainsFunc(d.Text, func(r rune) bool { return r >= utf8.RuneSelf }) && strings.Contains(d.Text, `\u`)
	j := &jsonFinder{d: d, ascii: ascii, line: 1, seen: map[string]int{}}
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return j.f, ctx.Err()
		}
		before := int(dec.InputOffset())
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) && len(j.stack) == 0 {
			return j.f, nil
		}
		if err != nil {
			return j.f, formats.Errorf(formats.CodeCorrupt, "%s is no valid JSON: %w", d.Name, err)
		}
		if err := j.addToken(tok, before, int(dec.InputOffset())); err != nil {
			return j.f, err
		}
		if len(j.f.Units) > maxUnits {
			return text.Found{}, tooMany(d.Name)
		}
	}
}

// addToken handles a token that begins at before or later and ends at end.
func (j *jsonFinder) addToken(tok json.Token, before, end int) error {
	delim, _ := tok.(json.Delim)
	if delim == '}' || delim == ']' {
		j.stack = j.stack[:len(j.stack)-1]
		return nil
	}
	s, isText := tok.(string)
	step, off := "", false
	if len(j.stack) > 0 {
		top := &j.stack[len(j.stack)-1]
		if isText && top.object && !top.hasKey {
			top.key, top.hasKey = s, true
			return nil
		}
		step, off = top.nextValue()
	}
	if delim != 0 {
		if len(j.stack) >= maxNesting {
			return formats.Errorf(formats.CodeTooLarge, "%s nests more than %d objects and arrays", j.d.Name, maxNesting)
		}
		j.stack = append(j.stack, jsonFrame{object: delim == '{', name: step, off: off})
		return nil
	}
	if isText && !off {
		j.addText(s, step, before, end)
	}
	return nil
}

// nextValue returns the step of the path to the next value, and whether the
// value is not language because of its key.
func (f *jsonFrame) nextValue() (step string, off bool) {
	step, off = fmt.Sprint(f.n), f.off
	if f.object {
		step, off = f.key, off || isTechnical(f.key)
	}
	f.n++
	f.hasKey = false
	return step, off
}

func (j *jsonFinder) addText(s, step string, before, end int) {
	_, core, _ := splitEdges(s)
	if !text.Translatable(core) || symbolic.MatchString(core) {
		return
	}
	start := before + strings.IndexByte(j.d.Text[before:end], '"')
	j.line += strings.Count(j.d.Text[j.lineAt:start], "\n")
	j.lineAt = start
	id := jsonPath(j.stack, step)
	if j.seen[id]++; j.seen[id] > 1 { // a name that is twice in an object
		id = fmt.Sprintf("%s#%d", id, j.seen[id])
	}
	j.f.Units = append(j.f.Units, jsonUnit(id, s, start, end, j.line, j.ascii))
}

func jsonUnit(path, s string, start, end, line int, ascii bool) text.Unit {
	lead, core, tail := splitEdges(s)
	u := text.Unit{Segment: formats.Segment{ID: path, Text: tags.Escape(core), Place: fmt.Sprintf("line %d, %s", line, path), Part: "message"}, Start: start, End: end}
	u.Write = func(target string, _ func(start, end int) string) (string, error) {
		t := strings.TrimSpace(tags.Plain(target))
		if t == "" {
			return "", errEmpty
		}
		return quoteJSON(lead+t+tail, ascii), nil
	}
	return u
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// jsonPath returns the pointer (RFC 6901) of the value at step in the innermost
// frame, cut from the left when it is long.
func jsonPath(stack []jsonFrame, step string) string {
	var sb strings.Builder
	for i := 1; i < len(stack); i++ {
		sb.WriteString("/" + pointerEscape.Replace(stack[i].name))
	}
	return sb.String() + "/" + pointerEscape.Replace(step)
}

var technicalKey = lazyregexp.New(`(?i)^(?:@.*|\$.*|_.*|id|ids|key|keys|uuid|guid|type|kind|class|classname|style|color|colour|icon|href|src|url|uri|link|path|file|filename|image|img|locale|lang|language|encoding|charset|version|date|time|format|email|mail|phone|token|hash|selector|target|rel|route|slug|code)$|(?:Id|ID|_id|-id|Url|URL|_url|Uri|URI|_uri|Path|_path|Class|Key|_key|Href)$`)

func isTechnical(key string) bool { return technicalKey.MatchString(key) }

// quoteJSON writes a string (RFC 8259), with \u escapes when the file uses them
// for all beyond ASCII.
func quoteJSON(s string, ascii bool) string {
	var sb strings.Builder
	enc := json.NewEncoder(&sb)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // a string always encodes
		return `""`
	}
	out := strings.TrimSuffix(sb.String(), "\n")
	if !ascii {
		return out
	}
	sb.Reset()
	for _, r := range out {
		switch {
		case r < utf8.RuneSelf:
			sb.WriteRune(r)
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(&sb, `\u%04x\u%04x`, 0xD800+(r>>10), 0xDC00+(r&0x3FF))
		default:
			fmt.Fprintf(&sb, `\u%04x`, r)
		}
	}
	return sb.String()
}
