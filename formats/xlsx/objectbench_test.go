package xlsx

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// benchOps runs operations, in which %q stands for the first sheet's name.
func benchOps(b *testing.B, jobs ...string) {
	benchmarkBooks(b, true, func(b *testing.B, s formats.Source, _ int) {
		wb, err := open(context.Background(), s)
		require.NoError(b, err)
		var ops []json.RawMessage
		for _, j := range jobs {
			ops = append(ops, json.RawMessage(fmt.Sprintf(j, wb.Sheets[0].Name)))
		}
		_, err = Format().Editor.Apply(context.Background(), s, io.Discard, ops, formats.ApplyOptions{})
		require.NoError(b, err)
	})
}

// BenchmarkStyleColumns formats two columns of each row.
func BenchmarkStyleColumns(b *testing.B) {
	benchOps(b, `{"op":"set_style","sheet":%q,"range":"B:C","style":{"font_bold":true,"number_format":"0.00"}}`)
}

func BenchmarkStyleBlock(b *testing.B) {
	benchOps(b, `{"op":"set_style","sheet":%q,"range":"A1:J90000","style":{"fill_color":"DDEEFF"}}`)
}

func BenchmarkObjects(b *testing.B) {
	benchOps(b, `{"op":"conditional_format","sheet":%q,"range":"A:J","rule":{"type":"duplicate"}}`, `{"op":"add_comment","sheet":%q,"cell":"A1","text":"x"}`, `{"op":"set_column_widths","sheet":%q,"columns":[{"column":"A:J","width":"auto"}]}`)
}
