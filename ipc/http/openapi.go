package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/engine"
	"atelier/llm"
	"atelier/workshop/tools/catalogue"
)

// object is a JSON object of the OpenAPI document.
type object = map[string]any

// serveOpenAPI is GET /api/v1/openapi.json.
func (s *Server) serveOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(s.openAPI)
	return err
}

// openAPI returns the document (OpenAPI 3.1) of the routes and of a
// catalogue's tools: one request body for each tool, selected by its member
// tool.
func openAPI(list []llm.Tool) ([]byte, error) {
	schemas := sharedSchemas()
	call, err := toolCallSchema(list, schemas)
	if err != nil {
		return nil, err
	}
	paths, err := openAPIPaths(call)
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{"title": "Atelier", "version": engine.APIVersion,
			"description": "Tools on the files of a workspace, and runs of a model that uses them.",
			"contact":     object{"name": "Atelier"},
			"license":     object{"name": "Apache-2.0", "identifier": "Apache-2.0"}},
		"servers":  []any{object{"url": "/", "description": "the server that gave this document"}},
		"security": []any{object{"bearer": []any{}}, object{"cookie": []any{}}},
		"paths":    paths,
		"tags":     tags(paths),
		"components": object{
			"schemas":   schemas,
			"responses": sharedResponses(),
			"securitySchemes": object{
				"bearer": object{"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
				"cookie": object{"type": "apiKey", "in": "cookie", "name": cookieName},
			},
		},
	}, "", "  ")
}

// toolCallSchema adds one schema for each tool to schemas and returns the
// schema that matches any of them.
func toolCallSchema(list []llm.Tool, schemas object) (object, error) {
	var oneOf []any
	mapping := object{}
	for _, t := range list {
		var args object
		if err := json.Unmarshal(t.Function.Parameters, &args); err != nil {
			return nil, fmt.Errorf("the schema of the tool %s: %w", t.Function.Name, err)
		}
		name := "call_" + t.Function.Name
		required := []string{"tool"}
		if needsArguments(t) {
			required = append(required, "args")
		}
		schemas[name] = object{
			"type": "object", "description": t.Function.Description, "required": required,
			"properties": object{
				"tool":      object{"type": "string", "const": t.Function.Name, "description": "the name of the tool"},
				"args":      described(args, "the arguments of the tool"),
				"plan_mode": object{"type": "boolean", "default": false, "description": "apply the guards of plan mode"},
				"catalogue": object{"type": "string", "enum": catalogue.Names(), "default": "buildscale", "description": "another catalogue, whose tools are not described here"},
			},
		}
		ref := "#/components/schemas/" + name
		oneOf, mapping[t.Function.Name] = append(oneOf, object{"$ref": ref}), ref
	}
	if len(oneOf) == 0 {
		return object{"type": "object"}, nil
	}
	return object{"oneOf": oneOf, "discriminator": object{"propertyName": "tool", "mapping": mapping}}, nil
}

// operation describes one route.
type operation struct {
	path, method, id, summary string
	body                      any    // schema of the request body; nil: none
	bodyOptional              bool   //
	rawBody                   bool   // the body is a file's bytes
	query                     []any  // parameters besides those of the path
	result                    any    // schema of result, or its reflect.Type; nil: that of engine
	engine                    string // the engine method that answers
	params                    string // the method whose params, without workbench_id, are the body
	owner                     bool   // only for the workspace's owner
	response                  object // instead of the usual 200
	open                      bool   // no token needed
	errors                    []int
}

func openAPIPaths(call object) (object, error) {
	paths := object{}
	for _, op := range operations(call) {
		item, ok := paths[op.path].(object)
		if !ok {
			item = object{}
			paths[op.path] = item
		}
		if op.engine != "" {
			schema, err := engine.ResultSchema(op.engine)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", op.method, op.path, err)
			}
			op.result = schema
		}
		if t, ok := op.result.(reflect.Type); ok {
			schema, err := engine.SchemaOf(t)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", op.method, op.path, err)
			}
			op.result = schema
		}
		if op.params != "" {
			schema, err := engine.ParamsSchema(op.params)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", op.method, op.path, err)
			}
			isIt := func(name string) bool { return name == "workbench_id" || name == "session_id" } // the path names it
			maps.DeleteFunc(schema.Properties, func(name string, _ *jsonschema.Schema) bool { return isIt(name) })
			schema.Required, schema.PropertyOrder = slices.DeleteFunc(schema.Required, isIt), slices.DeleteFunc(schema.PropertyOrder, isIt)
			schema.AdditionalProperties = nil // others are ignored
			op.body = schema
		}
		item[strings.ToLower(op.method)] = op.describe()
	}
	return paths, nil
}

// tag returns the group of a route: the segment after the workspace in its
// path.
func (op operation) tag() string {
	rest, ok := strings.CutPrefix(op.path, workspacePath+"/")
	if !ok {
		return "server"
	}
	tag, _, _ := strings.Cut(rest, "/")
	return tag
}

// tags lists the groups of the routes.
func tags(paths object) []any {
	about := map[string]string{
		"server": "What the server is and whose workspaces it has.", "tools": "Tools on the files of a workspace.", "files": "Contents, versions and pictures of files.",
		"questions": "What tools ask the user.", "conversation": "What was said and done.", "runs": "A model's work on a task.", "usage": "Tokens and costs.",
		"approvals": "What a model has to ask for.", "consents": "What may be sent to other machines.", "active-files": "Files open in an editor.",
		"draft": "What was changed and is not published.", "undo": "Going back to a message.", "checkpoints": "States of the published files that can be restored.",
		"models": "The models that there are.", "translations": "Translation jobs on the files of a workspace.",
	}
	used := map[string]bool{}
	for _, item := range paths {
		for _, op := range item.(object) {
			used[op.(object)["tags"].([]string)[0]] = true
		}
	}
	var out []any
	for _, name := range slices.Sorted(maps.Keys(used)) {
		out = append(out, object{"name": name, "description": about[name]})
	}
	return out
}

func (op operation) describe() object {
	ok := op.response
	if ok == nil {
		result := op.result
		if result == nil {
			result = object{}
		}
		ok = object{"description": "Done", "content": jsonContent(object{
			"type": "object", "required": []string{"success", "result", "error"},
			"properties": object{"success": object{"const": true, "description": "the call succeeded"}, "result": described(result, "the result"),
				"error": object{"type": "null", "description": "always null when the call succeeded"}}})}
	}
	responses := object{"200": ok}
	errors := append([]int{http.StatusInternalServerError}, op.errors...)
	if !op.open {
		errors = append(errors, http.StatusUnauthorized, http.StatusTooManyRequests)
	}
	for _, status := range errors {
		responses[fmt.Sprint(status)] = object{"$ref": fmt.Sprintf("#/components/responses/%d", status)}
	}
	d := object{"operationId": op.id, "summary": op.summary, "description": op.summary + " " + op.access(), "tags": []string{op.tag()}, "responses": responses}
	if op.open {
		d["security"] = []any{}
	}
	if op.body != nil {
		d["requestBody"] = object{"required": !op.bodyOptional, "content": jsonContent(op.body)}
	}
	if op.rawBody {
		d["requestBody"] = object{"required": true, "content": object{"application/octet-stream": object{}}}
	}
	if ps := op.parameters(); len(ps) > 0 {
		d["parameters"] = ps
	}
	return d
}

// access says who may call.
func (op operation) access() string {
	switch {
	case op.open:
		return "No token is needed."
	case op.owner:
		return "For the workspace's owner."
	case op.tag() == "server":
		return "For every user."
	}
	return "For the workspace's members."
}

// parameters returns those of the path and the others.
func (op operation) parameters() []any {
	var ps []any
	for _, seg := range strings.Split(op.path, "/") {
		if name, ok := strings.CutPrefix(seg, "{"); ok {
			name = strings.TrimSuffix(name, "}")
			schema := object{"type": "string", "format": "uuid"}
			if name == "job" {
				schema = object{"type": "string", "pattern": "^t-[0-9a-f]{16}$"}
			}
			ps = append(ps, object{"name": name, "in": "path", "required": true, "description": pathParameters[name], "schema": schema})
		}
	}
	return append(ps, op.query...)
}

// pathParameters describe the parameters in paths.
var pathParameters = object{
	"id": "the workspace, as GET /api/v1/workspaces lists it", "file": "the file, by its file_id", "version": "the version, by its version_id",
	"run": "the run, as POST …/runs gave it", "qid": "the question, as the event question_pending gave it", "checkpoint": "the checkpoint, by its checkpoint_id",
	"job": "the translation job, as POST …/translations gave it",
}

// described returns a schema with a description, if it has none.
func described(schema any, about string) any {
	switch s := schema.(type) {
	case object:
		if s["description"] == nil {
			s = maps.Clone(s)
			s["description"] = about
		}
		return s
	case *jsonschema.Schema:
		if s.Description == "" {
			s = s.CloneSchemas()
			s.Description = about
		}
		return s
	}
	return schema
}

func jsonContent(schema any) object {
	return object{"application/json": object{"schema": schema}}
}
