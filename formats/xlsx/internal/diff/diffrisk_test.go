package diff_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// New formulas that get or send data, and texts that would become formulas, are
// warned of; those that were there are not.
func TestWarningsOfNewContents(t *testing.T) {
	for cell, want := range map[string]string{
		`=WEBSERVICE("http://x")`:      `the formula in S1!B2 reaches out: =WEBSERVICE("http://x")`,
		`=1+hyperlink("http://x","y")`: `the formula in S1!B2 reaches out: =1+hyperlink("http://x","y")`,
		`=_xlfn.IMAGE("http://x")`:     `the formula in S1!B2 reaches out: =IMAGE("http://x")`,
		`=RTD("p",,"t")`:               `the formula in S1!B2 reaches out: =RTD("p",,"t")`,
		`=SUM(A1:A2)`:                  "",
		`=MYIMAGE(1)`:                  "",
		` +SUM(1)`:                     "the text in S1!B2 reads like a formula:  +SUM(1)",
		`@SUM(1)`:                      "the text in S1!B2 reads like a formula: @SUM(1)",
		`-cmd(1)`:                      "the text in S1!B2 reads like a formula: -cmd(1)",
		`-5`:                           "",
		`+49 170`:                      "",
		`- a list`:                     "",
		`a=b`:                          "",
	} {
		a, b := grid(t, "k|1", "m|2"), grid(t, "k|1", "m|"+cell)
		var warnings []string
		if want != "" {
			warnings = []string{want}
		}
		require.Equal(t, warnings, compare(t, a, b).Warnings, cell)
		require.Empty(t, compare(t, b, b).Warnings, cell)
		require.Empty(t, compare(t, b, a).Warnings, cell)
	}
}

// more than fifty are counted.
func TestManyWarnings(t *testing.T) {
	var rows []string
	for i := range 60 {
		rows = append(rows, fmt.Sprintf("@SUM(%d)", i))
	}
	w := compare(t, grid(t, "x"), grid(t, append([]string{"x"}, rows...)...)).Warnings
	require.Len(t, w, 51)
	require.Equal(t, "and 10 more", w[50])
}
