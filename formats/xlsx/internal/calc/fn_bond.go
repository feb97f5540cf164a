package calc

import "math"

// Functions of securities that pay interest.

func init() {
	coupon := func(name string, f func(c *Call, k coupons) float64) Func {
		return Func{Name: name, Min: 3, Max: 4, Args: "n n n n?", Call: func(c *Call, a []Value) Value {
			k, bad := c.coupons(a, 3)
			if bad.IsError() {
				return bad
			}
			return Num(f(c, k))
		}}
	}
	register(
		coupon("COUPDAYBS", (*Call).elapsed),
		coupon("COUPDAYS", (*Call).length),
		coupon("COUPDAYSNC", (*Call).left),
		coupon("COUPPCD", func(_ *Call, k coupons) float64 { return k.before.serial }),
		coupon("COUPNCD", func(_ *Call, k coupons) float64 { return k.after.serial }),
		coupon("COUPNUM", func(_ *Call, k coupons) float64 { return k.count }),
		Func{Name: "PRICE", Min: 6, Max: 7, Args: "n n n n n n n?", Call: priceFunc},
		Func{Name: "YIELD", Min: 6, Max: 7, Args: "n n n n n n n?", Call: yieldFunc},
		Func{Name: "DURATION", Min: 5, Max: 6, Args: "n n n n n n?", Call: durationFunc(func(d, _, _ float64) float64 { return d })},
		Func{Name: "MDURATION", Min: 5, Max: 6, Args: "n n n n n n?", Call: durationFunc(func(d, yield, f float64) float64 { return d / (1 + yield/f) })},
	)
}

// bond is a security that pays interest on 100.
type bond struct {
	coupon, redemption float64 // paid each time, and at the end
	count, frequency   float64
	left               float64 // part of a period to the next interest
}

// bond reads a security. Where the days to the next interest are not those that the
// period leaves, programs differ.
func (c *Call) bond(a []Value, i int, rate, redemption float64) (b bond, bad Value) {
	k, bad := c.coupons(a, i)
	if bad.IsError() {
		return b, bad
	}
	if k.basis == 2 || k.basis == 3 {
		c.stop(ReasonForm, "prices with basis 2 or 3")
	}
	return bond{100 * rate / k.frequency, redemption, k.count, k.frequency, c.left(k) / c.length(k)}, Value{}
}

// price returns the price without the interest due at settlement.
func (c *Call) price(b bond, yield float64) float64 {
	due := b.coupon * (1 - b.left)
	if b.count == 1 {
		return (b.redemption+b.coupon)/(1+b.left*yield/b.frequency) - due
	}
	c.step(int(b.count))
	grow := 1 + yield/b.frequency
	sum := b.redemption / math.Pow(grow, b.count-1+b.left)
	for k := range int(b.count) {
		sum += b.coupon / math.Pow(grow, float64(k)+b.left)
	}
	return sum - due
}

func priceFunc(c *Call, a []Value) Value {
	if a[2].num < 0 || a[3].num < 0 || a[4].num <= 0 {
		return Fail(ErrNum)
	}
	b, bad := c.bond(a, 6, a[2].num, a[4].num)
	if bad.IsError() {
		return bad
	}
	return Num(c.price(b, a[3].num))
}

func yieldFunc(c *Call, a []Value) Value {
	rate, price := a[2].num, a[3].num
	if rate < 0 || price <= 0 || a[4].num <= 0 {
		return Fail(ErrNum)
	}
	b, bad := c.bond(a, 6, rate, a[4].num)
	if bad.IsError() {
		return bad
	}
	if b.count == 1 {
		paid := price + b.coupon*(1-b.left)
		return Num((b.redemption + b.coupon - paid) / paid * b.frequency / b.left)
	}
	y, ok := c.root(max(rate, 0.01), func(y float64) float64 { return c.price(b, y) - price })
	if !ok || y < 0 {
		c.stop(ReasonForm, "a yield that is not found, or below zero")
	}
	return Num(y)
}

func durationFunc(form func(duration, yield, frequency float64) float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		rate, yield := a[2].num, a[3].num
		if rate < 0 || yield < 0 {
			return Fail(ErrNum)
		}
		b, bad := c.bond(a, 5, rate, 100)
		if bad.IsError() {
			return bad
		}
		c.step(int(b.count))
		grow := 1 + yield/b.frequency
		sum, weighted := 0.0, 0.0
		for k := range int(b.count) {
			pays := b.coupon
			if k == int(b.count)-1 {
				pays += b.redemption
			}
			t := float64(k) + b.left
			worth := pays / math.Pow(grow, t)
			sum, weighted = sum+worth, weighted+worth*t
		}
		return Num(form(weighted/sum/b.frequency, yield, b.frequency))
	}
}
