package httpapi

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"atelier/engine"
	"atelier/ipc/accounts"
)

// workspacePath is the prefix of the routes of a workspace.
const workspacePath = "/api/v1/workspaces/{id}"

// operations lists every route for the OpenAPI document; a test compares it
// with the routes.
func operations(call object) []operation {
	return slices.Concat(reviewOperations(memberErrors), translationOperations(memberErrors),
		generalOperations(call), fileOperations(), runOperations(), settingOperations(), draftOperations())
}

// memberErrors returns the errors of a route that needs a membership, with more
// of its own.
func memberErrors(more ...int) []int {
	return append([]int{http.StatusBadRequest, http.StatusForbidden}, more...)
}

// generalOperations returns the routes of the server itself and of tools called
// by hand.
func generalOperations(call object) []operation {
	const ws = workspacePath
	with := memberErrors
	return []operation{
		{path: "/api/v1/health", method: "GET", id: "health", summary: "Whether the server answers.", open: true, response: object{
			"description": "It does", "content": jsonContent(object{"type": "object", "required": []string{"status", "version"}, "properties": object{
				"status": object{"const": "ok", "description": "the server answers"}, "version": object{"type": "string", "description": "the version of the engine"}}})}},
		{path: "/api/v1/openapi.json", method: "GET", id: "openapi", summary: "This document.", open: true, response: object{
			"description": "OpenAPI 3.1", "content": jsonContent(object{"type": "object"})}},
		{path: "/api/v1/workspaces", method: "GET", id: "listWorkspaces", result: reflect.TypeFor[struct {
			Workspaces []accounts.Workspace `json:"workspaces"`
		}](), summary: "The workspaces the user may use."},
		{path: ws + "/tools", method: "POST", id: "callTool", result: object{"type": "object", "description": "what the tool gives; docs/tools.md says what that is"}, summary: "Runs one tool on the workspace's files.", body: call,
			errors: with(http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusServiceUnavailable)},
	}
}

// draftOperations returns the routes of the draft.
func draftOperations() []operation {
	const ws = workspacePath
	with := memberErrors
	member := memberErrors()
	paths := object{"type": "object", "properties": object{
		"paths": object{"type": "array", "items": object{"type": "string"}, "description": "empty: the whole draft"}}}
	return []operation{
		{path: ws + "/draft", method: "GET", id: "getDraft", result: reflect.TypeFor[struct {
			State     engine.DraftGetStateResult `json:"state"`
			ChangeSet engine.ChangeSetResult     `json:"change_set"`
		}](), summary: "The draft's state and what it changes.", errors: member},
		{path: ws + "/draft/publish", method: "POST", id: "publishDraft", engine: "DraftPublish", summary: "Publishes the draft or some paths of it: all or nothing.",
			body: paths, bodyOptional: true, errors: with(http.StatusConflict)},
		{path: ws + "/draft/discard", method: "POST", id: "discardDraft", engine: "DraftDiscard", summary: "Drops the draft or some paths of it.",
			body: paths, bodyOptional: true, errors: member},
	}
}

// pathParameter names a file.
var pathParameter = object{"name": "path", "in": "query", "required": true, "schema": object{"type": "string"}, "description": "the file", "example": "/contracts/2026.docx"}

func sharedSchemas() object {
	text := object{"type": "string"}
	return object{
		"error": object{"type": "object", "required": []string{"error", "code"}, "properties": object{
			"success": object{"const": false, "description": "there for a tool that failed"},
			"error":   object{"type": "string", "description": "what went wrong, in words"},
			"code":    object{"type": "string", "enum": errorCodes(), "description": "what kind of error it is"},
			"fields":  object{"type": "object", "additionalProperties": text, "description": "what is wrong, by field"},
			"paths":   object{"type": "array", "items": text, "description": "the files a conflict concerns"},
			"consent": object{"type": "object", "description": "what the owner of the workspace can post to /consents to allow what was refused", "properties": object{
				"provider_id": object{"type": "string", "description": "the provider that documents would go to"}, "model_id": object{"type": "string", "description": "the model that documents would go to"},
				"scope_hash": object{"type": "string", "description": "stands for the files that would be sent"}}},
			"result": object{"type": "object", "description": "of tools of the catalogue aptix: the payload, such as {success, errorCode, errors, sessionId, conversationId}"}}},
		"event": object{"type": "object", "description": "the data of one server-sent event", "required": []string{"type", "data"}, "properties": object{
			"type": object{"description": "what happened", "enum": []string{eventSessionInit, eventThought, eventCall, eventObservation, eventFileUpdated, eventChunk, eventError, eventDone, eventPing, eventStopped, eventQuestionPending, eventModeChanged, eventPatchProposed}},
			"data": object{"type": "object", "description": "its members depend on type: docs/http.md"}}},
	}
}

func sharedResponses() object {
	out := object{}
	for status, code := range map[int]string{
		http.StatusBadRequest: codeValidation, http.StatusUnauthorized: codeToken, http.StatusForbidden: codeForbidden,
		http.StatusNotFound: codeNotFound, http.StatusConflict: codeConflict, http.StatusRequestEntityTooLarge: codeValidation,
		http.StatusUnsupportedMediaType: codeValidation, http.StatusPreconditionFailed: codeConflict, http.StatusTooManyRequests: codeRate,
		http.StatusInternalServerError: codeInternal, http.StatusServiceUnavailable: codeUnavailable,
	} {
		out[fmt.Sprint(status)] = object{"description": http.StatusText(status) + ", code " + code,
			"content": jsonContent(object{"$ref": "#/components/schemas/error"})}
	}
	return out
}

// optionalText returns a query parameter.
func optionalText(name, description string) object {
	return object{"name": name, "in": "query", "required": false, "schema": object{"type": "string"}, "description": description}
}

// errorCodes lists the codes of errors.
func errorCodes() []string {
	return []string{codeValidation, codeToken, codeForbidden, codeNotFound, codeMethod, codeConflict, codeRate, codeUnavailable, codeInternal}
}
