package formula

import (
	"slices"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
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
	for _, n := range []string{"FILTER", "SORT"} {
		m[n] = "_xlfn._xlws."
	}
	return m
}()

// Stored returns the form in files of a formula as people type it: with
// prefixes for new functions and for the names that LET and LAMBDA define, A1#
// and @ as functions, and Table[@Column] in full.
func Stored(f string) string {
	var sb strings.Builder
	pos, last := 0, 0 // what is written of f, and where the last operand begins
	lastEnd := -1
	put := func(from, to int, s string) {
		sb.WriteString(f[pos:from])
		sb.WriteString(s)
		pos = to
	}
	params := parameters(f)
	for t := range Tokens(f) {
		text := f[t.Start:t.End]
		switch {
		case t.Kind == Function || t.Kind == Name && t.Sheet == "":
			if params[strings.ToUpper(text)] {
				put(t.Start, t.Start, "_xlpm.")
			} else if p := futureFunctions[strings.ToUpper(text)]; p != "" && t.Kind == Function {
				put(t.Start, t.Start, p)
			}
		case t.Kind == Structured:
			put(t.Start, t.End, thisRow(text))
		case t.Kind == Error && t.Start == lastEnd:
			// The cells that a formula spills into: A1#.
			operand := f[last:t.Start]
			s := sb.String() + f[pos:t.Start]
			sb.Reset()
			sb.WriteString(strings.TrimSuffix(s, operand) + "_xlfn.ANCHORARRAY(" + operand + ")")
			pos = t.Start + 1
		case text == "@":
			put(t.Start, t.End, "") // an ordinary formula takes one value anyway
		}
		if lastEnd = -1; t.Kind == Ref || t.Kind == Name {
			last, lastEnd = t.Start, t.End
		}
	}
	return sb.String() + f[pos:]
}

// parameters returns the names that LET and LAMBDA define in a formula, in
// upper case.
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
			if i == len(args)-1 || name == "LET" && i%2 == 1 || !bareName(a) {
				continue
			}
			if out == nil {
				out = map[string]bool{}
			}
			out[strings.ToUpper(a)] = true
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

// Shown returns a stored formula as people see it, without the prefixes.
func Shown(f string) string {
	if !strings.Contains(f, "_xl") {
		return f
	}
	return strings.NewReplacer("_xlfn._xlws.", "", "_xlfn.", "", "_xlpm.", "").Replace(f)
}

// spilling are the functions that return several values. An ordinary formula
// shows only the first.
var spilling = strings.Fields("FILTER SORT SORTBY UNIQUE SEQUENCE RANDARRAY TEXTSPLIT VSTACK HSTACK TOCOL TOROW WRAPROWS WRAPCOLS TAKE DROP CHOOSECOLS CHOOSEROWS EXPAND MAP BYROW BYCOL MAKEARRAY SCAN GROUPBY PIVOTBY TRIMRANGE STOCKHISTORY TRANSPOSE FREQUENCY MMULT MINVERSE MUNIT LINEST LOGEST TREND GROWTH MODE.MULT")

// passing are the functions that return as many values as they get.
var passing = strings.Fields("IF IFERROR IFNA IFS LET LAMBDA CHOOSE SWITCH XLOOKUP ROUND TEXT UPPER LOWER PROPER TRIM LEFT RIGHT MID LEN ABS INT MOD VALUE")

// Spills returns the function that makes a formula return several values, ""
// when none does. A function does not count inside one that reduces many values
// to one.
func Spills(f string) string {
	var open []string // functions around, "" for a plain bracket
	name := ""
	for t := range Tokens(f) {
		switch text := f[t.Start:t.End]; {
		case t.Kind == Function:
			name = strings.ToUpper(BareFunction(text))
			handed := !slices.ContainsFunc(open, func(o string) bool { return o != "" && !slices.Contains(passing, o) && !slices.Contains(spilling, o) })
			if handed && (slices.Contains(spilling, name) || name == "XLOOKUP" && wideLookup(Arguments(f, t.End))) {
				return name
			}
		case text == "(":
			open, name = append(open, name), ""
		case text == ")" && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	return ""
}

// wideLookup reports whether an XLOOKUP looks up several values or returns
// several for one.
func wideLookup(args []string) bool {
	block := func(i int) cellref.Range {
		if i >= len(args) {
			return cellref.Range{}
		}
		if toks := Lex(args[i]); len(toks) == 1 && toks[0].Kind == Ref {
			return toks[0].Range()
		}
		return cellref.Range{}
	}
	many := func(r cellref.Range) bool { return !r.Empty() && (r.R2 > r.R1 || r.C2 > r.C1) }
	out := block(2)
	return many(block(0)) || out.R2 > out.R1 && out.C2 > out.C1
}
