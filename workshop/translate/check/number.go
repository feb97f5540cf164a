package check

import (
	"slices"
	"strings"
	"unicode"
)

// number is a number in a text with its possible readings: "1,234" is 1234 or
// 1.234, depending on the writer.
type number struct {
	text     string   // as written
	readings []string // canonical: digits without leading zeros, '.' before decimals
	atoms    []string // its groups of digits
}

// separators are the characters inside numbers: points, commas, non-breaking
// spaces, apostrophes (Switzerland), and the Arabic separators.
const separators = ".,\u00a0\u202f\u2009'’٫٬ "

// numbersIn returns the numbers of a plain text. Digits of all scripts are
// equal. Lower-case letters attached to a number (2nd, 3.º, 5kg) are ignored;
// digits after a letter are part of a name (B2B, H2O, A4) and are returned as
// named.
func numbersIn(s string) (out, named []number) {
	rs := []rune(s)
	for i := 0; i < len(rs); i++ {
		if !unicode.IsDigit(rs[i]) {
			continue
		}
		n, end := numberAt(rs, i)
		if i > 0 && unicode.IsLetter(rs[i-1]) && !unicode.In(rs[i-1], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) {
			named = append(named, n)
		} else {
			out = append(out, n)
		}
		i = end
	}
	return out, named
}

// numberAt reads the number that begins at a digit, and returns where it ends.
func numberAt(rs []rune, from int) (n number, end int) {
	var groups []string
	var seps []rune
	for end = from; ; end++ {
		start := end
		for end < len(rs) && unicode.IsDigit(rs[end]) {
			end++
		}
		groups = append(groups, asciiDigits(rs[start:end]))
		if end+1 >= len(rs) || !strings.ContainsRune(separators, rs[end]) || !unicode.IsDigit(rs[end+1]) {
			break
		}
		if rs[end] == ' ' && !groupsOf3(rs, end+1, groups) {
			break // two numbers next to each other
		}
		seps = append(seps, rs[end])
	}
	n = number{text: string(rs[from:end]), readings: readings(groups, seps)}
	for _, g := range groups {
		n.atoms = append(n.atoms, trimZeros(g))
	}
	return n, end
}

// groupsOf3 reports whether a plain space joins digits, as in 10 000: three
// digits follow it and at most three precede it.
func groupsOf3(rs []rune, from int, groups []string) bool {
	n := 0
	for from+n < len(rs) && unicode.IsDigit(rs[from+n]) {
		n++
	}
	return n == 3 && (len(groups) > 1 && len(groups[len(groups)-1]) == 3 || len(groups) == 1 && len(groups[0]) <= 3 && groups[0][0] != '0')
}

// asciiDigits converts digits of any script to 0 to 9. Decimal digits have
// consecutive code points in Unicode.
func asciiDigits(rs []rune) string {
	var sb strings.Builder
	for _, r := range rs {
		sb.WriteByte('0' + digitValue(r))
	}
	return sb.String()
}

func digitValue(r rune) byte {
	for _, rg := range unicode.Nd.R16 {
		if r >= rune(rg.Lo) && r <= rune(rg.Hi) {
			return byte((r - rune(rg.Lo)) % 10)
		}
	}
	for _, rg := range unicode.Nd.R32 {
		if r >= rune(rg.Lo) && r <= rune(rg.Hi) {
			return byte((r - rune(rg.Lo)) % 10)
		}
	}
	return 0
}

// readings returns the possible meanings of digits grouped by separators.
func readings(groups []string, seps []rune) []string {
	if len(seps) == 0 {
		return []string{trimZeros(groups[0])}
	}
	var out []string
	last := seps[len(seps)-1]
	rest := seps[:len(seps)-1]
	same := !slices.ContainsFunc(rest, func(r rune) bool { return r != last })
	if same && isThousands(groups) {
		out = append(out, trimZeros(strings.Join(groups, "")))
	}
	alone := !slices.Contains(rest, last) && !slices.ContainsFunc(rest, func(r rune) bool { return r != rest[0] })
	if decimal := last == '.' || last == ',' || last == '٫'; decimal && alone && (len(groups) == 2 || isThousands(groups[:len(groups)-1])) {
		whole := trimZeros(strings.Join(groups[:len(groups)-1], ""))
		out = append(out, strings.TrimSuffix(whole+"."+strings.TrimRight(groups[len(groups)-1], "0"), "."))
	}
	return out
}

// isThousands reports whether groups are those of a large number: 1,234,567 or,
// in India, 12,34,567.
func isThousands(groups []string) bool {
	if len(groups[0]) > 3 || len(groups) < 2 {
		return false
	}
	for i, g := range groups[1:] {
		if last := i == len(groups)-2; len(g) != 3 && (last || len(g) != 2 && len(g) != 4) {
			return false
		}
	}
	return true
}

func trimZeros(s string) string {
	if t := strings.TrimLeft(s, "0"); t != "" {
		return t
	}
	return "0"
}

func (n number) same(o number) bool {
	if n.text == o.text {
		return true
	}
	for _, r := range n.readings {
		if slices.Contains(o.readings, r) {
			return true
		}
	}
	return false
}

// isSmallNumber reports whether texts may write a number as a word: zero to twelve,
// and the months of a date.
func isSmallNumber(atom string) bool {
	return len(atom) == 1 || atom == "10" || atom == "11" || atom == "12"
}
