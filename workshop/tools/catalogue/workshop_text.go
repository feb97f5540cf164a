package catalogue

import (
	"fmt"

	"atelier/internal/lenient"
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
	return tools.Bind("replace_text", "Replace text everywhere in a text file of any size, in the draft.", t,
		func(_ *tools.Env, a replaceTextArgs) (files.ReplaceArgs, error) {
			p, err := tools.ParsePath(a.Path)
			return files.ReplaceArgs{Path: p, Search: a.Search, Replace: a.Replace, Regexp: bool(a.Regex), Expect: a.Expect.Ptr(), Literal: bool(a.Literal)}, err
		},
		func(_ *tools.Env, a replaceTextArgs, r files.Replaced) (any, error) {
			places := "1 place"
			if r.Hits != 1 {
				places = fmt.Sprintf("%d places", r.Hits)
			}
			if r.Hits > 0 {
				places += ", " + files.OnLines(r.Lines, r.More)
			}
			if r.Entry.Unchanged {
				return fmt.Sprintf("Nothing was changed in %s: the text is the same in %s", a.Path, places), nil
			}
			return fmt.Sprintf("Replaced the text in %s of %s", places, a.Path), nil
		})
}
