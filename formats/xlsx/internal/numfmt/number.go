package numfmt

import (
	"math"
	"strconv"
	"strings"
)

// plain formats a non-negative number by the digit placeholders of the section.
func (s *section) plain(v float64) string {
	intPat, fracPat := s.patterns()
	dec := len(fracPat)
	whole, frac, _ := strings.Cut(roundFixed(v, dec), ".")
	// Optional decimals (# and ?) go when they are zeros at the end.
	for dec > 0 && fracPat[dec-1] != '0' && frac[dec-1] == '0' {
		dec--
	}
	frac = frac[:dec]
	if whole == "0" && !strings.Contains(intPat, "0") {
		whole = ""
	}
	minInt := len(intPat) - len(strings.TrimLeft(intPat, "#?"))
	if need := len(intPat) - minInt; strings.Contains(intPat, "0") && len(whole) < need {
		whole = strings.Repeat("0", need-len(whole)) + whole
	}
	return s.layout(intPat, whole, frac, s.marks.General(v))
}

// patterns returns the digit placeholders before and after the point.
func (s *section) patterns() (intPat, fracPat string) {
	behind := false
	for _, t := range s.toks {
		switch t.kind {
		case tokPoint:
			behind = true
		case tokDigit:
			if behind {
				fracPat += t.s
			} else {
				intPat += t.s
			}
		case tokExp:
			return
		}
	}
	return
}

// layout puts digits into the section's tokens. Digits in excess of the
// placeholders go to the first one; all is the number for "@" and "General".
func (s *section) layout(intPat, whole, frac, all string) string {
	var sb strings.Builder
	seen, behind, fi := 0, false, 0
	for _, t := range s.toks {
		switch t.kind {
		case tokLit:
			sb.WriteString(t.s)
		case tokPercent:
			sb.WriteByte('%')
		case tokSlash:
			sb.WriteByte('/')
		case tokText, tokGeneral:
			sb.WriteString(all)
		case tokPoint:
			behind = true
			if frac != "" || strings.Contains(intPat, "0") || whole != "" {
				sb.WriteString(s.marks.point())
			}
		case tokDigit:
			if behind {
				if fi < len(frac) {
					sb.WriteByte(frac[fi])
					fi++
				}
				continue
			}
			// The placeholder stands for the digit as far from the right as itself.
			fromRight := len(intPat) - 1 - seen
			lo, hi := len(whole)-1-fromRight, len(whole)-fromRight
			if seen == 0 {
				lo = 0
			}
			seen++
			s.digits3(&sb, whole, max(lo, 0), min(hi, len(whole)))
		}
	}
	return sb.String()
}

// digits3 writes the digits whole[from:to], with commas between thousands where
// the section has them.
func (s *section) digits3(sb *strings.Builder, whole string, from, to int) {
	for k := from; k < to; k++ {
		sb.WriteByte(whole[k])
		if left := len(whole) - 1 - k; s.comma && left > 0 && left%3 == 0 {
			sb.WriteString(s.marks.comma())
		}
	}
}

// roundFixed rounds half away from zero on the decimal digits, as Excel does.
func roundFixed(v float64, dec int) string {
	// 15 significant digits are all Excel sees: 1.005 is 1.005, not a bit less.
	s := strconv.FormatFloat(v, 'e', 14, 64)
	mant, expS, _ := strings.Cut(s, "e")
	exp, _ := strconv.Atoi(expS)
	digits := strings.Replace(mant, ".", "", 1)
	point := exp + 1 // digits before the decimal point
	for point <= 0 {
		digits = "0" + digits
		point++
	}
	for len(digits) < point+dec+1 {
		digits += "0"
	}
	b := []byte(digits[:point+dec])
	if digits[point+dec] >= '5' {
		i := len(b) - 1
		for ; i >= 0; i-- {
			if b[i] != '9' {
				b[i]++
				break
			}
			b[i] = '0'
		}
		if i < 0 {
			b = append([]byte{'1'}, b...)
			point++
		}
	}
	whole := strings.TrimLeft(string(b[:point]), "0")
	if whole == "" {
		whole = "0"
	}
	if dec == 0 {
		return whole
	}
	return whole + "." + string(b[point:])
}

// mantissa writes a number with the decimals of a pattern, in which # leaves
// zeros at the end out.
func mantissa(v float64, fracPat string) string {
	mant := roundFixed(v, len(fracPat))
	for i := len(fracPat) - 1; i >= 0 && fracPat[i] != '0' && strings.HasSuffix(mant, "0"); i-- {
		mant = strings.TrimSuffix(mant, "0")
	}
	return strings.TrimSuffix(mant, ".")
}

// point and comma are what stands before decimals and between thousands.
func (l *Locale) point() string {
	if l == nil {
		return "."
	}
	return l.Decimal
}

func (l *Locale) comma() string {
	if l == nil {
		return ","
	}
	return l.Group
}

// scientific formats 12345 as 1.23E+04. With n digits before the point the
// exponent is a multiple of n.
func (s *section) scientific(v float64) string {
	intPat, fracPat := s.patterns()
	exp := 0
	if v != 0 {
		exp = int(math.Floor(math.Log10(v)))
		step := max(len(intPat), 1)
		if step > 1 {
			exp = int(math.Floor(float64(exp)/float64(step))) * step
		}
		v /= math.Pow(10, float64(exp))
		if r, _ := strconv.ParseFloat(roundFixed(v, len(fracPat)), 64); step == 1 && r >= 10 {
			v /= 10
			exp++
		}
	}
	mant := strings.Replace(mantissa(v, fracPat), ".", s.marks.point(), 1)
	var sb strings.Builder
	width, sign, after := 0, "-", ""
	state := 0 // 0: before the mantissa, 1: in it, 2: in the exponent
	for _, t := range s.toks {
		switch {
		case t.kind == tokExp:
			state = 2
			if t.s[1] == '+' {
				sign = "+"
			}
		case t.kind == tokDigit && state == 2:
			width++
		case t.kind == tokDigit && state == 0:
			sb.WriteString(mant)
			state = 1
		case t.kind == tokLit && state != 2:
			sb.WriteString(t.s)
		case t.kind == tokLit || t.kind == tokPercent:
			after += t.s
		}
	}
	e := strconv.Itoa(max(exp, -exp))
	if len(e) < width {
		e = strings.Repeat("0", width-len(e)) + e
	}
	if exp < 0 {
		sign = "-"
	} else if sign == "-" {
		sign = ""
	}
	sb.WriteString("E" + sign + e + after)
	return sb.String()
}

// fractionPattern reads a pattern such as "# ??/??": whether whole numbers stand
// apart, the fixed denominator, 0 for none, and the digits of another one.
func (s *section) fractionPattern() (whole bool, fixed, width int) {
	slash := false
	groups, run := 0, 0
	for _, t := range s.toks {
		if t.kind == tokDigit && !slash {
			run++
			continue
		}
		if run > 0 && !slash {
			groups++
			run = 0
		}
		switch {
		case t.kind == tokSlash:
			slash = true
		case slash && t.kind == tokDigit:
			width++
			fixed *= 10
		case slash && t.kind == tokLit:
			if n, err := strconv.Atoi(t.s); err == nil {
				fixed = fixed*10 + n
			}
		}
	}
	return groups > 1, fixed, width
}

// fractionSides returns the texts before and after a fraction.
func (s *section) fractionSides() (before, after string) {
	digit, slash, tail := false, false, false
	for _, t := range s.toks {
		_, err := strconv.Atoi(t.s)
		switch {
		case t.kind == tokDigit:
			digit = true
		case t.kind == tokSlash:
			slash = true
		case t.kind == tokPercent, t.kind == tokLit && slash && (err != nil || tail):
			after += t.s
			tail = true
		case t.kind == tokLit && !digit:
			before += t.s
		}
	}
	return before, after
}

// fraction formats 1.25 as "1 1/4", with the texts around the pattern.
func (s *section) fraction(v float64) string {
	before, after := s.fractionSides()
	return before + s.bareFraction(v) + after
}

// bareFraction formats 1.25 as "1 1/4". The section gives the denominator, or its
// number of digits.
func (s *section) bareFraction(v float64) string {
	whole, fixed, width := s.fractionPattern()
	base := math.Floor(v)
	if !whole {
		base = 0
	}
	var num, den int
	if fixed > 0 {
		den = fixed
		num = int(math.Round((v - base) * float64(den)))
	} else {
		limit := int(math.Pow(10, float64(min(max(width, 1), 5)))) - 1
		num, den = nearest(v-base, limit)
	}
	if whole && num == den && num > 0 {
		base, num = base+1, 0
	}
	switch {
	case whole && num == 0:
		return strconv.FormatFloat(base, 'f', 0, 64)
	case whole && base != 0:
		return strconv.FormatFloat(base, 'f', 0, 64) + " " + strconv.Itoa(num) + "/" + strconv.Itoa(den)
	}
	return strconv.Itoa(num) + "/" + strconv.Itoa(den)
}

// nearest returns the fraction closest to v with a denominator up to limit,
// found by continued fractions.
func nearest(v float64, limit int) (num, den int) {
	if v > 1e9 {
		return int(math.Min(v, 1e15)), 1
	}
	h0, h1, k0, k1 := 0, 1, 1, 0
	x := v
	for range 32 {
		a := int(math.Floor(x))
		h2, k2 := a*h1+h0, a*k1+k0
		if k2 > limit {
			// The best one between the last two convergents.
			a = (limit - k0) / max(k1, 1)
			h2, k2 = a*h1+h0, a*k1+k0
			if k2 > 0 && math.Abs(float64(h2)/float64(k2)-v) < math.Abs(float64(h1)/float64(max(k1, 1))-v) {
				return h2, k2
			}
			return h1, k1
		}
		h0, h1, k0, k1 = h1, h2, k1, k2
		if x-float64(a) < 1e-10 {
			break
		}
		x = 1 / (x - float64(a))
	}
	return h1, k1
}
