package calc

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest/bombs"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/xlsxtest"
	"atelier/internal/campaign"
)

// recalculated reads a file and calculates all of it.
func recalculated(t *testing.T, file []byte) (*Results, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	wb, err := book.Open(ctx, xlsxtest.Source(file))
	if err != nil {
		return nil, err
	}
	return Recalculate(ctx, wb, Request{All: true})
}

// Files made to need much time or memory give results or a typed error.
func TestBombs(t *testing.T) {
	campaign.Slow(t)
	for i, b := range bombs.All {
		if filepath.Ext(b.Name) != ".xlsx" || !campaign.Full() && uint64(i)%2 != campaign.Seed()%2 {
			continue
		}
		_, err := recalculated(t, b.Build(t))
		var fe *formats.Error
		require.True(t, err == nil || errors.As(err, &fe), "%s: %v", b.Name, err)
	}
}

// Formulas made to need much end as unknown.
func TestHostileBooks(t *testing.T) {
	campaign.Slow(t)
	rows := func(n int, cell func(i int) string) string {
		var sb strings.Builder
		sb.WriteString("<sheetData>")
		for i := range n {
			fmt.Fprintf(&sb, `<row r="%d">%s</row>`, i+1, cell(i))
		}
		return sb.String() + "</sheetData>"
	}
	for name, sheet := range map[string]string{
		"array over the sheet": rows(3, func(int) string { return `<c><f t="array" ref="A1:XFD1048576">1</f></c>` }),
		"blocks over blocks": rows(5000, func(i int) string {
			return fmt.Sprintf(`<c><f t="array" ref="A%d:A%d">ROW(A1:A9)</f></c>`, i+1, i+200)
		}),
		"texts": rows(20000, func(i int) string { return fmt.Sprintf(`<c><f>REPT("%d",6000)</f></c>`, i) }),
		"wildcards": rows(3, func(int) string {
			return `<c><f>COUNTIF(A9,REPT("*a",9000))+SEARCH(REPT("*a",9000),REPT("a",30000))</f></c>`
		}),
		"powers of sums": rows(60, func(i int) string {
			return fmt.Sprintf(`<c><f>SUM(A%d:A1048576)+SUM(A%d:A1048576)</f></c>`, i+2, i+2)
		}),
		"reduce": rows(3, func(int) string {
			return `<c><f>REDUCE(0,_xlfn.SEQUENCE(2000000),_xlfn.LAMBDA(_xlpm.s,_xlpm.x,_xlpm.s+_xlpm.x))</f></c>`
		}),
		"arrays in arrays": rows(3, func(int) string {
			return `<c><f>SUM(_xlfn.MAKEARRAY(1000,1000,_xlfn.LAMBDA(_xlpm.r,_xlpm.c,SUM(_xlfn.SEQUENCE(_xlpm.r,_xlpm.c)))))</f></c>`
		}),
		"sum of everything": rows(3, func(int) string { return `<c><f>SUM(A:XFD)+SUMPRODUCT(1*(A1:XFD1048576=1))</f></c>` }),
		"lambdas": rows(2, func(int) string {
			return `<c><f>_xlfn.LET(_xlpm.f,_xlfn.LAMBDA(_xlpm.g,_xlpm.n,IF(_xlpm.n=0,1,_xlpm.g(_xlpm.g,_xlpm.n-1)+_xlpm.g(_xlpm.g,_xlpm.n-1))),_xlpm.f(_xlpm.f,900))</f></c>`
		}),
	} {
		r, err := recalculated(t, xlsxtest.Raw(t, nil, sheet))
		require.NoError(t, err, name)
		require.NotEmpty(t, r.Cells, name)
	}
}
