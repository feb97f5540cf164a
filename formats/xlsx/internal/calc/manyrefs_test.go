package calc

import "testing"

// OFFSET and INDIRECT give a reference for each value of their arguments. SUBTOTAL, SUMIF
// and their like take each; where values are expected nothing is known.
func TestSeveralReferences(t *testing.T) {
	b := sheetOf("1|4|x", "2|5|y", "3|6|z", "=SUBTOTAL(9,A1:A3)")
	checkFormulas(t, b,
		`SUMPRODUCT(SUBTOTAL(103,OFFSET(A1,ROW(A1:A3)-ROW(A1),0)))`, `3`,
		`SUMPRODUCT(SUBTOTAL(109,OFFSET(A1,ROW(A1:A3)-ROW(A1),0)),B1:B3)`, `32`,
		`{=SUBTOTAL(9,OFFSET(A1,0,0,{1;2;3}))}`, `{1;3;6}`,
		`{=SUBTOTAL(9,OFFSET(A1,{0;1},{0,1}))}`, `{1,4;2,5}`,
		`{=SUMIF(OFFSET(A1,{0;1},0,2),">1",OFFSET(B1,{0;1},0,2))}`, `{5;11}`,
		`{=COUNTIF(INDIRECT("A"&{1;3}),{">2","<2"})}`, `{0,1;1,0}`,
		`{=N(OFFSET(A1,{0;2},0))+0}`, `{1;3}`,
		`{=T(INDIRECT("C"&{1;2}))}`, `{"x";"y"}`,
		`{=SUBTOTAL(9,OFFSET(A1,{0;-1},0))}`, `{1;#REF!}`,
		`{=INDEX(A1:A3,N(IF(1,{1,3})))}`, `{1,3}`,
		`SUM(N({1,2}))`, `?form`,
		`{=SUM(OFFSET(A1,{0;1},0))}`, `?form`,
		`{=OFFSET(A1,{0;1},0)}`, `?form`,
		`{=IFERROR(INDIRECT("A"&{1;2}),0)}`, `?form`,
		`{=SUBTOTAL(9,IF(1,OFFSET(A1,{0;1},0)))}`, `?form`,
	)
	checkFormulas(t, b,
		`SUMPRODUCT(SUBTOTAL(9,OFFSET(A1,SEQUENCE(1900000),0)))`, `?limit`,
		`SUMPRODUCT(SUBTOTAL(9,OFFSET(A1,0,0,SEQUENCE(200000))))`, `1199992`,
	)
	b.sheets[0].grid.rows[1].hidden = true
	checkFormulas(t, b, `SUMPRODUCT(SUBTOTAL(109,OFFSET(A1,ROW(A1:A3)-ROW(A1),0))*(B1:B3>4))`, `3`)
}
