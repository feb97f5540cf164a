package check

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/workshop/translate/terms"
)

// checkRow is a translation with what one check must say of it: the codes of the
// findings, or none.
type checkRow struct {
	to             string
	source, target string
	want           string // codes, apart by blanks, with ! and ? as in codes
}

// checkRows runs all checks on each row: so a row also says that no other check
// is mistaken.
func checkRows(t *testing.T, rows []checkRow) {
	t.Helper()
	for _, row := range rows {
		got := Rules{From: "en", To: row.to}.Check(segment(row.source), row.target)
		assert.Equal(t, row.want, strings.Join(codes(got), " "), "%s: %q → %q: %v", row.to, row.source, row.target, got)
		require.Equal(t, strings.Contains(row.want, "!"), Refused(got) != nil)
	}
}

// Tags must all be there, once, nested; their order may change.
func TestTagRows(t *testing.T) {
	checkRows(t, []checkRow{
		{"de", "See <1>here</1> and <2>there</2>", "Siehe <2>dort</2> und <1>hier</1>", ""},
		{"ja", "<1>All</1> files<2/>", "<2/>ファイルは<1>すべて</1>です", ""},
		{"de", "See <1>here</1> and <2>there</2>", "Siehe <1>hier und dort</1>", "!tags"},
		{"de", "See <1>here</1>", "Siehe <1>hier", "!tags"},
		{"de", "See <1>here</1>", "Siehe hier</1>", "!tags"},
		{"de", "See <1>here</1>", "Siehe <1>hier</1><1></1>", "!tags"},
		{"de", "See <1>here</1>", "Siehe <2>hier</2>", "!tags"},
		{"de", "See <1>here</1><2/>", "Siehe <1>hier<2></2></1>", "!tags"},
		{"de", "<1>One <2>two</2></1>", "<1>Eins <2>zwei</1></2>", "!tags"},
		{"de", "Smaller: a &lt; b", "Kleiner: a &lt; b", ""},
		{"de", "Line one<1/>", "Zeile eins", "!tags"},
	})
}

// Placeholders stay as they are; positions may be numbered when their order
// changes.
func TestPlaceholderRows(t *testing.T) {
	checkRows(t, []checkRow{
		{"de", "Hello {name}, you have {0} letters", "Hallo {name}, Sie haben {0} Briefe", ""},
		{"fr", "Hello {name}", "Bonjour {nom}", "!placeholder !placeholder"},
		{"fr", "Hello {user.name}!", "Bonjour {user.name} !", ""},
		{"de", "Costs {price:N2} each", "Kostet je {price:N2}", ""},
		{"de", "Costs {price:N2} each", "Kostet je {price:N1}", "!placeholder !placeholder"},
		{"de", "Copying %d of %d", "Kopiere %d von %d", ""},
		{"de", "Copying %d files", "Kopiere Dateien", "!placeholder"},
		{"de", "%1$s of %2$s files", "%2$s Dateien, davon %1$s", ""},
		{"de", "%s costs %d", "%d kostet %s", "!placeholder !placeholder"},
		{"de", "%s costs %d", "%2$d kostet %1$s", ""},
		{"es", "%(name)s was here", "%(name)s estuvo aquí", ""},
		{"es", "%(name)s was here", "%(nombre)s estuvo aquí", "!placeholder !placeholder"},
		{"es", "Path ${HOME} is set", "La ruta ${HOME} está definida", ""},
		{"es", "Path ${HOME} is set", "La ruta ${CASA} está definida", "!placeholder !placeholder"},
		{"it", "Dear {{ customer }}, thank you", "Gentile {{ customer }}, grazie", ""},
		{"it", "Dear {{ customer }}, thank you", "Gentile {{ cliente }}, grazie", "!placeholder !placeholder"},
		{"it", "<%= title %> is new", "<%= title %> è nuovo", ""},
		{"pt", "Delete %name% now", "Apagar %name% agora", ""},
		{"de", "100% wool and 20 % silk", "100 % Wolle und 20 % Seide", ""},
		{"tr", "It is 50% done", "%50'si bitti", ""},
		{"de", "Percent: %%", "Prozent: %%", ""},
		{"pl", "{n, plural, one {one day} other {# days}}", "{n, plural, one {dzień} few {# dni} many {# dni} other {# dnia}}", ""},
		{"pl", "{n, plural, one {one day} other {# days}}", "{m, plural, one {dzień} other {# dni}}", "!placeholder !placeholder"},
		{"de", "{g, select, male {his {thing}} other {their {thing}}}", "{g, select, male {sein {thing}} other {ihr {thing}}}", ""},
		{"de", "{g, select, male {his {thing}} other {their {thing}}}", "{g, select, male {sein {Ding}} other {ihr {Ding}}}", "!placeholder !placeholder"},
		{"de", "a set {one, two, three} of words", "eine Menge {eins, zwei, drei} von Wörtern", ""},
	})
}

// Addresses, paths and code stay; a path may be a word of the language.
func TestVerbatimRows(t *testing.T) {
	checkRows(t, []checkRow{
		{"de", "Write to info@example.org today.", "Schreiben Sie heute an info@example.org.", ""},
		{"de", "Write to info@example.org today.", "Schreiben Sie heute an info@beispiel.org.", "!address"},
		{"de", "See https://example.com/a_b?q=1#top now", "Siehe https://example.com/a_b?q=1#top jetzt", ""},
		{"de", "See https://example.com/en/ now", "Siehe https://example.com/de/ jetzt", "!address"},
		{"de", "Visit www.example.com/start, please", "Besuchen Sie bitte www.example.com/start!", ""},
		{"de", "Visit www.example.com, please", "Besuchen Sie bitte www.beispiel.de!", "!address"},
		{"ja", "See https://example.com/x for all of it", "すべては https://example.com/x。をご覧ください", ""},
		{"de", "Call tel:+49-30-1234 now", "Rufen Sie jetzt tel:+49-30-1234 an", ""},
		{"de", "Open report_2024.xlsx first", "Öffnen Sie zuerst report_2024.xlsx", ""},
		{"de", "Open /etc/app/config.yaml first", "Öffnen Sie zuerst /etc/app/konfig.yaml", "?verbatim"},
		{"de", `Open \\server\share\plan.docx first`, `Öffnen Sie zuerst \\server\share\plan.docx`, ""},
		{"de", "Run `git push --force` never", "Führen Sie nie `git push --force` aus", ""},
		{"de", "Run `git push --force` never", "Führen Sie nie `git push` aus", "?verbatim"},
		{"de", "Either yes/no or and/or", "Entweder ja/nein oder und/oder", ""},
	})
}

// Numbers are the same numbers, however a language writes them.
func TestNumberRows(t *testing.T) {
	checkRows(t, []checkRow{
		{"de", "It costs 1,234.50 dollars", "Es kostet 1.234,50 Dollar", ""},
		{"fr", "It costs 1,234.50 dollars", "Cela coûte 1 234,50 dollars", ""},
		{"de-CH", "It costs 1,234.50 francs", "Es kostet 1'234.50 Franken", ""},
		{"fa", "It costs 1,234.50 dollars", "۱٬۲۳۴٫۵۰ دلار است", ""},
		{"bn", "There are 1,250 books here", "এখানে ১,২৫০টি বই আছে", ""},
		{"th", "There are 1,250 books here", "ที่นี่มีหนังสือ ๑,๒๕๐ เล่ม", ""},
		{"de", "It costs 1,234.50 dollars", "Es kostet 1.234,60 Dollar", "?number ?number"},
		{"de", "It costs 1,234 dollars", "Es kostet 1,2345 Dollar", "?number ?number"},
		{"de", "It costs 250 dollars", "Es kostet viel Geld", "?number"},
		{"de", "It costs much money", "Es kostet 250 Dollar", "?number"},
		{"de", "There are 3 of them", "Es sind drei davon", ""},
		{"es", "There are three of them in 12 boxes", "Hay 3 en doce cajas", ""},
		{"de", "on 12/31/2025 at noon", "am 31.12.2025 um zwölf", ""},
		{"ja", "on December 31, 2025 at noon", "2025年12月31日の正午に", ""},
		{"de", "on December 31, 2025 at noon", "am 31. Dezember 2024 um zwölf", "?number ?number"},
		{"de", "from 2:30 pm until 11 pm", "von 14:30 bis 23 Uhr", ""},
		{"en", "from 14:30 until 23:00", "from 2:30 pm until 11 pm", ""},
		{"de", "below -40 degrees", "unter 40 Grad", "?number"},
		{"de", "below -40 degrees", "unter minus 40 Grad", ""},
		{"ru", "below -40 degrees", "ниже минус 40 градусов", ""},
		{"zh", "a loss of 25 million", "损失2500万", "number"},
		{"de", "1,500 of 2,700 sold", "1.500 von 2.700 verkauft", ""},
		{"de", "1,500 of 2,700 sold", "2.700 von 1.500 verkauft", "number_order"},
		{"de", "<1>1,500</1> of <2>2,700</2> sold", "von <2>2.700</2> sind <1>1.500</1> verkauft", "number_order"},
		{"de", "<1>1500</1> of <2>2700</2> sold", "<1>2700</1> von <2>1500</2> verkauft", "?number"},
		{"de", "The A4 page and the H2O", "Die A4-Seite und das H2O", ""},
		{"de", "with AES256 and B2B", "mit AES265 und B2B", "?number"},
		{"de", "with AES encryption", "mit AES256-Verschlüsselung", "?number"},
		{"de", "in chapter 7.12.3 below", "unten in Kapitel 7.12.3", ""},
		{"de", "call 555 0199 99 now", "jetzt 555 0199 99 anrufen", ""},
	})
}

// The target language shows in words and letters.
func TestLanguageRows(t *testing.T) {
	checkRows(t, []checkRow{
		{"fr", "all the goods were delivered", "all the goods were delivered", "?untranslated"},
		{"fr", "goods delivered", "goods delivered", "untranslated"},
		{"fr", "Deutsche Bank AG", "Deutsche Bank AG", ""},
		{"fr", "getUserName / set_value", "getUserName / set_value", ""},
		{"en", "all the goods were delivered", "all the goods were delivered", ""}, // the same language
		{"ja", "all the goods were delivered", "tous les biens ont été livrés", "?script"},
		{"ja", "all the goods were delivered", "すべての商品が配達されました", ""},
		{"ja", "all the goods were delivered", "tous les biens ont été livrés à temps et tous les clients en sont contents, 字", "?script"},
		{"ja", "open Microsoft Teams now", "Microsoft Teams を開いてください", ""},
		{"el", "all the goods were delivered", "все товары доставлены сегодня", "?script"},
		{"el", "all the goods were delivered", "όλα τα αγαθά παραδόθηκαν", ""},
		{"ko", "all the goods were delivered", "모든 상품이 배달되었습니다", ""},
		{"he", "all the goods were delivered", "כל הסחורה נמסרה", ""},
		{"ar", "all the goods were delivered", "todos los bienes fueron entregados", "?script"},
		{"hi", "all the goods were delivered", "सारा माल पहुँचा दिया गया", ""},
		{"uz", "all the goods were delivered", "barcha tovarlar yetkazildi", ""}, // written in two scripts
		{"sr-Cyrl", "all the goods were delivered", "sva roba je isporučena", "?script"},
		{"sr-Latn", "all the goods were delivered", "сва роба је испоручена данас", "?script"},
		{"zz-invalid-", "all the goods were delivered", "βιβλία και άλλα", ""},
	})
}

// Remarks, doubled signs, blanks, lengths and characters.
func TestFormRows(t *testing.T) {
	long := "The seller delivers all of the goods to the buyer at the port of loading."
	checkRows(t, []checkRow{
		{"de", "Good morning to all", "Hier ist die Übersetzung: Guten Morgen allerseits", "?chatter"},
		{"fr", "Good morning to all", "Voici la traduction : bonjour à tous", "?chatter"},
		{"es", "Good morning to all", "Aquí tienes la traducción: buenos días a todos", "?chatter"},
		{"it", "Good morning to all", "Ecco la traduzione: buongiorno a tutti", "?chatter"},
		{"pt", "Good morning to all", "Aqui está a tradução: bom dia a todos", "?chatter"},
		{"de", "Good morning to all", "Sure! Guten Morgen allerseits", "?chatter"},
		{"de", "Good morning to all", "I'm sorry, das kann ich nicht", "?chatter"},
		{"de", "Good morning to all", "```\nGuten Morgen allerseits\n```", "?chatter"},
		{"de", "Note: this is new", "Hinweis: das ist neu", ""},
		{"de", "Certainly a good morning", "Sicher ein guter Morgen", ""},
		{"de", "Good, very good.", "Gut,, sehr gut.", "punctuation"},
		{"de", "Good, very good.", "Gut, sehr gut..", "punctuation"},
		{"de", "Good, very good.", "Gut, sehr gut...", ""},
		{"zh", "Good, very good.", "好，，非常好。", "punctuation"},
		{"es", "Is it good?", "¿¿Es bueno?", "punctuation"},
		{"de", "std::string is good", "std::string ist gut", ""},
		{"de", "Good; very good", "Gut;; sehr gut", "punctuation"},
		{"de", " good ", "gut", "blanks"},
		{"de", " good ", " gut ", ""},
		{"de", "good\n", "gut ", "blanks"},
		{"de", long, "Lieferung.", "length_ratio"},
		{"de", long, "Ja.", "?length_ratio"},
		{"zh", long, "卖方在装货港向买方交付所有货物。", ""},
		{"de", "Yes", strings.Repeat("Ja, das ist so, wie es da steht. ", 2), "?length_ratio blanks"},
		{"de", "good", "gut\x00", "!control_chars"},
		{"de", "good", "gut\ufffd", "!control_chars"},
		{"de", "go\ufffdd", "gu\ufffdt", ""},
		{"de", "a\tb", "a\tb", ""},
		{"de", "good", " \n", "!empty"},
	})
	for _, c := range []struct {
		limit  int
		target string
		want   string
	}{
		{3, "abc", ""}, {3, "abcd", "!length"}, {3, "äöü", ""}, {2, "😀", ""}, {1, "😀", "!length"}, {0, strings.Repeat("x", 30), ""}, {4, "a &lt; b", "!length"}, {5, "a &lt; b", ""},
	} {
		got := Rules{Mechanical: true}.Check(formats.Segment{Text: "word", MaxLength: c.limit}, c.target)
		require.Equal(t, c.want, strings.Join(codes(got), " "), "%d: %s", c.limit, c.target)
	}
	n, ok := Fits("😀é", 3)
	require.True(t, ok)
	require.Equal(t, 3, n)
}

// Terms in the forms of several languages; one target of several is enough.
func TestTermRows(t *testing.T) {
	glossary := func(csv string) *terms.Glossary {
		g, err := terms.Read("g.csv", strings.NewReader("source,target,forbidden,note\n"+csv))
		require.NoError(t, err)
		return g
	}
	for _, c := range []struct {
		to, csv        string
		source, target string
		want           string
	}{
		{"de", "invoice,Rechnung,,", "Pay the invoice", "Bezahlen Sie die Rechnung", ""},
		{"de", "invoice,Rechnung,,", "Pay the invoices", "Bezahlen Sie die Rechnungen", ""},
		{"de", "invoice,Rechnung,,", "Pay the invoice", "Bezahlen Sie die Faktura", "?term"},
		{"de", "invoice,Rechnung,,", "Pay the bill", "Bezahlen Sie die Zeche", ""},
		{"es", "buyer,comprador,,", "the buyers pay", "los compradores pagan", ""},
		{"es", "buyer,comprador,,", "the buyers pay", "los clientes pagan", "?term"},
		{"fr", "seller,vendeur,,\nseller,vendeuse,,", "the seller pays", "la vendeuse paie", ""},
		{"fr", "seller,vendeur,,\nseller,vendeuse,,", "the seller pays", "le vendeur paie", ""},
		{"fr", "seller,vendeur,,\nseller,vendeuse,,", "the seller pays", "le marchand paie", "?term"},
		{"de", "invoice,Rechnung,Faktura,", "Pay the invoice", "Bezahlen Sie die Faktura", "?forbidden ?term"},
		{"ja", "contract,契約,,", "sign the contract", "契約に署名する", ""},
		{"ja", "contract,契約,,", "sign the contract", "書類に署名する", "?term"},
	} {
		r := Rules{Glossary: glossary(c.csv + "\n"), From: "en", To: c.to}
		got := r.Check(segment(c.source), c.target)
		require.Equal(t, c.want, strings.Join(codes(got), " "), "%s: %q: %v", c.to, c.target, got)
		r.Strict = true
		require.Equal(t, strings.ReplaceAll(c.want, "?", "!"), strings.Join(codes(r.Check(segment(c.source), c.target)), " "))
		r.Mechanical = true
		require.Empty(t, r.Check(segment(c.source), c.target), "terms are left to people and models")
	}
	// The messages say what to write.
	r := Rules{Glossary: glossary("seller,vendeur,,\nseller,vendeuse,marchand,too informal\n"), From: "en", To: "fr"}
	var messages []string
	for _, f := range r.Check(segment("the seller pays"), "le marchand paie") {
		messages = append(messages, f.Message)
	}
	require.Len(t, messages, 2)
	require.Contains(t, messages[0], `"seller" must not be translated with "marchand"`)
	require.Contains(t, messages[1], `the glossary translates "seller" with "vendeur" or "vendeuse"; use that term`)
}

// What a model must keep is in the order of how serious it is, and each message
// names what to do.
func TestMessagesNameTheCause(t *testing.T) {
	for _, c := range []struct{ source, target, want string }{
		{"Hi {name}", "Hallo", `"{name}" must stay as it is`},
		{"Hi there", "Hallo {name}", `"{name}" is a placeholder that the source does not have; leave it out`},
		{"%s has %d", "%d hat %s", `"%s" stands in another order; keep the order, or write "%1$s"`},
		{"Pay 250 now", "Zahle jetzt", "the number 250 is missing from the translation; keep its digits"},
		{"Pay now", "Zahle jetzt 250", "the number 250 is not in the source; leave it out"},
		{"Pay now", "Zahle jetzt 1.234,60", "the number 1.234,60 is not in the source; leave it out"},
		{"Pay now", "Zahle am 31.12.2025", "the number 31 is not in the source; leave it out"},
		{"by SHA256 hash", "mit SHA-Hash", "the number 256 of a name is missing from the translation"},
		{"by SHA hash", "mit SHA256-Hash", "the number 256 of a name is not in the source"},
		{"at -18 degrees", "bei 18 Grad", "the number -18 has lost its minus sign; keep it"},
		{"<1>15</1> or <2>16</2>", "<1>16</1> oder <2>15</2>", "do not swap numbers"},
		{"see a@b.com", "siehe dort", `"a@b.com" must stay as it is`},
		{"good", "gut\x02", "the translation holds the character U+0002, which no document can; leave it out"},
		{"good", "", "the translation is empty; translate the text"},
		{"<1>good</1>", "gut", "keep each tag of the source exactly once, pairs nested"},
	} {
		got := Rules{From: "en", To: "de"}.Check(segment(c.source), c.target)
		require.NotEmpty(t, got, c.target)
		require.Contains(t, got[0].Message, c.want)
	}
	all := Rules{From: "en", To: "de"}.Check(formats.Segment{Text: " <1>Pay 250 {x}</1>"}, "Zahle,, jetzt")
	require.Equal(t, []string{"!tags", "!placeholder", "?number", "punctuation", "blanks"}, codes(all))
}

// Basic refuses what Check refuses without settings, and nothing else; it allows
// the source itself and an emptied text.
func TestBasicRows(t *testing.T) {
	for _, c := range []struct {
		source, target string
		limit          int
		want           string
	}{
		{"Pay {x} now", "Zahle {x} jetzt", 0, ""},
		{"Pay {x} now", "Pay {x} now", 0, ""},
		{"Pay {x} now", "", 0, ""},
		{"Pay {x} now", "Zahle jetzt", 0, `"{x}" must stay as it is`},
		{"<1>Pay</1> now", "Zahle jetzt", 0, "1"},
		{"Pay 250", "Zahle viel", 0, ""},
		{"Open a.docx", "Öffne b.docx", 0, ""},
		{"Pay", "Bezahlen", 7, "the translation has 8 characters; at most 7 fit here"},
		{"Pay", "Zahl\x1f", 0, "U+001F"},
	} {
		err := Basic(formats.Segment{Text: c.source, MaxLength: c.limit}, c.target)
		if c.want == "" {
			require.NoError(t, err, c.target)
			continue
		}
		require.ErrorContains(t, err, c.want, c.target)
	}
}

// Numbers with the ways in which they can be read.
func TestNumbersIn(t *testing.T) {
	for _, c := range []struct {
		text     string
		want     string // each number with its readings
		isNamed  string
		atomList string
	}{
		{"1,234", "1,234=1234|1.234", "", "1 234"},
		{"1.234,5", "1.234,5=1234.5", "", "1 234 5"},
		{"1 234 567", "1 234 567=1234567", "", "1 234 567"},
		{"12 345 6", "12 345=12345 6=6", "", "12 345 6"},
		{"1,50", "1,50=1.5", "", "1 50"},
		{"12 34", "12=12 34=34", "", "12 34"},
		{"1234,567", "1234,567=1234.567", "", "1234 567"},
		{"007", "007=7", "", "7"},
		{"0", "0=0", "", "0"},
		{"12,34,567", "12,34,567=1234567", "", "12 34 567"},
		{"3.4.2024", "3.4.2024=", "", "3 4 2024"},
		{"1'234.50", "1'234.50=1234.5", "", "1 234 50"},
		{"٣٫٥", "٣٫٥=3.5", "", "3 5"},
		{"１２３", "１２３=123", "", "123"},
		{"B2B and H2O", "", "2 2", ""},
		{"第3章", "3=3", "", "3"},
		{"1. 2", "1=1 2=2", "", "1 2"},
	} {
		out, named := numbersIn(c.text)
		var all, names, atoms []string
		for _, n := range out {
			all = append(all, n.text+"="+strings.Join(n.readings, "|"))
			atoms = append(atoms, n.atoms...)
		}
		for _, n := range named {
			names = append(names, n.text)
		}
		require.Equal(t, c.want, strings.Join(all, " "), c.text)
		require.Equal(t, c.isNamed, strings.Join(names, " "), c.text)
		require.Equal(t, c.atomList, strings.Join(atoms, " "), c.text)
	}
}

// What must stay in a text, by its kind.
func TestKeptIn(t *testing.T) {
	for text, want := range map[string]string{
		"{0} and {name}":                 "placeholder:{0} placeholder:{name}",
		"{a b} is no field":              "",
		"%d%% of %s":                     "placeholder:%d placeholder:%s",
		"%%d is not":                     "",
		"50%discount, 5 %de":             "",
		"%-5.2f|%+d|%05d|%x":             "placeholder:%-5.2f placeholder:%+d placeholder:%05d placeholder:%x",
		"%1$s %2$s":                      "placeholder:%1$s placeholder:%2$s",
		"${a} ${b.c}":                    "placeholder:${a} placeholder:${b.c}",
		"{{x}} {{ y }}":                  "placeholder:{{x}} placeholder:{{ y }}",
		"`a` `b c`":                      "verbatim:`a` verbatim:`b c`",
		"`old' and `new'":                "",
		"me@x.org, www.x.org.":           "address:me@x.org address:www.x.org",
		"(see http://x.org/a_(b))":       "address:http://x.org/a_(b",
		`C:\a b\c.txt`:                   `verbatim:C:\a b\c.txt`,
		"./bin/run.sh ../a/b ~/x/y":      "verbatim:./bin/run.sh verbatim:../a/b verbatim:~/x/y",
		"and/or 1/2":                     "",
		"{n, plural, one {a} other {b}}": "placeholder:{n, plural,",
	} {
		out, rest := keptIn(text)
		var all []string
		for _, k := range out {
			all = append(all, string(k.code)+":"+k.text)
			require.NotContains(t, rest, k.text)
		}
		assert.Equal(t, want, strings.Join(all, " "), text)
		require.Len(t, rest, len(text), "the rest keeps its places")
	}
}
