package equation

import "strings"

// class is how a symbol acts beside others.
type class uint8

const (
	ordinary class = iota
	operator       // binary operators and relations: they end the operand of a sum
	large          // sums, integrals and their like
)

// symbols are the commands for one character.
var symbols = symbolTable(`
alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ
rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
infty ∞ partial ∂ nabla ∇ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ wp ℘ emptyset ∅ varnothing ∅ forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ top ⊤ bot ⊥ angle ∠ triangle △
degree ° prime ′ ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ dotsc … dotsb ⋯ square □ Box □ blacksquare ■ star ⋆ dagger † checkmark ✓ complement ∁ surd √
backslash \ lbrace { rbrace } lbrack [ rbrack ] vert | Vert ‖ lvert | rvert | lVert ‖ rVert ‖ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ colon : euro € pounds £ imath ı jmath ȷ`, `
pm ± mp ∓ times × div ÷ cdot ⋅ ast ∗ circ ∘ bullet ∙ cap ∩ cup ∪ setminus ∖ wedge ∧ land ∧ vee ∨ lor ∨ oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙ sqcap ⊓ sqcup ⊔
le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ lt < gt > ll ≪ gg ≫ equiv ≡ approx ≈ sim ∼ simeq ≃ cong ≅ propto ∝ doteq ≐ triangleq ≜ coloneqq ≔ leqslant ⩽ geqslant ⩾ prec ≺ succ ≻ preceq ⪯ succeq ⪰
in ∈ notin ∉ ni ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ nsubseteq ⊈ mid ∣ nmid ∤ parallel ∥ perp ⟂ models ⊨ vdash ⊢ dashv ⊣ asymp ≍ bowtie ⋈
to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ impliedby ⟸ iff ⟺ mapsto ↦ longrightarrow ⟶ longleftarrow ⟵ Longrightarrow ⟹
uparrow ↑ downarrow ↓ updownarrow ↕ hookrightarrow ↪ rightharpoonup ⇀ leftharpoonup ↼ rightleftharpoons ⇌ nearrow ↗ searrow ↘ therefore ∴ because ∵`, `
sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ oiint ∯ bigcup ⋃ bigcap ⋂ bigvee ⋁ bigwedge ⋀ bigoplus ⨁ bigotimes ⨂ bigodot ⨀ bigsqcup ⨆ biguplus ⨄`)

type symbol struct {
	text  string
	class class
}

func symbolTable(byClass ...string) map[string]symbol {
	out := map[string]symbol{}
	for c, list := range byClass {
		f := strings.Fields(list)
		for i := 0; i+1 < len(f); i += 2 {
			out[f[i]] = symbol{f[i+1], class(c)}
		}
	}
	return out
}

// classes are the classes of characters, largeNames the commands of large ones.
var classes, largeNames = func() (map[string]class, map[string]string) {
	of, names := map[string]class{"+": operator, "-": operator, "−": operator, "=": operator, "<": operator, ">": operator}, map[string]string{}
	for name, s := range symbols {
		of[s.text] = s.class
		if s.class == large {
			names[s.text] = `\` + name
		}
	}
	return of, names
}()

// functions are the names that stand upright before their argument; those in
// limits take what is written below or above as limits.
var (
	functions = nameSet("sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth exp log ln lg arg dim ker deg hom det gcd lim max min sup inf limsup liminf Pr")
	limits    = nameSet("lim max min sup inf limsup liminf det gcd Pr")
)

func nameSet(list string) map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields(list) {
		out[n] = true
	}
	return out
}

// accents are commands for a character above (22.1.2.1).
var accents = map[string]string{"hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303", "bar": "\u0305", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308", "dddot": "\u20db",
	"check": "\u030c", "breve": "\u0306", "acute": "\u0301", "grave": "\u0300", "mathring": "\u030a", "overrightarrow": "\u20d7", "overleftarrow": "\u20d6"}

// accentNames are the commands that Text writes for accents.
var accentNames = map[string]string{"\u0302": "hat", "^": "hat", "\u0303": "tilde", "~": "tilde", "\u0304": "bar", "\u0305": "bar", "¯": "bar", "\u20d7": "vec", "\u0307": "dot", "\u0308": "ddot", "\u20db": "dddot",
	"\u030c": "check", "\u0306": "breve", "\u0301": "acute", "\u0300": "grave", "\u030a": "mathring", "\u20d6": "overleftarrow"}

// spaces are commands for white space.
var spaces = map[string]string{",": "\u2009", ":": "\u205f", ">": "\u205f", ";": "\u2005", "!": "", " ": "\u00a0", "quad": "\u2003", "qquad": "\u2003\u2003", "thinspace": "\u2009", "medspace": "\u205f", "thickspace": "\u2005", "enspace": "\u2002", "nobreakspace": "\u00a0"}

// spaceNames are the commands that Text writes for white space.
var spaceNames = map[rune]string{'\u2009': `\,`, '\u205f': `\:`, '\u2005': `\;`, '\u00a0': `\ `, '\u2003': `\quad`, '\u2002': `\enspace`}

// styles are the commands for the look of letters (22.1.2.94, 22.1.2.111).
var styles = map[string]look{"mathrm": {sty: "p"}, "rm": {sty: "p"}, "mathbf": {sty: "b"}, "mathit": {sty: "i"}, "boldsymbol": {sty: "bi"}, "bm": {sty: "bi"}, "mathbb": {scr: "double-struck", sty: "p"}, "mathcal": {scr: "script", sty: "p"},
	"mathscr": {scr: "script", sty: "p"}, "mathfrak": {scr: "fraktur", sty: "p"}, "mathsf": {scr: "sans-serif", sty: "p"}, "mathtt": {scr: "monospace", sty: "p"},
	"text": {text: true}, "textrm": {text: true}, "mbox": {text: true}, "textnormal": {text: true}}

// styleNames are the commands that Text writes for the look of letters.
var styleNames = map[look]string{{sty: "p"}: "mathrm", {sty: "b"}: "mathbf", {sty: "bi"}: "boldsymbol", {text: true}: "text",
	{scr: "double-struck", sty: "p"}: "mathbb", {scr: "script", sty: "p"}: "mathcal", {scr: "fraktur", sty: "p"}: "mathfrak", {scr: "sans-serif", sty: "p"}: "mathsf", {scr: "monospace", sty: "p"}: "mathtt"}

// look is how the letters of a run look: its script, its style (p, b, i, bi), or
// that it is text.
type look struct {
	scr, sty string
	text     bool
}

// environments are tables of an equation with the characters around them.
var environments = map[string][2]string{"matrix": {"", ""}, "smallmatrix": {"", ""}, "array": {"", ""}, "pmatrix": {"(", ")"}, "bmatrix": {"[", "]"}, "Bmatrix": {"{", "}"}, "vmatrix": {"|", "|"}, "Vmatrix": {"‖", "‖"}}

// stacks are environments of equations below each other.
var stacks = nameSet("aligned align align* split gathered gather gather* eqnarray eqnarray* alignedat multline multline* cases rcases")
