package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type apiRoute struct {
	Summary     string
	Description string
	Parameters  []struct {
		Ref         string `json:"$ref"`
		Name        string
		In          string
		Description string
		Required    bool
	}
	RequestBody struct {
		Content map[string]struct{ Schema json.RawMessage }
	}
	Responses map[string]struct {
		Ref         string `json:"$ref"`
		Description string
		Content     map[string]struct{ Schema json.RawMessage }
	}
}

// openAPI returns the page of an OpenAPI document: each route with its parameters,
// body and answers.
func openAPI(document []byte) ([]byte, error) {
	var api struct {
		Info  struct{ Title, Version, Description string }
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(document, &api); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "<h1>Routes of the HTTP API</h1>\n<p>Made from the <a href=\"openapi.json\">OpenAPI document</a>. <a href=\"http.html\">The HTTP API</a> explains how to start the server and to call it.</p>\n")
	for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
		for _, method := range []string{"get", "put", "post", "patch", "delete"} {
			raw, ok := api.Paths[path][method]
			if !ok {
				continue
			}
			var r apiRoute
			if err := json.Unmarshal(raw, &r); err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			route(&out, strings.ToUpper(method), path, r)
		}
	}
	return out.Bytes(), nil
}

func route(out *bytes.Buffer, method, path string, r apiRoute) {
	fmt.Fprintf(out, "<h2 id=\"%s\"><code>%s %s</code></h2>\n<p>%s</p>\n", escape(strings.ToLower(method)+path), method, escape(path), escape(r.Summary))
	if r.Description != "" && r.Description != r.Summary {
		fmt.Fprintf(out, "<p>%s</p>\n", escape(r.Description))
	}
	rows := 0
	for _, p := range r.Parameters {
		if p.Name == "" {
			continue
		}
		if rows++; rows == 1 {
			out.WriteString("<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Parameters\"><table><thead><tr><th>parameter</th><th>in</th><th>what it is</th></tr></thead><tbody>\n")
		}
		need := ""
		if p.Required {
			need = ", required"
		}
		fmt.Fprintf(out, "<tr><td><code>%s</code></td><td>%s%s</td><td>%s</td></tr>\n", escape(p.Name), escape(p.In), need, escape(p.Description))
	}
	if rows > 0 {
		out.WriteString("</tbody></table></div>\n")
	}
	for _, kind := range slices.Sorted(maps.Keys(r.RequestBody.Content)) {
		schema(out, "Body, "+kind, r.RequestBody.Content[kind].Schema)
	}
	for _, status := range slices.Sorted(maps.Keys(r.Responses)) {
		a := r.Responses[status]
		for _, kind := range slices.Sorted(maps.Keys(a.Content)) {
			if status < "300" {
				schema(out, status+", "+kind, a.Content[kind].Schema)
			}
		}
	}
	var refused []string
	for _, status := range slices.Sorted(maps.Keys(r.Responses)) {
		if status >= "300" {
			refused = append(refused, status)
		}
	}
	if len(refused) > 0 {
		fmt.Fprintf(out, "<p>Other answers: %s (<a href=\"http.html#errors\">errors</a>).</p>\n", strings.Join(refused, ", "))
	}
}

// schema shows a JSON schema, folded.
func schema(out *bytes.Buffer, name string, raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, raw, "", "  ") != nil {
		pretty.Write(raw)
	}
	fmt.Fprintf(out, "<details><summary>%s</summary>\n<pre tabindex=\"0\"><code>%s</code></pre>\n</details>\n", escape(name), escape(pretty.String()))
}
