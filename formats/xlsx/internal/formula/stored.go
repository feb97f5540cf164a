package formula

import (
	"maps"
	"slices"
	"strings"
)

// futureFunctions maps functions to the prefix that files store them with;
// without it Excel shows #NAME? ([MS-XLSX] 2.2.3).
var futureFunctions = func() map[string]string {
	m := map[string]string{}
	for _, n := range strings.Fields(`ACOT ACOTH AGGREGATE ARABIC ARRAYTOTEXT BASE BETA.DIST BETA.INV BINOM.DIST BINOM.DIST.RANGE BINOM.INV
		BITAND BITLSHIFT BITOR BITRSHIFT BITXOR BYCOL BYROW CEILING.MATH CEILING.PRECISE CHISQ.DIST CHISQ.DIST.RT CHISQ.INV CHISQ.INV.RT CHISQ.TEST
		CHOOSECOLS CHOOSEROWS COMBINA CONCAT CONFIDENCE.NORM CONFIDENCE.T COT COTH COVARIANCE.P COVARIANCE.S CSC CSCH DAYS DECIMAL DROP
		ENCODEURL ERF.PRECISE ERFC.PRECISE EXPAND EXPON.DIST F.DIST F.DIST.RT F.INV F.INV.RT F.TEST FIELDVALUE FILTERXML FLOOR.MATH FLOOR.PRECISE
		FORECAST.ETS FORECAST.ETS.CONFINT FORECAST.ETS.SEASONALITY FORECAST.ETS.STAT FORECAST.LINEAR FORMULATEXT GAMMA GAMMA.DIST GAMMA.INV
		GAMMALN.PRECISE GAUSS GROUPBY HSTACK HYPGEOM.DIST IFNA IFS IMAGE IMCOSH IMCOT IMCSC IMCSCH IMSEC IMSECH IMSINH IMTAN ISFORMULA ISOMITTED
		ISOWEEKNUM LAMBDA LET LOGNORM.DIST LOGNORM.INV MAKEARRAY MAP MAXIFS MINIFS MODE.MULT MODE.SNGL MUNIT NEGBINOM.DIST NORM.DIST NORM.INV
		NORM.S.DIST NORM.S.INV NUMBERVALUE PDURATION PERCENTILE.EXC PERCENTILE.INC PERCENTRANK.EXC PERCENTRANK.INC PERCENTOF PERMUTATIONA PHI PIVOTBY
		POISSON.DIST QUARTILE.EXC QUARTILE.INC RANDARRAY RANK.AVG RANK.EQ REDUCE REGEXEXTRACT REGEXREPLACE REGEXTEST RRI SCAN SEC SECH SEQUENCE SHEET SHEETS
		SKEW.P SORTBY STDEV.P STDEV.S STOCKHISTORY SWITCH T.DIST T.DIST.2T T.DIST.RT T.INV T.INV.2T T.TEST TAKE TEXTAFTER TEXTBEFORE TEXTJOIN
		TEXTSPLIT TOCOL TOROW TRANSLATE TRIMRANGE UNICHAR UNICODE UNIQUE VALUETOTEXT VAR.P VAR.S VSTACK WEBSERVICE WEIBULL.DIST WRAPCOLS WRAPROWS
		XLOOKUP XMATCH XOR Z.TEST`) {
		m[n] = "_xlfn."
	}
	m["SINGLE"], m["ANCHORARRAY"] = "_xlfn.", "_xlfn."
	for _, n := range []string{"FILTER", "SORT"} {
		m[n] = "_xlfn._xlws."
	}
	return m
}()

// Stored returns the form in files of an ordinary formula as people type it: with
// prefixes for new functions and for the names that LET and LAMBDA define, A1# as a
// function, Table[@Column] in full, and without @, since an ordinary formula takes
// one value anyway.
func Stored(f string) string { return stored(f, false) }

// StoredArray is Stored for an array formula, in which @ is a function.
func StoredArray(f string) string { return stored(f, true) }

func stored(f string, array bool) string {
	var sb strings.Builder
	pos, last := 0, 0 // what is written of f, and where the last operand begins
	lastEnd := -1
	put := func(from, to int, s string) {
		sb.WriteString(f[pos:from])
		sb.WriteString(s)
		pos = to
	}
	params, given := parameters(f), givenFunctions(f)
	var ones oneSigns
	for t := range Tokens(f) {
		text := f[t.Start:t.End]
		for range ones.ended(t, text) {
			put(t.Start, t.Start, ")")
		}
		switch {
		case t.Kind == Function || t.Kind == Name && t.Sheet == "":
			if params[strings.ToUpper(text)] {
				put(t.Start, t.Start, "_xlpm.")
			} else if p := futureFunctions[strings.ToUpper(text)]; p != "" && t.Kind == Function {
				put(t.Start, t.Start, p)
			} else if t.Kind == Name && given[t.Start] {
				put(t.Start, t.Start, givenPrefix)
			}
		case t.Kind == External && params[strings.ToUpper(text)]:
			put(t.Start, t.End, optionalPrefix+text[1:len(text)-1]) // [x] in LAMBDA([x],…)
		case t.Kind == Structured:
			put(t.Start, t.End, thisRow(text))
		case t.Kind == Error && t.Start == lastEnd:
			// The cells that a formula spills into: A1#.
			operand := f[last:t.Start]
			s := sb.String() + f[pos:t.Start]
			sb.Reset()
			sb.WriteString(strings.TrimSuffix(s, operand) + "_xlfn.ANCHORARRAY(" + operand + ")")
			pos = t.Start + 1
		case text == "@" && array:
			put(t.Start, t.End, "_xlfn.SINGLE(")
		case text == "@":
			put(t.Start, t.End, "")
		}
		if array {
			ones.take(t, text)
		}
		if lastEnd = -1; t.Kind == Ref || t.Kind == Name {
			last, lastEnd = t.Start, t.End
		}
	}
	return sb.String() + f[pos:] + strings.Repeat(")", len(ones.open))
}

// oneSigns finds where the operands of @ end: a reference, name or call with what is
// in its brackets, and a # behind it.
type oneSigns struct {
	depth int
	open  []oneSign // the innermost last
}

type oneSign struct {
	depth int
	done  bool // its operand ends here, unless # or a bracket follows
}

// ended returns how many operands end before a token.
func (o *oneSigns) ended(t Token, text string) (n int) {
	if text == "(" || t.Kind == Error && text == "#" {
		return 0
	}
	for k := len(o.open) - 1; k >= 0 && (o.open[k].done || text == ")" && o.open[k].depth == o.depth); k-- {
		o.open = o.open[:k]
		n++
	}
	return n
}

// take takes in a token.
func (o *oneSigns) take(t Token, text string) {
	operand := t.Kind != Function && t.Kind != Other
	switch text {
	case "@":
		o.open = append(o.open, oneSign{depth: o.depth})
	case "(", "{":
		for k := len(o.open) - 1; k >= 0 && o.open[k].depth == o.depth; k-- {
			o.open[k].done = false
		}
		o.depth++
	case ")", "}":
		o.depth--
		operand = true
	}
	for k := len(o.open) - 1; k >= 0 && operand && o.open[k].depth == o.depth; k-- {
		o.open[k].done = true
	}
}

// parameters returns the names that LET and LAMBDA define in a formula, in
// upper case; those in brackets also with them.
func parameters(f string) map[string]bool {
	var out map[string]bool
	for t := range Tokens(f) {
		if t.Kind != Function {
			continue
		}
		name := strings.ToUpper(BareFunction(f[t.Start:t.End]))
		if name != "LET" && name != "LAMBDA" {
			continue
		}
		args := Arguments(f, t.End)
		for i, a := range args {
			if i == len(args)-1 || name == "LET" && i%2 == 1 || !bareName(a) && !(name == "LAMBDA" && optionalName(a)) {
				continue
			}
			if out == nil {
				out = map[string]bool{}
			}
			out[strings.ToUpper(a)] = true
			out[strings.ToUpper(strings.Trim(a, "[]"))] = true
		}
	}
	return out
}

// bareName reports whether a formula is a name and nothing else.
func bareName(f string) bool {
	toks := Lex(f)
	return len(toks) == 1 && toks[0].Kind == Name && toks[0].Sheet == ""
}

// thisRow writes Table[@Column] as files have it: Table[[#This Row],[Column]].
func thisRow(s string) string {
	i := strings.IndexByte(s, '[')
	inner, ok := strings.CutPrefix(s[i:], "[@")
	if !ok || !strings.HasSuffix(inner, "]") {
		return s
	}
	inner = inner[:len(inner)-1]
	switch {
	case inner == "":
		return s[:i] + "[#This Row]"
	case inner[0] != '[':
		inner = "[" + inner + "]"
	}
	return s[:i] + "[[#This Row]," + inner + "]"
}

// Shown returns a stored formula as people see it, without the prefixes, and with A1#
// and @ for the functions that files have in their place.
func Shown(f string) string {
	if !strings.Contains(f, "_xl") {
		return f
	}
	return strings.NewReplacer("_xlfn._xlws.", "", "_xlfn.", "", "_xlpm.", "", givenPrefix, "").Replace(withSigns(shownOptional(f)))
}

// withSigns writes _xlfn.ANCHORARRAY(A1) as A1# and _xlfn.SINGLE(A1:A3) as @A1:A3.
func withSigns(f string) string {
	const anchor, single = "_xlfn.ANCHORARRAY", "_xlfn.SINGLE"
	if !strings.Contains(f, anchor) && !strings.Contains(f, single) {
		return f
	}
	type bracket struct {
		name     string // before it
		start    int    // offset of the name
		open     int    // offset behind the bracket
		operands int
		operator bool
		plain    bool // the operand is a reference or name
	}
	stack := []bracket{{}}
	before := "" // the function before the current token
	type cut struct {
		from, to int
		with     string
	}
	cuts := map[int]cut{} // by offset
	for t := range Tokens(f) {
		text, top := f[t.Start:t.End], &stack[len(stack)-1]
		switch {
		case t.Kind == Function:
			before = text
			continue
		case text == "(" || text == "{":
			stack = append(stack, bracket{name: before, start: t.Start - len(before), open: t.End})
		case (text == ")" || text == "}") && len(stack) > 1:
			switch simple := top.operands == 1 && !top.operator; {
			case simple && top.name == single:
				cuts[top.start], cuts[t.Start] = cut{top.start, top.open, "@"}, cut{t.Start, t.End, ""}
			case simple && top.plain && top.name == anchor:
				cuts[top.start], cuts[t.Start] = cut{top.start, top.open, ""}, cut{t.Start, t.End, "#"}
			}
			stack = stack[:len(stack)-1]
			stack[len(stack)-1].operands++
		case t.Kind == Other:
			top.operator = true
		default:
			top.operands++
			top.plain = t.Kind == Ref || t.Kind == Name
		}
		before = ""
	}
	var sb strings.Builder
	pos := 0
	for _, at := range slices.Sorted(maps.Keys(cuts)) {
		c := cuts[at]
		sb.WriteString(f[pos:c.from] + c.with)
		pos = c.to
	}
	return sb.String() + f[pos:]
}

// several are the functions that return several values.
var several = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields("FILTER SORT SORTBY UNIQUE SEQUENCE RANDARRAY TEXTSPLIT VSTACK HSTACK TOCOL TOROW WRAPROWS WRAPCOLS TAKE DROP CHOOSECOLS CHOOSEROWS EXPAND MAP BYROW BYCOL MAKEARRAY SCAN GROUPBY PIVOTBY TRIMRANGE STOCKHISTORY TRANSPOSE FREQUENCY MMULT MINVERSE MUNIT LINEST LOGEST TREND GROWTH MODE.MULT") {
		m[n] = true
	}
	return m
}()

// GivesSeveral reports whether the function with a name, in upper case and without
// prefixes, returns several values whatever its arguments are.
func GivesSeveral(name string) bool { return several[name] }
