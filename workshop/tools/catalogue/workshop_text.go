package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/lenient"
	"atelier/internal/textclip"
	"atelier/workshop"
	"atelier/workshop/linepatch"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

type replaceTextArgs struct {
	Path    string       `json:"path" jsonschema:"Text file"`
	Search  string       `json:"search" jsonschema:"Exact text; it may have several lines"`
	Replace string       `json:"replace" jsonschema:"New text; of a regexp $1 or ${name} is a group"`
	Regex   lenient.Bool `json:"regex,omitempty" jsonschema:"search is an RE2 regular expression, matched inside each line"`
	Expect  *lenient.Int `json:"expect,omitempty" jsonschema:"Number of places there must be, else nothing is changed"`
	Literal lenient.Bool `json:"literal,omitempty" jsonschema:"Write lines too that look like notes of Atelier's own"`
}

func workshopReplaceText(t *tools.Tool) tools.Binding {
	return tools.Bind("replace_text", "Replace text everywhere in a text file of any size.", t,
		func(_ *tools.Env, a replaceTextArgs) (files.ReplaceArgs, error) {
			p, err := tools.ParsePath(a.Path)
			return files.ReplaceArgs{Path: p, Search: a.Search, Replace: a.Replace, Regexp: bool(a.Regex), Expect: a.Expect.Ptr(), Literal: bool(a.Literal)}, err
		},
		func(_ *tools.Env, a replaceTextArgs, r files.Replaced) (any, error) {
			places, lines := fmt.Sprintf("%d places", r.Hits), ""
			if r.Hits == 1 {
				places = "1 place"
			}
			if r.Hits > 0 {
				lines = ", " + files.OnLines(r.Lines, r.More)
			}
			if r.Entry.Unchanged {
				return fmt.Sprintf("Nothing was changed in %s: the new text is the same in %s%s", a.Path, places, lines), nil
			}
			return fmt.Sprintf("Replaced text in %s of %s%s", places, a.Path, lines), nil
		})
}

type editLinesArgs struct {
	Path    string       `json:"path" jsonschema:"Text file"`
	Edits   []lineEdit   `json:"edits" jsonschema:"Lines are numbered as before the edits"`
	Literal lenient.Bool `json:"literal,omitempty" jsonschema:"Write lines too that look like notes of Atelier's own"`
}

type lineEdit struct {
	Op       string       `json:"op" jsonschema:"replace, insert or delete"`
	Start    *lenient.Int `json:"start,omitempty" jsonschema:"replace, delete: first line, 1-based"`
	End      *lenient.Int `json:"end,omitempty" jsonschema:"replace, delete: last line, default start"`
	After    *lenient.Int `json:"after,omitempty" jsonschema:"insert: behind this line; 0 is the top"`
	Lines    []string     `json:"lines,omitempty" jsonschema:"replace, insert: the new lines"`
	Expected []string     `json:"expected,omitempty" jsonschema:"replace, delete: the lines as they are now, checked before anything changes"`
}

// change returns the edit as linepatch has it.
func (e lineEdit) change() (linepatch.Change, error) {
	op, ok := linepatch.ParseOp(e.Op)
	if !ok {
		return linepatch.Change{}, errors.New("op must be replace, insert or delete")
	}
	c := linepatch.Change{Op: op, Expected: e.Expected, Any: op != linepatch.Insert && len(e.Expected) == 0}
	for _, l := range e.Lines { // a line that holds line breaks is several
		for part := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(l, "\r\n", "\n"), "\n"), "\n") {
			c.New = append(c.New, part)
		}
	}
	switch {
	case op == linepatch.Insert && e.After == nil:
		return c, errors.New("insert needs after")
	case op == linepatch.Insert:
		c.After = int(*e.After)
	case e.Start == nil:
		return c, fmt.Errorf("%s needs start", op)
	default:
		c.Start = int(*e.Start)
		c.End = c.Start
		if e.End != nil {
			c.End = int(*e.End)
		}
	}
	return c, nil
}

// place orders edits from top to bottom; an insert comes before what follows it.
func place(c linepatch.Change) (from, to int) {
	if c.Op == linepatch.Insert {
		return c.After, c.After
	}
	return c.Start - 1, c.End
}

// editNames are the arguments of linepatch's messages as edit_lines names them.
var editNames = strings.NewReplacer("expectedOriginalLines", "expected", "newLines", "lines", "afterLine", "after", "startLine", "start", "endLine", "end")

func workshopEditLines(t *tools.Tool) tools.Binding {
	return tools.BindFunc("edit_lines", "Replace, insert and delete lines of a text file; it may have any size, and all edits are made or none.", t,
		func(ctx context.Context, env *tools.Env, a editLinesArgs, call func(files.EditLinesArgs) (files.EditedLines, error)) (any, error) {
			p, err := tools.ParsePath(a.Path)
			if err != nil {
				return nil, err
			}
			if len(a.Edits) == 0 {
				return nil, workshop.Faultf(workshop.Invalid, "edits needs at least one edit").OnField("edits")
			}
			changes, order := make([]linepatch.Change, len(a.Edits)), make([]int, len(a.Edits))
			for i, e := range a.Edits {
				order[i] = i
				if changes[i], err = e.change(); err != nil {
					return nil, workshop.Faultf(workshop.Invalid, "edit %d: %w", i+1, err).OnField("edits")
				}
			}
			slices.SortStableFunc(order, func(x, y int) int {
				fromX, toX := place(changes[x])
				fromY, toY := place(changes[y])
				return cmp.Or(cmp.Compare(fromX, fromY), cmp.Compare(toX, toY))
			})
			in := files.EditLinesArgs{Path: p, Literal: bool(a.Literal)}
			for _, i := range order {
				in.Changes = append(in.Changes, changes[i])
			}
			r, err := call(in)
			if err != nil {
				return nil, editFault(ctx, err, order)
			}
			if r.Entry.Unchanged {
				return fmt.Sprintf("Nothing was changed in %s: the lines are the same already", p), nil
			}
			return fmt.Sprintf("Edited %s: it had %d lines and has %d%s", p, r.Before, r.After, whatWas(in.Changes, r.Firsts)), nil
		})
}

// editFault names the edit that does not fit, and the arguments as the workshop has
// them.
func editFault(ctx context.Context, err error, order []int) error {
	f := *tools.FaultOf(ctx, err)
	var le *linepatch.Error
	if errors.As(f.Err, &le) && le.Index < len(order) {
		f.Message, f.Field = fmt.Sprintf("edit %d: %s", order[le.Index]+1, editNames.Replace(le.Message)), "edits"
		if le.Conflict {
			f.Hint = "read the lines again; nothing was changed"
		}
	}
	return &f
}

// toldEdits is how many edits whatWas tells of.
const toldEdits = 5

// whatWas says which lines were replaced or deleted without having been expected, so
// that a wrong number shows.
func whatWas(changes []linepatch.Change, firsts []string) string {
	var said []string
	more := 0
	for i, c := range changes {
		switch {
		case !c.Any:
		case len(said) == toldEdits:
			more++
		case c.Start == c.End:
			said = append(said, fmt.Sprintf("line %d was %q", c.Start, textclip.Head(firsts[i], 80)))
		default:
			said = append(said, fmt.Sprintf("lines %d-%d began with %q", c.Start, c.End, textclip.Head(firsts[i], 80)))
		}
	}
	if len(said) == 0 {
		return ""
	}
	if more > 0 {
		said = append(said, fmt.Sprintf("and %d more edits", more))
	}
	return "; " + strings.Join(said, "; ")
}
