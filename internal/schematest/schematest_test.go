package schematest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWalk(t *testing.T) {
	refs := map[string]string{"#/r": `{"type":"object","description":"r","properties":{"z":{"type":"string"}}}`}
	decode := func(text string) (v any) {
		require.NoError(t, json.Unmarshal([]byte(text), &v))
		return v
	}
	for schema, lacks := range map[string][]string{
		`{"type":"object","properties":{"b":{"type":"string","description":"b"}}}`: nil,
		`{"type":"object","properties":{"b":{"type":"string"}}}`:                   {"a.b: no description"},
		`{"type":"object","properties":{"b":{"description":"b"}}}`:                 {"a.b: no type"},
		`{"type":"object","properties":{"b":true}}`:                                {"a.b: no description", "a.b: any value is allowed"},
		`{"type":"object"}`:                                                                {"a: an object without members"},
		`{"type":["null","object"]}`:                                                       {"a: an object without members"},
		`{"type":"object","additionalProperties":{}}`:                                      {"a: an object without members", "a{}: no type"},
		`{"type":"object","additionalProperties":{"not":{}}}`:                              nil,
		`{"type":"object","additionalProperties":false}`:                                   nil,
		`{"type":"object","additionalProperties":{"type":"string"}}`:                       nil,
		`{"type":"array"}`:                                                                 {"a: a list without the type of its items"},
		`{"type":"array","items":{"type":"object","properties":{"c":{"type":"integer"}}}}`: {"a[].c: no description"},
		`{"oneOf":[{"type":"string"},{"type":"object"}]}`:                                  {"a|1: an object without members"},
		`{"$ref":"#/r"}`: {"r.z: no description"},
		`{"type":"object","properties":{"b":{"$ref":"#/r"}}}`:                         {"r.z: no description"},
		`{"type":"object","properties":{"open":{"type":"object","description":"o"}}}`: nil,
	} {
		w := Walker{Resolve: func(ref string) any { return decode(refs[ref]) }, Open: map[string]string{"a.open": "why", "a.other": "why"}}
		w.Walk("a", decode(schema))
		require.Equal(t, lacks, w.Lacks, schema)
		require.Contains(t, w.Unused(), "a.other")
	}
}
