package fill

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/template"
	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
)

const (
	maxFiles  = 500
	maxOutput = 128 << 20 // bytes of all files of a call
)

type fillArgs struct {
	Path      string       `json:"path" jsonschema:"docx, xlsx or pptx with {{name}}, {{photo|image}}, merge fields, {{#if x}}, {{#each list}}"`
	Data      any          `json:"data" jsonschema:"Object, array of objects, or path of csv, xlsx or json"`
	Target    string       `json:"target_path" jsonschema:"With {column} in it: a file for each row; else one for all"`
	Sheet     string       `json:"sheet,omitempty" jsonschema:"Of data"`
	Language  string       `json:"language,omitempty" jsonschema:"Of dates and numbers, like de"`
	Overwrite lenient.Bool `json:"overwrite,omitempty"`
}

// Template returns the tool that fills a template.
func Template() *tools.Tool {
	return tools.New("fill_template", "Fill a template: mail merge, forms, repeated rows and slides. All files of a call are made, or none.", tools.Write, fillTemplate)
}

// fillTemplate fills a template and puts the files that it makes.
func fillTemplate(ctx context.Context, env *tools.Env, a fillArgs) (any, error) {
	from, err := tools.ParsePath(a.Path)
	if err != nil {
		return nil, err
	}
	if kind := formats.KindOfName(string(from)); kind != formats.KindDocx && kind != formats.KindXlsx && kind != formats.KindPptx {
		return nil, workshop.Faultf(workshop.Invalid, "%s is no template: a docx, xlsx or pptx is filled", from).OnField("path")
	}
	records, err := readData(ctx, env, a.Data, a.Sheet)
	if err != nil {
		return nil, err
	}
	targets, err := targetsOf(ctx, env, from, a, records)
	if err != nil {
		return nil, err
	}
	src, err := env.View.Open(ctx, from)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if opc.Locked(src) {
		return nil, workshop.Faultf(workshop.Invalid, "%s is encrypted with a password, and the new files would have its content without one; nothing was written", from)
	}
	tally := template.NewTally()
	if err := makeFiles(ctx, env, src, targets, a, tally); err != nil {
		return nil, err
	}
	return answer(from, targets, records, tally), nil
}

// target is one file to make.
type target struct {
	path    workshop.Path
	records []template.Record
	there   bool // it replaces a file
}

// makeFiles fills all targets in memory and puts them as one change.
func makeFiles(ctx context.Context, env *tools.Env, src formats.Source, targets []target, a fillArgs, tally *template.Tally) error {
	var puts []workshop.Put
	total := 0
	for _, t := range targets {
		var out bytes.Buffer
		if err := template.Fill(ctx, src, &out, t.records, template.Options{Language: a.Language, Open: opener(env)}, tally); err != nil {
			return err
		}
		if total += out.Len(); total > maxOutput {
			return workshop.Faultf(workshop.Invalid, "the files would have more than %d MiB; fill a part of the rows, then the others", maxOutput>>20)
		}
		puts = append(puts, workshop.Put{Path: t.path, Options: workshop.PutOptions{CreateOnly: !t.there}, Write: func(w io.Writer) error {
			_, err := w.Write(out.Bytes())
			return err
		}})
	}
	if len(puts) == 1 {
		_, err := env.View.Put(ctx, puts[0].Path, puts[0].Options, puts[0].Write)
		return err
	}
	all, ok := env.View.(workshop.Batcher)
	if !ok {
		return workshop.Faultf(workshop.Invalid, "several files cannot be made together here; give a target_path without {column}")
	}
	_, err := all.PutAll(ctx, puts)
	return err
}

// opener opens the pictures that data names, as paths in the folder.
func opener(env *tools.Env) func(context.Context, string) (formats.SourceCloser, error) {
	return func(ctx context.Context, name string) (formats.SourceCloser, error) {
		p, err := tools.ParsePath(name)
		if err != nil {
			return nil, err
		}
		return env.View.Open(ctx, p)
	}
}

// targetsOf finds the files to make and what is in the way.
func targetsOf(ctx context.Context, env *tools.Env, from workshop.Path, a fillArgs, records []template.Record) ([]target, error) {
	field := func(err error) error { return workshop.AsFault(err).OnField("target_path") }
	if !strings.EqualFold(path.Ext(a.Target), path.Ext(string(from))) {
		return nil, workshop.Faultf(workshop.Invalid, "target_path must end in %s, as the template does", path.Ext(string(from))).OnField("target_path")
	}
	list := []target{{records: records}}
	if strings.Contains(a.Target, "{") {
		if len(records) > maxFiles {
			return nil, workshop.Faultf(workshop.Invalid, "the data has %d rows, and a call makes at most %d files; fill a part of the rows, then the others", len(records), maxFiles).OnField("data")
		}
		list = nil
		for _, r := range records {
			list = append(list, target{records: []template.Record{r}})
		}
	}
	seen := map[workshop.Path]int{}
	for i := range list {
		name := a.Target
		var err error
		if strings.Contains(a.Target, "{") {
			if name, err = template.Name(a.Target, records[i], i+1); err != nil {
				return nil, field(fmt.Errorf("row %d: %w", i+1, err))
			}
		}
		if list[i].path, err = tools.ParsePath(name); err != nil {
			return nil, field(err)
		}
		key := workshop.Path(strings.ToLower(string(list[i].path)))
		if first, twice := seen[key]; twice {
			return nil, workshop.Faultf(workshop.Conflict, "rows %d and %d would both be %s; put a column into target_path that differs, or {#} for the number of the row", first, i+1, list[i].path).OnField("target_path")
		}
		seen[key] = i + 1
		if list[i].path == from {
			return nil, workshop.Faultf(workshop.Conflict, "%s is the template itself; give another target_path", from).OnField("target_path")
		}
		e, err := env.View.Stat(ctx, list[i].path)
		switch {
		case workshop.IsFault(err, workshop.NotFound):
		case err != nil:
			return nil, err
		case e.IsDir:
			return nil, workshop.Faultf(workshop.Conflict, "%s exists already: a folder", e.Path).OnField("target_path")
		case !bool(a.Overwrite):
			return nil, workshop.Faultf(workshop.Conflict, "%s exists already; nothing was written. Give another target_path, or overwrite: true", e.Path).OnField("target_path")
		default:
			list[i].there = true
		}
	}
	return list, nil
}

// answer tells what was made and what was not filled.
func answer(from workshop.Path, targets []target, records []template.Record, t *template.Tally) string {
	paths := make([]string, len(targets))
	replaced := 0
	for i, f := range targets {
		paths[i] = string(f.path)
		if f.there {
			replaced++
		}
	}
	lines := []string{fmt.Sprintf("Made %s from %s with %s: %s", formats.Count(len(paths), "file"), from, formats.Count(len(records), "row"), some(paths))}
	add := func(head string, items []string) {
		if len(items) > 0 {
			lines = append(lines, head+": "+some(items))
		}
	}
	if replaced > 0 {
		lines = append(lines, fmt.Sprintf("files that were there before and were replaced: %d", replaced))
	}
	add("filled", counted(t.Filled))
	if len(t.Filled) == 0 {
		lines = append(lines, "no placeholder was filled")
	}
	add("placeholders without data, left as they are", placed(t.Missing))
	add("block tags without a partner, left as they are", placed(t.Loose))
	if t.More() > 0 {
		lines = append(lines, fmt.Sprintf("places like these that are not named: %d", t.More()))
	}
	add("empty values", counted(t.Empty))
	add("data that no placeholder uses", t.Unused(records))
	return strings.Join(append(lines, t.Notes...), "\n")
}

func counted(m map[string]int) (out []string) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s ×%d", k, m[k]))
	}
	return out
}

func placed(m map[string]string) (out []string) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s (%s)", k, m[k]))
	}
	return out
}

// some lists the first 30.
func some(items []string) string {
	if n := len(items) - 30; n > 0 {
		items = append(slices.Clone(items[:30]), fmt.Sprintf("and %d more", n))
	}
	return strings.Join(items, ", ")
}
