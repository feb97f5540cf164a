package httpapi

import "net/http"

// reviewOperations returns the routes of previews, checkpoints, models and
// the draft's changes.
func reviewOperations(with func(...int) []int) []operation {
	const ws = workspacePath
	text := func(what string) object {
		return object{"description": what, "schema": object{"type": "string"}}
	}
	count := func(name, about string, most, usual int) object {
		schema := object{"type": "integer", "minimum": 1, "default": usual}
		if most > 0 {
			schema["maximum"] = most
		}
		return object{"name": name, "in": "query", "required": false, "schema": schema, "description": about}
	}
	return []operation{
		{path: ws + "/files/preview", method: "GET", id: "previewFile", summary: "A page of a file as a picture.", query: []any{pathParameter,
			object{"name": "version", "in": "query", "required": false, "description": "which state of the file: draft, published, or the id or hash of a version", "schema": object{"type": "string", "default": "draft"}},
			object{"name": "page", "in": "query", "required": false, "description": "the page, from 0; of a presentation the slide", "schema": object{"type": "integer", "minimum": 0, "default": 0}},
			object{"name": "scale", "in": "query", "required": false, "description": "1: a pixel is 1/72 inch, of an image a pixel", "schema": object{"type": "number", "minimum": 0.25, "maximum": 2, "default": 1}}},
			response: object{"description": "The picture", "content": object{"image/png": object{}}, "headers": object{
				"X-Page-Index": text("the page, from 0"), "X-Page-Count": text("how many pages there are"), "X-Scaled-Down": text("true: drawn smaller than asked, for its size"),
				"X-Rendering": text("how the picture was made: pdf, libreoffice, text or image"), "X-Note": text("what a viewer should be told, escaped as in a URL's path")}},
			errors: with(http.StatusNotFound, http.StatusServiceUnavailable)},
		{path: ws + "/draft/diff", method: "GET", id: "diffDraftFile", summary: "What the draft changes in a file, in the terms of its format: cells, paragraphs, slides.", engine: "ReviewGetContentDiff",
			query: []any{pathParameter, count("max_items", "at most so many items; the counts are of all", 0, 1000)}, errors: with(http.StatusNotFound, http.StatusServiceUnavailable)},
		{path: ws + "/draft/diff/text", method: "GET", id: "diffDraftText", summary: "What the draft changes in the text of a file, as hunks of lines.", engine: "ReviewGetTextDiff",
			query:  []any{pathParameter, optionalText("start", "`next` of the part before"), count("max_lines", "at most so many changed lines", 20000, 2000)},
			errors: with(http.StatusNotFound, http.StatusServiceUnavailable)},
		{path: ws + "/checkpoints", method: "GET", id: "listCheckpoints", summary: "The states of the published files that can be restored, the newest first.", engine: "CheckpointsList", errors: with()},
		{path: ws + "/checkpoints", method: "POST", id: "createCheckpoint", summary: "Keeps the whole published state under a description.", engine: "CheckpointCreate",
			body:   object{"type": "object", "required": []string{"description"}, "properties": object{"description": object{"type": "string", "description": "what it is called in lists"}}},
			errors: with(http.StatusServiceUnavailable)},
		{path: ws + "/checkpoints/{checkpoint}", method: "GET", id: "getCheckpoint", summary: "A checkpoint, and what restoring it would change.", engine: "CheckpointGet",
			errors: with(http.StatusNotFound, http.StatusServiceUnavailable)},
		{path: ws + "/checkpoints/{checkpoint}/restore", method: "POST", id: "restoreCheckpoint", summary: "Takes the published files back to a checkpoint: all or nothing, and itself restorable.", engine: "CheckpointRestore",
			errors: with(http.StatusNotFound, http.StatusConflict, http.StatusServiceUnavailable)},
		{path: ws + "/models", method: "GET", id: "listModels", summary: "The models that a run can name, with what is known of each.", engine: "ModelsList",
			query: []any{optionalText("provider", "default: all that are set up")}, errors: with(http.StatusServiceUnavailable)},
	}
}
