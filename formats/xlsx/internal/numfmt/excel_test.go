package numfmt

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// excelCalendar counts days as Excel does, from 0 January 1900, a Saturday, in a
// year that it takes for a leap year.
func excelCalendar(last int, see func(serial int, shown string)) {
	year, month, day := 1900, 1, 0
	for serial := 0; serial <= last; serial++ {
		weekday := []string{"Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"}[serial%7]
		see(serial, fmt.Sprintf("%04d-%02d-%02d %s", year, month, day, weekday))
		days := []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
		if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0 || year == 1900) {
			days++
		}
		if day++; day > days {
			day = 1
			if month++; month > 12 {
				month, year = 1, year+1
			}
		}
	}
}

func TestEveryDayAsExcelCountsIt(t *testing.T) {
	f := Parse("yyyy-mm-dd dddd")
	excelCalendar(75000, func(serial int, shown string) {
		if got := f.Number(float64(serial), false); got != shown {
			t.Fatalf("serial %d: %s, want %s", serial, got, shown)
		}
	})
}

// ISO dates of cells show as the date that they name, also before March 1900.
func TestISODatesShowAsTheyAreWritten(t *testing.T) {
	f := Parse("yyyy-mm-dd hh:mm:ss")
	rapid.Check(t, func(t *rapid.T) {
		first := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
		date1904 := rapid.Bool().Draw(t, "1904")
		if date1904 {
			first = first.AddDate(4, 0, 0)
		}
		at := first.AddDate(0, 0, rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(0, 2000000)).Draw(t, "days")).Add(time.Duration(rapid.IntRange(0, 86399).Draw(t, "seconds")) * time.Second)
		v, ok := ISOSerial(at.Format("2006-01-02T15:04:05"), date1904)
		require.True(t, ok)
		require.Equal(t, at.Format(time.DateTime), f.Number(v, date1904))
		back, ok := Time(v, date1904)
		require.True(t, ok)
		require.Equal(t, at, back.Round(time.Second))
	})
}

func TestDatesAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		code string
		v    float64
		y04  bool
		want string
	}{
		{"yyyy-mm-dd", 59, false, "1900-02-28"}, {"yyyy-mm-dd", 60, false, "1900-02-29"}, {"yyyy-mm-dd", 61, false, "1900-03-01"},
		{"d mmmm yy", 60, false, "29 February 00"}, {"m/d/yyyy h:mm", 60.75, false, "2/29/1900 18:00"}, {"ddd", 60, false, "Wed"}, {"bbbb", 60, false, "2443"}, {"e", 60, false, "1900"},
		{"yyyy-mm-dd", 0, false, "1900-01-00"}, {"yyyy-mm-dd hh:mm", 0.5, false, "1900-01-00 12:00"}, {"ddd", 1, false, "Sun"},
		{"yyyy-mm-dd hh:mm:ss", 59.9999999, false, "1900-02-29 00:00:00"}, {"yyyy-mm-dd hh:mm:ss", 60.9999999, false, "1900-03-01 00:00:00"},
		{"yyyy-mm-dd", 60, true, "1904-03-01"}, {"yyyy-mm-dd", 59, true, "1904-02-29"}, {"yyyy-mm-dd dddd", 0, true, "1904-01-01 Friday"},
		{"yyyy-mm-dd", 2958465, false, "9999-12-31"}, {"yyyy-mm-dd", 2958466, false, "2958466"}, {"yyyy-mm-dd", -1, false, "-1"},
	} {
		assert.Equal(t, c.want, Parse(c.code).Number(c.v, c.y04), "%v in %q, 1904: %v", c.v, c.code, c.y04)
	}
	for _, c := range []struct {
		s    string
		v    float64
		good bool
	}{
		{"1900-01-01", 1, true}, {"1900-02-28", 59, true}, {"1900-03-01", 61, true}, {"1900-03-01T12:00Z", 61.5, true}, {"1899-12-30T12:00:00", 0.5, true},
		{"1900-02-29", 0, false}, {"1900", 0, false}, {"", 0, false},
	} {
		v, ok := ISOSerial(c.s, false)
		assert.Equal(t, c.good, ok, c.s)
		assert.Equal(t, c.v, v, c.s)
	}
}

// Elapsed times by whole seconds.
func TestElapsedTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5000000).Draw(t, "seconds")
		v := float64(n) / 86400
		require.Equal(t, fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60), Parse("[h]:mm:ss").Number(v, false))
		require.Equal(t, fmt.Sprintf("%03d:%02d", n/60, n%60), Parse("[mmm]:ss").Number(v, false))
		require.Equal(t, strconv.Itoa(n), Parse("[s]").Number(v, false))
		require.Equal(t, "-"+fmt.Sprintf("%02d:%02d", (n+60)/3600, (n+60)/60%60), Parse("[hh]:mm").Number(-float64(n/60*60+60)/86400, false))
		clock := n % 86400
		half := "AM"
		if clock >= 43200 {
			half = "PM"
		}
		require.Equal(t, fmt.Sprintf("%d:%02d:%02d %s", (clock/3600+11)%12+1, clock/60%60, clock%60, half), Parse("h:mm:ss AM/PM").Number(v, false))
	})
}

// Decimals by exact arithmetic: a number of at most 12 digits, half away from zero.
func TestDecimalsByExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, e := rapid.Int64Range(-999999999999, 999999999999).Draw(t, "digits"), rapid.IntRange(0, 8).Draw(t, "point")
		dec := rapid.IntRange(0, 6).Draw(t, "decimals")
		exact := new(big.Rat).SetFrac(big.NewInt(m), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(e)), nil))
		v, _ := exact.Float64()
		code := "0"
		if dec > 0 {
			code += "." + strings.Repeat("0", dec)
		}
		want := exact.FloatString(dec) // rounds half away from zero
		if strings.Trim(want, "-0.") == "" {
			want = strings.TrimPrefix(want, "-")
		}
		require.Equal(t, want, Parse(code).Number(v, false))

		whole, frac, _ := strings.Cut(strings.TrimPrefix(want, "-"), ".")
		grouped := ""
		for len(whole) > 3 {
			grouped = "," + whole[len(whole)-3:] + grouped
			whole = whole[:len(whole)-3]
		}
		grouped = whole + grouped
		if dec > 0 {
			grouped += "." + frac
		}
		if strings.HasPrefix(want, "-") {
			grouped = "-" + grouped
		}
		require.Equal(t, grouped, Parse("#,##"+code).Number(v, false))

		short := want
		if dec > 0 {
			short = strings.TrimRight(short, "0")
		}
		require.Equal(t, short, Parse(strings.ReplaceAll(code, ".0", ".#")[:min(len(code), 2)]+strings.Repeat("#", dec)).Number(v, false))
	})
}

// The mantissa and exponent are those of strconv, which rounds the same 15 digits.
func TestScientificByStrconv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, e := rapid.Int64Range(1, 9999999).Draw(t, "digits"), rapid.IntRange(-200, 200).Draw(t, "exponent")
		v, err := strconv.ParseFloat(fmt.Sprintf("%de%d", m, e), 64)
		require.NoError(t, err)
		want := strings.ToUpper(strconv.FormatFloat(v, 'e', 6, 64)) // seven digits: nothing is rounded
		require.Equal(t, want, Parse("0.000000E+00").Number(v, false))
		require.Equal(t, "-"+want, Parse("0.000000E+00").Number(-v, false))
	})
}

// A fraction is the nearest with such a denominator.
func TestFractionsAreTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := float64(rapid.IntRange(0, 100000).Draw(t, "v")) / 10000
		text := Parse("?/??").Number(v, false)
		n, d, ok := strings.Cut(text, "/")
		require.True(t, ok, text)
		num, err := strconv.Atoi(n)
		require.NoError(t, err)
		den, err := strconv.Atoi(d)
		require.NoError(t, err)
		require.True(t, den >= 1 && den <= 99, text)
		off := new(big.Rat).Sub(big.NewRat(int64(num), int64(den)), big.NewRat(int64(v*10000+.5), 10000))
		off.Abs(off)
		for q := int64(1); q <= 99; q++ {
			other := new(big.Rat).Sub(big.NewRat((int64(v*10000+.5)*q+5000)/10000, q), big.NewRat(int64(v*10000+.5), 10000))
			require.True(t, off.Cmp(other.Abs(other)) <= 0, "%s for %v; a denominator of %d is nearer", text, v, q)
		}
	})
}

func TestSectionsConditionsAndColours(t *testing.T) {
	for _, c := range []struct {
		code           string
		pos, neg, zero string // of 1234.5, -1234.5 and 0
	}{
		{"0.0;(0.0);\"nil\"", "1234.5", "(1234.5)", "nil"},
		{"0.0;[Red]-0.0", "1234.5", "-1234.5", "0.0"},
		{"[Blue]0;[Color 10]0;[Black]0", "1235", "1235", "0"},
		{"0;;", "1235", "", ""},
		{";;", "", "", ""},
		{"0.0;;;@", "1234.5", "", ""},
		{"[>1000]0.0,\"k\";0", "1.2k", "-1235", "0"},
		{"[<=0]\"none\";[>1000]\"many\";\"some\"", "many", "none", "none"},
		{"[=0]\"zero\";[<>0]\"other\"", "other", "other", "zero"},
		{"[=1234.5]\"it\";General", "it", "-1234.5", "0"},
		{"@", "1234.5", "-1234.5", "0"},

		{"General", "1234.5", "-1234.5", "0"},
		{"General \"kg\"", "1234.5 kg", "-1234.5 kg", "0 kg"},
		{"General;(General)", "1234.5", "(1234.5)", "0"},
		{"0.00E+00;(0.00E+00)", "1.23E+03", "(1.23E+03)", "0.00E+00"},
		{"0.0E+0\" V\"", "1.2E+3 V", "-1.2E+3 V", "0.0E+0 V"},
		{"# ?/?\" in\"", "1234 1/2 in", "-1234 1/2 in", "0 in"},
		{"\"ca. \"# ?/8", "ca. 1234 4/8", "-ca. 1234 4/8", "ca. 0"},
		{"# ?/100\" m\"", "1234 50/100 m", "-1234 50/100 m", "0 m"},
		{"_-* #,##0.00\\ [$€-407]_-;\\-* #,##0.00\\ [$€-407]_-", "1,234.50 €", "-1,234.50 €", "0.00 €"},
		{"0%", "123450%", "-123450%", "0%"},
	} {
		f := Parse(c.code)
		assert.Equal(t, c.pos, f.Number(1234.5, false), c.code)
		assert.Equal(t, c.neg, f.Number(-1234.5, false), c.code)
		assert.Equal(t, c.zero, f.Number(0, false), c.code)
	}
}

// Each operator below, at and above its number.
func TestConditionsAtTheirBoundary(t *testing.T) {
	for op, want := range map[string]string{"<": "yes no no", "<=": "yes yes no", ">": "no no yes", ">=": "no yes yes", "=": "no yes no", "<>": "yes no yes"} {
		f := Parse("[" + op + "10]\"yes\";\"no\"")
		require.Equal(t, want, f.Number(9, false)+" "+f.Number(10, false)+" "+f.Number(11, false), op)
	}
}

func TestTextsInFormats(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"", "a b"}, {"General", "a b"}, {"0.00", "a b"}, {"@", "a b"}, {"@@", "a ba b"}, {`"<"@">"`, "<a b>"}, {`0;-0;0;"t: "@`, "t: a b"}, {`_(@_)`, "a b"},
	} {
		assert.Equal(t, c.want, Parse(c.code).Text("a b"), c.code)
	}
	for code, want := range map[string]bool{"@": true, "0": false, "General": false, "0;-0;0;@": false, `"x"@`: true} {
		assert.Equal(t, want, Parse(code).IsText(), code)
	}
	for code, want := range map[string][3]bool{ // a date, with its day, an elapsed time
		"yyyy-mm-dd": {true, true, false}, "h:mm": {true, false, false}, "mm:ss": {true, false, false}, "mmm": {true, true, false}, "[h]:mm": {true, false, true},
		"0": {}, "General": {}, `"day" 0`: {}, `\d0`: {}, "[Red]0": {}, "[$-409]d": {true, true, false}, "@": {},
	} {
		f := Parse(code)
		assert.Equal(t, want, [3]bool{f.IsDate(), f.ShowsDay(), f.IsElapsed()}, code)
	}
}

func TestDatesAsTheyAreTyped(t *testing.T) {
	for _, c := range []struct {
		s            string
		y04          bool
		number, code string
	}{
		{"2026-11-23", false, "46349", "yyyy-mm-dd"}, {"2026-11-23", true, "44887", "yyyy-mm-dd"}, {"2026-11-23 06:00", false, "46349.25", "yyyy-mm-dd hh:mm"},
		{"2026-11-23T06:00:30", false, "46349.2503472222", "yyyy-mm-dd hh:mm:ss"}, {"2026-11-23 06:00:00.5", false, "46349.2500057870", "yyyy-mm-dd hh:mm:ss.000"},
		{"1900-03-01", false, "61", "yyyy-mm-dd"}, {"1900-02-28", false, "", ""}, {"1903-12-31", true, "", ""}, {"2026-02-29", false, "", ""}, {"2026-11-23T06:00Z", false, "", ""}, {"2026-11", false, "", ""}, {"06:00", false, "", ""},
	} {
		number, code, ok := ParseDate(c.s, c.y04)
		assert.Equal(t, c.number != "", ok, c.s)
		assert.Equal(t, strings.TrimRight(c.number, "0"), strings.TrimRight(number, "0"), c.s)
		assert.Equal(t, c.code, code, c.s)
	}
	for _, c := range []struct {
		old, want string
		over      bool
		now       string
	}{
		{"General", "yyyy-mm-dd", false, "yyyy-mm-dd"}, {"d.m.yy", "yyyy-mm-dd", false, "d.m.yy"}, {"h:mm", "yyyy-mm-dd", false, "yyyy-mm-dd"},
		{"@", "yyyy-mm-dd", false, "@"}, {"@", "yyyy-mm-dd", true, "yyyy-mm-dd"}, {"0.00", "yyyy-mm-dd", false, "yyyy-mm-dd"},
	} {
		assert.Equal(t, c.now, DateCode(c.old, c.want, c.over), c.old)
	}
}
