package fill

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/tablequery"
	"atelier/formats/template"
	"atelier/workshop"
	"atelier/workshop/tools"
)

const maxJSON = 32 << 20 // bytes of a file with data

// readData returns the rows of the argument data.
func readData(ctx context.Context, env *tools.Env, data any, sheet string) ([]template.Record, error) {
	name, isText := data.(string)
	if ext := strings.ToLower(path.Ext(name)); sheet != "" && ext != ".xlsx" && ext != ".xlsm" {
		return nil, workshop.Faultf(workshop.Invalid, "sheet is of data that is a workbook; leave it out").OnField("sheet")
	}
	if strings.HasPrefix(strings.TrimSpace(name), "{") || strings.HasPrefix(strings.TrimSpace(name), "[") {
		return fromJSON([]byte(name))
	}
	if !isText {
		b, err := json.Marshal(data)
		if err != nil {
			return nil, err
		}
		return fromJSON(b)
	}
	p, err := tools.ParsePath(name)
	if err != nil {
		return nil, workshop.AsFault(err).OnField("data")
	}
	src, err := env.View.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	switch ext := strings.ToLower(path.Ext(string(p))); ext {
	case ".json":
		b, err := formats.ReadAll(src, maxJSON)
		if err != nil {
			return nil, err
		}
		return fromJSON(b)
	case ".csv", ".tsv", ".xlsx", ".xlsm":
		return fromTable(ctx, src, sheet)
	}
	return nil, workshop.Faultf(workshop.Invalid, "%s has no data to fill in: give a csv, xlsx or json file, an object, or an array of objects", p).OnField("data")
}

func fromJSON(b []byte) ([]template.Record, error) {
	bad := func(why string) error {
		return workshop.Faultf(workshop.Invalid, "data must be an object or an array of objects: %s", why).OnField("data")
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(b, []byte("\ufeff"))))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, bad(err.Error())
	}
	if r, ok := v.(template.Record); ok {
		return []template.Record{r}, nil
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return nil, bad("it is neither, or empty")
	}
	if len(list) > template.MaxRecords {
		return nil, tooMany()
	}
	var out []template.Record
	for i, e := range list {
		r, ok := e.(template.Record)
		if !ok {
			return nil, bad(fmt.Sprintf("item %d is no object", i+1))
		}
		out = append(out, r)
	}
	complete(out)
	return out, nil
}

// maxNames limits the names that are completed: many records with many names each
// would take the square of them.
const maxNames = 1000

// complete gives each record the names that any has, with nothing as their value.
func complete(records []template.Record) {
	all := map[string]bool{}
	for _, r := range records {
		for k := range r {
			all[k] = true
		}
	}
	if len(all) > maxNames {
		return
	}
	for _, r := range records {
		for k := range all {
			if _, ok := r[k]; !ok {
				r[k] = nil
			}
		}
	}
}

func tooMany() error {
	return workshop.Faultf(workshop.Invalid, "the data has more than %d rows; fill a part of them, then the others", template.MaxRecords).OnField("data")
}

// fromTable reads the rows of a csv or xlsx file with the types that table_query
// finds.
func fromTable(ctx context.Context, src formats.Source, sheet string) (out []template.Record, err error) {
	var cols []tablequery.ResultColumn
	q := tablequery.Query{Tables: []tablequery.Ref{{Source: src, Sheet: sheet}}, SQL: "SELECT * FROM data"}
	err = tablequery.Shared().Each(ctx, q, func(c []tablequery.ResultColumn) error {
		cols = c
		return nil
	}, func(value func(int) any) error {
		if len(out) == template.MaxRecords {
			return tooMany()
		}
		r := template.Record{}
		for i, c := range cols {
			switch v := value(i).(type) {
			case int64, float64:
				b, _ := json.Marshal(v)
				r[c.Name] = json.Number(b)
			default:
				r[c.Name] = v
			}
		}
		out = append(out, r)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = workshop.Faultf(workshop.Invalid, "the data has no rows; nothing was written").OnField("data")
	}
	return out, err
}
