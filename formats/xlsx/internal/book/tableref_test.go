package book_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

func TestStructuredReferences(t *testing.T) { // 18.17.6.2
	tab := table(t, tableXML) // B2:D6 with a header and a total row
	for spec, want := range map[string]string{
		"[]":                         "B2:D6",
		"[#All]":                     "B2:D6",
		"[#Headers]":                 "B2:D2",
		"[#Data]":                    "B3:D5",
		"[#Totals]":                  "B6:D6",
		"[who]":                      "B2:B6",
		" [ Who ] ":                  "B2:B6",
		"[[Who]:[it''s '[a']]]":      "B2:D6",
		"[[it''s '[a']]:[Who]]":      "B2:D6",
		"[[#Data],[Who]]":            "B3:B5",
		"[[#Totals], [it''s '[a']]]": "D6",
		"[[#headers],[Who]:[Who]]":   "B2",
		"[[#Headers],[#Data],[Who]]": "",
		"[Nobody]":                   "",
		"[[#Data],[Who]:[Nobody]]":   "",
		"[[#Headers],[it''s '[a']]]": "D2",
		"[it''s '[a']]":              "D2:D6",
	} {
		r, err := tab.Structured(spec)
		if want == "" {
			require.Error(t, err, spec)
			continue
		}
		require.NoError(t, err, spec)
		require.Equal(t, want, r.String(), spec)
	}
	_, err := tab.Structured("[Nobody]")
	require.EqualError(t, err, "the table Sales has no column Nobody; it has Who, Units\nsold, it's [a]")
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))

	bare := table(t, `<table name="Bare" ref="A1:A3" headerRowCount="0"><tableColumns><tableColumn name="x"/></tableColumns></table>`)
	for _, spec := range []string{"[#Headers]", "[#Totals]"} {
		_, err := bare.Structured(spec)
		require.ErrorContains(t, err, "the table Bare has no such rows: ", spec)
		require.Equal(t, formats.CodeNotFound, formats.CodeOf(err), spec)
	}
	r, err := bare.Structured("[#Data]")
	require.NoError(t, err)
	require.Equal(t, "A1:A3", r.String())
}
