package tools

import (
	"context"
	"encoding/json"
	"reflect"
)

// BindFunc presents a tool through a function of the catalogue's own, for
// catalogues that have to look something up, or to refuse, before the tool can
// run. call runs the tool, at most once; what fn returns is the result. The
// other parameters are those of Bind.
func BindFunc[W, A, R any](name, description string, t *Tool, fn func(ctx context.Context, env *Env, w W, call func(A) (R, error)) (any, error)) Binding {
	schema := mustSchema[W](name)
	return Binding{Name: name, Description: description, Tool: t, Schema: schema, takes: reflect.TypeFor[W](),
		call: func(ctx context.Context, env *Env, raw json.RawMessage) (any, error) {
			var w W
			if err := decode(raw, schema, &w); err != nil {
				return nil, err
			}
			return fn(ctx, env, w, func(a A) (R, error) {
				var zero R
				r, err := t.run(ctx, env, a)
				if err != nil {
					return zero, err
				}
				return r.(R), nil
			})
		}}
}
