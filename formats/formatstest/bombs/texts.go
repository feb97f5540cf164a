package bombs

import (
	"fmt"
	"strings"
	"testing"
)

// textBomb repeats a piece to 8 MB, the most that is held of a page or a
// file of messages.
func textBomb(name, before, piece, after string) Bomb {
	return Bomb{name, false, func(testing.TB) []byte {
		limit := 6 << 20
		if strings.HasSuffix(name, ".srt") {
			limit = 4 << 20
		}
		n := (limit - len(before) - len(after)) / len(piece)
		return []byte(before + strings.Repeat(piece, n) + after)
	}}
}

func init() {
	All = append(All,
		textBomb("nested blocks.html", "", "<div>", ""),
		textBomb("nested inline.html", "", "<b>a", ""),
		textBomb("paragraphs.html", "", "<p>a", ""),
		textBomb("one word.html", "", "palabra", ""),
		textBomb("drawings.html", "", "<svg>a<p>", "</svg>"),
		textBomb("icons.html", "", "<svg>", "a"),
		textBomb("attributes.html", "<p ", "a=b ", ">x"),
		textBomb("titles.html", "", `<a title="b c">`, ""),
		textBomb("end tags.html", strings.Repeat("<div>", 9000), "</p></i>", "x"),
		textBomb("protected.html", "", "<b translate=no>", "x"),
		textBomb("languages.html", "<html lang=es>", "<i lang=es>", "x"),
		textBomb("scripts.html", "<script><!--", "<script ", "</script>"),
		textBomb("marks.html", "", "<", ""),
		textBomb("line breaks.html", "", "a<br>", ""),
		textBomb("entities.html", "", "&amp;", "a"),
		textBomb("cues.srt", "", "1\n00:00:01,000 --> 00:00:02,000\na\n\n", ""),
		textBomb("markup.srt", "1\n00:00:01,000 --> 00:00:02,000\n", "<b>a ", ""),
		textBomb("lines.srt", "1\n00:00:01,000 --> 00:00:02,000\n", "a\n", ""),
		textBomb("messages.po", "", "msgid \"a b\"\nmsgstr \"\"\n\n", ""),
		textBomb("strings.po", "msgid \"\"\n", "\"a\"\n", "msgstr \"\"\n"),
		textBomb("comments.po", "", "#. a\n", "msgid \"a\"\nmsgstr \"\"\n"),
		textBomb("units.xlf", "<xliff><file><body>", "<trans-unit><source>a b</source></trans-unit>", "</body></file></xliff>"),
		textBomb("codes.xlf", "<xliff><file><body><trans-unit><source>a", "<x/>b", "</source></trans-unit></body></file></xliff>"),
		textBomb("values.json", "[", `"a b",`, `"c d"]`),
		textBomb("depth.json", "", `{"a":`, ""),
		textBomb("escapes.json", `["`, `\u00e1`, `"]`),
		textBomb("values.properties", "", "a=b c\n", ""),
		textBomb("one line.properties", "a=", "b c\\\n", ""),
	)
}

// goodTexts are files of the kinds of textBombs without anything special.
func goodText(ext string) []byte {
	return map[string][]byte{
		".html": []byte("<p>Hola <b>mundo</b>"), ".srt": []byte("1\n00:00:01,000 --> 00:00:02,000\nHola\n"),
		".po": []byte("msgid \"a\"\nmsgstr \"\"\n"), ".xlf": []byte("<xliff><file><body><trans-unit id='1'><source>a b</source></trans-unit></body></file></xliff>"),
		".json": []byte(`{"a": "b c"}`), ".properties": []byte(fmt.Sprintln("a=b c")),
	}[ext]
}
