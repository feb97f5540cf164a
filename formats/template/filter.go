package template

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/formats"
	"atelier/internal/lazyregexp"
)

// language has the words and signs of dates and numbers.
type language struct {
	months, days      [12]string // days: the first seven, from Sunday
	decimal, thousand string
}

func words(s string) (out [12]string) {
	copy(out[:], strings.Fields(s))
	return out
}

var languages = map[string]language{
	"en": {words("January February March April May June July August September October November December"), words("Sunday Monday Tuesday Wednesday Thursday Friday Saturday"), ".", ","},
	"de": {words("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"), words("Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag"), ",", "."},
	"fr": {words("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"), words("dimanche lundi mardi mercredi jeudi vendredi samedi"), ",", "\u202f"},
	"es": {words("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"), words("domingo lunes martes miércoles jueves viernes sábado"), ",", "."},
	"it": {words("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"), words("domenica lunedì martedì mercoledì giovedì venerdì sabato"), ",", "."},
	"pt": {words("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"), words("domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado"), ",", "."},
	"nl": {words("januari februari maart april mei juni juli augustus september oktober november december"), words("zondag maandag dinsdag woensdag donderdag vrijdag zaterdag"), ",", "."},
}

// languageOf returns the language of a tag such as de or de-AT; nil for "".
func languageOf(tag string) (*language, error) {
	if tag == "" {
		return nil, nil
	}
	base, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	if l, ok := languages[base]; ok {
		return &l, nil
	}
	var have []string
	for k := range languages {
		have = append(have, k)
	}
	slices.Sort(have)
	return nil, formats.Errorf(formats.CodeInvalid, "language %q is unknown; give one of %s, or none", tag, strings.Join(have, ", "))
}

// filtered writes a value as the filters say; ok is false for a value that is no
// text.
func (f *filler) filtered(v any, filters string) (string, bool, error) {
	text, ok := textOf(v)
	for filter := range strings.SplitSeq(filters, "|") {
		filter = strings.TrimSpace(straight.Replace(filter))
		name, arg, hasArg := strings.Cut(filter, ":")
		name, arg = strings.ToLower(strings.TrimSpace(name)), strings.Trim(strings.TrimSpace(arg), `"'`)
		var err error
		switch {
		case filter == "":
		case name == "upper":
			text = strings.ToUpper(text)
		case name == "lower":
			text = strings.ToLower(text)
		case name == "default" && hasArg:
			if text == "" {
				text, ok = arg, true
			}
		case name == "date" && hasArg:
			text, err = f.date(text, arg)
		case name == "number" && hasArg:
			text, err = f.number(text, arg)
		case strings.ContainsAny(filter, "yMd") && datePattern.MatchString(filter):
			text, err = f.date(text, strings.Trim(filter, `"'`))
		case numberPattern.MatchString(filter):
			text, err = f.number(text, strings.Trim(filter, `"'`))
		default:
			err = formats.Errorf(formats.CodeInvalid, `the filter %q is unknown; there are upper, lower, default:"…", image (alone), a date pattern such as dd.MM.yyyy and a number pattern such as #,##0.00`, filter)
		}
		if err != nil {
			return "", false, err
		}
	}
	return text, ok, nil
}

var (
	datePattern   = lazyregexp.New(`^["']?[yMdHhms./,: \-]+["']?$`)
	numberPattern = lazyregexp.New(`^["']?[^0#]*[#0][#0,.]*[^0#]*["']?$`)
	dateUnit      = lazyregexp.New(`y+|M+|d+|H+|h+|m+|s+`)
	dateLayouts   = []string{"2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.RFC3339}
)

// parseDate reads an ISO date; other writings are ambiguous.
func parseDate(text string) (time.Time, bool) {
	for _, l := range dateLayouts {
		if t, err := time.Parse(l, strings.TrimSpace(text)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// date writes an ISO date by a pattern of yyyy, MM, dd, HH, mm, ss; MMMM and dddd
// are words of the language of the call.
func (f *filler) date(text, pattern string) (string, error) {
	t, ok := parseDate(text)
	if !ok {
		if text != "" {
			f.tally.Note(fmt.Sprintf("not a date of the form 2026-11-24, written as it is: %s", clip(text)))
		}
		return text, nil
	}
	var err error
	out := dateUnit.ReplaceAllStringFunc(pattern, func(u string) string {
		switch u {
		case "yyyy":
			return t.Format("2006")
		case "yy":
			return t.Format("06")
		case "MMMM", "MMM", "dddd", "ddd":
			if f.lang == nil {
				err = formats.Errorf(formats.CodeInvalid, "the pattern %q needs names of months or days; give the language of the call, such as en", pattern)
				return u
			}
			w := f.lang.months[t.Month()-1]
			if u[0] == 'd' {
				w = f.lang.days[t.Weekday()]
			}
			if r := []rune(w); len(u) == 3 && len(r) > 3 {
				w = string(r[:3])
			}
			return w
		}
		if l, ok := map[string]string{"MM": "01", "M": "1", "dd": "02", "d": "2", "HH": "15", "H": "15", "hh": "03", "h": "3", "mm": "04", "m": "4", "ss": "05", "s": "5"}[u]; ok {
			return t.Format(l)
		}
		return u
	})
	return out, err
}

var numberCore = lazyregexp.New(`[#0][#0,.]*`)

// number writes a number by a pattern such as #,##0.00: how many decimals, and
// whether thousands are apart. The signs are those of the language of the call,
// else those of the pattern.
func (f *filler) number(text, pattern string) (string, error) {
	if _, err := strconv.ParseFloat(text, 64); err != nil || !plainNumber.MatchString(text) {
		if text != "" {
			f.tally.Note(fmt.Sprintf("not a number, written as it is: %s", clip(text)))
		}
		return text, nil
	}
	core := numberCore.FindString(pattern)
	whole, decimals, _ := strings.Cut(core, ".")
	lang := languages["en"]
	if f.lang != nil {
		lang = *f.lang
	}
	v, _ := strconv.ParseFloat(text, 64)
	suffix := pattern[strings.Index(pattern, core)+len(core):]
	if strings.HasPrefix(suffix, "%") {
		v *= 100
	}
	s := strconv.FormatFloat(v, 'f', len(decimals), 64)
	digits, fraction, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	if n := strings.Count(whole, "0"); len(digits) < n {
		digits = strings.Repeat("0", n-len(digits)) + digits
	}
	if strings.Contains(whole, ",") {
		for i := len(digits) - 3; i > 0; i -= 3 {
			digits = digits[:i] + lang.thousand + digits[i:]
		}
	}
	if need := strings.LastIndex(decimals, "0") + 1; fraction != "" {
		for len(fraction) > need && strings.HasSuffix(fraction, "0") {
			fraction = fraction[:len(fraction)-1]
		}
	}
	if fraction != "" {
		digits += lang.decimal + fraction
	}
	if strings.HasPrefix(s, "-") && strings.Trim(s, "-0.") != "" {
		digits = "-" + digits
	}
	return strings.Replace(pattern, core, digits, 1), nil
}

var plainNumber = lazyregexp.New(`^-?\d+(\.\d+)?([eE][-+]?\d+)?$`)

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
