package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// setListArgs are the members of set_list.
type setListArgs struct {
	severalArgs
	Format       string       `json:"format" jsonschema:"{ops}: makes one new list of the paragraphs: bullet, decimal, lower_letter, upper_letter, lower_roman, upper_roman, legal (1. 1.1 1.1.1); none takes them out of their list"`
	Label        string       `json:"label" jsonschema:"{ops}: with format: how an item is labelled, %1 is its number: (%1), %1), Art. %1; of a bullet its character"`
	Level        *lenient.Int `json:"level" jsonschema:"{ops}: 0 to 8"`
	StartAt      *lenient.Int `json:"start_at" jsonschema:"{ops}: number of the first item; without format restarts there, up to the end of the list or count"`
	ContinueFrom string       `json:"continue_from" jsonschema:"{ops}: address of an item whose list to join"`
	trackingArgs
}

// listFormats are the formats of a new list with the numFmt of its levels
// (17.18.59), which repeat.
var listFormats = map[string][]string{
	"bullet":       {"bullet"},
	"decimal":      {"decimal", "lowerLetter", "lowerRoman"},
	"lower_letter": {"lowerLetter", "lowerRoman", "decimal"},
	"upper_letter": {"upperLetter", "decimal", "lowerLetter"},
	"lower_roman":  {"lowerRoman", "lowerLetter", "decimal"},
	"upper_roman":  {"upperRoman", "upperLetter", "decimal"},
	"legal":        {"decimal"},
}

// setList makes paragraphs items of a list, changes their level, starts their
// numbers anew, joins them to another list, or takes them out of theirs
// (17.3.1.19, 17.9). Definitions are in numbering.xml, which is made where there
// is none; they are not recorded as tracked changes, the properties of the
// paragraphs are.
func (e *editing) setList(ctx context.Context, op setListArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	if err := op.check(); err != nil {
		return rep, err
	}
	nb, err := e.numbering(ctx)
	if err != nil {
		return rep, err
	}
	pl, run, err := e.several(ctx, op.severalArgs)
	if err != nil {
		return rep, err
	}
	if op.Count == nil && op.StartAt != nil && op.Format == "" && op.ContinueFrom == "" {
		if run, err = e.restOfList(nb, pl); err != nil {
			return rep, err
		}
	}
	run = op.itemsOf(pl.part, run, &rep)
	rep.Hits = len(run)
	if strings.EqualFold(op.Format, listNone) {
		return rep, e.relistAll(ctx, pl.part, run, &rep, func(n *node, pPr string) string { return e.unlisted(nb, pPr, pl.prefix) })
	}
	to, err := e.listFor(ctx, nb, op, pl, run)
	if err != nil {
		return rep, err
	}
	indents := 0
	err = e.relistAll(ctx, pl.part, run, &rep, func(n *node, pPr string) string {
		at := 0
		if m, ok := nb.listOf(e.styles, n.style, n.list); ok {
			at = m.level
		} else if to.level >= 0 {
			at = to.level
		}
		if op.Level != nil {
			at = int(*op.Level)
		}
		p := paraProps(pPr, pl.prefix)
		if to.own || op.Level != nil {
			if p.Get("ind") != "" {
				indents++
			}
			p.Drop("ind") // that of the list's level holds
		}
		num := to.num
		if num == "" {
			m, _ := nb.listOf(e.styles, n.style, n.list)
			num = m.num
		}
		p.Set("numPr", numPr(pl.prefix, num, at))
		return p.Optional()
	})
	if indents > 0 {
		rep.Notes = append(rep.Notes, fmt.Sprintf("%d paragraphs had an indent of their own; they now have that of the list", indents))
	}
	return rep, err
}

// check refuses members that do not go together.
func (op setListArgs) check() error {
	format := strings.ToLower(op.Format)
	switch {
	case format != "" && format != listNone && listFormats[format] == nil:
		return formats.Errorf(formats.CodeInvalid, "format %q is not one of bullet, decimal, lower_letter, upper_letter, lower_roman, upper_roman, legal, none", op.Format)
	case format == "" && op.ContinueFrom == "" && op.Level == nil && op.StartAt == nil:
		return formats.Errorf(formats.CodeInvalid, "say what to do: format (a new list, or none), level, start_at (restart) or continue_from")
	case op.Level != nil && (*op.Level < 0 || *op.Level >= maxLevels):
		return formats.Errorf(formats.CodeInvalid, "level is %d; it is 0 to %d", int(*op.Level), maxLevels-1)
	case op.StartAt != nil && (*op.StartAt < 0 || *op.StartAt > 32767):
		return formats.Errorf(formats.CodeInvalid, "start_at is %d; it is 0 to 32767", int(*op.StartAt))
	case format != "" && op.ContinueFrom != "":
		return formats.Errorf(formats.CodeInvalid, "format makes a new list, continue_from joins another: give one of them")
	case op.ContinueFrom != "" && op.StartAt != nil:
		return formats.Errorf(formats.CodeInvalid, "continue_from goes on with the numbers of another list, start_at starts anew: give one of them")
	case format == listNone && (op.Level != nil || op.StartAt != nil):
		return formats.Errorf(formats.CodeInvalid, "format none takes no level and no start_at")
	case format == "bullet" && op.StartAt != nil:
		return formats.Errorf(formats.CodeInvalid, "bullets have no numbers: leave start_at out")
	}
	return op.checkLabel(format)
}

func (op setListArgs) checkLabel(format string) error {
	switch {
	case op.Label == "":
		return nil
	case format == "" || format == listNone || format == "legal":
		return formats.Errorf(formats.CodeInvalid, "label needs a format that makes a new list, and not legal")
	case format == "bullet" && (strings.Contains(op.Label, "%") || len([]rune(op.Label)) > 3):
		return formats.Errorf(formats.CodeInvalid, "label %q is no bullet; write the character, such as –", clip(op.Label, 40))
	case format != "bullet" && (strings.Count(op.Label, "%1") != 1 || strings.Count(op.Label, "%") != 1 || len(op.Label) > 60):
		return formats.Errorf(formats.CodeInvalid, "label %q must have %%1 once, for the number of the item, such as (%%1)", clip(op.Label, 40))
	}
	return nil
}

// itemsOf leaves out empty paragraphs between others, as Word does.
func (op setListArgs) itemsOf(p *part, run []*node, rep *formats.OpReport) []*node {
	if len(run) == 1 || op.Format == "" {
		return run
	}
	filled := slices.DeleteFunc(slices.Clone(run), func(n *node) bool {
		return strings.TrimSpace(p.paras[n.para].Text()) == "" && describeContents(p.doc[n.inner:n.innerEnd]) == ""
	})
	if len(filled) == 0 {
		return run
	}
	if left := len(run) - len(filled); left > 0 {
		rep.Notes = append(rep.Notes, fmt.Sprintf("%d empty paragraphs were left as they are", left))
	}
	return filled
}

// restOfList returns the items that follow one in its story with the same list,
// up to one of a higher level, after which the numbers begin anew by themselves.
func (e *editing) restOfList(nb *numbering, pl place) ([]*node, error) {
	m, ok := nb.listOf(e.styles, pl.style, pl.list)
	if !ok {
		return []*node{pl.node}, nil // listFor says what is wrong
	}
	run := []*node{pl.node}
	if pl.node.parent == nil {
		return run, nil
	}
	all := pl.node.parent.kidsOf(paraNode)
	for _, n := range all[slices.Index(all, pl.node)+1:] {
		other, ok := nb.listOf(e.styles, n.style, n.list)
		switch {
		case !ok || other.num != m.num:
		case other.level < m.level:
			return run, nil
		default:
			run = append(run, n)
		}
	}
	return run, nil
}

// listTarget is the list that paragraphs join.
type listTarget struct {
	num   string // "": each stays in its own
	level int    // of paragraphs that are in no list; -1: 0
	own   bool   // its levels bring their indent
}

// listFor finds or makes the list that an operation asks for.
func (e *editing) listFor(ctx context.Context, nb *numbering, op setListArgs, pl place, run []*node) (listTarget, error) {
	level := 0
	if op.Level != nil {
		level = int(*op.Level)
	}
	switch {
	case op.Format != "":
		if op.Level == nil {
			if m, ok := nb.listOf(e.styles, run[0].style, run[0].list); ok {
				level = m.level
			}
		}
		start := -1
		if op.StartAt != nil {
			start = int(*op.StartAt)
		}
		num, err := e.newList(ctx, strings.ToLower(op.Format), op.Label, level, start)
		return listTarget{num, level, true}, err
	case op.ContinueFrom != "":
		from, err := e.want(ctx, op.ContinueFrom, paraNode)
		if err != nil {
			return listTarget{}, err
		}
		m, ok := nb.listOf(e.styles, from.style, from.list)
		if !ok {
			return listTarget{}, formats.Errorf(formats.CodeInvalid, "continue_from: %s is in no list", op.ContinueFrom)
		}
		return listTarget{m.num, m.level, true}, nil
	}
	m := membership{}
	for i, n := range run {
		of, ok := nb.listOf(e.styles, n.style, n.list)
		if !ok {
			return listTarget{}, formats.Errorf(formats.CodeInvalid, "%s is in no list; give format for a new one, or continue_from", e.addressOf(ctx, place{pl.part, n}))
		}
		if i == 0 {
			m = of
		}
	}
	if op.StartAt == nil {
		return listTarget{}, nil
	}
	if op.Level == nil {
		level = m.level
	}
	if l := nb.level(m.num, level); l != nil && l.format == "bullet" {
		return listTarget{}, formats.Errorf(formats.CodeInvalid, "%s has a bullet, which has no number to start at", op.At)
	}
	num, err := e.restartList(ctx, m.num, level, int(*op.StartAt))
	return listTarget{num, level, false}, err
}

// relistAll changes the properties of paragraphs and says which labels they have.
func (e *editing) relistAll(ctx context.Context, p *part, run []*node, rep *formats.OpReport, change func(n *node, pPr string) string) error {
	var splices []xmlscan.Splice
	starts := make([]int, len(run))
	for i, n := range run {
		s, err := e.layoutSplices(place{p, n}, Layout{}, func(pPr string) string { return change(n, pPr) }, rep)
		if err != nil {
			return err
		}
		starts[i] = n.para
		splices = append(splices, s...)
	}
	e.splice(p, splices...)
	now, err := e.load(ctx, p.textPart)
	if err != nil {
		return err
	}
	nb, err := e.numbering(ctx)
	if err != nil {
		return err
	}
	labels := e.labels(now, nb)
	var shown []string
	for _, i := range starts {
		if l := labels[now.nodes[i]]; l != "" {
			shown = append(shown, clip(l, 40))
		}
	}
	first := e.addressOf(ctx, place{now, now.nodes[starts[0]]})
	note := first
	if len(run) > 1 {
		note += " to " + e.lastStep(ctx, place{now, now.nodes[starts[len(starts)-1]]})
	}
	switch len(shown) {
	case 0:
		note += ": no list label"
	case 1:
		note += ": label " + shown[0]
	default:
		note += fmt.Sprintf(": labels %s to %s", shown[0], shown[len(shown)-1])
	}
	rep.Notes = append(rep.Notes, note)
	return nil
}
