package brief

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// notKept is a catalogue of which nothing is kept.
type notKept struct{ *tools.Catalogue }

// What is kept of a catalogue is what was made each time before, for each set of kinds.
func TestKept(t *testing.T) {
	c := catalogue.Workshop()
	xlsx := func(tool string) bool { return tool == "xlsx_operations" }
	docx := func(tool string) bool { return tool == "docx_operations" }
	for range 2 {
		require.Equal(t, Of(notKept{c}).Tools(), Of(c).Tools())
		for _, used := range []func(string) bool{xlsx, docx, func(string) bool { return false }, func(string) bool { return true }} {
			require.Equal(t, For(notKept{c}, used).Tools(), For(c, used).Tools())
		}
		require.Equal(t, Of(notKept{c.Reading()}).Tools(), Of(c.Reading()).Tools())
	}
	require.NotEqual(t, For(c, xlsx).Tools(), For(c, docx).Tools())

	// A list that a caller changes is the caller's.
	list := For(c, xlsx).Tools()
	list[0] = llm.Tool{}
	require.NotEqual(t, list[0], For(c, xlsx).Tools()[0])
	whole := c.Tools()
	whole[0] = llm.Tool{}
	require.NotEqual(t, whole[0], c.Tools()[0])

	// Each message of a person asks for it: it is not made again.
	require.Less(t, testing.AllocsPerRun(10, func() { For(c, xlsx).Tools() }), 20.0)
}
