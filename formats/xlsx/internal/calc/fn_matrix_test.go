package calc

import "testing"

func TestMatrix(t *testing.T) {
	b := sheetOf("1|3|8|5", "1|3|6|1", "1|1|1|0", "7|3|10|2")
	checkFormulas(t, b,
		`MDETERM(A1:D4)`, `88`,
		`MDETERM({3,6,1;1,1,0;3,10,2})`, `1`,
		`MDETERM(A1:D3)`, `#VALUE!`,
		`{=MINVERSE({4,-1;2,0})}`, `{0,0.5;-1,2}`,
		`MINVERSE({1,2;2,4})`, `#NUM!`,
		`{=MMULT({1,3;7,2},{2,0;0,2})}`, `{2,6;14,4}`,
		`MMULT({1,2},{1,2})`, `#VALUE!`,
		`{=MUNIT(2)}`, `{1,0;0,1}`,
		`MUNIT(0)`, `#VALUE!`,
		`MUNIT(99999)`, `?limit`,
	)
}

func TestNumerals(t *testing.T) {
	b := sheetOf("1")
	checkFormulas(t, b,
		`ROMAN(499,0)`, `"CDXCIX"`,
		`ROMAN(2013)`, `"MMXIII"`,
		`ROMAN(499,1)`, `"LDVLIV"`,
		`ROMAN(499,2)`, `"XDIX"`,
		`ROMAN(499,3)`, `"VDIV"`,
		`ROMAN(499,FALSE)`, `"ID"`,
		`ROMAN(499,5)`, `#VALUE!`,
		`ROMAN(4000)`, `#VALUE!`,
		`ARABIC("LVII")`, `57`,
		`ARABIC("mcmxii")`, `1912`,
		`ARABIC("x y")`, `#VALUE!`,
		`BASE(7,2)`, `"111"`,
		`BASE(15,2,10)`, `"0000001111"`,
		`BASE(100,16)`, `"64"`,
		`DECIMAL("FF",16)`, `255`,
		`DECIMAL("zap",36)`, `45745`,
		`DECIMAL("2",2)`, `#NUM!`,
		`MULTINOMIAL(2,3,4)`, `1260`,
	)
}

func TestAggregate(t *testing.T) {
	b := sheetOf("1|#DIV/0!", "72|65", "30|95", "=SUBTOTAL(9,A1:A3)|63", "31|53")
	checkFormulas(t, b,
		`AGGREGATE(4,6,A1:B5)`, `103`,
		`AGGREGATE(14,6,A1:A5,3)`, `31`,
		`{=AGGREGATE(14,6,A1:A5,{1;2})}`, `{103;72}`,
		`AGGREGATE(14,6,A1:A3/(A1:A3<50),1)`, `30`,
		`AGGREGATE(15,6,B1:B5,1)`, `53`,
		`AGGREGATE(9,4,B1:B5)`, `#DIV/0!`,
		`AGGREGATE(9,2,A1:A5)`, `134`,
		`AGGREGATE(12,6,A1:A3)`, `30`,
		`AGGREGATE(16,6,{1,2,3,4},0.25)`, `1.75`,
		`AGGREGATE(17,6,{1,2,3,4},1)`, `1.75`,
		`AGGREGATE(18,6,{1,2,3,4},0.25)`, `1.25`,
		`AGGREGATE(18,6,{1,2,3,4},0.1)`, `#NUM!`,
		`AGGREGATE(13,6,{1,2,2,3})`, `#VALUE!`,
		`AGGREGATE(3,6,A1:B5)`, `9`,
		`AGGREGATE(20,6,A1:A3)`, `#VALUE!`,
	)
	b.sheets[0].grid.rows[1].hidden = true
	checkFormulas(t, b, `AGGREGATE(9,5,A1:A3)`, `31`, `AGGREGATE(9,4,A1:A3)`, `103`)
}
