package ops_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/ops"
)

type fontArgs struct {
	Name string `json:"font_name" group:"FONT"`
	Bold bool   `json:"bold"`
}

type writeArgs struct {
	Text string `json:"text" usage:"text"`
	fontArgs
}

type boldArgs struct {
	Bold bool `json:"bold"`
}

// Members that operations take together have one name in a list of usage lines; lines
// with a part of them keep it.
func TestGroupsStandForTheirMembers(t *testing.T) {
	type none struct{}
	table := ops.NewTable(
		ops.Define("write", func(none, context.Context, writeArgs) error { return nil }),
		ops.Define("format", func(none, context.Context, fontArgs) error { return nil }),
		ops.Define("bold", func(none, context.Context, boldArgs) error { return nil }))
	groups := table.Groups()
	require.Equal(t, []formats.MemberGroup{{Name: "FONT", Usage: "font_name?, bold?"}}, groups)
	require.Equal(t, "text, font_name?, bold?", table.Usage("write"), "the line of an operation has all members")
	require.Equal(t, "text, FONT", ops.Grouped(table.Usage("write"), groups))
	require.Equal(t, "FONT", ops.Grouped(table.Usage("format"), groups))
	require.Equal(t, "bold?", ops.Grouped(table.Usage("bold"), groups))
}
