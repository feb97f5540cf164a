package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"

	"atelier/internal/lenient"
)

// Method is one row of the protocol: what docs/protocol.md and the schema say
// of it comes from here.
type Method struct {
	Name    string
	Summary string       // one sentence for docs
	Params  reflect.Type // struct with json tags
	Result  reflect.Type
	call    func(*Engine, context.Context, json.RawMessage) (any, error)
}

// Empty is the params or result of a method that has none: {}.
type Empty struct{}

// method makes a row from a typed function.
func method[P, R any](name, summary string, fn func(*Engine, context.Context, P) (R, error)) *Method {
	return &Method{
		Name: name, Summary: summary,
		Params: reflect.TypeFor[P](), Result: reflect.TypeFor[R](),
		call: func(e *Engine, ctx context.Context, raw json.RawMessage) (any, error) {
			var p P
			if err := decodeParams(raw, &p); err != nil {
				return nil, err
			}
			return fn(e, ctx, p)
		},
	}
}

// decodeParams accepts an object, null or nothing; unknown members are ignored.
func decodeParams(raw json.RawMessage, into any) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	if raw[0] != '{' {
		return &ErrorInfo{ErrorCode: CodeInvalidParams, Detail: "params must be an object"}
	}
	err := json.Unmarshal(raw, into)
	var typ *json.UnmarshalTypeError
	switch {
	case err == nil:
		return missingSwitch(raw, reflect.TypeOf(into).Elem())
	case errors.As(err, &typ):
		return &ErrorInfo{ErrorCode: CodeInvalidParams, Detail: fmt.Sprintf("%s: expected %s, got %s", typ.Field, lenient.TypeName(typ.Type), typ.Value)}
	}
	return &ErrorInfo{ErrorCode: CodeInvalidParams, Detail: err.Error()}
}

// missingSwitch refuses params without a boolean that is not optional: what was
// left out by mistake would switch something off.
func missingSwitch(raw json.RawMessage, t reflect.Type) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type.Kind() != reflect.Bool || name == "" || opts != "" {
			continue
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return err
		}
		if v := members[name]; v == nil || string(v) == "null" {
			return validation(name + " is required")
		}
	}
	return nil
}

// CallAs calls a method with typed params and result.
func CallAs[R any](ctx context.Context, e *Engine, method string, params any) (r R, err error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return r, err
	}
	v, err := e.Call(ctx, method, raw)
	if err != nil {
		return r, err
	}
	r, ok := v.(R)
	if !ok {
		return r, fmt.Errorf("%s gives a %T", method, v)
	}
	return r, nil
}

var table map[string]*Method

func lookup(name string) *Method { return table[name] }

// Methods lists the protocol's methods by name.
func Methods() []*Method {
	list := make([]*Method, 0, len(table))
	for _, m := range table {
		list = append(list, m)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

func init() {
	table = map[string]*Method{}
	for _, group := range [][]*Method{engineMethods(), memoryMethods(), workbenchMethods(), workshopMethods(), contextMethods(), draftMethods(), historyMethods(), versionMethods(), reviewMethods(), providerMethods(), toolMethods(), sessionMethods(), translateMethods(), egressMethods(), steerMethods(), regenerateMethods(), approvalMethods(), skillMethods(), usageMethods(), passwordMethods(), eventMethods(), uploadMethods(), budgetMethods(), serverMethods(), legacyMethods()} {
		for _, m := range group {
			if table[m.Name] != nil {
				panic("engine: the method " + m.Name + " stands twice in the table")
			}
			table[m.Name] = m
		}
	}
}

// EngineInfo is the result of EngineGetInfo.
type EngineInfo struct {
	EngineVersion string `json:"engine_version"`
	APIVersion    string `json:"api_version"`
}

func engineMethods() []*Method {
	return []*Method{
		method("EngineGetInfo", "Versions of the engine and of the protocol.",
			func(*Engine, context.Context, Empty) (EngineInfo, error) {
				return EngineInfo{EngineVersion: Version, APIVersion: APIVersion}, nil
			}),
	}
}

// legacyMethods answer the peer's old proposal flow (C-49).
func legacyMethods() []*Method {
	var ms []*Method
	for _, name := range []string{"WorkshopStreamAssistantReply", "WorkshopProposeChanges", "WorkshopApplyProposal"} {
		ms = append(ms, method(name, "Not supported: the proposal flow was replaced by WorkshopRunAgent.",
			func(*Engine, context.Context, Empty) (Empty, error) {
				return Empty{}, validation("not supported; use WorkshopRunAgent")
			}))
	}
	return ms
}

// HasMethod reports whether the protocol has a method of that name.
func HasMethod(name string) bool { return table[name] != nil }

// Has is HasMethod.
func (e *Engine) Has(method string) bool { return HasMethod(method) }
