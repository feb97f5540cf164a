package office

import (
	"context"
	"reflect"

	"atelier/formats"
	"atelier/formats/xlsx/whatif"
	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
)

type calculateArgs struct {
	Path      string         `json:"path" jsonschema:"xlsx file"`
	Set       map[string]any `json:"set,omitempty" jsonschema:"Sheet!A1 (or a name) to value or =formula"`
	Scenarios []scenarioArg  `json:"scenarios,omitempty" jsonschema:"Several sets by name, instead"`
	Read      []string       `json:"read,omitempty" jsonschema:"Cells, ranges, names; default: what changes"`
	Goal      *goalArg       `json:"goal,omitempty" jsonschema:"Find the number in by_changing with which cell is value"`
}

type scenarioArg struct {
	Name string         `json:"name"`
	Set  map[string]any `json:"set"`
}

type goalArg struct {
	Cell       string         `json:"cell"`
	Value      lenient.Float  `json:"value"`
	ByChanging string         `json:"by_changing"`
	Min        *lenient.Float `json:"min,omitempty"`
	Max        *lenient.Float `json:"max,omitempty"`
}

// calculateResult is the answer of the tool calculate.
type calculateResult struct {
	Path string `json:"path"`
	*whatif.Answer
	Omitted int `json:"cells_omitted,omitempty"` // that did not fit
}

// Calculate returns the tool that says what cells would be if others were changed.
func Calculate() *tools.Tool {
	return tools.New("calculate", "Say what cells of a workbook would be if others were changed, without changing it: what-if, scenarios, goal seek.", tools.Read, calculate).Gives(reflect.TypeFor[calculateResult]())
}

func calculate(ctx context.Context, env *tools.Env, a calculateArgs) (any, error) {
	src, f, err := tools.OpenFile(ctx, env, a.Path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if f.Kind != formats.KindXlsx {
		return nil, workshop.Faultf(workshop.Invalid, "%s is %s file; calculate takes xlsx files", a.Path, f.Kind.WithArticle()).OnField("path")
	}
	q := whatif.Question{Set: a.Set, Read: a.Read, Language: env.Formats.Language}
	for _, s := range a.Scenarios {
		q.Scenarios = append(q.Scenarios, whatif.Scenario{Name: s.Name, Set: s.Set})
	}
	if g := a.Goal; g != nil {
		q.Goal = &whatif.Goal{Cell: g.Cell, Value: float64(g.Value), ByChanging: g.ByChanging, Min: (*float64)(g.Min), Max: (*float64)(g.Max)}
	}
	answer, err := whatif.Ask(ctx, src, q)
	if err != nil {
		return nil, err
	}
	out := calculateResult{Path: a.Path, Answer: answer}
	for {
		b, err := tools.Compact(out)
		if err != nil || len(b) <= env.Max() || len(answer.Cells) <= 1 {
			return out, err
		}
		keep := len(answer.Cells) * 3 / 4
		out.Omitted += len(answer.Cells) - keep
		answer.Cells = answer.Cells[:keep]
	}
}
