package docx

import (
	"fmt"
	"strings"
)

// numberFormats are formats of numbers in labels (17.18.59) besides decimal.
var numberFormats = map[string]func(n int) string{
	"decimalZero":             func(n int) string { return fmt.Sprintf("%02d", n) },
	"lowerLetter":             func(n int) string { return letters(n, "abcdefghijklmnopqrstuvwxyz") },
	"upperLetter":             func(n int) string { return letters(n, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") },
	"russianLower":            func(n int) string { return letters(n, "абвгдежзиклмнопрстуфхцчшщыэюя") },
	"russianUpper":            func(n int) string { return letters(n, "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ") },
	"chicago":                 func(n int) string { return letters(n, "*†‡§") },
	"lowerRoman":              func(n int) string { return strings.ToLower(roman(n)) },
	"upperRoman":              roman,
	"ordinal":                 ordinal,
	"hex":                     func(n int) string { return fmt.Sprintf("%X", n) },
	"numberInDash":            func(n int) string { return fmt.Sprintf("- %d -", n) },
	"decimalEnclosedParen":    func(n int) string { return fmt.Sprintf("(%d)", n) },
	"decimalEnclosedFullstop": func(n int) string { return fmt.Sprintf("%d.", n) },
	"decimalEnclosedCircle":   circled,
	"decimalFullWidth":        func(n int) string { return digits(n, "０１２３４５６７８９") },
	"decimalHalfWidth":        func(n int) string { return fmt.Sprint(n) },
	"ideographDigital":        func(n int) string { return digits(n, "〇一二三四五六七八九") },
	"japaneseDigitalTenThousand": func(n int) string {
		return digits(n, "〇一二三四五六七八九")
	},
	"chineseCounting":         chinese,
	"chineseCountingThousand": chinese,
	"japaneseCounting":        chinese,
	"taiwaneseCounting":       chinese,
	"ideographTraditional":    func(n int) string { return letters(n, "甲乙丙丁戊己庚辛壬癸") },
	"ideographZodiac":         func(n int) string { return letters(n, "子丑寅卯辰巳午未申酉戌亥") },
	"ganada":                  func(n int) string { return letters(n, "가나다라마바사아자차카타파하") },
	"aiueoFullWidth": func(n int) string {
		return letters(n, "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン")
	},
	"irohaFullWidth": func(n int) string {
		return letters(n, "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス")
	},
	"arabicAbjad": func(n int) string { return letters(n, "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ") },
	"arabicAlpha": func(n int) string { return letters(n, "أبتثجحخدذرزسشصضطظعغفقكلمنهوي") },
}

// letters counts with an alphabet: after its last letter each is doubled, then
// tripled (z, aa, bb). There is none for 0.
func letters(n int, alphabet string) string {
	all := []rune(alphabet)
	if n < 1 {
		return ""
	}
	times := min((n-1)/len(all)+1, 30)
	return strings.Repeat(string(all[(n-1)%len(all)]), times)
}

// digits writes n with other digits.
func digits(n int, figures string) string {
	all := []rune(figures)
	var sb strings.Builder
	for _, c := range fmt.Sprint(n) {
		sb.WriteRune(all[c-'0'])
	}
	return sb.String()
}

var romanFigures = []struct {
	value  int
	figure string
}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}}

func roman(n int) string {
	if n > 32767 { // as far as Word counts
		return fmt.Sprintf("#%d", n)
	}
	var sb strings.Builder
	for _, f := range romanFigures {
		for n >= f.value {
			sb.WriteString(f.figure)
			n -= f.value
		}
	}
	return sb.String()
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n) + suffix
}

func circled(n int) string {
	if n < 1 || n > 20 {
		return fmt.Sprint(n)
	}
	return string(rune('①' + n - 1))
}

// chinese counts up to 99 in words of numbers; beyond, digit by digit.
func chinese(n int) string {
	const figures = "〇一二三四五六七八九"
	if n < 10 || n > 99 {
		return digits(n, figures)
	}
	out := "十"
	if n >= 20 {
		out = digits(n/10, figures) + out
	}
	if n%10 > 0 {
		out += digits(n%10, figures)
	}
	return out
}
