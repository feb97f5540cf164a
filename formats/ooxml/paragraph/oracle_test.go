package paragraph

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/ooxml/xmlscan"
)

// A second, simple reading of a paragraph of WordprocessingML, by encoding/xml:
// one entry for each character that a reader sees or that was deleted.

// char is a character with what surrounds it.
type char struct {
	r       rune
	props   string // the children of its run's properties, in a row
	within  string // the containers around its run
	deleted bool
}

// readChars reads the characters of the first paragraph in doc, and the names of
// everything else that has a place in the text.
func readChars(t require.TestingT, doc string) (chars []char, objects []string) {
	dec := xml.NewDecoder(strings.NewReader(doc))
	dec.Strict = false
	var open []string
	inside := func(name string) bool { return slices.Contains(open, name) }
	props := ""
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return chars, objects
		}
		require.NoError(t, err)
		switch tok := tok.(type) {
		case xml.StartElement:
			name := tok.Name.Local
			add := func(r rune) {
				chars = append(chars, char{r, props, containersOf(open), inside("del") || inside("moveFrom")})
			}
			switch {
			case inside("rPr"):
				if open[len(open)-1] == "rPr" {
					props += " " + name
				}
			case inside("pPr") || inside("sdtPr") || inside("ruby") || inside("drawing"):
			case name == "r":
				props = ""
			case name == "tab":
				add('\t')
			case name == "br" || name == "cr":
				add('\n')
			case name == "noBreakHyphen":
				add('\u2011')
			case name == "softHyphen":
				add('\u00ad')
			case !slices.Contains([]string{"p", "t", "delText", "rPr", "pPr", "sdt", "sdtPr", "sdtContent", "hyperlink", "ins", "del", "moveTo", "moveFrom", "smartTag"}, name):
				objects = append(objects, name)
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if n := len(open); n > 0 && (open[n-1] == "t" || open[n-1] == "delText") && !inside("ruby") && !inside("drawing") {
				for _, r := range string(tok) {
					chars = append(chars, char{r, props, containersOf(open), inside("del") || inside("moveFrom")})
				}
			}
		}
	}
}

// containersOf returns what is around a run, but for the records of changes.
func containersOf(open []string) string {
	var out []string
	for _, name := range open {
		if slices.Contains([]string{"hyperlink", "sdt", "smartTag"}, name) {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// seen returns the characters that were not deleted.
func seen(chars []char) (out []char) {
	for _, c := range chars {
		if !c.deleted {
			out = append(out, c)
		}
	}
	return out
}

func textOf(chars []char) string {
	var sb strings.Builder
	for _, c := range chars {
		sb.WriteRune(c.r)
	}
	return sb.String()
}

// drawParagraph draws the content of a paragraph: runs of several formats, in
// links, controls and insertions, with objects, marks and deletions between.
func drawParagraph(t *rapid.T) string {
	props := rapid.SampledFrom([]string{"", "<w:b/>", "<w:i/>", "<w:b/><w:i/>"})
	text := rapid.StringMatching(`[ab<& é]{1,4}`)
	run := func() string {
		content := ""
		for i := range rapid.IntRange(1, 3).Draw(t, "pieces") {
			switch rapid.IntRange(0, 7).Draw(t, "piece") {
			case 0:
				content += rapid.SampledFrom([]string{"<w:tab/>", "<w:br/>", "<w:noBreakHyphen/>", "<w:softHyphen/>"}).Draw(t, "special")
			case 1:
				if i > 0 {
					content += rapid.SampledFrom([]string{"<w:drawing/>", `<w:sym w:char="F0A7"/>`, `<w:footnoteReference w:id="2"/>`}).Draw(t, "object")
				}
			default:
				content += `<w:t xml:space="preserve">` + xmlscan.Escape(text.Draw(t, "text")) + `</w:t>`
			}
		}
		if p := props.Draw(t, "props"); p != "" {
			content = "<w:rPr>" + p + "</w:rPr>" + content
		}
		return "<w:r>" + content + "</w:r>"
	}
	var sb strings.Builder
	for i := range rapid.IntRange(0, 6).Draw(t, "n") {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			sb.WriteString(`<w:hyperlink w:anchor="x">` + run() + run() + `</w:hyperlink>`)
		case 1:
			sb.WriteString(`<w:ins w:id="90">` + run() + `</w:ins>`)
		case 2:
			sb.WriteString(`<w:sdt><w:sdtPr><w:id w:val="5"/></w:sdtPr><w:sdtContent>` + run() + `</w:sdtContent></w:sdt>`)
		case 3:
			sb.WriteString(`<w:del w:id="91"><w:r><w:delText>gone</w:delText></w:r></w:del>`)
		case 4:
			fmt.Fprintf(&sb, `<w:bookmarkStart w:id="%[1]d" w:name="b%[1]d"/>%[2]s<w:bookmarkEnd w:id="%[1]d"/>`, i, run())
		default:
			sb.WriteString(run())
		}
	}
	return sb.String()
}

// drawRanges draws ascending ranges of a text at the edges of characters.
func drawRanges(t *rapid.T, text string, empty bool) (out []Range) {
	var edges []int
	for i := range text {
		edges = append(edges, i)
	}
	edges = append(edges, len(text))
	at := 0
	for range rapid.IntRange(0, 3).Draw(t, "ranges") {
		if at >= len(edges)-1 {
			break
		}
		from := rapid.IntRange(at, len(edges)-2).Draw(t, "from")
		least := from + 1
		if empty && from > at {
			least = from
		}
		to := rapid.IntRange(least, len(edges)-1).Draw(t, "to")
		out = append(out, Range{edges[from], edges[to], rapid.StringMatching(`[xy\t& ]{0,3}`).Draw(t, "new")})
		at = to
		if from == to {
			at++
		}
	}
	return out
}

// runeAt returns how many characters come before a byte offset.
func runeAt(text string, offset int) int { return len([]rune(text[:offset])) }

// Text is what a second reader reads.
func TestTextIsWhatAnotherReaderReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := one(t, drawParagraph(t))
		chars, objects := readChars(t, string(p.doc))
		require.Equal(t, textOf(seen(chars)), p.Text())
		named := 0
		for _, name := range objects {
			if name == "drawing" || name == "sym" || name == "footnoteReference" {
				named++
			}
		}
		require.Equal(t, named > 0, p.HasOpaque())
	})
}

// Replace: the characters outside the ranges keep formatting and container, the
// new ones take those of the first that they replace; objects and marks stay.
func TestReplaceAgainstCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := one(t, drawParagraph(t))
		text := p.Text()
		ranges := drawRanges(t, text, false)
		before, objects := readChars(t, string(p.doc))
		want := replacedChars(seen(before), text, ranges)
		after, kept := readChars(t, string(xmlscan.Apply(p.doc, p.Replace(ranges))))
		require.Equal(t, want, seen(after), "%v in %s", ranges, p.doc)
		require.Equal(t, objects, kept)
		require.Equal(t, len(before)-len(seen(before)), len(after)-len(seen(after)), "deletions stay")
	})
}

// replacedChars is the oracle of a replacement.
func replacedChars(chars []char, text string, ranges []Range) []char {
	var out []char
	at := 0
	for _, r := range ranges {
		from, to := runeAt(text, r.Start), runeAt(text, r.End)
		out = append(out, chars[at:from]...)
		for _, c := range r.New {
			out = append(out, char{c, chars[from].props, chars[from].within, false})
		}
		at = to
	}
	return append(out, chars[at:]...)
}

// Track: without its deletions the paragraph is the replaced one, without its
// insertions the one before, character by character.
func TestTrackAgainstCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := one(t, drawParagraph(t))
		text := p.Text()
		ranges := drawRanges(t, text, true)
		before, objects := readChars(t, string(p.doc))
		out := string(xmlscan.Apply(p.doc, p.Track(ranges, revision())))
		after, kept := readChars(t, out)
		require.Equal(t, objects, kept)

		requireNoNewEmptyRuns(t, string(p.doc), out)
		q, err := Parse([]byte(out), Word)
		require.NoError(t, err)
		require.Equal(t, replacedText2(text, ranges), q[0].Text())
		for _, r := range ranges {
			require.True(t, r.New == "" || strings.Contains(q[0].Marked(), "{+") && strings.Contains(q[0].Marked(), r.New), q[0].Marked())
		}
		// Take the insertions out again and bring the deletions back.
		back := out
		for n := 1; n <= 40; n++ {
			back = settleByHand(back, fmt.Sprintf(`w:id="%d" w:author="A &amp; B"`, n))
		}
		undone, _ := readChars(t, back)
		require.Equal(t, before, undone, "%v in %s", ranges, p.doc)
		require.Len(t, after, len(before)+lengthOfNew(ranges), "nothing is lost")
	})
}

func replacedText2(text string, ranges []Range) string {
	out, at := "", 0
	for _, r := range ranges {
		out += text[at:r.Start] + r.New
		at = r.End
	}
	return out + text[at:]
}

func lengthOfNew(ranges []Range) (n int) {
	for _, r := range ranges {
		n += len([]rune(r.New))
	}
	return n
}

// settleByHand rejects the change with these attributes, as text.
func settleByHand(doc, attrs string) string {
	i := strings.Index(doc, " "+attrs)
	if i < 0 {
		return doc
	}
	start := strings.LastIndexByte(doc[:i], '<')
	name := doc[start+1 : i]
	open := start + strings.IndexByte(doc[start:], '>') + 1
	end := open + strings.Index(doc[open:], "</"+name+">")
	inner := doc[open:end]
	if name == "w:ins" {
		inner = ""
	}
	inner = strings.NewReplacer("w:delText", "w:t", "w:delInstrText", "w:instrText").Replace(inner)
	return doc[:start] + inner + doc[end+len("</"+name+">"):]
}

// Restyle: the characters of the ranges have the new formatting, the others
// theirs, and the text is the same.
func TestRestyleAgainstCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := one(t, drawParagraph(t))
		text := p.Text()
		ranges := drawRanges(t, text, false)
		before, objects := readChars(t, string(p.doc))
		want := slices.Clone(before)
		n := 0 // of the characters that are seen
		for i, c := range before {
			if c.deleted {
				continue
			}
			for _, r := range ranges {
				if n >= runeAt(text, r.Start) && n < runeAt(text, r.End) {
					want[i].props = c.props + " u"
				}
			}
			n++
		}
		underlined := func(rPr string) string {
			inner := strings.TrimSuffix(strings.TrimPrefix(rPr, "<w:rPr>"), "</w:rPr>")
			return "<w:rPr>" + inner + "<w:u/></w:rPr>"
		}
		out := string(xmlscan.Apply(p.doc, p.Restyle(ranges, underlined)))
		after, kept := readChars(t, out)
		require.Equal(t, want, after, "%v in %s", ranges, p.doc)
		require.Equal(t, objects, kept)
		requireNoNewEmptyRuns(t, string(p.doc), out)
	})
}

// InsertBetween: what is before each inserted element is as much text as its
// position says, and no character changes.
func TestInsertBetweenAgainstCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := one(t, drawParagraph(t))
		text := p.Text()
		if text == "" {
			return
		}
		ranges := drawRanges(t, text, false)
		if len(ranges) == 0 {
			return
		}
		r := ranges[0]
		before, _ := readChars(t, string(p.doc))
		out := string(xmlscan.Apply(p.doc, p.InsertBetween([]Insert{{Pos: r.Start, XML: "<w:START/>"}, {Pos: r.End, XML: "<w:END/>", After: true}})))
		after, _ := readChars(t, out)
		require.Equal(t, before, after)
		i, j := strings.Index(out, "<w:START/>"), strings.Index(out, "<w:END/>")
		require.True(t, 0 < i && i < j, out)
		for at, want := range map[int]int{i: runeAt(text, r.Start), j: runeAt(text, r.End)} {
			part, _ := readChars(t, completed(out[:at]))
			require.Len(t, seen(part), want, out)
		}
		requireNoNewEmptyRuns(t, string(p.doc), out)
	})
}

var emptyRuns = regexp.MustCompile(`<w:r>(<w:rPr>(<[^/][^>]*/>)*</w:rPr>)?</w:r>`)

// requireNoNewEmptyRuns holds if an edit left no run without content.
func requireNoNewEmptyRuns(t require.TestingT, before, after string) {
	require.Len(t, emptyRuns.FindAllString(after, -1), len(emptyRuns.FindAllString(before, -1)), after)
}

// completed closes the elements that a beginning of a document leaves open.
func completed(doc string) string {
	var open []string
	sc := xmlscan.New([]byte(doc))
	for sc.Next() {
		switch t := sc.Token(); {
		case t.Kind == xmlscan.Start && !t.Empty:
			open = append(open, t.Prefix+":"+t.Local)
		case t.Kind == xmlscan.End:
			open = open[:len(open)-1]
		}
	}
	for _, name := range slices.Backward(open) {
		doc += "</" + name + ">"
	}
	return doc
}

// SetContent: the new content is all of the text; objects and marks stay.
func TestSetContentAgainstCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := one(t, drawParagraph(t))
		_, objects := readChars(t, string(p.doc))
		after, kept := readChars(t, string(xmlscan.Apply(p.doc, p.SetContent("<w:r><w:t>new</w:t></w:r>", nil))))
		require.Equal(t, "new", textOf(seen(after)), "%s", p.doc)
		require.Equal(t, char{r: 'n'}, seen(after)[0], "it is in no link or control")
		require.ElementsMatch(t, objects, kept)

		tracked := string(xmlscan.Apply(p.doc, p.SetContent("<w:r><w:t>new</w:t></w:r>", revision())))
		after, _ = readChars(t, tracked)
		require.Equal(t, "new", textOf(seen(after)))
		before, _ := readChars(t, string(p.doc))
		require.Len(t, after, len(before)+3, "the old text is there, deleted")
	})
}

// TrackDelete wraps what is there: without the wrapping every byte is back.
func TestTrackDeleteKeepsEveryByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
		p := one(t, drawParagraph(t)+field)
		out := string(xmlscan.Apply(p.doc, p.TrackDelete(revision())))
		require.NotRegexp(t, `<w:t[ >]|<w:instrText`, out, "what is deleted is no text")
		chars, _ := readChars(t, out)
		require.Empty(t, seen(chars), "%s", out)
		back := out
		for n := 1; n <= 40; n++ {
			back = settleByHand(back, fmt.Sprintf(`w:id="%d" w:author="A &amp; B"`, n))
		}
		want := strings.ReplaceAll(string(p.doc), "<w:delText>gone</w:delText>", "DELETED")
		back = strings.ReplaceAll(back, "<w:delText>gone</w:delText>", "DELETED")
		require.Equal(t, want, back)
	})
}

// SameContainer is true when all characters have the same containers, counted
// one by one.
func TestSameContainerAgainstCharacters(t *testing.T) {
	p := one(t, r("", "ab")+`<w:hyperlink w:anchor="x">`+r("", "cd")+r("<w:b/>", "ef")+`</w:hyperlink><w:hyperlink w:anchor="y">`+r("", "gh")+`</w:hyperlink>`+r("", "ij"))
	at := "..ccccdd.."
	for from := range len(at) {
		for to := from + 1; to <= len(at); to++ {
			want := strings.Trim(at[from:to], at[from:from+1]) == ""
			if at[from] == '.' && strings.ContainsAny(at[from:to], "cd") {
				want = false
			}
			require.Equal(t, want, p.SameContainer(from, to), "%d to %d", from, to)
		}
	}
}

// Tagged without its tags is Text, each tag is there once, and writing it back
// changes nothing; words in place of words are read as they were written.
func TestTaggedAgainstText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := one(t, drawParagraph(t))
		tagged := p.Tagged()
		plain := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(plainOf(tagged))
		if tagged != "" {
			require.Equal(t, p.Text(), plain, "%s in %s", tagged, p.doc)
		}
		splices, err := p.Retag(tagged)
		require.NoError(t, err)
		require.Empty(t, splices)
		target := strings.NewReplacer("é", "xyz", "b", "").Replace(tagged)
		if plainOf(target) == "" || strings.TrimSpace(plainOf(target)) == "" {
			return
		}
		splices, err = p.Retag(target)
		require.NoError(t, err)
		q := apply(t, p, splices)
		require.Equal(t, strings.NewReplacer("é", "xyz", "b", "").Replace(p.Text()), q.Text(), "%s in %s", target, p.doc)
		_, objects := readChars(t, string(p.doc))
		_, kept := readChars(t, string(q.doc))
		require.Equal(t, objects, kept)
	})
}

// A search for whole words finds what one character after the other finds.
func TestWholeWordsAgainstCharacters(t *testing.T) {
	letter := func(r rune) bool { return r == '_' || r == 'é' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab_ é1.]{0,20}`).Draw(t, "text")
		search := rapid.StringMatching(`[ab_ é1.]{1,3}`).Draw(t, "search")
		f, err := Search{Text: search, WholeWord: true, MatchCase: true}.Finder()
		require.NoError(t, err)
		got, err := f.Ranges(context.Background(), text, "")
		require.NoError(t, err)
		rs, needle := []rune(text), []rune(search)
		var want []Range
		for i := 0; i+len(needle) <= len(rs); i++ {
			j := i + len(needle)
			first, last := needle[0], needle[len(needle)-1]
			if string(rs[i:j]) != search || i > 0 && letter(rs[i-1]) && letter(first) || j < len(rs) && letter(rs[j]) && letter(last) {
				continue
			}
			want = append(want, Range{Start: len(string(rs[:i])), End: len(string(rs[:j]))})
			i = j - 1
		}
		require.Equal(t, want, got, "%q in %q", search, text)
	})
}
