package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"atelier/formats"
)

// errorTexts are what Word and LibreOffice show for a field whose target is gone,
// in the usual languages, as squeeze gives them.
var errorTexts = squeezed(
	"Error! Reference source not found", "Error! Bookmark not defined", "Error! No text of specified style in document", "Error! Not a valid link", "Error! No bookmark name given", "Error: Reference source not found",
	"Fehler! Verweisquelle konnte nicht gefunden werden", "Fehler! Textmarke nicht definiert", "Fehler! Kein Text mit angegebener Formatvorlage", "Fehler: Referenz nicht gefunden", "Fehler: Verweis nicht gefunden",
	"Erreur ! Source du renvoi introuvable", "Erreur ! Signet non défini", "Erreur : source de la référence non trouvée",
	"¡Error! No se encuentra el origen de la referencia", "¡Error! Marcador no definido", "Error: no se encontró el origen de la referencia",
	"Errore. L'origine riferimento non è stata trovata", "Errore. Il segnalibro non è definito", "Errore: sorgente del riferimento non trovata",
	"Erro! A origem da referência não foi encontrada", "Erro! Fonte de referência não encontrada", "Erro! Indicador não definido", "Erro! Marcador não definido",
	"Fout! Verwijzingsbron niet gevonden", "Fout! Bladwijzer niet gedefinieerd", "Fel! Hittar inte referenskälla", "Fel! Bokmärket är inte definierat",
	"Fejl! Henvisningskilde ikke fundet", "Fejl! Bogmærke er ikke defineret", "Feil! Fant ikke referansekilden", "Feil! Bokmerke er ikke definert",
	"Virhe. Viitteen lähdettä ei löytynyt", "Virhe. Kirjanmerkkiä ei ole määritetty", "Błąd! Nie można odnaleźć źródła odwołania", "Błąd! Nie zdefiniowano zakładki",
	"Chyba! Nenalezen zdroj odkazů", "Chyba! Záložka není definována", "Hiba! A hivatkozási forrás nem található", "Hiba! A könyvjelző nem létezik",
	"Hata! Başvuru kaynağı bulunamadı", "Hata! Yer işareti tanımlanmamış", "Eroare! Fără sursă de referință", "Eroare! Marcaj în document nedefinit",
	"Ошибка! Источник ссылки не найден", "Ошибка! Закладка не определена", "Помилка! Джерело посилання не знайдено", "Помилка! Закладку не визначено",
	"Σφάλμα! Το αρχείο προέλευσης της αναφοράς δεν βρέθηκε", "Σφάλμα! Δεν έχει οριστεί σελιδοδείκτης",
	"错误!未找到引用源", "错误!未定义书签", "錯誤! 找不到參照來源", "錯誤! 尚未定義書籤", "エラー! 参照元が見つかりません", "エラー! ブックマークが定義されていません", "오류! 참조 원본을 찾을 수 없습니다", "오류! 책갈피가 정의되어 있지 않습니다",
)

func squeezed(texts ...string) []string {
	for i, s := range texts {
		texts[i] = squeeze(s)
	}
	return texts
}

// squeeze returns the letters and digits of s in lower case.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// errorText returns whether a text has what a field without a target shows.
func errorText(s string) bool {
	if !strings.ContainsAny(s, "!！.:") {
		return false
	}
	s = squeeze(s)
	return slices.ContainsFunc(errorTexts, func(e string) bool { return strings.Contains(s, e) })
}

// references looks for fields and links whose target is gone.
func (a *auditing) references(ctx context.Context) {
	known := a.variables()
	failed := map[int]bool{} // paragraphs with a finding about an error
	for _, f := range a.Fields {
		if ctx.Err() != nil {
			return
		}
		name, target := fieldTarget(f.Instr)
		missing := target != "" && !a.marked(target, known)
		switch {
		case errorText(f.Result):
			failed[f.Para] = true
			expected := "a field whose target exists, or plain text"
			if target != "" && !missing {
				expected = "the target " + target + " exists: update the field"
			}
			a.find(kindReference, formats.SeverityHigh, f.Para, fmt.Sprintf("the field %s shows %s", name, quote(f.Result)), expected)
		case missing && name != "HYPERLINK":
			a.find(kindReference, formats.SeverityHigh, f.Para, fmt.Sprintf("the field %s refers to the bookmark %s, which does not exist; it shows %s until it is updated", name, target, quote(f.Result)), "a bookmark of that name, or a reference to another")
		case missing:
			a.find(kindLink, formats.SeverityMedium, f.Para, fmt.Sprintf("the link of %s leads to the bookmark %s, which does not exist", quote(f.Result), target), "")
		}
	}
	a.each(ctx, func(i int, p *Para) {
		if !failed[i] && errorText(p.Text) {
			a.find(kindReference, formats.SeverityHigh, i, "an error of a field stands in the text: "+quote(around(p.Text)), "what was referred to")
		}
	})
	for _, l := range a.Links {
		switch {
		case l.Anchor == "":
			a.find(kindLink, formats.SeverityHigh, l.Para, "a link has no target: its relationship is missing", "")
		case !a.marked(l.Anchor, nil):
			a.find(kindLink, formats.SeverityMedium, l.Para, "a link leads to the bookmark "+l.Anchor+", which does not exist", "")
		}
	}
}

// around returns a text from where an error may begin.
func around(s string) string {
	if i := strings.IndexAny(s, "!！"); i >= 0 {
		return strings.ToValidUTF8(s[max(0, i-10):], "")
	}
	return s
}

// marked returns whether a bookmark or a variable exists.
func (a *auditing) marked(name string, variables map[string]bool) bool {
	name = strings.ToLower(name)
	_, ok := a.Bookmarks[name]
	return ok || variables[name] || name == "_top" || name == "top"
}

// variables are the names that fields SET and ASK give texts (17.16.5.7, 17.16.5.57).
func (a *auditing) variables() map[string]bool {
	out := map[string]bool{}
	for _, f := range a.Fields {
		if w := words(f.Instr); len(w) > 1 && (strings.EqualFold(w[0], "SET") || strings.EqualFold(w[0], "ASK")) {
			out[strings.ToLower(w[1])] = true
		}
	}
	return out
}

// fieldTarget returns the name of a field, and the bookmark it refers to.
func fieldTarget(instr string) (name, bookmark string) {
	w := words(instr)
	if len(w) == 0 {
		return "", ""
	}
	name = strings.ToUpper(w[0])
	switch name {
	case "REF", "PAGEREF", "NOTEREF":
		if len(w) > 1 && !strings.HasPrefix(w[1], `\`) {
			return name, w[1]
		}
	case "HYPERLINK":
		// \l names a place in the document that the first argument names, or in this one.
		if len(w) > 2 && strings.EqualFold(w[1], `\l`) {
			return name, w[2]
		}
	}
	return name, ""
}

// words splits the instruction of a field (17.16.4): arguments in quotes are one.
func words(s string) []string {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		if s[0] == '"' {
			arg, rest, _ := strings.Cut(s[1:], `"`)
			out, s = append(out, arg), rest
			continue
		}
		end := strings.IndexFunc(s, unicode.IsSpace)
		if end < 0 {
			end = len(s)
		}
		out, s = append(out, s[:end]), s[end:]
	}
	return out
}

// notes looks for notes without a reference, and references without a note.
func (a *auditing) notes(context.Context) {
	have, referred := map[string]bool{}, map[string]bool{}
	for _, n := range a.Notes {
		have[n.Word+n.ID] = true
	}
	for _, r := range a.NoteRefs {
		referred[r.Word+r.ID] = true
		if !have[r.Word+r.ID] {
			a.find(kindNote, formats.SeverityHigh, r.Para, fmt.Sprintf("a reference to the %s %s, which does not exist", r.Word, r.ID), "")
		}
	}
	for _, n := range a.Notes {
		switch {
		case !referred[n.Word+n.ID]:
			a.findAt(kindNote, formats.SeverityMedium, n.At, "no text refers to this "+n.Word, "a reference, or no "+n.Word)
		case n.Empty:
			a.findAt(kindNote, formats.SeverityMedium, n.At, "the "+n.Word+" is empty", "")
		}
	}
}
