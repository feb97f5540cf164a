package lenient

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// maxUnknown limits the names that Unknown returns.
const maxUnknown = 50

// Unknown returns the members of a JSON value that decoding into a t ignores,
// each name once and in the order of the value: "colour", and "cells.colour"
// for one of the objects in the list cells. Members that are null count as
// absent. Everything inside an any, a map or a json.RawMessage counts as
// known.
func Unknown(value json.RawMessage, t reflect.Type) []string {
	w := &unknown{dec: json.NewDecoder(bytes.NewReader(value))}
	w.dec.UseNumber()
	w.value("", t)
	return w.names
}

// unknown walks a value together with the type that it is decoded into.
type unknown struct {
	dec   *json.Decoder
	names []string
	bad   bool // the value cannot be read any further
}

// skip skips a value; present is false for null and for an invalid value.
func (w *unknown) skip() (present bool) {
	var raw json.RawMessage
	if w.dec.Decode(&raw) != nil {
		w.bad = true
	}
	return !w.bad && string(raw) != "null"
}

func (w *unknown) value(path string, t reflect.Type) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !holdsMembers(t) {
		w.skip()
		return
	}
	token, err := w.dec.Token()
	w.bad = w.bad || err != nil
	switch token {
	case json.Delim('['):
		elem := reflect.Type(nil)
		if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
			elem = t.Elem()
		}
		for !w.bad && w.dec.More() {
			w.value(path, elem)
		}
	case json.Delim('{'):
		w.object(path, t)
	default:
		return
	}
	if _, err := w.dec.Token(); err != nil {
		w.bad = true
	}
}

func (w *unknown) object(path string, t reflect.Type) {
	for !w.bad && w.dec.More() {
		token, err := w.dec.Token()
		name, ok := token.(string)
		if w.bad = err != nil || !ok; w.bad {
			return
		}
		switch member, known := memberType(t, name); {
		case known:
			w.value(path+name+".", member)
		case w.skip() && len(w.names) < maxUnknown && !slices.Contains(w.names, path+name):
			w.names = append(w.names, path+name)
		}
	}
}

// holdsMembers reports whether values of a type have members that can be
// unknown: structs, and lists and maps of them.
func holdsMembers(t reflect.Type) bool {
	if t == nil {
		return false
	}
	switch t.Kind() {
	case reflect.Struct:
		return len(membersByName(t)) > 0 || t.NumField() == 0
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Pointer:
		return holdsMembers(t.Elem())
	}
	return false
}

// memberType returns the type of a member of an object that is decoded into a
// t.
func memberType(t reflect.Type, name string) (reflect.Type, bool) {
	if t.Kind() == reflect.Map {
		return t.Elem(), true
	}
	if t.Kind() != reflect.Struct {
		return nil, true // decoding reports the error
	}
	byName := membersByName(t)
	if m, ok := byName[name]; ok {
		return m, true
	}
	m, ok := byName[strings.ToLower(name)]
	return m, ok
}

var byNameCache sync.Map // reflect.Type → map[string]reflect.Type

// membersByName maps the names of a struct's members, also in lower case, to
// their types, because encoding/json ignores case.
func membersByName(t reflect.Type) map[string]reflect.Type {
	if m, ok := byNameCache.Load(t); ok {
		return m.(map[string]reflect.Type)
	}
	m := map[string]reflect.Type{}
	for _, f := range Members(t) {
		m[MemberName(f)], m[strings.ToLower(MemberName(f))] = f.Type, f.Type
	}
	byNameCache.Store(t, m)
	return m
}

// Members returns the fields of a struct that encoding/json decodes,
// including those of embedded structs.
func Members(t reflect.Type) []reflect.StructField {
	var out []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		if name := MemberName(f); name != "" && f.IsExported() {
			out = append(out, f)
		}
	}
	return out
}

// MemberName returns the JSON name of a field, or "" if it has none.
func MemberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "-":
		return ""
	case name == "" && !f.Anonymous:
		return f.Name
	}
	return name
}
