package calc

import (
	"math"
	"strings"
)

// EUROCONVERT converts between the euro and the currencies that it replaced, at the
// fixed rates of Council Regulations (EC) 2866/98, 1478/2000 and 1086/2006.

func init() {
	register(Func{Name: "EUROCONVERT", Min: 3, Max: 5, Args: "n s s b n?", Call: euroConvert})
}

// euroRate is what one euro is in a currency, and the decimals of its amounts; -1 where
// programs differ in them.
type euroRate struct {
	rate     float64
	decimals int
}

var euroRates = map[string]euroRate{
	"EUR": {1, 2}, "BEF": {40.3399, 0}, "LUF": {40.3399, 0}, "DEM": {1.95583, 2}, "ESP": {166.386, 0}, "FRF": {6.55957, 2}, "IEP": {0.787564, 2},
	"ITL": {1936.27, 0}, "NLG": {2.20371, 2}, "ATS": {13.7603, 2}, "PTE": {200.482, -1}, "FIM": {5.94573, 2}, "GRD": {340.75, -1}, "SIT": {239.64, 2},
}

func euroConvert(c *Call, a []Value) Value {
	from, ok := euroRates[strings.ToUpper(a[1].str)]
	to, ok2 := euroRates[strings.ToUpper(a[2].str)]
	full, digits := flag(a, 3, false), optional(a, 4, 0)
	given := len(a) > 4 && !a[4].Missing()
	switch {
	case !ok || !ok2:
		c.stop(ReasonForm, "EUROCONVERT of a currency that Excel's documentation does not list")
	case given && digits < 3:
		return Fail(ErrValue)
	case strings.EqualFold(a[1].str, a[2].str):
		return a[0]
	case !full && to.decimals < 0:
		c.stop(ReasonForm, "EUROCONVERT of amounts that are rounded in %s", strings.ToUpper(a[2].str))
	}
	euro := a[0].num / from.rate
	if given && euro != 0 && from.rate != 1 && to.rate != 1 {
		euro = roundDigits(euro, digits-1-int(math.Floor(math.Log10(math.Abs(euro)))))
	}
	x := euro * to.rate
	if !full {
		x = roundDigits(x, to.decimals)
	}
	return Num(x)
}
