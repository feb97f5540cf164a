package catalogue

import (
	"strings"
	"sync"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/retrieval"
	"atelier/workshop/tools"
	"atelier/workshop/tools/convert"
	"atelier/workshop/tools/docs"
	"atelier/workshop/tools/files"
	"atelier/workshop/tools/fill"
	"atelier/workshop/tools/look"
	"atelier/workshop/tools/office"
	"atelier/workshop/tools/plans"
	"atelier/workshop/tools/questions"
	"atelier/workshop/tools/segments"
	"atelier/workshop/tools/tables"
)

// Builtin returns a registry with every tool there is.
func Builtin() *tools.Registry {
	r := tools.NewRegistry()
	for _, t := range []*tools.Tool{
		files.List(), files.Info(), files.Read(), files.Write().Idempotent(),
		files.Edit(), files.Mkdir().Idempotent(), files.Remove().Idempotent(), files.Move(), files.Copy(), files.ReplaceText(), files.EditLines(), files.Touch(), files.Patch(),
		files.Grep(), files.Glob(), files.Find(), files.ReadMany(), files.Concat(),
		plans.Write(), plans.Read(), plans.Edit(), plans.List(),
		office.Operations(formats.KindXlsx), office.Operations(formats.KindDocx), office.Operations(formats.KindPptx), office.Audit(), office.Calculate(),
		tables.Describe(), tables.Stats(), tables.ReadRows(), tables.Query(), tables.Export(), tables.Update().Idempotent(),
		segments.Get(), segments.Put().Idempotent(), tools.RecallToolResult(), tools.ReadSkill(), look.Render(), files.SearchFiles(), convert.Convert(), fill.Template(),
		docs.Hash(), docs.CodeHash(), docs.Search(retrieval.Docs), docs.Search(retrieval.Code), questions.AskUser(), questions.ExitPlanMode(),
	} {
		if err := r.Register(t); err != nil {
			panic("catalogue: " + err.Error())
		}
	}
	return r
}

// catalogues are made once: their schemas take a while.
var catalogues = map[string]func() *tools.Catalogue{
	"workshop":   sync.OnceValue(func() *tools.Catalogue { return must(newWorkshop(Builtin())) }),
	"buildscale": sync.OnceValue(func() *tools.Catalogue { return must(newBuildscale(Builtin())) }),
	"aptix":      sync.OnceValue(func() *tools.Catalogue { return must(newAptix(Builtin())) }),
	"sila":       sync.OnceValue(func() *tools.Catalogue { return must(newSila(Builtin())) }),
}

// Names returns the catalogues there are, the usual one first.
func Names() []string { return []string{"workshop", "buildscale", "aptix", "sila"} }

// Named returns the catalogue of that name; "" is the workshop's.
func Named(name string) (*tools.Catalogue, error) {
	if name == "" {
		name = "workshop"
	}
	if c, ok := catalogues[name]; ok {
		return c(), nil
	}
	return nil, workshop.Unknownf("unknown catalogue: %s (there are %s)", name, strings.Join(Names(), ", ")).OnField("catalogue")
}

// Workshop returns the catalogue of agent runs: results are text, failures begin
// with "Error: ".
func Workshop() *tools.Catalogue { return catalogues["workshop"]() }

func must(c *tools.Catalogue, err error) *tools.Catalogue {
	if err != nil {
		panic("catalogue: " + err.Error())
	}
	return c
}

// binder binds tools of a registry, leaving out those it does not have.
type binder struct {
	reg  *tools.Registry
	list []tools.Binding
}

// direct binds tools by their own names, arguments and results.
func (b *binder) direct(names ...string) {
	for _, n := range names {
		if t, err := b.reg.Lookup(n); err == nil {
			b.list = append(b.list, tools.Direct(n, t))
		}
	}
}

// bind adds a binding of the canonical tool.
func (b *binder) bind(canonical string, f func(*tools.Tool) tools.Binding) {
	if t, err := b.reg.Lookup(canonical); err == nil {
		b.list = append(b.list, f(t))
	}
}
