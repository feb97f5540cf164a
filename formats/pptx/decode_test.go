package pptx

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

func TestSplitRuns(t *testing.T) {
	lines := splitRuns([]Run{{Text: "\teins "}, {Text: "zwei\r\n\t\tdrei\n"}, {Text: "\tvier"}})
	var got []string
	for _, l := range lines {
		var text string
		for _, r := range l.runs {
			text += "[" + r.Text + "]"
		}
		got = append(got, fmt.Sprint(l.level, text))
	}
	require.Equal(t, []string{"1[eins ][zwei]", "2[drei]", "0[][\tvier]"}, got)
}

// A paragraph is a text or an object; its own format goes over that of the
// operation.
func TestParagraphs(t *testing.T) {
	var op setNotesArgs
	require.NoError(t, json.Unmarshal([]byte(`{"paragraphs":["a",{"text":"\tb","alignment":"right"},{"runs":[{"text":"c\nd"}],"level":"3","space_after":2}],"alignment":"center","space_after":1,"level":2}`), &op))
	lines, err := op.lines(op.lookArgs)
	require.NoError(t, err)
	require.Len(t, lines, 3)
	require.Equal(t, "a", lines[0].text)
	require.Equal(t, 2, lines[0].level)
	require.Equal(t, "center", lines[0].format.Alignment)
	require.Equal(t, 1, lines[1].level, "its tab says its level")
	require.Equal(t, "b", lines[1].text)
	require.Equal(t, "right", lines[1].format.Alignment)
	require.EqualValues(t, 1, *lines[1].format.SpaceAfter)
	require.Equal(t, 3, lines[2].level)
	require.Equal(t, "c\vd", lines[2].runs[0].Text, "a line break stays in the paragraph")
	require.EqualValues(t, 2, *lines[2].format.SpaceAfter)
	require.Equal(t, "center", lines[2].format.Alignment)
}

func TestCells(t *testing.T) {
	var cells []Cell
	require.NoError(t, json.Unmarshal([]byte(`["a",1,1.50,true,null,-2e3,"=SUM(A1)"]`), &cells))
	require.Equal(t, []Cell{"a", "1", "1.50", "true", "", "-2e3", "=SUM(A1)"}, cells)
	for _, bad := range []string{`[[]]`, `[{}]`} {
		require.Error(t, json.Unmarshal([]byte(bad), &cells))
	}
}

// every operation on a slide takes the older name of index and
// numbers as strings, and refuses an index that is not there.
func TestX41EveryOperationTakesSlideIndex(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A","body":"b"}`, `{"op":"add_table","index":0,"rows":[["a"],["b"]],"x":1}`, `{"op":"add_text_box","index":0,"text":"x","x":1}`, `{"op":"add_chart","index":0,"type":"pie","categories":["a"],"series":[{"values":[1]}],"x":1}`)
	for _, name := range operations.Names() {
		if !needsSlide(name) {
			continue
		}
		_, _, err := tryEdit(deck, `{"op":"`+name+`"}`)
		require.EqualError(t, err, "operation 1 ("+name+"): index is required: the slide, counted from 0")
		for _, i := range []string{"1", "-1", `" 7 "`} {
			_, _, err := tryEdit(deck, `{"op":"`+name+`","slide_index":`+i+`}`)
			require.EqualError(t, err, "operation 1 ("+name+"): invalid slide index")
			require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
		}
		_, _, err = tryEdit(deck, `{"op":"`+name+`","slide_index":"0"}`)
		if err != nil {
			require.NotContains(t, err.Error(), "slide index")
			require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), name)
		}
	}
}

// Every member of every operation is refused when its type is wrong, in words
// that name it and what was expected.
func TestWrongTypes(t *testing.T) {
	for _, name := range operations.Names() {
		for _, member := range operations.Takes(name) {
			wrong := `{"a":[1]}`
			if member == "chart" { // an object
				wrong = `[7]`
			}
			if strings.HasSuffix(member, "_axis") { // objects
				wrong = "5"
			}
			_, _, err := tryEdit(nil, `{"op":"`+name+`","`+member+`":`+wrong+`}`)
			require.ErrorContains(t, err, "operation 1 ("+name+"): "+member+": expected ")
			require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), member)
			require.NotContains(t, err.Error(), "Go ")
		}
	}
}
