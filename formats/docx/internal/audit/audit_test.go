package audit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

func run(t testing.TB, d *Document, wanted ...string) []formats.Finding {
	t.Helper()
	if d.Bookmarks == nil {
		d.Bookmarks = map[string]int{}
	}
	out, err := Run(context.Background(), d, formats.AuditOptions{Kinds: wanted})
	require.NoError(t, err)
	return out.Findings
}

// planted is a contract into which faults are planted.
type planted struct {
	Document
	rnd   *rand.Rand
	typed bool // numbers are typed in the text, not of a list
	word  string
}

func (p *planted) add(level int, label, text string) int {
	at := fmt.Sprintf("p%d", len(p.Paras))
	if p.typed && label != "" {
		label, text = "", label+" "+text
	}
	p.Paras = append(p.Paras, Para{At: at, Text: text, Label: label, Level: level, Body: true, Group: 1, Void: text == ""})
	return len(p.Paras) - 1
}

var nouns = strings.Fields("delivery payment warranty liability term notice confidentiality assignment governing insurance audit training support acceptance defects remedies tax interest storage transport")

func (p *planted) sentence() string {
	w := make([]string, 6+p.rnd.IntN(12))
	for i := range w {
		w[i] = nouns[p.rnd.IntN(len(nouns))]
	}
	return strings.ToUpper(w[0][:1]) + strings.Join(w, " ")[1:] + "."
}

// newPlanted returns a contract without faults: sections with clauses and items,
// terms that are used, captions that are referred to, annexes.
func newPlanted(rnd *rand.Rand) *planted {
	p := &planted{rnd: rnd, typed: rnd.IntN(2) == 0, word: []string{"Section", "clause", "Clause", "section"}[rnd.IntN(4)]}
	p.add(0, "", "Supply contract")
	p.add(-1, "", `This contract is between Alpha Ltd (the “Buyer”) and Beta Ltd (hereinafter "Supplier").`)
	sections := 4 + rnd.IntN(6)
	for s := 1; s <= sections; s++ {
		p.add(1, fmt.Sprintf("%d.", s), fmt.Sprintf("Of %s %d", nouns[s], s))
		for c := 1; c <= 2+rnd.IntN(4); c++ {
			p.add(-1, fmt.Sprintf("%d.%d", s, c), p.sentence()+" The Buyer informs the Supplier.")
			if rnd.IntN(2) == 0 {
				for i := range 3 + rnd.IntN(3) {
					p.add(-1, fmt.Sprintf("(%c)", 'a'+i), p.sentence())
				}
			}
		}
		p.add(-1, "", fmt.Sprintf("%s %s %d.%d applies, see Table %d and Annex %c.", p.sentence(), p.word, s, 1+rnd.IntN(2), s, 'A'+s%3))
		p.add(-1, "", fmt.Sprintf("Table %d: %s", s, nouns[s]))
	}
	for i := range 3 {
		p.add(1, "", fmt.Sprintf("Annex %c", 'A'+i))
		p.add(-1, "", p.sentence())
	}
	return p
}

// at returns a random paragraph that is is true of.
func (p *planted) some(is func(Para) bool) int {
	var list []int
	for i, q := range p.Paras {
		if is(q) {
			list = append(list, i)
		}
	}
	return list[p.rnd.IntN(len(list))]
}

func plain(q Para) bool {
	return q.Level < 0 && q.Label == "" && strings.Contains(q.Text, "applies, see")
}
func head(q Para) bool { return q.Level == 1 && !strings.HasPrefix(q.Text, "Annex") }

// insert puts a paragraph behind one.
func (p *planted) insert(i int, q Para) {
	q.Body, q.Group = true, 1
	p.Paras = append(p.Paras[:i+1], append([]Para{q}, p.Paras[i+1:]...)...)
	for k := range p.Paras {
		p.Paras[k].At = fmt.Sprintf("p%d", k)
	}
}

// faults plant one fault each and return where it is to be found.
var faults = []struct {
	name, kind string
	plant      func(p *planted) int
}{
	{"level passed over", kindOrder, func(p *planted) int {
		i := p.some(head)
		p.insert(i, Para{Text: "Deep", Level: 3})
		return i + 1
	}},
	{"heading twice", kindRepeated, func(p *planted) int {
		i := p.some(head)
		p.insert(len(p.Paras)-1, Para{Text: p.Paras[i].Text, Level: 1})
		return len(p.Paras) - 1
	}},
	{"empty heading", kindEmpty, func(p *planted) int {
		i := p.some(plain)
		p.insert(i, Para{Level: 2, Void: true})
		return i + 1
	}},
	{"section", kindTarget, func(p *planted) int {
		i := p.some(plain)
		p.Paras[i].Text += fmt.Sprintf(" As %s %d says, it ends.", p.word, 14+p.rnd.IntN(5))
		return i
	}},
	{"clause", kindTarget, func(p *planted) int {
		i := p.some(plain)
		p.Paras[i].Text = fmt.Sprintf("Without prejudice to %ss 1.1 and 2.%d, it ends.", p.word, 8+p.rnd.IntN(5))
		return i
	}},
	{"annex", kindTarget, func(p *planted) int {
		i := p.some(plain)
		p.Paras[i].Text += fmt.Sprintf(" Prices are in Annex %c.", 'D'+p.rnd.IntN(5))
		return i
	}},
	{"table", kindTarget, func(p *planted) int {
		i := p.some(plain)
		p.Paras[i].Text += fmt.Sprintf(" Table %d has the prices.", 20+p.rnd.IntN(5))
		return i
	}},
	{"caption number passed over", kindCaption, func(p *planted) int {
		i := p.some(func(q Para) bool {
			return strings.HasPrefix(q.Text, "Table") && !strings.HasPrefix(q.Text, "Table 1:") && !strings.HasPrefix(q.Text, "Table 2:")
		})
		var n int
		_, _ = fmt.Sscanf(p.Paras[i].Text, "Table %d", &n)
		for k := i; k < len(p.Paras); k++ {
			p.Paras[k].Text = strings.Replace(p.Paras[k].Text, fmt.Sprintf("Table %d:", n), fmt.Sprintf("Table %d:", n+1), 1)
			n++
			for k+1 < len(p.Paras) && !strings.HasPrefix(p.Paras[k+1].Text, "Table") {
				k++
			}
		}
		return i
	}},
	{"caption number twice", kindCaption, func(p *planted) int {
		i := p.some(func(q Para) bool { return strings.HasPrefix(q.Text, "Table") && !strings.HasPrefix(q.Text, "Table 1:") })
		p.insert(i, Para{Text: p.Paras[i].Text + " again", Level: -1})
		return i + 1
	}},
	{"typed number passed over", kindNumbering, func(p *planted) int {
		i, skip := p.some(plain), 4
		for k := range 3 {
			n := k + 1
			if k == 2 {
				n = skip
			}
			p.insert(i+k, Para{Text: fmt.Sprintf([]string{"%d) ", "(%d) "}[len(p.word)%2], n) + p.sentence(), Level: -1})
		}
		return i + 3
	}},
	{"typed letter passed over", kindNumbering, func(p *planted) int {
		i := p.some(plain)
		for k, l := range "abd" {
			p.insert(i+k, Para{Text: fmt.Sprintf("%c) ", l) + p.sentence(), Level: -1})
		}
		return i + 3
	}},
	{"roman passed over", kindNumbering, func(p *planted) int {
		i := p.some(plain)
		for k, l := range []string{"i", "ii", "iii", "v"} {
			p.insert(i+k, Para{Text: "(" + l + ") " + p.sentence(), Level: -1})
		}
		return i + 4
	}},
	{"typed number twice", kindNumbering, func(p *planted) int {
		i := p.some(plain)
		for k, n := range []int{1, 2, 2} {
			p.insert(i+k, Para{Text: fmt.Sprintf("%d) ", n) + p.sentence(), Level: -1})
		}
		return i + 3
	}},
	{"number of two headings", kindNumbering, func(p *planted) int {
		i := p.some(func(q Para) bool {
			return head(q) && strings.Contains(q.Text+q.Label, "2") && strings.Contains(q.Text, "Of")
		})
		p.insert(i, Para{Text: "Other", Label: "2.", Level: 1})
		p.insert(i, Para{Text: "Another", Label: "2.", Level: 1})
		return i + 2
	}},
	{"term without use", kindUnused, func(p *planted) int {
		i := p.some(plain)
		p.Paras[i].Text += []string{` They pay fees (the “Late Fees”).`, ` "Carrier" means any person who transports.`, ` „Lieferant“ bedeutet jede Person.`, ` (en adelante, «el Agente»).`}[p.rnd.IntN(4)]
		return i
	}},
	{"term in lower case", kindUnused, func(p *planted) int {
		i := p.some(plain)
		p.Paras[i].Text += ` It has facilities (the “Facility”).`
		p.insert(i, Para{Text: "They enter the facility.", Level: -1})
		return i
	}},
	{"term twice", kindTwice, func(p *planted) int {
		i := p.some(func(q Para) bool { return plain(q) && !strings.Contains(q.Text, "This contract") })
		p.Paras[i].Text += ` “Supplier” means Gamma Ltd.`
		return i
	}},
	{"placeholder", kindPlaceholder, func(p *planted) int {
		i := p.some(plain)
		p.Paras[i].Text += " " + []string{"The price is [●].", "Lorem ipsum dolor.", "The date is TBD.", "XXX pays.", "[Insert address here]", "Signed on xx.xx.2026", "[Company Name]", "[___]"}[p.rnd.IntN(8)]
		return i
	}},
	{"error of a field", kindReference, func(p *planted) int {
		i := p.some(plain)
		p.Paras[i].Text += " " + []string{"See Error! Reference source not found.", "Siehe Fehler! Verweisquelle konnte nicht gefunden werden.", "Voir Erreur ! Source du renvoi introuvable.", "¡Error! Marcador no definido."}[p.rnd.IntN(4)]
		return i
	}},
	{"reference to no bookmark", kindReference, func(p *planted) int {
		i := p.some(plain)
		p.Fields = append(p.Fields, Field{Para: i, Instr: []string{` REF _Ref123 \h `, " PAGEREF _Toc9", ` NOTEREF  _Ref5 \f`}[p.rnd.IntN(3)], Result: "4.2"})
		return i
	}},
	{"link to no bookmark", kindLink, func(p *planted) int {
		i := p.some(plain)
		p.Links = append(p.Links, Link{Para: i, Anchor: []string{"gone", ""}[p.rnd.IntN(2)]})
		return i
	}},
	{"reference to no note", kindNote, func(p *planted) int {
		i := p.some(plain)
		p.NoteRefs = append(p.NoteRefs, NoteRef{Para: i, ID: "3", Word: "footnote"})
		return i
	}},
}

// At least 95 % of planted faults are found where they are, and a contract without
// faults has no findings.
func TestPlantedFaults(t *testing.T) {
	rnd := rand.New(rand.NewPCG(69, 1))
	for _, f := range faults {
		found, all := 0, 40
		for range all {
			p := newPlanted(rnd)
			require.Empty(t, run(t, &p.Document))
			at := p.Paras[f.plant(p)].At
			if slices.ContainsFunc(run(t, &p.Document, f.kind), func(x formats.Finding) bool { return x.At == at }) {
				found++
			}
		}
		t.Logf("%s: %d of %d", f.name, found, all)
		require.GreaterOrEqual(t, found*100, all*95, f.name)
	}
}

// para returns paragraphs of the body with texts.
func paras(texts ...string) *Document {
	d := &Document{}
	for i, s := range texts {
		p := Para{At: fmt.Sprintf("p%d", i), Level: -1, Body: true, Group: 1, Text: s, Void: s == ""}
		if h, ok := strings.CutPrefix(s, "# "); ok {
			p.Text, p.Level = h, 1
		}
		d.Paras = append(d.Paras, p)
	}
	return d
}

// What looks like a fault and is none.
func TestNoFalseAlarms(t *testing.T) {
	sections := []string{"# 1. Scope", "# 2. Terms", "# 3. Price", "# 4. End"}
	for _, text := range []string{
		"Section 12 of Regulation (EU) 2016/679 applies.", "See Article 28 GDPR and Article 6 of the Directive.", "Under the Companies Act, section 17, it ends.", "§ 433 BGB und § 12 HGB gelten.",
		"Section 32-581.03 applies.", "Section 2 of this contract ends.", "Chapter 11 of the Bankruptcy Code.", "Sections 2 to 4 apply.", "See clause 230 below.", "Section 12/3", "Annex IV of the Regulation.", "See Table 7.",
		"In 2019. we sold 4.2 million.", "12. March is a date.", "The “quick” way (see “Payment”).", "Type A and type B.", "WHO, XXL and xx are fine.", "“Price” has the meaning given in Section 2.", "Error! you said",
		"[x] yes [ ] no", "The \"Price\".",
	} {
		require.Empty(t, run(t, paras(append(append([]string{}, sections...), text)...)), text)
	}
	require.Empty(t, run(t, paras("1. one", "2. two", "1. again", "2. two", "", "text", "", "a. x", "b. y", "h. z")))
	require.Empty(t, run(t, paras("(g) one", "(h) two", "(i) three", "(j) four")))
	require.Empty(t, run(t, paras("The parties (the “Parties”).", "Each Party pays.", "A company (“Company”).", "COMPANY pays.")))
	require.Empty(t, run(t, paras("4.1 one", "4.2 two", "5.1 three")))
	require.Empty(t, run(t, &Document{Links: []Link{{Anchor: "_top"}, {Anchor: "Here"}}, Bookmarks: map[string]int{"here": 0}, Fields: []Field{{Instr: `SET Client "x"`}, {Instr: "REF client"}, {Instr: "REF here"}}}))
}

// A table of contents is compared with the headings.
func TestContents(t *testing.T) {
	d := paras("Scope\t1", "2 Terms\t3", "Old\t9", "# Scope", "# Terms", "# New")
	for i := range 3 {
		d.Paras[i].TOC, d.Paras[i].Style = true, "toc 1"
	}
	d.Fields = []Field{{Para: 0, Instr: ` TOC \o "1-3" \h `}}
	got := run(t, d, kindTOC)
	require.Len(t, got, 2)
	require.Equal(t, []string{"p2", "p5"}, []string{got[0].At, got[1].At})
	d.Fields[0].Instr = ` TOC \h \c "Table"`
	require.Empty(t, run(t, d, kindTOC))
}

// Terms that are used like defined ones and are not, in a contract.
func TestUndefinedTerms(t *testing.T) {
	d := paras(`The “Buyer”, (the “Buyer”), (the “Seller”), (the “Goods”), (the “Price”), (the “Site”).`, "The Buyer, the Seller, the Goods, the Price and the Site.",
		"We use the Warehouse and then the Warehouse.", "Enter the Warehouse in the European Union, see the European Union, of the European Union.")
	got := run(t, d, kindUndefined)
	require.Len(t, got, 1)
	require.Equal(t, "p2", got[0].At)
	require.Contains(t, got[0].Fact, `"Warehouse" is written like a defined term 3 times`)
}

// What is left: comments, tracked changes, empty paragraphs; captions that no text
// names.
func TestLeftovers(t *testing.T) {
	d := paras("a", "", "", "", "b", "Figure 1: x", "Figure 2: y", "Figure 3: z", "See figures 1 and 3.")
	d.Comments = []Comment{{At: "cm1", Text: "why?"}}
	d.Changes = []Change{{Para: 0, Count: 2}, {Para: 4, Count: 1}}
	var got []string
	for _, f := range run(t, d) {
		got = append(got, f.Kind+" "+f.At+" "+f.Fact)
	}
	require.Equal(t, []string{`caption_unnamed p6 no text refers to "figure 2"; the text refers to most others`, "tracked_change p0 3 tracked changes are neither accepted nor rejected, at p0, p4",
		`comment cm1 a comment is not resolved: "why?"`, "spacing p1 3 empty paragraphs in rows of 3 or more make room, from p1"}, got)
}

// Findings are bounded, and their number is true.
func TestManyFindings(t *testing.T) {
	texts := make([]string, 3*formats.MaxFindings)
	for i := range texts {
		texts[i] = "TBD"
	}
	d := paras(texts...)
	d.Bookmarks = map[string]int{}
	out, err := Run(context.Background(), d, formats.AuditOptions{})
	require.NoError(t, err)
	require.Len(t, out.Findings, formats.MaxFindings)
	require.Equal(t, 2*formats.MaxFindings, out.Omitted)
	require.Equal(t, map[string]int{kindPlaceholder: 3 * formats.MaxFindings}, out.Counts)
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Run(ctx, paras("TBD"), formats.AuditOptions{})
	require.ErrorIs(t, err, context.Canceled)
}
