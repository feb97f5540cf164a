package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Texts of many languages are read in the encoding they are in.
func TestCharsetGuess(t *testing.T) {
	for text, cs := range map[string]charset{
		"El niño comió piñas en Málaga; ¿qué más quería?":              cp1252,
		"nombre;país;año\nPeña;España;2024\n":                          cp1252,
		"Les élèves français étaient très occupés à la fête de Noël":   cp1252,
		"Größe und Übermut tun selten gut, weiß der schöne Jäger":      cp1252,
		"A situação não é tão má; os pães são bons e o coração também": cp1252,
		"Blåbærgrød og rødgrød med fløde på øen Ærø":                   cp1252,
		"ñ": cp1252,
		"Zażółć gęślą jaźń, proszę państwa, bo się ściemnia":        cp1250,
		"Příliš žluťoučký kůň úpěl ďábelské ódy":                    cp1250,
		"Árvíztűrő tükörfúrógép működése a gyűjtőben":               cp1250,
		"Đorđe je kupio šešir, čašu i ćevape u Nišu":                cp1250,
		"Съешь же ещё этих мягких французских булок да выпей чаю":   cp1251,
		"имя;город\nИван;Москва\nОльга;Санкт-Петербург\n":           cp1251,
		"Съешь же ещё этих мягких французских булок, да выпей чаю.": koi8,
		"名前,都道府県\n山田さん,東京です。これはテストのデータであり、カタカナも含みます\n":              shiftJIS,
	} {
		b, err := cs.enc.NewEncoder().String(text)
		require.NoError(t, err, text)
		require.Equal(t, cs.name, mapOf(t, "a.txt", b).Encoding, text)
		require.Equal(t, text, readLines(t, b, nil, nil).Text)
		// Long after the ASCII beginning, and much of it.
		for _, long := range []string{strings.Repeat("plain text\n", 20_000) + b, strings.Repeat(b+"\n", 5000)} {
			require.Equal(t, cs.name, mapOf(t, "a.txt", long).Encoding, text)
		}
	}
}
