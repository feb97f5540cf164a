package tasks

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

func init() {
	Checks["pivot"] = "pivot FILE SHEET PATTERN: the sheet has a pivot table \"rows FIELD, FIELD; columns FIELD; values sum FIELD\" with the pattern; a part without fields is left out"
	least["pivot"], doing["pivot"] = 3, pivot
}

// axis are the fields of a pivot table on rows or columns; -2 stands for the values.
type axis struct {
	Fields []struct {
		X int `xml:"x,attr"`
	} `xml:"field"`
}

func (a axis) names(cache []string) (list []string) {
	for _, f := range a.Fields {
		if f.X >= 0 && f.X < len(cache) {
			list = append(list, cache[f.X])
		}
	}
	return list
}

func pivot(_ context.Context, s *state, a []string) error {
	b, err := s.file(a[0])
	if err != nil {
		return err
	}
	p, err := parts(b)
	if err != nil {
		return err
	}
	re, err := regexp.Compile(a[2])
	if err != nil {
		return err
	}
	part, err := sheetPart(p, a[1])
	if err != nil {
		return err
	}
	rels, err := related(p, part)
	if err != nil {
		return err
	}
	has := []string{}
	for target, kind := range rels {
		if kind != "pivotTable" {
			continue
		}
		text, err := pivotText(p, target)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		if re.MatchString(text) {
			return nil
		}
		has = append(has, text)
	}
	if len(has) == 0 {
		return errors.New("the sheet has no pivot table")
	}
	return fmt.Errorf("the pivot tables of the sheet are %q", has)
}

// pivotText describes a pivot table (ECMA-376 part 1, 18.10.1.73).
func pivotText(p map[string][]byte, part string) (string, error) {
	var t struct {
		Rows    axis `xml:"rowFields"`
		Columns axis `xml:"colFields"`
		Values  []struct {
			Field    int    `xml:"fld,attr"`
			Function string `xml:"subtotal,attr"`
		} `xml:"dataFields>dataField"`
	}
	if err := xml.Unmarshal(p[part], &t); err != nil {
		return "", err
	}
	cache, err := cacheFields(p, part)
	if err != nil {
		return "", err
	}
	var words []string
	if list := t.Rows.names(cache); len(list) > 0 {
		words = append(words, "rows "+strings.Join(list, ", "))
	}
	if list := t.Columns.names(cache); len(list) > 0 {
		words = append(words, "columns "+strings.Join(list, ", "))
	}
	var values []string
	for _, v := range t.Values {
		if v.Function == "" {
			v.Function = "sum"
		}
		if v.Field >= 0 && v.Field < len(cache) {
			values = append(values, v.Function+" "+cache[v.Field])
		}
	}
	if len(values) > 0 {
		words = append(words, "values "+strings.Join(values, ", "))
	}
	return strings.Join(words, "; "), nil
}

// cacheFields are the names of the fields of a pivot table.
func cacheFields(p map[string][]byte, part string) (names []string, err error) {
	rels, err := related(p, part)
	if err != nil {
		return nil, err
	}
	for target, kind := range rels {
		if kind != "pivotCacheDefinition" {
			continue
		}
		var cache struct {
			Fields []struct {
				Name string `xml:"name,attr"`
			} `xml:"cacheFields>cacheField"`
		}
		if err := xml.Unmarshal(p[target], &cache); err != nil {
			return nil, err
		}
		for _, f := range cache.Fields {
			names = append(names, f.Name)
		}
		return names, nil
	}
	return nil, errors.New("it has no cache")
}
