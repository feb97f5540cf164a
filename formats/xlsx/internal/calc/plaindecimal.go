package calc

// plainDecimal reads a number of at most 15 digits as they are mostly stored, with the value
// that strconv.ParseFloat gives: both the digits and the power of ten are exact numbers,
// so that one division rounds once. ok is false for everything else.
func plainDecimal(b []byte) (x float64, ok bool) {
	i, negative := 0, false
	if len(b) > 0 && b[0] == '-' {
		i, negative = 1, true
	}
	if len(b)-i > 16 || i == len(b) {
		return 0, false
	}
	n, digits, point := uint64(0), 0, -1
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c >= '0' && c <= '9':
			n = n*10 + uint64(c-'0')
			digits++
		case c == '.' && point < 0:
			point = digits
		default:
			return 0, false
		}
	}
	if digits == 0 || digits > 15 {
		return 0, false
	}
	x = float64(n)
	if point >= 0 {
		x /= powersOfTen[digits-point]
	}
	if negative {
		x = -x
	}
	return x, true
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
