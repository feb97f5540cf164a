package ops

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/internal/lenient"
)

type fontArgs struct {
	FontSize lenient.Int `json:"font_size" jsonschema:"points"`
	Bold     bool        `json:"bold"`
}

type stretchOf struct {
	Text string `json:"text"`
	fontArgs
}

type paragraphOf struct {
	Runs []stretchOf `json:"runs"`
	Note string      `json:"note"`
}

type styleMap map[string]any

func (styleMap) Keys() []string { return []string{"fill_color"} }

type writeArgs struct {
	At    string        `json:"at" usage:"at (p1, or p2)" old:"where" jsonschema:"a place"`
	Text  *string       `json:"text" usage:"text" jsonschema:"{ops}: the text"`
	Paras []paragraphOf `json:"paragraphs" usage:"or paragraphs" shape:"an array of paragraphs"`
	fontArgs
}

type removeArgs struct {
	At    string       `json:"at" usage:"at" old:"where" jsonschema:"{ops}: what goes"`
	Count *lenient.Int `json:"count" jsonschema:"how many"`
}

type paintArgs struct {
	Style styleMap `json:"style" usage:"style"`
	Text  string   `json:"text" usage:"; or text" jsonschema:"{ops}: the text"`
	Value any      `json:"value"`
}

type restArgs struct {
	_ struct{} `usage:"(takes nothing, not even at)"`
}

// page is what the operations below work on.
type page struct{ did []any }

func (p *page) write(_ context.Context, a writeArgs) error   { p.did = append(p.did, a); return nil }
func (p *page) remove(_ context.Context, a removeArgs) error { p.did = append(p.did, a); return nil }
func (p *page) paint(_ context.Context, a paintArgs) error   { p.did = append(p.did, a); return nil }
func (p *page) rest(context.Context, restArgs) error         { return errors.New("too early") }

var table = NewTable(
	Define("write_text", (*page).write),
	Define("remove", (*page).remove),
	Define("paint", (*page).paint),
	Define("rest", (*page).rest),
)

func TestUsageNamesTheMembersOfTheStruct(t *testing.T) {
	require.Equal(t, []string{"write_text", "remove", "paint", "rest"}, table.Names())
	require.Equal(t, "at (p1, or p2), text or paragraphs, font_size?, bold?", table.Usage("write_text"))
	require.Equal(t, "at, count?", table.Usage("remove"))
	require.Equal(t, "style; or text, value?", table.Usage("paint"))
	require.Equal(t, "(takes nothing, not even at)", table.Usage("rest"))
	require.Empty(t, table.Usage("none"))
	require.Equal(t, []string{"at", "text", "paragraphs", "font_size", "bold"}, table.Takes("write_text"))
	require.Empty(t, table.Takes("rest"))
	require.Empty(t, table.Takes("none"))
	require.Equal(t, reflect.TypeFor[paintArgs](), table.Args("paint"))
	require.Nil(t, table.Args("none"))
}

// The schema has each member once, with the texts of all operations.
func TestSchemaHasAllMembers(t *testing.T) {
	got := map[string]string{}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(table.Zero())) {
		got[f.Tag.Get("json")] = f.Type.String() + " " + f.Tag.Get("jsonschema")
	}
	require.Equal(t, map[string]string{
		"op": "string the operation", "at,omitempty": "string a place; remove: what goes", "text,omitempty": "string write_text, paint: the text",
		"paragraphs,omitempty": "[]ops.paragraphOf ", "font_size,omitempty": "lenient.Int points", "bold,omitempty": "bool ",
		"count,omitempty": "lenient.Int how many", "style,omitempty": "ops.styleMap ", "value,omitempty": "interface {} ",
	}, got)
}

// A table that contradicts itself is refused when it is asked.
func TestBadTables(t *testing.T) {
	type twoNames struct {
		At string `json:"at" usage:"at, where"`
	}
	type another struct {
		At string `json:"at" usage:"place"`
	}
	type number struct {
		At int `json:"at"`
	}
	type named struct {
		Op string `json:"op"`
	}
	require.PanicsWithValue(t, `ops: the usage of at in ops.twoNames is "at, where"`, func() { NewTable(Define("x", func(*page, context.Context, twoNames) error { return nil })).Usage("x") })
	require.PanicsWithValue(t, `ops: the usage of at in ops.another is "place"`, func() { NewTable(Define("x", func(*page, context.Context, another) error { return nil })).Usage("x") })
	require.PanicsWithValue(t, `ops: op is no member of ops.named`, func() { NewTable(Define("x", func(*page, context.Context, named) error { return nil })).Usage("x") })
	require.PanicsWithValue(t, "ops: remove is in the table twice", func() { NewTable(Define("remove", (*page).remove), Define("remove", (*page).remove)) })
	require.PanicsWithValue(t, "ops: at is int in ops.number and string elsewhere", func() {
		NewTable(Define("remove", (*page).remove), Define("x", func(*page, context.Context, number) error { return nil })).Zero()
	})
}

func TestDecodeAndRun(t *testing.T) {
	p := &page{}
	for in, want := range map[string]any{
		`{"op":"remove","at":"p1","count":" 2 "}`:          removeArgs{At: "p1", Count: new(lenient.Int(2))},
		`{"op":"remove","where":"p1"}`:                     removeArgs{At: "p1"},
		`{"op":"remove","Where":"p1","at":null}`:           removeArgs{At: "p1"},
		`{"op":"remove","where":"p1","AT":"p2"}`:           removeArgs{At: "p2"},
		`{"op":"paint","value":12345678901234567890.10}`:   paintArgs{Value: json.Number("12345678901234567890.10")},
		` {"op":"remove","at":"p1","paragraphs":"unread"}`: removeArgs{At: "p1"},
	} {
		c, err := table.Decode(json.RawMessage(in))
		require.NoError(t, err, in)
		p.did = nil
		require.NoError(t, c.Run(t.Context(), p))
		require.Equal(t, []any{want}, p.did, in)
	}
	c, err := table.Decode(json.RawMessage(`{"op":"rest"}`))
	require.NoError(t, err)
	require.EqualError(t, c.Run(t.Context(), p), "too early")
}

// W-47: errors name the operation and the member, and what is expected.
func TestDecodeErrors(t *testing.T) {
	for in, want := range map[string]string{
		`7`:                                     "an operation must be an object with a member op",
		`[]`:                                    "an operation must be an object with a member op",
		``:                                      "an operation must be an object with a member op",
		`{"op":7}`:                              "op: expected a string, got number",
		`{"at":"p1"}`:                           "op is required: one of write_text, remove, paint, rest",
		`{"op":"explode"}`:                      "unsupported op: explode",
		`{"op":"rmove"}`:                        "unsupported op: rmove; did you mean remove?",
		`{"op":"WRITE_TEXTS"}`:                  "unsupported op: WRITE_TEXTS; did you mean write_text?",
		`{"op":"remove","count":"x","at":"p1"}`: `count: expected an integer, got "x"`,
		`{"op":"remove","at":5}`:                "at: expected a string, got number",
		`{"op":"write_text","paragraphs":"x"}`:  "paragraphs: expected an array of paragraphs, got string",
		`{"op":"write_text","paragraphs":[{"runs":"x"}]}`:                "paragraphs.runs: expected an array, got string",
		`{"op":"write_text","paragraphs":[{"runs":[{"font_size":[]}]}]}`: "paragraphs: expected an integer, got []",
	} {
		c, err := table.Decode(json.RawMessage(in))
		require.EqualError(t, err, want, in)
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
		if c.Name != "" {
			require.Contains(t, in, c.Name)
		}
	}
	for _, name := range table.Names() {
		_, err := table.Decode(json.RawMessage(`{"op":"` + name + `s"}`))
		require.ErrorContains(t, err, "did you mean "+name+"?")
	}
}

// The members that an operation does not take are told, with where they are set.
func TestIgnored(t *testing.T) {
	for in, want := range map[string]string{
		`{"op":"write_text","at":"p1","text":"a","bold":true,"font_size":3}`:        "",
		`{"op":"write_text","where":"p1","AT":"p1"}`:                                "",
		`{"op":"write_text","colour":"red","count":null,"size":2}`:                  "ignored colour; ignored size; it is set in font_size",
		`{"op":"remove","bold":true,"text":"x"}`:                                    "ignored bold, text",
		`{"op":"write_text","note":"x"}`:                                            "ignored note; it is set in paragraphs",
		`{"op":"write_text","paragraphs":[{"text":"a"},{"text":"b","kind":1}]}`:     "ignored text in paragraphs; it is set in paragraphs.runs; ignored kind in paragraphs",
		`{"op":"write_text","paragraphs":[{"runs":[{"size":2,"text":"a","x":1}]}]}`: "ignored size in paragraphs.runs; it is set in paragraphs.runs.font_size; ignored x in paragraphs.runs",
		`{"op":"paint","color":"red","style":{"anything":1}}`:                       "ignored color; it is set in style.fill_color",
		`{"op":"rest","at":"p1"}`:                                                   "ignored at",
		`{"op":"none","at":"p1"}`:                                                   "", // it is refused
		`[]`:                                                                        "",
		`{"op":7}`:                                                                  "",
	} {
		require.Equal(t, want, formats.IgnoredNote(table.Ignored(json.RawMessage(in))), in)
	}
}

// Members that another operation explains are taken, and named by that operation.
func TestMembersOfAnotherOperation(t *testing.T) {
	type look struct {
		Color string `json:"color" jsonschema:"{ops}: its colour"`
	}
	type addArgs struct {
		Name string `json:"name" usage:"name"`
		look `as:"change"`
	}
	type changeArgs struct {
		Name string `json:"name" usage:"name"`
		look
	}
	got := ""
	table := NewTable(
		Define("add", func(_ int, _ context.Context, a addArgs) error { got = a.Color; return nil }),
		Define("change", func(int, context.Context, changeArgs) error { return nil }),
	)
	require.Equal(t, "name (and members of change)", table.Usage("add"))
	require.Equal(t, "name, color?", table.Usage("change"))
	c, err := table.Decode([]byte(`{"op":"add","name":"n","color":"red"}`))
	require.NoError(t, err)
	require.Empty(t, c.Ignored)
	require.NoError(t, c.Run(t.Context(), 0))
	require.Equal(t, "red", got)
	f, ok := reflect.TypeOf(table.Zero()).FieldByNameFunc(func(n string) bool { return n == "M2" })
	require.True(t, ok)
	require.Equal(t, "change: its colour", f.Tag.Get("jsonschema"))
}
