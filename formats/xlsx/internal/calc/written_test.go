package calc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/sheetml"
)

// Values are written as cells hold them.
func TestCell(t *testing.T) {
	for content, v := range map[string]Value{"0.1": Num(0.1), "12": Num(12), "1E+300": Num(1e300), "1": Boolean(true), "#N/A": Fail(ErrNA), "a&lt;": Str("a<"), "": {}} {
		_, got, ok := v.Cell()
		require.True(t, ok)
		require.Equal(t, content, got)
	}
	typ, _, _ := Str("1").Cell()
	require.Equal(t, sheetml.TypeString, typ)
	_, _, ok := unknown(&Reason{}).Cell()
	require.False(t, ok)
}
