package spend

import (
	"math"
	"strconv"
	"strings"
	"time"

	"atelier/llm/models"
)

func formatMoney(currency string) func(used, of int64) string {
	return func(used, of int64) string {
		return strings.TrimSpace(usedOf(FormatMoney(models.Nano(used).Amount()), FormatMoney(models.Nano(of).Amount()), of) + " " + currency)
	}
}

func formatTokens(used, of int64) string {
	return usedOf(FormatCount(used), FormatCount(of), of) + " tokens"
}

func formatTime(used, of int64) string {
	round := func(n int64) string {
		d := time.Duration(n)
		if d > time.Second {
			return d.Round(time.Second / 10).String()
		}
		if d > time.Millisecond {
			d = d.Round(time.Millisecond)
		}
		return d.String()
	}
	return usedOf(round(used), round(of), of)
}

func usedOf(used, of string, n int64) string {
	if n == 0 {
		return used
	}
	return used + " of its " + of
}

// FormatCount writes a number with commas: 12,345.
func FormatCount(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// FormatMoney writes an amount with two decimals, or as many as show two
// significant digits.
func FormatMoney(v float64) string {
	digits := 2
	for x := math.Abs(v); x > 0 && x < 0.1 && digits < 9; digits++ {
		x *= 10
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	for digits > 2 && strings.HasSuffix(s, "0") {
		s, digits = s[:len(s)-1], digits-1
	}
	return s
}

// FormatRoundedUp writes a number above 0 rounded up to two significant digits.
func FormatRoundedUp(v float64) string {
	if v <= 0 {
		return "1"
	}
	exp := int(math.Floor(math.Log10(v))) - 1
	unit := math.Pow10(exp)
	return strconv.FormatFloat(math.Ceil(v/unit-1e-9)*unit, 'f', max(0, -exp), 64)
}
