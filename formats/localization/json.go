package localization

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/formats/text"
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
var symbolic = regexp.MustCompile(`^(?:[a-z0-9]+(?:[_.:/-][A-Za-z0-9]+)+|[A-Z0-9]+(?:_[A-Z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+|#[0-9A-Fa-f]{3,8}|[./@~$][^\s]+|true|false|null|utf-?8)$`)

// findJSON returns a unit for each value that is language; keys stay. Keys that
// begin with @ describe others (Application Resource Bundle), and what a key
// called id, key, url, href, path, class or the like names is not language.
func findJSON(ctx context.Context, d text.Document) (text.Found, error) {
	var f text.Found
	dec := json.NewDecoder(strings.NewReader(d.Text))
	dec.UseNumber()
	var stack []jsonFrame
	ascii := !strings.ContainsFunc(d.Text, func(r rune) bool { return r >= utf8.RuneSelf }) && strings.Contains(d.Text, `\u`)
	line, lineAt := 1, 0
	seen := map[string]int{}
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return f, ctx.Err()
		}
		before := int(dec.InputOffset())
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) && len(stack) == 0 {
			return f, nil
		}
		if err != nil {
			return f, formats.Errorf(formats.CodeCorrupt, "%s is no valid JSON: %w", d.Name, err)
		}
		end := int(dec.InputOffset())
		var top *jsonFrame
		if len(stack) > 0 {
			top = &stack[len(stack)-1]
		}
		delim, _ := tok.(json.Delim)
		if delim == '}' || delim == ']' {
			stack = stack[:len(stack)-1]
			continue
		}
		if s, ok := tok.(string); ok && top != nil && top.object && !top.hasKey {
			top.key, top.hasKey = s, true
			continue
		}
		step, off := "", false
		if top != nil {
			step = fmt.Sprint(top.n)
			if top.object {
				step = top.key
			}
			off = top.off || top.object && isTechnical(top.key)
			top.n++
			top.hasKey = false
		}
		if delim != 0 {
			if len(stack) >= maxNesting {
				return f, formats.Errorf(formats.CodeTooLarge, "%s nests more than %d objects and arrays", d.Name, maxNesting)
			}
			stack = append(stack, jsonFrame{object: delim == '{', name: step, off: off})
			continue
		}
		s, ok := tok.(string)
		_, core, _ := splitEdges(s)
		if !ok || off || !text.Translatable(core) || symbolic.MatchString(core) {
			continue
		}
		start := before + strings.IndexByte(d.Text[before:end], '"')
		line += strings.Count(d.Text[lineAt:start], "\n")
		lineAt = start
		id := jsonPath(stack, step)
		if seen[id]++; seen[id] > 1 { // a name that is twice in an object
			id = fmt.Sprintf("%s#%d", id, seen[id])
		}
		f.Units = append(f.Units, jsonUnit(id, s, start, end, line, ascii))
		if len(f.Units) > maxUnits {
			return text.Found{}, tooMany(d.Name)
		}
	}
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

var technicalKey = regexp.MustCompile(`(?i)^(?:@.*|\$.*|_.*|id|ids|key|keys|uuid|guid|type|kind|class|classname|style|color|colour|icon|href|src|url|uri|link|path|file|filename|image|img|locale|lang|language|encoding|charset|version|date|time|format|email|mail|phone|token|hash|selector|target|rel|route|slug|code)$|(?:Id|ID|_id|-id|Url|URL|_url|Uri|URI|_uri|Path|_path|Class|Key|_key|Href)$`)

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
