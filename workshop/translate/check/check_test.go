package check

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/llm/pseudo"
	"atelier/workshop/translate/terms"
)

// codes returns the codes of the findings of Check, with "!" before those
// that refuse and "?" before those that ask again.
func codes(fs []Finding) []string {
	out := []string{}
	for _, f := range fs {
		switch {
		case f.Refuse:
			out = append(out, "!"+string(f.Code))
		case f.Retry:
			out = append(out, "?"+string(f.Code))
		default:
			out = append(out, string(f.Code))
		}
	}
	return out
}

// TestChecks (TR-06, TR-04, TR-03) has a line for each kind of problem and
// for correct texts that look like one.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		name, source, target, to string
		want                     []string
	}{
		{"good", "The <1>Seller</1> delivers.", "<1>La vendedora</1> entrega.", "es", nil},
		{"empty", "Delivery", " ", "es", []string{"!empty"}},
		{"only tags", "<1/>", "<1/>", "es", nil},
		{"tag lost", "The <1>Seller</1> delivers.", "La vendedora entrega.", "es", []string{"!tags"}},
		{"blanks", " Delivery of the goods", "Entrega de los bienes", "es", []string{"blanks"}},

		{"named field", "Hi {name}, {0} new", "Hola {name}, {0} nuevas", "es", nil},
		{"field lost", "Hi {name}, all is well", "Hola, todo va bien", "es", []string{"!placeholder"}},
		{"field translated", "Hi {name}, all is well", "Hola {nombre}, todo va bien", "es", []string{"!placeholder", "!placeholder"}},
		{"python", "%(count)s files in %(dir)s", "%(dir)s: %(count)s archivos", "es", nil},
		{"printf width", "Total: %-10.2f of %d", "Total: %-10.2f de %d", "es", nil},
		{"printf width changed", "Sum of all: %5.2f", "Suma de todo: %5.1f", "es", []string{"!placeholder", "!placeholder"}},
		{"printf swapped", "%s has %d files", "%d archivos tiene %s", "es", []string{"!placeholder", "!placeholder"}},
		{"printf swapped by number", "%s has %d files", "%2$d archivos tiene %1$s", "es", nil},
		{"printf alone by number", "open %s now", "abrir %1$s ahora", "es", nil},
		{"percent sign", "Red %d%%, from %u..%u", "Kırmızı %%%d, %u - %u", "tr", nil},
		{"after a digit", "library 5 %s in 50%discount", "biblioteca 5 %s con 50 %de descuento", "es", nil},
		{"quotes of old", "from `%s' to `%s' it is", "de «%s» a «%s» es", "es", nil},
		{"printf doubled", "open %s now", "abrir %s ahora, %s", "es", []string{"!placeholder"}},
		{"field doubled", "open {0} now", "abrir {0} ahora, {0}", "es", nil},
		{"percent", "50% discount and 20 %d", "50 % de descuento y 20 %d", "es", nil},
		{"shell and mustache", "${home} and {{ user }} as %name%", "%name%: ${home} y {{ user }}", "es", nil},
		{"icu", "{n, plural, one {# file in {dir}} other {# files in {dir}}}", "{n, plural, one {# plik w {dir}} few {# pliki w {dir}} many {# plików w {dir}} other {# pliku w {dir}}}", "pl", nil},
		{"icu argument translated", "{n, plural, one {# file} other {# files}}", "{n, plural, one {# archivo} other {# archivos}}", "es", nil},
		{"icu type lost", "{n, plural, one {# file} other {# files}}", "{n} archivos", "es", []string{"!placeholder", "!placeholder"}},

		{"address", "See https://example.com/a?b=1, or write to me@example.com.", "Vea https://example.com/a?b=1 o escriba a me@example.com.", "es", nil},
		{"address changed", "See https://example.com/en for all", "Vea https://example.com/es para todo", "es", []string{"!address"}},
		{"mail lost", "Write to me@example.com today", "Escríbame hoy", "es", []string{"!address"}},
		{"path", `Open C:\Data\in.txt and report.xlsx`, `Abra C:\Data\in.txt y report.xlsx`, "es", nil},
		{"path with blanks", `C:\My Files\a b\c.png`, `C:\Mis Archivos\a b\c.png`, "es", []string{"?verbatim"}},
		{"identifiers", "/Ship/user:Party[1]/user:Contact user_name lastName", "/Ship/user:Party[1]/user:Contact user_name lastName", "es", nil},
		{"path changed", "Open report.xlsx in the folder", "Abra informe.xlsx en la carpeta", "es", []string{"?verbatim"}},
		{"code", "Run `go test` for all", "Ejecute `go prueba` para todo", "es", []string{"?verbatim"}},

		{"separators", "It is 1,234.56 or 1,000", "Son 1.234,56 o 1.000", "es", nil},
		{"blanks as separators", "It is 1,234.56 or 10,000", "C'est 1 234,56 ou 10 000", "fr", nil},
		{"unchanged number", "It is 1,234.56", "Son 1,234.56", "es", nil},
		{"Indian groups", "The price is 1,234,567", "कीमत १२,३४,५६७ है", "hi", nil},
		{"Arabic digits", "The price is 1,234.5", "السعر ١٬٢٣٤٫٥", "ar", nil},
		{"number lost", "Pay 1,250 euros at once", "Pague los euros de inmediato", "es", []string{"?number"}},
		{"number changed", "Pay 1,250 euros at once", "Pague 1.520 euros de inmediato", "es", []string{"?number", "?number"}},
		{"number added", "Pay the euros at once", "Pague 1.250 euros de inmediato", "es", []string{"?number"}},
		{"minus lost", "store at -18 degrees", "almacenar a 18 grados", "es", []string{"?number"}},
		{"minus kept", "store at -18 degrees", "almacenar a −18 grados", "es", nil},
		{"minus as a word", "store at -18 degrees", "零下18度保存", "zh", nil},
		{"list's dash", "- 18 boxes, 3-5 kg", "18 cajas, de 3 a 5 kg", "es", nil},
		{"decimal lost", "Interest of 4.25 percent", "Interés del 425 por ciento", "es", []string{"?number", "?number"}},
		{"numbers in order", "Pay 1,250 of 3,900 euros", "Pague 1.250 de 3.900 euros", "es", nil},
		{"numbers swapped", "Pay 1,250 of 3,900 euros", "Pague 3.900 de 1.250 euros", "es", []string{"number_order"}},
		{"swapped in tags", "<1>1250</1> of <2>3900</2> paid", "<1>3900</1> de <2>1250</2> pagados", "es", []string{"?number"}},
		{"date", "due on 3/4/2024", "vence el 4/3/2024", "es", nil},
		{"date with words", "due on April 3, 2024", "fällig am 3.4.2024", "de", nil},
		{"date in words", "fällig am 3.4.2024", "due on April 3, 2024", "en", nil},
		{"year changed", "due on April 3, 2024", "fällig am 3.4.2023", "de", []string{"?number", "?number"}},
		{"ordinals", "the 21st and the 3rd floor", "el 21.º y la tercera planta", "es", nil},
		{"behind letters", "see RFC4648 and TLS 1.3", "véase RFC 4648 y TLSv1.3", "es", nil},
		{"name's number changed", "by SHA256 hash", "por hash SHA265", "es", []string{"?number"}},
		{"name's number apart", "by SHA256 hash", "por hash SHA-256", "es", nil},
		{"hours", "open until 9:30 PM", "geöffnet bis 21:30 Uhr", "de", nil},
		{"scale", "a budget of 1.5 million", "予算は150万円です", "ja", []string{"number", "number"}[:1]},

		{"untranslated", "the seller delivers the goods", "the seller delivers the goods", "es", []string{"?untranslated"}},
		{"name", "Acme Trading GmbH", "Acme Trading GmbH", "es", nil},
		{"code name", "SKU-4711-B", "SKU-4711-B", "es", nil},
		{"untranslated Chinese", "本合同由双方签订", "本合同由双方签订", "en", []string{"?untranslated"}},
		{"script", "the seller delivers the goods", "le vendeur livre les biens", "ru", []string{"?script"}},
		{"name in another script", "SAP Business One", "SAP Business One", "ru", nil},
		{"names among letters", "open SAP Business One", "откройте SAP Business One", "ru", nil},
		{"Serbian in Latin", "the seller delivers the goods", "prodavac isporučuje robu", "sr", nil},
		{"chatter", "Good morning", "Here is the translation: Buenos días", "es", []string{"?chatter"}},
		{"talk that is the text's", "Here is the translation you asked for", "Here is the translation: la traducción", "es", nil},
		{"punctuation", "Yes, of course.", "Sí,, por supuesto.", "es", []string{"punctuation"}},
		{"ellipsis", "Wait…", "Espere...", "es", nil},
		{"short", "The seller delivers the goods to the buyer at the port of loading.", "Entrega.", "es", []string{"?length_ratio"}},
		{"Chinese is short", "The seller delivers the goods to the buyer at the port.", "卖方在港口向买方交货。", "zh", nil},
		{"control", "Good morning", "Buenos\x01 días", "es", []string{"!control_chars"}},
	} {
		got := Rules{From: "", To: c.to}.Check(formats.Segment{Text: c.source}, c.target)
		if len(c.want) == 0 {
			require.Empty(t, got, c.name)
			continue
		}
		require.Equal(t, c.want, codes(got), "%s: %v", c.name, got)
	}
}

// TestLengthIsExcels (TR-06): lengths are counted in UTF-16 units, not in
// letters.
func TestLengthIsExcels(t *testing.T) {
	seg := formats.Segment{Text: "Sales", MaxLength: 31}
	r := Rules{To: "es"}
	require.Empty(t, r.Check(seg, strings.Repeat("v", 14)+"entas de todas la"))
	f := Refused(r.Check(formats.Segment{Text: "Smiles", MaxLength: 4}, "😀😀😀"))
	require.NotNil(t, f)
	require.Equal(t, Length, f.Code)
	require.Contains(t, f.Message, "6 characters; at most 4")
	require.Nil(t, Refused(r.Check(formats.Segment{Text: "Smiles", MaxLength: 4}, "😀😀")))
}

// TestTermsAndProtected (TR-05): terms in all forms, forbidden terms,
// patterns.
func TestTermsAndProtected(t *testing.T) {
	g, err := terms.Read("g.csv", strings.NewReader("source,target,forbidden\nbuyer,Käufer,Abnehmer\ncontract,Vertrag,\ndelivery note,Lieferschein,\n"))
	require.NoError(t, err)
	p, err := terms.Patterns([]string{"Acme Cloud", `/[A-Z]{2}-\d+/`})
	require.NoError(t, err)
	r := Rules{Glossary: g, Protected: p, From: "en", To: "de"}
	check := func(source, target string) []string { return codes(r.Check(formats.Segment{Text: source}, target)) }
	require.Empty(t, check("of the <1>buyer</1>", "des <1>Käufers</1>"))
	require.Empty(t, check("the contract duration", "die Vertragsdauer"))
	require.Empty(t, check("sign the delivery note", "die Lieferscheine unterschreiben"))
	require.Equal(t, []string{"?term"}, check("the contract duration", "die Laufzeit der Abmachung"))
	require.Equal(t, []string{"?forbidden", "?term"}, check("for the buyer", "für den Abnehmer"))
	require.Equal(t, []string{"!protected"}, check("Log in to Acme Cloud", "Melden Sie sich bei Acme-Wolke an"))
	require.Equal(t, []string{"!protected"}, check("see DE-17 and DE-17", "siehe DE-17"))
	require.Empty(t, check("see DE-17", "siehe DE-17"))
	r.Strict = true
	require.Equal(t, []string{"!term"}, check("the contract duration", "die Laufzeit der Abmachung"))
	r.Mechanical = true
	require.Empty(t, check("the contract duration", "[ţĥé çöñţŕåçţ]"))
}

func segment(text string) formats.Segment { return formats.Segment{Text: text} }

// TestPseudoPasses (TR-09): the built-in translator keeps everything that
// must stay.
func TestPseudoPasses(t *testing.T) {
	for _, s := range []string{
		"Hi {name}, {0} new", "%(count)s files in %(dir)s", "Total: %-10.2f of %d", "${home} and {{ user }} as %name%",
		"{n, plural, one {# file in {dir}} other {# files in {dir}}}", "See https://example.com/a?b=1, or me@example.com.",
		"Run `go test` on <1>{0:N2}</1>", "Pay 1,250.50 on the 2nd of May",
	} {
		require.Nil(t, Refused(Rules{Mechanical: true}.Check(segment(s), pseudo.Translate(s))), s)
	}
}
