package numfmt

import (
	"strconv"
	"strings"
)

// Locale is how office programs of a language and region write numbers and dates.
type Locale struct {
	Tag     string // such as "de-DE"
	Decimal string
	Group   string // between thousands; "" where systems differ
	// Codes are the letters of year, month, day, hour, minute and second in the format
	// codes of formulas, in lower case but where German tells months from minutes.
	Codes       [6]string
	True, False string
	Order       string // of day, month and year in a date: dmy, mdy, ymd; "" where regions differ
	Separator   string // of them
	Money       string // format code of amounts, in the letters of files; "" where it is not known
	// Certain says which names all systems share.
	Certain Names

	months, shortMonths, genitive []string // from January
	days, shortDays               []string // from Sunday
	noon                          [2]string
}

// Names are kinds of names, which can be joined.
type Names uint8

// The kinds of names.
const (
	LongMonths Names = 1 << iota
	ShortMonths
	LongDays
	ShortDays
)

const (
	longNames = LongMonths | LongDays
	allNames  = longNames | ShortMonths | ShortDays
)

// latin are the letters of dates in the format codes of files.
var latin = [6]string{"y", "m", "d", "h", "m", "s"}

const noBreak = "\u00a0"

func words(s string) []string { return strings.Fields(s) }

// locales are the languages whose names are known, by their tag without region.
var locales = map[string]*Locale{
	"en": {Decimal: ".", Group: ",", Codes: latin, True: "TRUE", False: "FALSE", Separator: "/", Certain: allNames,
		months: words("January February March April May June July August September October November December"), shortMonths: words("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
		days: words("Sunday Monday Tuesday Wednesday Thursday Friday Saturday"), shortDays: words("Sun Mon Tue Wed Thu Fri Sat")},
	"de": {Decimal: ",", Group: ".", Codes: [6]string{"j", "M", "t", "h", "m", "s"}, True: "WAHR", False: "FALSCH", Order: "dmy", Separator: ".", Money: `#,##0.00 "€"`, Certain: allNames,
		months: words("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"), shortMonths: words("Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez"),
		days: words("Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag"), shortDays: words("So Mo Di Mi Do Fr Sa")},
	"fr": {Decimal: ",", Codes: [6]string{"a", "m", "j", "h", "m", "s"}, True: "VRAI", False: "FAUX", Order: "dmy", Separator: "/", Certain: allNames,
		months: words("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"), shortMonths: words("janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc."),
		days: words("dimanche lundi mardi mercredi jeudi vendredi samedi"), shortDays: words("dim. lun. mar. mer. jeu. ven. sam.")},
	"es": {Decimal: ",", Group: ".", Codes: [6]string{"a", "m", "d", "h", "m", "s"}, True: "VERDADERO", False: "FALSO", Order: "dmy", Separator: "/", Money: `#,##0.00 "€"`, Certain: longNames,
		months: words("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"), shortMonths: words("ene feb mar abr may jun jul ago sep oct nov dic"),
		days: words("domingo lunes martes miércoles jueves viernes sábado"), shortDays: words("dom lun mar mié jue vie sáb")},
	"it": {Decimal: ",", Group: ".", Codes: [6]string{"a", "m", "g", "h", "m", "s"}, True: "VERO", False: "FALSO", Order: "dmy", Separator: "/", Certain: allNames,
		months: words("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"), shortMonths: words("gen feb mar apr mag giu lug ago set ott nov dic"),
		days: words("domenica lunedì martedì mercoledì giovedì venerdì sabato"), shortDays: words("dom lun mar mer gio ven sab")},
	"pt": {Decimal: ",", Group: ".", Codes: [6]string{"a", "m", "d", "h", "m", "s"}, True: "VERDADEIRO", False: "FALSO", Order: "dmy", Separator: "/", Certain: longNames | ShortMonths,
		months: words("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"), shortMonths: words("jan fev mar abr mai jun jul ago set out nov dez"),
		days: words("domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado"), shortDays: words("dom seg ter qua qui sex sáb")},
	"nl": {Decimal: ",", Group: ".", Codes: [6]string{"j", "m", "d", "u", "m", "s"}, True: "WAAR", False: "ONWAAR", Order: "dmy", Separator: "-", Certain: longNames | ShortDays,
		months: words("januari februari maart april mei juni juli augustus september oktober november december"), shortMonths: words("jan feb mrt apr mei jun jul aug sep okt nov dec"),
		days: words("zondag maandag dinsdag woensdag donderdag vrijdag zaterdag"), shortDays: words("zo ma di wo do vr za")},
	"pl": {Decimal: ",", Group: noBreak, Codes: [6]string{"r", "m", "d", "g", "m", "s"}, True: "PRAWDA", False: "FAŁSZ", Order: "dmy", Separator: ".", Certain: longNames | ShortMonths,
		months: words("styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień"), shortMonths: words("sty lut mar kwi maj cze lip sie wrz paź lis gru"),
		genitive: words("stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"),
		days:     words("niedziela poniedziałek wtorek środa czwartek piątek sobota"), shortDays: words("N Pn Wt Śr Cz Pt So")},
	"ru": {Decimal: ",", Group: noBreak, Codes: [6]string{"г", "м", "д", "ч", "м", "с"}, True: "ИСТИНА", False: "ЛОЖЬ", Order: "dmy", Separator: ".", Certain: LongDays,
		months: words("Январь Февраль Март Апрель Май Июнь Июль Август Сентябрь Октябрь Ноябрь Декабрь"), shortMonths: words("янв фев мар апр май июн июл авг сен окт ноя дек"),
		genitive: words("января февраля марта апреля мая июня июля августа сентября октября ноября декабря"),
		days:     words("воскресенье понедельник вторник среда четверг пятница суббота"), shortDays: words("Вс Пн Вт Ср Чт Пт Сб")},
	"uk": {Decimal: ",", Group: noBreak,
		months: words("Січень Лютий Березень Квітень Травень Червень Липень Серпень Вересень Жовтень Листопад Грудень"), shortMonths: words("Січ Лют Бер Кві Тра Чер Лип Сер Вер Жов Лис Гру"),
		genitive: words("січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня"),
		days:     words("неділя понеділок вівторок середа четвер п'ятниця субота"), shortDays: words("Нд Пн Вт Ср Чт Пт Сб")},
	"sv": {Decimal: ",", Group: noBreak, Codes: [6]string{"å", "m", "d", "t", "m", "s"}, True: "SANT", False: "FALSKT", Order: "ymd", Separator: "-", Certain: longNames,
		months: words("januari februari mars april maj juni juli augusti september oktober november december"), shortMonths: words("jan feb mar apr maj jun jul aug sep okt nov dec"),
		days: words("söndag måndag tisdag onsdag torsdag fredag lördag"), shortDays: words("sö må ti on to fr lö")},
	"da": {Decimal: ",", Group: ".", Codes: [6]string{"å", "m", "d", "t", "m", "s"}, True: "SAND", False: "FALSK", Order: "dmy", Separator: "-", Certain: longNames,
		months: words("januar februar marts april maj juni juli august september oktober november december"), shortMonths: words("jan feb mar apr maj jun jul aug sep okt nov dec"),
		days: words("søndag mandag tirsdag onsdag torsdag fredag lørdag"), shortDays: words("sø ma ti on to fr lø")},
	"nb": {Decimal: ",", Group: noBreak, Codes: [6]string{"å", "m", "d", "t", "m", "s"}, True: "SANN", False: "USANN", Order: "dmy", Separator: ".", Certain: longNames,
		months: words("januar februar mars april mai juni juli august september oktober november desember"), shortMonths: words("jan feb mar apr mai jun jul aug sep okt nov des"),
		days: words("søndag mandag tirsdag onsdag torsdag fredag lørdag"), shortDays: words("sø ma ti on to fr lø")},
	"fi": {Decimal: ",", Group: noBreak, Codes: [6]string{"v", "k", "p", "t", "m", "s"}, True: "TOSI", False: "EPÄTOSI", Order: "dmy", Separator: ".", Certain: longNames | ShortDays,
		months: words("tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu"), shortMonths: words("tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu"),
		days: words("sunnuntai maanantai tiistai keskiviikko torstai perjantai lauantai"), shortDays: words("su ma ti ke to pe la")},
	"cs": {Decimal: ",", Group: noBreak, Codes: [6]string{"r", "m", "d", "h", "m", "s"}, True: "PRAVDA", False: "NEPRAVDA", Order: "dmy", Separator: ".", Certain: longNames | ShortDays,
		months: words("leden únor březen duben květen červen červenec srpen září říjen listopad prosinec"), shortMonths: words("led úno bře dub kvě čvn čvc srp zář říj lis pro"),
		genitive: words("ledna února března dubna května června července srpna září října listopadu prosince"),
		days:     words("neděle pondělí úterý středa čtvrtek pátek sobota"), shortDays: words("ne po út st čt pá so")},
	"tr": {Decimal: ",", Group: ".", Codes: [6]string{"y", "a", "g", "s", "d", "n"}, True: "DOĞRU", False: "YANLIŞ", Order: "dmy", Separator: ".", Certain: allNames,
		months: words("Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık"), shortMonths: words("Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara"),
		days: words("Pazar Pazartesi Salı Çarşamba Perşembe Cuma Cumartesi"), shortDays: words("Paz Pzt Sal Çar Per Cum Cmt")},
	"ja": {Decimal: ".", Group: ",", Codes: latin, True: "TRUE", False: "FALSE", Order: "ymd", Separator: "/", noon: [2]string{"午前", "午後"},
		months: words("1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月"), shortMonths: words("1 2 3 4 5 6 7 8 9 10 11 12"),
		days: words("日曜日 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日"), shortDays: words("日 月 火 水 木 金 土")},
	"zh": {Decimal: ".", Group: ",", Codes: latin, True: "TRUE", False: "FALSE", Order: "ymd", Separator: "/", noon: [2]string{"上午", "下午"},
		months: words("一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月"), shortMonths: words("1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月"),
		days: words("星期日 星期一 星期二 星期三 星期四 星期五 星期六"), shortDays: words("周日 周一 周二 周三 周四 周五 周六")},
	"ko": {Decimal: ".", Group: ",", Codes: latin, True: "TRUE", False: "FALSE", Order: "ymd", Separator: "-", noon: [2]string{"오전", "오후"},
		months: words("1월 2월 3월 4월 5월 6월 7월 8월 9월 10월 11월 12월"), shortMonths: words("1 2 3 4 5 6 7 8 9 10 11 12"),
		days: words("일요일 월요일 화요일 수요일 목요일 금요일 토요일"), shortDays: words("일 월 화 수 목 금 토")},
}

// primary are the primary languages of Windows language identifiers ([MS-LCID] 2.2).
var primary = map[uint64]string{
	0x04: "zh", 0x05: "cs", 0x06: "da", 0x07: "de", 0x09: "en", 0x0a: "es", 0x0b: "fi", 0x0c: "fr", 0x10: "it", 0x11: "ja", 0x12: "ko", 0x13: "nl", 0x14: "nb", 0x15: "pl", 0x16: "pt", 0x19: "ru", 0x1d: "sv", 0x1f: "tr", 0x22: "uk",
}

// regions are those in which numbers and dates are written as the table says, the first
// being that of a language without region.
var regions = map[string]string{
	"de": "DE CH", "fr": "FR", "es": "ES MX", "it": "IT", "pt": "BR PT", "nl": "NL", "pl": "PL", "ru": "RU", "sv": "SE", "da": "DK", "nb": "NO", "fi": "FI", "cs": "CZ", "tr": "TR", "ja": "JP", "zh": "CN",
}

// LocaleOf returns the locale of a language tag such as "de" or "de-DE", nil for one that
// is not known.
func LocaleOf(tag string) *Locale {
	language, region, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	language, region = strings.ToLower(language), strings.ToUpper(region)
	l := locales[language]
	if language == "no" {
		language, l = "nb", locales["nb"]
	}
	if language == "en" {
		out := *l
		out.Tag = tag
		switch region {
		case "US":
			out.Order, out.Money = "mdy", `"$"#,##0.00;("$"#,##0.00)`
		case "GB":
			out.Order, out.Money = "dmy", `"£"#,##0.00;-"£"#,##0.00`
		}
		return &out
	}
	known := strings.Fields(regions[language])
	if region == "" && len(known) > 0 {
		region = known[0]
	}
	for _, r := range known {
		if r == region {
			out := *l
			switch out.Tag = language + "-" + region; region {
			case "PT": // names of months have capitals in older systems
				out.Certain, out.Group = LongDays, ""
			case "CH":
				out.Decimal, out.Group, out.Money = ".", "", ""
			case "MX":
				out.Decimal, out.Group, out.Money = ".", ",", ""
			}
			return &out
		}
	}
	return nil
}

// Languages lists the languages whose numbers and dates are known, with a region where
// it writes numbers differently from the first one of its language.
func Languages() []string {
	return []string{"en", "de", "de-CH", "fr", "es", "es-MX", "it", "pt", "pt-PT", "nl", "pl", "ru", "sv", "da", "nb", "fi", "cs", "tr", "ja", "zh"}
}

// NamesOfCode returns the locale whose names the [$-407] of a format code asks for; nil
// where there is none, or one with another calendar, other digits or no known names.
func NamesOfCode(id string) *Locale {
	if n, err := strconv.ParseUint(id, 16, 64); err == nil && n>>16 != 0 && n>>16 != 1 && n>>16 != 0x100 && n>>16 != 0x101 {
		return nil
	}
	l, _ := localeOfBracket(id)
	return l
}

// MentionsMonth reports whether a text has the name of a month, or the beginning of one.
func (l *Locale) MentionsMonth(s string) bool {
	s = strings.ToLower(s)
	for i, name := range l.shortMonths {
		begin := []rune(strings.ToLower(l.months[i]))
		if strings.Contains(s, string(begin[:min(3, len(begin))])) || strings.Contains(s, strings.ToLower(strings.TrimSuffix(name, "."))) && len(name) > 2 {
			return true
		}
	}
	return false
}

// nameOf returns the name of a month from 0 or a day from Sunday; code is its letters in a
// format code, such as mmm. A nil Locale is English.
func (l *Locale) nameOf(code string, i int, genitive bool) string {
	if l == nil {
		l = locales["en"]
	}
	switch {
	case code == "ddd":
		return l.shortDays[i]
	case code[0] == 'd':
		return l.days[i]
	case code == "mmm":
		return l.shortMonths[i]
	case code == "mmmmm":
		return firstRune(l.months[i])
	case genitive && l.genitive != nil:
		return l.genitive[i]
	}
	return l.months[i]
}

// halfDay returns what AM/PM shows.
func (l *Locale) halfDay(afternoon bool) string {
	switch {
	case l != nil && l.noon[0] != "" && afternoon:
		return l.noon[1]
	case l != nil && l.noon[0] != "":
		return l.noon[0]
	case afternoon:
		return "PM"
	}
	return "AM"
}

// localeOfBracket returns the names that [$-407] or [$€-de-DE] asks for, with whether
// months have their form beside a day; nil where it names none that is known.
func localeOfBracket(s string) (l *Locale, genitive bool) {
	if n, err := strconv.ParseUint(s, 16, 64); err == nil && len(s) > 2 {
		if n&0xffff == 0xf800 || n&0xffff == 0xf400 { // the long date and the time of the system
			return nil, false
		}
		l = locales[primary[n&0x3ff]]
		if n &= 0xffff; n == 0x404 || n == 0xc04 || n == 0x1404 { // traditional characters
			out := *l
			out.shortDays = words("週日 週一 週二 週三 週四 週五 週六")
			return &out, false
		}
		return l, l != nil && n&0xfc00 == 0xfc00 && n&0xffff != 0xfc00
	}
	language, _, _ := strings.Cut(s, "-")
	return locales[strings.ToLower(language)], false
}
