package tools

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/workshop"
)

// Binding is a tool as one catalogue presents it.
type Binding struct {
	Name        string // in the catalogue
	Description string
	Tool        *Tool
	Schema      *jsonschema.Schema // of the arguments in the catalogue
	takes       reflect.Type       // what arguments are decoded into
	gives       reflect.Type       // of results that are objects, nil where nothing is said of them
	call        func(context.Context, *Env, json.RawMessage) (any, error)
}

// Direct presents a tool with its own arguments and results.
func Direct(name string, t *Tool) Binding {
	return Binding{Name: name, Description: t.Description, Tool: t, Schema: t.Schema, takes: t.takes, gives: t.gives,
		call: func(ctx context.Context, env *Env, raw json.RawMessage) (any, error) {
			a, err := t.decode(raw)
			if err != nil {
				return nil, err
			}
			return t.run(ctx, env, a)
		}}
}

// Bind presents a tool with arguments W, which in turns into the tool's own,
// parsing paths by the catalogue's policy; out turns the result into the
// catalogue's shape. R is the type of the tool's result.
func Bind[W, A, R any](name, description string, t *Tool, in func(*Env, W) (A, error), out func(*Env, W, R) (any, error)) Binding {
	schema := mustSchema[W](name)
	return Binding{Name: name, Description: description, Tool: t, Schema: schema, takes: reflect.TypeFor[W](),
		call: func(ctx context.Context, env *Env, raw json.RawMessage) (any, error) {
			var w W
			if err := decode(raw, schema, &w); err != nil {
				return nil, err
			}
			a, err := in(env, w)
			if err != nil {
				return nil, err
			}
			r, err := t.run(ctx, env, a)
			if err != nil {
				return nil, err
			}
			return out(env, w, r.(R))
		}}
}

// Gives says that the results in the catalogue are objects that have, among others, the
// members of a struct.
func (b Binding) Gives(result reflect.Type) Binding {
	b.gives = result
	return b
}

// Worded returns the binding with its failures put into the catalogue's words: say
// gets every fault and returns it or a better one.
func (b Binding) Worded(say func(*workshop.Fault) *workshop.Fault) Binding {
	call := b.call
	b.call = func(ctx context.Context, env *Env, raw json.RawMessage) (any, error) {
		v, err := call(ctx, env, raw)
		if err != nil {
			return nil, say(FaultOf(ctx, err))
		}
		return v, nil
	}
	return b
}
