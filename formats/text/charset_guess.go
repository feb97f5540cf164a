package text

import (
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

var (
	cp1250   = charset{name: "windows-1250", enc: charmap.Windows1250}
	cp1251   = charset{name: "windows-1251", enc: charmap.Windows1251}
	koi8     = charset{name: "koi8-r", enc: charmap.KOI8R}
	shiftJIS = charset{name: "shift_jis", enc: japanese.ShiftJIS}
)

// sampleBytes is how much text that is not UTF-8 decides what it is.
const sampleBytes = 64 << 10

// guessCharset guesses the encoding of a sample that is neither UTF-8 nor
// UTF-16 from the letters that each encoding would give.
func guessCharset(sample []byte) charset {
	high, joined := 0, 0
	for i, c := range sample {
		if c >= 0x80 {
			high++
			if i > 0 && sample[i-1] >= 0x80 || i+1 < len(sample) && sample[i+1] >= 0x80 {
				joined++
			}
		}
	}
	if isShiftJIS(sample) {
		return shiftJIS
	}
	// Letters beyond ASCII are alone in Latin text, and together in others.
	if joined*10 > high*7 {
		if cs, ok := cyrillic(sample); ok {
			return cs
		}
	}
	if coveredBytes(sample, central) > coveredBytes(sample, western)+high/20 {
		return cp1250
	}
	return cp1252
}

// isShiftJIS checks the sample against the structure of Shift JIS, and requires
// the kana and punctuation (first bytes 81 to 83) that are frequent in
// Japanese.
func isShiftJIS(b []byte) bool {
	pairs, kana := 0, 0
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case c < 0x80 || c >= 0xA1 && c <= 0xDF:
			continue
		case c == 0x80 || c == 0xA0 || c > 0xFC:
			return false
		case i+1 == len(b):
			return pairs > 0 && kana*5 >= pairs
		}
		i++
		if t := b[i]; t < 0x40 || t == 0x7F || t > 0xFC {
			return false
		}
		pairs++
		if c >= 0x81 && c <= 0x83 {
			kana++
		}
	}
	return pairs > 0 && kana*5 >= pairs
}

// cyrillic distinguishes Windows-1251 from KOI8-R, whose lower-case letters
// have the bytes of the capitals in the other.
func cyrillic(b []byte) (charset, bool) {
	upper, lower, other := 0, 0, 0
	for _, c := range b {
		switch {
		case c >= 0xE0 || c == 0xB8:
			upper++
		case c >= 0xC0 || c == 0xA3:
			lower++
		case c >= 0x80:
			other++
		}
	}
	if (upper+lower)*10 < (upper+lower+other)*8 {
		return charset{}, false
	}
	if lower > upper {
		return koi8, true
	}
	return cp1251, true
}

// alphabet is the set of bytes beyond ASCII that a language uses.
type alphabet [256]bool

func alphabets(enc *charmap.Charmap, letters ...string) []alphabet {
	const marks = "«»„“”‘’–—…·°§€ \u00a0"
	out := make([]alphabet, len(letters))
	for i, l := range letters {
		for _, r := range l + marks {
			if b, ok := enc.EncodeRune(r); ok && b >= 0x80 {
				out[i][b] = true
			}
		}
	}
	return out
}

var (
	western = alphabets(charmap.Windows1252,
		"áéíóúüñçàèòïÁÉÍÓÚÜÑÇÀÈÒÏ¿¡ªº£", "àâæçéèêëîïôœùûüÿÀÂÆÇÉÈÊËÎÏÔŒÙÛÜ", "äöüßÄÖÜ", "áâãàçéêíóôõúÁÂÃÀÇÉÊÍÓÔÕÚªº",
		"àèéìíîòóùúÀÈÉÌÒÙ", "åäöéæøÅÄÖÉÆØ", "áðéíóúýþæöÁÐÉÍÓÚÝÞÆÖ", "ëïéèüöáóÉËÏ")
	central = alphabets(charmap.Windows1250,
		"ąćęłńóśźżĄĆĘŁŃÓŚŹŻ", "áčďéěíňóřšťúůýžÁČĎÉĚÍŇÓŘŠŤÚŮÝŽ", "áäčďéíĺľňóôŕšťúýžÁÄČĎÉÍĹĽŇÓÔŔŠŤÚÝŽ",
		"áéíóöőúüűÁÉÍÓÖŐÚÜŰ", "čćđšžČĆĐŠŽ", "ăâîşţĂÂÎŞŢ")
)

// coveredBytes returns how many bytes beyond ASCII the best of the alphabets
// accounts for.
func coveredBytes(sample []byte, of []alphabet) int {
	best := 0
	for i := range of {
		n := 0
		for _, c := range sample {
			if c >= 0x80 && of[i][c] {
				n++
			}
		}
		best = max(best, n)
	}
	return best
}
