package calc

import "testing"

func TestLetAndLambda(t *testing.T) {
	b := sheetOf("1", "2", "3")
	b.DefineName("fib", -1, "_xlfn.LAMBDA(_xlpm.n,IF(_xlpm.n<2,_xlpm.n,fib(_xlpm.n-1)+fib(_xlpm.n-2)))")
	b.DefineName("forever", -1, "_xlfn.LAMBDA(_xlpm.n,forever(_xlpm.n+1))")
	checkFormulas(t, b,
		`_xlfn.LET(_xlpm.x,5,_xlpm.y,_xlpm.x*2,_xlpm.x+_xlpm.y)`, `15`,
		`_xlfn.LET(_xlpm.r,A1:A3,SUM(_xlpm.r)+ROWS(_xlpm.r))`, `9`,
		`_xlfn.LAMBDA(_xlpm.a,_xlpm.b,_xlpm.a*_xlpm.b)(3,4)`, `12`,
		`_xlfn.LAMBDA(_xlpm.a,_xlop.b,IF(_xlfn.ISOMITTED(_xlpm.b),1,2))(3)`, `1`,
		`_xlfn.LAMBDA(_xlpm.a,_xlop.b,IF(_xlfn.ISOMITTED(_xlpm.b),1,_xlpm.b))(3,4)`, `4`,
		`_xlfn.LAMBDA(_xlpm.a,_xlpm.b,_xlpm.a)(3)`, `#VALUE!`,
		`_xlfn.LAMBDA(_xlpm.a,_xlpm.b,IF(_xlfn.ISOMITTED(_xlpm.b),1,2))(3,)`, `1`,
		`_xlfn.LAMBDA(_xlop.a,_xlop.b,1)()`, `1`,
		`{=_xlfn.MAP({1,2},_xlfn.LAMBDA(_xlpm.a,_xlop.b,_xlpm.a+1))}`, `{2,3}`,
		`_xlfn.LET(_xlpm.f,_xlfn.LAMBDA(_xlpm.x,_xlpm.x+1),_xlpm.f(_xlpm.f(1)))`, `3`,
		`_xlfn.LAMBDA(_xlpm.a,_xlpm.a)`, `#CALC!`,
		`_xlfn.LAMBDA(_xlpm.a,_xlpm.a)(1,2)`, `#VALUE!`,
		`fib(12)`, `144`,
		`forever(1)`, `?limit`,
	)
}
