package xlsx

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"atelier/formats"
)

func TestFormulasThatExcelRefuses(t *testing.T) {
	for f, why := range map[string]string{
		"S1!$A$1:": "operand of :", "A1: ": "operand of :", ":A1": "operand of :", "SUM(:A1)": "operand of :", "SUM(A1:)": "operand of :", "A1::B2": "operand of :", "A1:+B2": "operand of :", "SUM(A1:,B2)": "operand of :",
		"1+": "operand of +", "A1*(2-)": "operand of -", "IF(A1=,1)": "operand of =", "A1&": "operand of &", "A1+:B2": "operand of +", "{1,2*}": "operand of *", "A1<>": "operand of >", "{1,2}^": "operand of ^", "A1,": "operand of ,",
		"": "empty", "  ": "empty", "SUM(A1": "not closed", "A1)": "not open", `"a`: "quote", "'S 1!A1": "quote", "[@a]*2": "name of its table",
	} {
		err := checkFormula(f)
		assert.ErrorContains(t, err, why, f)
		assert.Equal(t, formats.CodeInvalid, formats.CodeOf(err), f)
	}
	for _, f := range []string{
		"A1", "-A1", "--A1", "+1", "1+-1", "A1:B2", "A:C", "3:9", "A1:INDEX(B:B,3)", "INDEX(A:A,1):INDEX(A:A,9)", "(A1):(B2)", "A1:(B2)", "A1 : B2", "S1!A1:S1!B2", "'a:b'!A1", "S1:S3!A1",
		"IF(A1>0,,1)", "SUM(A1,)", "SUM(,A1)", "RAND()", "A1%", "50%*2", "1E-5", "1E+5*2", `":"`, `"+"`, "A1<>B1", "A1<=-1", "A1>=+1", `A1=""`, "{1,-2;3,4}", "T[a]:T[b]", "T[[a]:[b]]", "A1#", "@A1:A9", "A1:@B2", "#REF!:A1", "[1]S!A1:B2", "SUM((A1:B2,C3))", "A1:B2 C3:D4", "LAMBDA(x,x+1)(2)", "S1!#REF!", "é+1",
	} {
		assert.NoError(t, checkFormula(f), f)
	}
}
