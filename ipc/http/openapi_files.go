package httpapi

import (
	"net/http"
	"reflect"

	"atelier/engine"
)

// fileOperations returns the routes of files, their versions and the trash.
func fileOperations() []operation {
	const ws = workspacePath
	with := memberErrors
	member := memberErrors()
	return []operation{
		{path: ws + "/files/content", method: "GET", id: "downloadFile", summary: "A file's bytes as they are; ETag is its hash.", query: []any{pathParameter,
			object{"name": "version", "in": "query", "description": "which state of the file", "schema": object{"type": "string", "enum": []string{"published", "draft"}, "default": "published"}}},
			response: object{"description": "The file", "content": object{"application/octet-stream": object{}}}, errors: with(http.StatusNotFound)},
		{path: ws + "/files/content", method: "PUT", id: "uploadFile", summary: "Creates or replaces a file with the body, as a new version.", rawBody: true, query: []any{pathParameter,
			object{"name": "If-Match", "in": "header", "schema": object{"type": "string"}, "description": "the hash that was read, in quotes: refused when the file is another now"},
			object{"name": "If-None-Match", "in": "header", "schema": object{"type": "string", "const": "*"}, "description": "refused when the file is there"}},
			result: reflect.TypeFor[uploaded](), errors: with(http.StatusConflict, http.StatusPreconditionFailed, http.StatusServiceUnavailable)},
		{path: ws + "/files/trash", method: "GET", id: "listTrash", result: reflect.TypeFor[engine.TrashResult](), summary: "The deleted files that can be restored.", errors: member},
		{path: ws + "/files/{file}/restore", method: "POST", id: "restoreFile", result: reflect.TypeFor[engine.RestoredFile](), summary: "Brings a deleted file back, with its id and content.",
			errors: with(http.StatusNotFound, http.StatusConflict)},
		{path: ws + "/files/{file}/versions", method: "GET", id: "listFileVersions", summary: "The versions of a file, the newest first: what was published, the steps of drafts, what is on disk.",
			query: []any{object{"name": "limit", "in": "query", "required": false, "schema": object{"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}, "description": "at most so many"},
				optionalText("before", "only those older than this version; `before` of the answer goes on")},
			engine: "WorkbenchFileVersions",
			errors: with(http.StatusNotFound)},
		{path: ws + "/files/{file}/versions/{version}", method: "GET", id: "getFileVersion", summary: "One version of a file.", engine: "WorkbenchGetFileVersion", errors: with(http.StatusNotFound)},
		{path: ws + "/files/{file}/versions/{version}/content", method: "GET", id: "downloadFileVersion", summary: "The bytes of a version of a file; ETag is their hash.",
			response: object{"description": "The content", "content": object{"application/octet-stream": object{}}}, errors: with(http.StatusNotFound)},
		{path: ws + "/files/{file}/versions/{version}/diff", method: "GET", id: "compareFileVersions", summary: "What is different from this version to another, in the format's terms (content) or by the text (text).",
			query: []any{optionalText("with", "the other version; default the one the file has now"), optionalText("start", "of text: `next` of the part before"),
				object{"name": "max_items", "in": "query", "required": false, "schema": object{"type": "integer", "minimum": 1, "default": 1000}, "description": "of content"},
				object{"name": "max_lines", "in": "query", "required": false, "schema": object{"type": "integer", "minimum": 1, "maximum": 20000, "default": 2000}, "description": "of text"}},
			engine: "WorkbenchCompareFileVersions", errors: with(http.StatusNotFound, http.StatusConflict)},
		{path: ws + "/files/{file}/versions/{version}/restore", method: "POST", id: "restoreFileVersion", summary: "Puts a version of a file into the draft, as one step that can be undone; other files stay as they are.",
			result: reflect.TypeFor[engine.RestoreFileVersionResult](),
			errors: with(http.StatusNotFound, http.StatusConflict)},
	}
}
