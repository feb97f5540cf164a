package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/internal/lenient"
	"atelier/workshop"
)

// decode reads a call's arguments: a JSON object in which null means absent,
// unknown members are left out (A-16; Call names them) and required ones must be there.
func decode(raw json.RawMessage, schema *jsonschema.Schema, into any) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		if err == nil {
			err = errors.New("expected an object")
		}
		return invalidArguments("", "%s", describeJSON(err))
	}
	for _, name := range schema.Required {
		if v, ok := members[name]; !ok || string(v) == "null" {
			return missingArgument(name)
		}
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return badMember(members, into, err)
	}
	return nil
}

// missing is the cause of a fault about an argument that is absent.
type missing string

func (m missing) Error() string { return string(m) + " is required" }

func missingArgument(name string) error {
	m := missing(name)
	return &workshop.Fault{Code: workshop.Invalid, Message: m.Error(), Field: name, Err: m}
}

// malformed is the cause of a fault about arguments that are not what the
// schema says.
type malformed string

func (m malformed) Error() string { return string(m) }

func invalidArguments(field, format string, args ...any) error {
	m := malformed("invalid arguments: " + fmt.Sprintf(format, args...))
	return &workshop.Fault{Code: workshop.Invalid, Message: m.Error(), Field: field, Err: m}
}

// MissingArgument reports whether a fault is about an argument that is absent.
func MissingArgument(f *workshop.Fault) bool {
	_, ok := f.Err.(missing)
	return ok
}

// Malformed reports whether a fault is about the form of the arguments (one
// that is missing or has another type), so that the tool itself never saw them.
func Malformed(f *workshop.Fault) bool {
	switch f.Err.(type) {
	case missing, malformed:
		return true
	}
	return false
}

// badMember finds which member did not fit, since encoding/json does not say it
// for types that decode themselves.
func badMember(members map[string]json.RawMessage, into any, err error) error {
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) && typ.Field != "" {
		field := typ.Field
		if top, rest, ok := strings.Cut(field, "."); ok && members[top] == nil {
			field = rest // the name of an embedded struct, which is no argument
		}
		return invalidArguments(field, "%s: expected %s, got %s", field, lenient.TypeName(typ.Type), typ.Value)
	}
	for name, v := range members {
		one, merr := json.Marshal(map[string]json.RawMessage{name: v})
		if merr != nil {
			continue
		}
		fresh := reflect.New(reflect.TypeOf(into).Elem()).Interface()
		if ferr := json.Unmarshal(one, fresh); ferr != nil {
			return invalidArguments(name, "%s: %s", name, describeJSON(ferr))
		}
	}
	return invalidArguments("", "%s", describeJSON(err))
}

func describeJSON(err error) string {
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &typ):
		return fmt.Sprintf("expected %s, got %s", lenient.TypeName(typ.Type), typ.Value)
	case strings.Contains(err.Error(), "unexpected end"):
		return "the JSON is cut off"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
