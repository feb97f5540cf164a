package calc

import "math"

// Depreciation of the French system of accounts, in which the first period is a part of
// a year.

func init() {
	register(
		Func{Name: "AMORLINC", Min: 6, Max: 7, Args: "n n n n n n n?", Call: func(c *Call, a []Value) Value {
			m, bad := c.amortization(a)
			return orBad(bad, Num(m.linear()))
		}},
		Func{Name: "AMORDEGRC", Min: 6, Max: 7, Args: "n n n n n n n?", Call: func(c *Call, a []Value) Value {
			m, bad := c.amortization(a)
			if bad.IsError() {
				return bad
			}
			return Num(c.degressive(m))
		}},
	)
}

// amortization is an asset: its cost and salvage, the part of a year in its first
// period, its rate, and the period that is asked for, from 0.
type amortization struct {
	cost, salvage, part, rate float64
	period                    int
}

// amortization reads cost, day of purchase, end of the first period, salvage, period,
// rate and basis.
func (c *Call) amortization(a []Value) (m amortization, bad Value) {
	m = amortization{cost: a[0].num, salvage: a[3].num, rate: a[5].num, period: a[4].Int()}
	basis := optional(a, 6, 0)
	if m.cost < 0 || m.salvage < 0 || m.salvage > m.cost || m.period < 0 || m.rate <= 0 || basis < 0 || basis > 4 || a[1].num > a[2].num {
		return m, Fail(ErrNum)
	}
	if basis == 2 || math.Floor(a[1].num) == math.Floor(a[2].num) || a[4].num != math.Trunc(a[4].num) || m.cost == 0 {
		c.stop(ReasonForm, "%s with basis 2, an empty first period, a part of a period or nothing to depreciate", c.Func.Name)
	}
	part := yearFrac(c, []Value{a[1], a[2], Num(float64(basis))})
	m.part = part.num
	return m, orBad(part, Value{})
}

// linear depreciates by equal parts; the last one is what is left.
func (m amortization) linear() float64 {
	each, first, all := m.cost*m.rate, m.part*m.rate*m.cost, m.cost-m.salvage
	full, p := math.Trunc((all-first)/each), float64(m.period)
	switch {
	case p == 0:
		return min(first, all)
	case p <= full:
		return each
	case p == full+1:
		return all - each*full - first
	}
	return 0
}

// degressive depreciates what is left by a rate that depends on the life of the asset.
// Programs differ in the last periods.
func (c *Call) degressive(m amortization) float64 {
	life, factor := 1/m.rate, 2.5
	switch {
	case life < 3 || life > 4 && life < 5:
		c.stop(ReasonForm, "AMORDEGRC of an asset whose life is below 3 years, or between 4 and 5")
	case life <= 4:
		factor = 1.5
	case life <= 6:
		factor = 2
	}
	rate := m.rate * factor
	cost := m.cost
	now := roundDigits(m.part*rate*cost, 0)
	cost -= now
	rest := cost - m.salvage
	for range m.period {
		c.step(1)
		now = roundDigits(rate*cost, 0)
		if rest -= now; rest < 0 {
			c.stop(ReasonForm, "AMORDEGRC of the last periods of an asset")
		}
		cost -= now
	}
	return now
}
