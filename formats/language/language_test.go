package language

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TR-11: direction, font slot and Office's name of a language follow from its
// tag, whether or not that names a script or region.
func TestOfTag(t *testing.T) {
	for tag, want := range map[string]struct {
		rtl     bool
		slot    Slot
		culture string
	}{
		"es": {false, Latin, "es-ES"}, "es-MX": {false, Latin, "es-MX"}, "de": {false, Latin, "de-DE"}, "pt": {false, Latin, "pt-BR"},
		"ar": {true, Complex, "ar-EG"}, "ar-SA": {true, Complex, "ar-SA"}, "he": {true, Complex, "he-IL"}, "fa": {true, Complex, "fa-IR"}, "ur": {true, Complex, "ur-PK"},
		"ar-XB": {true, Complex, "ar-XB"}, "en-XA": {false, Latin, "en-XA"},
		"ja": {false, EastAsian, "ja-JP"}, "ko": {false, EastAsian, "ko-KR"}, "zh": {false, EastAsian, "zh-CN"}, "zh-Hant": {false, EastAsian, "zh-TW"}, "zh-TW": {false, EastAsian, "zh-TW"}, "zh-Hant-HK": {false, EastAsian, "zh-HK"},
		"th": {false, Complex, "th-TH"}, "hi": {false, Complex, "hi-IN"}, "sr": {false, Latin, "sr-RS"}, "sr-Latn": {false, Latin, "sr-Latn-RS"}, "az-Arab": {true, Complex, "az-Arab-IR"},
		"": {false, Latin, ""}, "no such tag": {false, Latin, "no such tag"},
	} {
		require.Equal(t, want.rtl, RightToLeft(tag), tag)
		require.Equal(t, want.slot, SlotOf(tag), tag)
		require.Equal(t, want.culture, Culture(tag), tag)
	}
}
