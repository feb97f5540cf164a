package numfmt

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Names of months and days are those of the language that the code asks for.
func TestNamesOfLanguages(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"[$-407]dddd, d. mmmm yyyy", "Samstag, 14. März 2026"}, {"[$-407]ddd d. mmm", "Sa 14. Mrz"}, {"[$-de-AT]mmmm", "März"},
		{"[$-40C]d mmmm yyyy", "14 mars 2026"}, {"[$-80C]dddd", "samedi"}, {"[$-C0A]dddd d mmmm", "sábado 14 marzo"}, {"[$-409]mmmm d", "March 14"}, {"[$-410]mmm", "mar"},
		{"[$-419]mmmm yyyy", "Март 2026"}, {"[$-FC19]d mmmm yyyy", "14 марта 2026"}, {"[$-415]mmmm", "marzec"}, {"[$-411]dddd", "土曜日"}, {"[$-804]mmmm", "三月"}, {"[$-404]ddd", "週六"}, {"[$-412]AM/PM h", "오후 6"},
		{"[$-41F]mmmmm", "M"}, {"[$-F800]dddd, mmmm dd, yyyy", "Saturday, March 14, 2026"}, {"[$-1070000]d/m/yyyy", "14/3/2026"}, {"[$-de]mmmm", "März"}, {"[$-999]mmmm", "March"}, {"mmmm", "March"},
	} {
		require.Equal(t, c.want, Parse(c.code).Number(46095.75, false), c.code)
	}
	require.Equal(t, "€ 1,234.50", Parse("[$€-407] #,##0.00").Number(1234.5, false), "the point is that of the program")
}

// A locale has its point, its thousands and its names.
func TestFormatsOfLocales(t *testing.T) {
	de := LocaleOf("de")
	for _, c := range []struct {
		code string
		v    float64
		want string
	}{
		{"#,##0.00", 1234567.891, "1.234.567,89"}, {"0.0%", 0.1234, "12,3%"}, {"General", -1.5, "-1,5"}, {"0.0E+00", 12345, "1,2E+04"}, {`"x"General`, 2.5, "x2,5"}, {"mm:ss.0", 0.0001, "00:08,6"},
		{"dddd", 46095, "Samstag"}, {"[$-40C]mmmm", 46095, "mars"},
	} {
		require.Equal(t, c.want, Parse(c.code).In(de).Number(c.v, false), c.code)
	}
	for tag, want := range map[string]string{"de-DE": "de-DE", "DE_de": "de-DE", "es": "es-ES", "no": "nb-NO", "en-GB": "en-GB", "de-CH": "de-CH", "es-MX": "es-MX", "es-AR": "", "xx": "", "": "", "pt-PT": "pt-PT"} {
		l := LocaleOf(tag)
		require.Equal(t, want != "", l != nil, tag)
		if l != nil {
			require.Equal(t, want, l.Tag)
		}
	}
	for tag, l := range locales {
		require.Len(t, l.months, 12, tag)
		require.Len(t, l.shortMonths, 12, tag)
		require.Len(t, l.days, 7, tag)
		require.Len(t, l.shortDays, 7, tag)
		require.Contains(t, []int{0, 12}, len(l.genitive), tag)
	}
	for _, tag := range Languages() {
		require.NotNil(t, LocaleOf(tag), tag)
	}
}
