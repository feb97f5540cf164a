package calc

import "testing"

// The examples of Excel's documentation of the functions of dynamic arrays.
func TestArrange(t *testing.T) {
	b := sheetOf("1|apple|3|x", "2|Pear|1|", "3|apple|2|0", "4|fig|2|TRUE")
	checkFormulas(t, b,
		`{=SEQUENCE(2,3)}`, `{1,2,3;4,5,6}`,
		`SUM(SEQUENCE(4,1,10,-2))`, `28`,
		`{=SEQUENCE(0)}`, `#CALC!`,
		`{=SEQUENCE(1E9)}`, `?limit`,
		`{=VSTACK(A1:B1,9)}`, `{1,"apple";9,#N/A}`,
		`{=HSTACK(A1:A2,C1:C2,{7,8})}`, `{1,3,7,8;2,1,#N/A,#N/A}`,
		`{=HSTACK(A1:A3,5)}`, `{1,5;2,#N/A;3,#N/A}`,
		`{=TOCOL(A1:B2)}`, `{1;"apple";2;"Pear"}`,
		`{=TOROW(A1:B2,0,TRUE)}`, `{1,2,"apple","Pear"}`,
		`{=TOCOL(D1:D2,1)}`, `"x"`,
		`{=WRAPROWS(A1:A3,2,"-")}`, `{1,2;3,"-"}`,
		`{=WRAPCOLS(A1:A3,2)}`, `{1,3;2,#N/A}`,
		`{=WRAPROWS({1,2},3)}`, `{1,2,#N/A}`,
		`{=TAKE(A1:C4,2,-1)}`, `{3;1}`,
		`{=TAKE(A1:C4,-9)}`, `{1,"apple",3;2,"Pear",1;3,"apple",2;4,"fig",2}`,
		`TAKE(A1:A3,0)`, `#CALC!`,
		`{=DROP(A1:C4,2,1)}`, `{"apple",2;"fig",2}`,
		`DROP(A1:C4,4)`, `#CALC!`,
		`{=EXPAND({1,2},2,3,0)}`, `{1,2,0;0,0,0}`,
		`EXPAND(A1:A4,2)`, `#VALUE!`,
		`{=CHOOSECOLS(A1:C2,3,-3)}`, `{3,1;1,2}`,
		`{=CHOOSEROWS(A1:C4,{4,1})}`, `{4,"fig",2;1,"apple",3}`,
		`CHOOSEROWS(A1:C4,5)`, `#VALUE!`,
	)
}

func TestFilterAndSort(t *testing.T) {
	b := sheetOf("1|apple|3|x", "2|Pear|1|", "3|APPLE|2|0", "4|fig|2|TRUE")
	checkFormulas(t, b,
		`{=FILTER(A1:C4,C1:C4=2)}`, `{3,"APPLE",2;4,"fig",2}`,
		`{=FILTER(A1:C1,{1,0,1})}`, `{1,3}`,
		`FILTER(A1:A4,C1:C4=9)`, `#CALC!`,
		`FILTER(A1:A4,C1:C4=9,"none")`, `"none"`,
		`FILTER(A1:A4,C1:C3=2)`, `#VALUE!`,
		`SUM(FILTER(A1:A4,(C1:C4=2)*(A1:A4>3)))`, `4`,
		`SUM(FILTER(A:A,C:C>1))`, `8`,
		`{=UNIQUE(B1:B4)}`, `{"apple";"Pear";"fig"}`,
		`{=UNIQUE(B1:B4,,TRUE)}`, `{"Pear";"fig"}`,
		`{=UNIQUE({1,2,1},TRUE)}`, `{1,2}`,
		`{=UNIQUE({1,2;1,2;1,3})}`, `{1,2;1,3}`,
		`{=UNIQUE({1;1},,TRUE)}`, `#CALC!`,
		`{=UNIQUE(D1:D4)}`, `?form`,
		`{=SORT(A1:C4,3)}`, `{2,"Pear",1;3,"APPLE",2;4,"fig",2;1,"apple",3}`,
		`{=SORT(B1:B4,,-1)}`, `{"Pear";"fig";"apple";"APPLE"}`,
		`{=SORT(A1:C4,{3,1},{-1,-1})}`, `{1,"apple",3;4,"fig",2;3,"APPLE",2;2,"Pear",1}`,
		`{=SORT(D1:D4)}`, `{0;"x";TRUE;empty}`,
		`{=SORT({3,1,2},,,TRUE)}`, `{1,2,3}`,
		`{=SORT({"é";"f"})}`, `?language`,
		`SORT(A1:A4,2)`, `#VALUE!`,
		`{=SORTBY(A1:A4,C1:C4,1,A1:A4,-1)}`, `{2;4;3;1}`,
		`SORTBY(A1:A4,C1:C3)`, `#VALUE!`,
	)
}

func TestLambdaHelpers(t *testing.T) {
	b := sheetOf("1|10", "2|20", "3|30")
	checkFormulas(t, b,
		`{=MAP(A1:A3,B1:B3,LAMBDA(x,y,x*y))}`, `{10;40;90}`,
		`REDUCE(0,A1:B3,LAMBDA(s,x,s+x))`, `66`,
		`REDUCE(,A1:A3,LAMBDA(s,x,s*10+x))`, `123`,
		`{=SCAN(0,A1:A3,LAMBDA(s,x,s+x))}`, `{1;3;6}`,
		`{=BYROW(A1:B3,LAMBDA(r,SUM(r)))}`, `{11;22;33}`,
		`{=BYCOL(A1:B3,LAMBDA(c,MAX(c)))}`, `{3,30}`,
		`{=MAKEARRAY(2,2,LAMBDA(r,c,r*10+c))}`, `{11,12;21,22}`,
		`BYROW(A1:B3,LAMBDA(a,b,1))`, `#VALUE!`,
		`SUM(MAP(SEQUENCE(1000),LAMBDA(x,x^2)))`, `333833500`,
		`{=BYROW(A1:B3,_xleta.SUM)}`, `{11;22;33}`,
		`{=MAP(A1:A3,B1:B3,_xleta.POWER)}`, `{1;1048576;2.05891132095e+14}`,
		`{=SCAN(0,A1:A3,_xleta.SUM)}`, `{1;3;6}`,
		`{=MAP(A1:A3,_xleta.ROW)}`, `{1;2;3}`,
		`{=MAKEARRAY(2,2,_xleta.MAX)}`, `{1,2;2,2}`,
		`LET(f,_xleta.SUM,f(A1:B3))`, `66`,
		`BYROW(A1:B3,_xleta.POWER)`, `#VALUE!`,
		`BYROW(A1:B3,_xleta.GETPIVOTDATA)`, `?function`,
		`BYROW(A1:B3,_xleta.NOSUCH)`, `#NAME?`,
		`{=REDUCE(1,SEQUENCE(900),LAMBDA(s,x,VSTACK(s,s)))}`, `?limit`,
	)
}
