package calc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNeedsArray(t *testing.T) {
	b := NewBook("S", "Data")
	b.DefineName("Rate", -1, "S!$A$1")
	b.DefineName("Prices", -1, "S!$A$1:$A$9")
	b.DefineName("Loop", -1, "Loop+1")
	for _, f := range []string{
		"A1:A3*2", "A1:A3", "-A1:A3", "A:A", "Sales[Price]", "Sales[Price]*2", "{1,2}", "{1;2}*A1", "A1#", "Prices", "Prices*2", "New!A1:A3",
		"FILTER(A1:A9,A1:A9>1)", "SORT(UNIQUE(A1:A9))", "IFERROR(UNIQUE(A1:A9),0)", "XLOOKUP(1,A1:A9,B1:D9)", "XLOOKUP(A1:A3,A1:A9,B1:B9)",
		"LET(x,A1:A9,FILTER(x,x>1))", "LET(x,A1:A9,x*2)", "1+SEQUENCE(3)", `TEXTSPLIT(A1,",")`, "SUM(IF(A1:A3>1,A1:A3))", "SUM(A1:A3*B1:B3)",
		"INDEX(A1:A9,MATCH(1,(B1:B9=1)*(C1:C9=2),0))", "INDEX(A1:C9,0,2)", "INDEX(A1:C9,2,)", "SUM(1/COUNTIF(A1:A9,A1:A9))", "SUM(LEN(A1:A3))",
		"SUMPRODUCT(IF(A1:A3>1,1,0))", "ROW(A1:A3)", "OFFSET(A1,0,0,3)", "OFFSET(A1:A3,1,0)", "SUBTOTAL(9,OFFSET(A1,{0;1},0))", `INDIRECT("A1:A3")`, "INDIRECT(B1)", "MAP(A1:A3,LAMBDA(x,x*2))",
		"LAMBDA(x,x*2)(A1:A3)", "REDUCE(0,A1:A3,LAMBDA(a,b,VSTACK(a,b)))", "Sales[[#This Row],[a]:[b]]", "STOCKHISTORY(A1)", "VLOOKUP(A1:A3,B1:C9,2,0)", "@A1:A3+A1:A3",
	} {
		require.True(t, b.NeedsArray(f), f)
	}
	for _, f := range []string{
		"1", "A1*2", "SUM(A1:A9)", "@A1:A9", "@Prices*2", "SUM(FILTER(A1:A9,A1:A9>1))", "SUMPRODUCT(A1:A3*B1:B3)", `SUMPRODUCT(--(A1:A3="x"),B1:B3)`,
		`TEXTJOIN(",",TRUE,SORT(A1:A9))`, "INDEX(SORT(A1:A9),1)", "INDEX(A1:A9,MATCH(B1,C1:C9,0))", "XLOOKUP(1,A1:A9,B1:B9)", `IF(COUNTA(UNIQUE(A1:A9))>1,"x","")`,
		"LET(x,A1,x*2)", "LET(x,A1:A9,SUM(x))", "SUM({1,2}*2)", "Rate*2", "Sales[@Price]*2", "SUM(Sales[Price])", "SUM(Sales[[#Totals],[Price]])", "ROW()", "ROW(A1)",
		"VLOOKUP(A1,B:C,2,0)", "SUMIFS(A:A,B:B,C1)", "OFFSET(A1,1,1)", "SUBTOTAL(9,OFFSET(A1,B1,0))", "SUMPRODUCT(SUBTOTAL(9,OFFSET(A1,ROW(A1:A3),0)))", "SUM(OFFSET(A1,0,0,COUNT(A:A)))", `INDIRECT("A1")`, `SUM(INDIRECT("A1:A3"))`, "Loop", "NoSuch(A1:A3)", "((", "ROWS(A1:A9)",
		"COUNTIF(A1:A9,B1)", "SUM(IF(A1>1,A1:A3,B1:B3))", "REDUCE(0,A1:A3,LAMBDA(a,b,a+b))", "MAX(A1:A3)-MIN(A1:A3)", "AGGREGATE(14,6,A1:A9/(B1:B9=1),1)", "LOOKUP(2,1/(A1:A9=1),B1:B9)",
	} {
		require.False(t, b.NeedsArray(f), f)
	}
}

// Calls inside one another are looked at once.
func TestNeedsArrayOfNestedCalls(t *testing.T) {
	b := NewBook("S")
	for _, call := range []string{"OFFSET(", "REDUCE(0,A1,", "ROW(", "INDEX("} {
		b.NeedsArray(strings.Repeat(call, 190) + "A1" + strings.Repeat(",1,1)", 190))
		b.NeedsArray(strings.Repeat(call, 190) + "A1" + strings.Repeat(")", 190))
	}
}
