package calc

import "testing"

func TestNumberSystems(t *testing.T) {
	b := sheetOf("TRUE")
	checkFormulas(t, b,
		`BIN2DEC(1111111111)`, `-1`,
		`BIN2DEC(12)`, `#NUM!`,
		`BIN2DEC("10000000000")`, `#NUM!`,
		`BIN2DEC(A1)`, `#VALUE!`,
		`BIN2DEC("-1")`, `#NUM!`,
		`DEC2BIN(9,4)`, `"1001"`,
		`DEC2BIN(9,3)`, `#NUM!`,
		`DEC2BIN(-100,2)`, `"1110011100"`,
		`DEC2BIN(512)`, `#NUM!`,
		`HEX2BIN("B7",10)`, `"0010110111"`,
		`DEC2HEX(-54)`, `"FFFFFFFFCA"`,
		`BITLSHIFT(1,48)`, `#NUM!`,
		`BITAND(1.5,1)`, `#NUM!`,
		`BITRSHIFT(13,-2)`, `52`,
		`COMPLEX(3,4,"k")`, `#VALUE!`,
		`COMPLEX(0,0)`, `"0"`,
		`IMSUM("3+4i","5-3j")`, `#VALUE!`,
		`IMSUM("3+4i",1,"-i")`, `"4+3i"`,
		`IMREAL("x")`, `#NUM!`,
		`IMREAL("1e-3+2E+2i")`, `0.001`,
		`IMAGINARY("1e-3+2E+2i")`, `200`,
		`IMDIV("1+i",0)`, `#NUM!`,
		`IMARGUMENT(0)`, `#DIV/0!`,
		`CONVERT(2.5,"ft","sec")`, `#N/A`,
		`CONVERT(68,"F","C")`, `20`,
		`CONVERT(1,"lbm","kg")`, `0.45359237`,
		`CONVERT(1,"parsec","m")`, `?form`,
		`CONVERT(1,"Kibyte","bit")`, `?form`,
		`CONVERT(1,"kibyte","bit")`, `8192`,
	)
}

// Conditions are joined as in Excel's documentation: rows by or, columns by and,
// and a text is how a value begins.
func TestDatabase(t *testing.T) {
	b := sheetOf("Tree|Height|Age|Yield|Profit", "Apple|18|20|14|105", "Pear|12|12|10|96", "Cherry|13|14|9|105", "Apple|14|15|10|75", "Pear|9|8|8|77", "Apple|8|9|6|45", "Pearl|1|1|1|1",
		"", "tree|Height|Height|Formula", "'=Apple|>10|<16|", "'=Pear|||", "", "Tree|Age", "pea|", "", "Tree|x", "|5", "Tree", "", "Tree", "Cherry")
	checkFormulas(t, b,
		`DCOUNT(A1:E7,"Age",A10:C11)`, `1`,
		`DCOUNT(A1:E7,,A10:B12)`, `4`,
		`DCOUNTA(A1:E7,"Profit",A10:C11)`, `1`,
		`DMAX(A1:E8,"Profit",A10:A12)`, `105`,
		`DMIN(A1:E8,"Profit",A10:B12)`, `75`,
		`DSUM(A1:E8,"profit",A10:A11)`, `225`,
		`DSUM(A1:E8,5,A10:C11)`, `75`,
		`DPRODUCT(A1:E8,"Yield",A10:B11)`, `140`,
		`DAVERAGE(A1:E8,"Yield",A10:B11)`, `12`,
		`DSTDEV(A1:E8,"Yield",A10:A12)`, `2.96647939484`,
		`DVARP(A1:E8,"Yield",A10:A12)`, `7.04`,
		`DGET(A1:E8,"Yield",A10:A12)`, `#NUM!`,
		`DGET(A1:E8,"Yield",A21:A22)`, `9`,
		`DSUM(A1:E8,"Yield",A14:B15)`, `19`,
		`DSUM(A1:E8,"Yield",A19:A20)`, `58`,
		`DSUM(A1:E8,"Yield",A17:B18)`, `?form`,
		`DSUM(A1:E8,"Leaf",A10:A12)`, `#VALUE!`,
		`DSUM(A1:E8,,A10:A12)`, `#VALUE!`,
		`DSUM(A1:E8,"Yield",A10)`, `?form`,
	)
}
