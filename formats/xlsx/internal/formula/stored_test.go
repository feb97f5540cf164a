package formula

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// @ is a function in array formulas, and a person sees the sign again.
func TestStoredArray(t *testing.T) {
	for typed, stored := range map[string]string{
		"@A1:A9*B1:B9":           "_xlfn.SINGLE(A1:A9)*B1:B9",
		"@SORT(A1:A9)+{1,2}":     "_xlfn.SINGLE(_xlfn._xlws.SORT(A1:A9))+{1,2}",
		"B1:B3*@(A1:A9+1)":       "B1:B3*_xlfn.SINGLE((A1:A9+1))",
		"B1:B3*@A1#":             "B1:B3*_xlfn.SINGLE(_xlfn.ANCHORARRAY(A1))",
		"SUM(@Prices,A1:A3*2)":   "SUM(_xlfn.SINGLE(Prices),A1:A3*2)",
		"FILTER(T[a],T[@b]=1)":   "_xlfn._xlws.FILTER(T[a],T[[#This Row],[b]]=1)",
		"SUM(A1#)":               "SUM(_xlfn.ANCHORARRAY(A1))",
		"@INDEX(A1:C9,@B1:B9,1)": "_xlfn.SINGLE(INDEX(A1:C9,_xlfn.SINGLE(B1:B9),1))",
		`"@A1"&A1:A2`:            `"@A1"&A1:A2`,
	} {
		require.Equal(t, stored, StoredArray(typed), typed)
		again := StoredArray(Shown(stored))
		require.Equal(t, stored, again, Shown(stored))
	}
	require.Equal(t, "@A1:A9*A1#", Shown("_xlfn.SINGLE(A1:A9)*_xlfn.ANCHORARRAY(A1)"))
	require.Equal(t, "SINGLE(A1:A9+1)*ANCHORARRAY((A1))", Shown("_xlfn.SINGLE(A1:A9+1)*_xlfn.ANCHORARRAY((A1))"))
	require.Equal(t, "A1:A9*2", Stored("@A1:A9*2"))
	for _, f := range []string{"@", "@@A1", "@(", "A1#@", "_xlfn.SINGLE(", "_xlfn.SINGLE()", "_xlfn.ANCHORARRAY(", strings.Repeat("@(", 3000)} {
		StoredArray(f)
		Shown(f)
	}
}
