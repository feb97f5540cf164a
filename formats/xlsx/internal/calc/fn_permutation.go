package calc

import "math"

func init() {
	register(
		Func{Name: "PERMUT", Min: 2, Max: 2, Args: "n", Call: permutations},
		Func{Name: "PERMUTATIONA", Min: 2, Max: 2, Args: "n", Call: func(c *Call, a []Value) Value {
			n, k := math.Trunc(a[0].num), math.Trunc(a[1].num)
			if n < 0 || k < 0 {
				return Fail(ErrNum)
			}
			if n == 0 {
				c.stop(ReasonForm, "arrangements of no items")
			}
			return Num(math.Pow(n, k))
		}},
	)
}

// permutations counts the arrangements of some of several items.
func permutations(c *Call, a []Value) Value {
	n, k := math.Trunc(a[0].num), math.Trunc(a[1].num)
	if n < 0 || k < 0 || n < k {
		return Fail(ErrNum)
	}
	if n == 0 {
		c.stop(ReasonForm, "arrangements of no items")
	}
	x := 1.0
	for i := 0.0; i < k && !math.IsInf(x, 0); i++ {
		c.step(1)
		x *= n - i
	}
	return Num(x)
}
