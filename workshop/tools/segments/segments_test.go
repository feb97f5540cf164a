package segments

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// TestTR06PutRefuses: put_translations refuses what a translation job refuses.
func TestTR06PutRefuses(t *testing.T) {
	segs := []formats.Segment{
		{ID: "tags", Text: "Click <1>here</1>"}, {ID: "field", Text: "Hi {name}"}, {ID: "mail", Text: "Write to me@example.com"},
		{ID: "name", Text: "Sales", MaxLength: 4}, {ID: "good", Text: "Pay 1,250 to <1>{name}</1>"}, {ID: "emptied", Text: "Draft"},
	}
	good, bad := acceptTranslations(segs, []translationArg{
		{"tags", "Haga clic aquí"}, {"field", "Hola {nombre}"}, {"mail", "Escriba"}, {"name", "😀😀😀"},
		{"good", "Pague a <1>{name}</1> 1.250"}, {"emptied", ""}, {"nope", "x"},
	})
	require.Equal(t, map[string]string{"good": "Pague a <1>{name}</1> 1.250", "emptied": ""}, good)
	require.Equal(t, []rejected{
		{"tags", "the tag <1> is missing"},
		{"field", `"{name}" must stay as it is`},
		{"mail", `"me@example.com" must stay as it is`},
		{"name", "the translation has 6 characters; at most 4 fit here, so say it shorter"},
		{"nope", "no segment has this id"},
	}, bad)
}
