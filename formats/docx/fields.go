package docx

import (
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// fieldAt is a field in a part: a complex one between its runs (17.16.18), or an
// element w:fldSimple (17.16.19).
type fieldAt struct {
	all    span // from the run of its begin to that of its end; the element
	instr  string
	code   span // the runs between begin and separator; zero of a simple field
	begin  span // the fldChar of its begin; the start tag of a simple field
	sep    span // run of the separator; zero without one
	result span // what it shows
	end    span // run of its end; zero of a simple field
	simple bool
	nested int  // how many fields it is in
	inner  bool // others are in its code, so that instr lacks their words
	form   bool // it has form data
}

// maxFieldDepth bounds the fields in each other.
const maxFieldDepth = 64

// fieldsOf lists the fields of a part in the order they end. Those that a tracked
// deletion holds are left out, as are those without an end.
func fieldsOf(ctx context.Context, doc []byte) ([]fieldAt, error) {
	var out []fieldAt
	var open []*fieldAt
	var simple []int // depths of open simple fields; each is in open too
	run, inCode := span{}, false
	sc := xmlscan.New(doc)
	for n := 0; sc.Next(); n++ {
		if n%8192 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t := sc.Token()
		if t.Kind == xmlscan.Text && inCode && len(open) > 0 {
			if f := open[len(open)-1]; f.sep.end == 0 && len(f.instr) < 4096 {
				f.instr += xmlscan.Unescape(t.Bytes())
			}
		}
		inCode = t.Kind == xmlscan.Start && t.Is(nsW, "instrText") && !t.Empty
		switch {
		case t.Kind == xmlscan.Start && t.Local == "Fallback":
			sc.Skip()
		case t.Space != nsW:
		case t.Kind == xmlscan.End && t.Local == "fldSimple" && len(simple) > 0 && simple[len(simple)-1] == t.Depth:
			simple = simple[:len(simple)-1]
			for k := len(open) - 1; k >= 0; k-- {
				if f := open[k]; f.simple {
					f.all.end, f.result.end = t.End, t.Start
					out = append(out, *f)
					open = append(open[:k], open[k+1:]...)
					break
				}
			}
		case t.Kind != xmlscan.Start:
		case t.Local == "del" || t.Local == "moveFrom":
			if !t.Empty {
				sc.Skip()
			}
		case t.Local == "r" && !t.Empty:
			run = span{t.Start, elementEnd(doc, t)}
		case t.Local == "fldSimple":
			f := fieldAt{all: span{t.Start, t.End}, begin: span{t.Start, t.End}, instr: t.AttrLocal("instr"), simple: true, nested: len(open), result: span{t.End, t.End}}
			if t.Empty {
				f.result = span{}
				out = append(out, f)
			} else if len(open) < maxFieldDepth {
				open, simple = append(open, &f), append(simple, t.Depth)
			}
		case t.Local == "fldChar":
			end := elementEnd(doc, t)
			switch k := len(open) - 1; t.AttrLocal("fldCharType") {
			case "begin":
				if k >= 0 && open[k].sep.end == 0 && !open[k].simple {
					open[k].inner = true
				}
				if len(open) < maxFieldDepth {
					open = append(open, &fieldAt{all: span{start: run.start}, begin: span{t.Start, end}, code: span{start: run.end}, nested: len(open), form: end > t.End && !t.Empty})
				}
			case "separate":
				if k >= 0 && !open[k].simple {
					open[k].sep, open[k].result.start, open[k].code.end = run, run.end, run.start
				}
			case "end":
				if k < 0 || open[k].simple {
					continue
				}
				f := open[k]
				open = open[:k]
				f.end, f.all.end = run, run.end
				if f.sep.end > 0 {
					f.result.end = run.start
				} else {
					f.code.end = run.start
				}
				out = append(out, *f)
			}
		}
	}
	return out, sc.Err()
}

// instruction is the code of a field taken apart (17.16.2).
type instruction struct {
	name     string // in capitals
	args     []string
	switches []fieldSwitch
}

type fieldSwitch struct {
	name string // with its backslash, in small letters
	arg  string
	has  bool // an argument follows it
}

// bareSwitches take no argument where they stand before one of the field.
var bareSwitches = map[string]bool{`\h`: true, `\z`: true, `\u`: true, `\w`: true, `\x`: true}

// parseInstruction splits the code of a field into words; those in quotation
// marks are one.
func parseInstruction(code string) instruction {
	var words []string
	quoted := map[int]bool{}
	for rest := strings.TrimSpace(code); rest != ""; rest = strings.TrimLeft(rest, " \t\r\n") {
		if rest[0] == '"' {
			word, after, _ := strings.Cut(rest[1:], `"`)
			quoted[len(words)] = true
			words, rest = append(words, word), after
			continue
		}
		i := strings.IndexAny(rest, " \t\r\n\"")
		if i < 0 {
			i = len(rest)
		}
		words, rest = append(words, rest[:i]), rest[i:]
	}
	var in instruction
	for i, w := range words {
		switch {
		case i == 0:
			in.name = strings.ToUpper(w)
		case strings.HasPrefix(w, `\`) && !quoted[i]:
			in.switches = append(in.switches, fieldSwitch{name: strings.ToLower(w)})
		default:
			if n := len(in.switches) - 1; n >= 0 && !in.switches[n].has && !bareSwitches[in.switches[n].name] && strings.HasPrefix(words[i-1], `\`) {
				in.switches[n].arg, in.switches[n].has = w, true
				continue
			}
			in.args = append(in.args, w)
		}
	}
	return in
}

// get returns the argument of a switch; ok is false when it is absent.
func (in instruction) get(name string) (arg string, ok bool) {
	for _, s := range in.switches {
		if s.name == name {
			return s.arg, true
		}
	}
	return "", false
}

// checkSequence refuses names that no sequence can have: they are bookmarks in
// all but place (17.16.5.56).
func checkSequence(name string) error {
	if !sequenceName.MatchString(name) {
		return formats.Errorf(formats.CodeInvalid, "label %q is no name of a sequence: one word of letters and digits, such as Figure or Table", clip(name, 40))
	}
	return nil
}

var sequenceName = lazyregexp.New(`^\p{L}[\p{L}\d_]{0,39}$`)
