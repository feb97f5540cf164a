package httpapi

import (
	"fmt"
	"net/http"
	"reflect"

	"atelier/engine"
	"atelier/ipc/accounts"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
	"atelier/workshop/tools/attachments"
	"atelier/workshop/tools/catalogue"
)

// workspacePath is the prefix of the routes of a workspace.
const workspacePath = "/api/v1/workspaces/{id}"

// operations lists every route for the OpenAPI document; a test compares it
// with the routes.
func operations(call object) []operation {
	const ws = workspacePath
	member := []int{http.StatusBadRequest, http.StatusForbidden}
	with := func(more ...int) []int { return append(append([]int{}, member...), more...) }
	paths := object{"type": "object", "properties": object{
		"paths": object{"type": "array", "items": object{"type": "string"}, "description": "empty: the whole draft"}}}
	return append(append(reviewOperations(with), translationOperations(with)...), []operation{
		{path: "/api/v1/health", method: "GET", id: "health", summary: "Whether the server answers.", open: true, response: object{
			"description": "It does", "content": jsonContent(properties("status", "version"))}},
		{path: "/api/v1/openapi.json", method: "GET", id: "openapi", summary: "This document.", open: true, response: object{
			"description": "OpenAPI 3.1", "content": jsonContent(object{"type": "object"})}},
		{path: "/api/v1/workspaces", method: "GET", id: "listWorkspaces", result: reflect.TypeFor[struct {
			Workspaces []accounts.Workspace `json:"workspaces"`
		}](), summary: "The workspaces the user may use."},
		{path: ws + "/tools", method: "POST", id: "callTool", result: object{"type": "object", "description": "what the tool gives; docs/tools.md says what that is"}, summary: "Runs one tool on the workspace's files.", body: call,
			errors: with(http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusServiceUnavailable)},
		{path: ws + "/files/content", method: "GET", id: "downloadFile", summary: "A file's bytes as they are; ETag is its hash.", query: []any{pathParameter,
			object{"name": "version", "in": "query", "description": "which state of the file", "schema": object{"type": "string", "enum": []string{"published", "draft"}, "default": "published"}}},
			response: object{"description": "The file", "content": object{"application/octet-stream": object{}}}, errors: with(http.StatusNotFound)},
		{path: ws + "/files/content", method: "PUT", id: "uploadFile", summary: "Creates or replaces a file with the body, as a new version.", rawBody: true, query: []any{pathParameter,
			object{"name": "If-Match", "in": "header", "schema": object{"type": "string"}, "description": "the hash that was read, in quotes: refused when the file is another now"},
			object{"name": "If-None-Match", "in": "header", "schema": object{"type": "string", "const": "*"}, "description": "refused when the file is there"}},
			result: object{"type": "object", "properties": object{"path": object{"type": "string"}, "file_id": object{"type": "string"}, "version_id": object{"type": "string"},
				"hash": object{"type": "string"}, "size": object{"type": "integer"}}}, errors: with(http.StatusConflict, http.StatusPreconditionFailed, http.StatusServiceUnavailable)},
		{path: ws + "/files/trash", method: "GET", id: "listTrash", result: reflect.TypeFor[engine.TrashResult](), summary: "The deleted files that can be restored.", errors: member},
		{path: ws + "/files/{file}/restore", method: "POST", id: "restoreFile", result: reflect.TypeFor[engine.RestoredFile](), summary: "Brings a deleted file back, with its id and content.",
			errors: with(http.StatusNotFound, http.StatusConflict)},
		{path: ws + "/files/{file}/versions", method: "GET", id: "listFileVersions", summary: "The versions of a file, the newest first: what was published, the steps of drafts, what is on disk.",
			query: []any{object{"name": "limit", "in": "query", "required": false, "schema": object{"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}, "description": "at most so many"},
				optionalText("before", "only those older than this version; `before` of the answer goes on")},
			result: object{"type": "object", "required": []string{"versions", "total"}, "properties": object{
				"versions": object{"type": "array", "items": versionSchema()}, "total": object{"type": "integer"}, "before": object{"type": "string"}}},
			errors: with(http.StatusNotFound)},
		{path: ws + "/files/{file}/versions/{version}", method: "GET", id: "getFileVersion", summary: "One version of a file.", result: versionSchema(), errors: with(http.StatusNotFound)},
		{path: ws + "/files/{file}/versions/{version}/content", method: "GET", id: "downloadFileVersion", summary: "The bytes of a version of a file; ETag is their hash.",
			response: object{"description": "The content", "content": object{"application/octet-stream": object{}}}, errors: with(http.StatusNotFound)},
		{path: ws + "/files/{file}/versions/{version}/diff", method: "GET", id: "compareFileVersions", summary: "What is different from this version to another, in the format's terms (content) or by the text (text).",
			query: []any{optionalText("with", "the other version; default the one the file has now"), optionalText("start", "of text: `next` of the part before"),
				object{"name": "max_items", "in": "query", "required": false, "schema": object{"type": "integer", "minimum": 1, "default": 1000}, "description": "of content"},
				object{"name": "max_lines", "in": "query", "required": false, "schema": object{"type": "integer", "minimum": 1, "maximum": 20000, "default": 2000}, "description": "of text"}},
			result: object{"type": "object", "required": []string{"from", "to", "same"}, "properties": object{"from": object{"type": "string"}, "to": object{"type": "string"}, "same": object{"type": "boolean"},
				"content": object{"type": "object"}, "text": object{"type": "object"}}}, errors: with(http.StatusNotFound, http.StatusConflict)},
		{path: ws + "/files/{file}/versions/{version}/restore", method: "POST", id: "restoreFileVersion", summary: "Puts a version of a file into the draft, as one step that can be undone; other files stay as they are.",
			result: and(and(and(and(properties("file_id", "path", "version_id", "restored", "hash"), "replaced", "string"), "message_id", "string"), "unchanged", "boolean"), "has_draft", "boolean"),
			errors: with(http.StatusNotFound, http.StatusConflict)},
		{path: ws + "/undo", method: "POST", id: "undo", summary: "Takes the conversation, the draft and what was published back to a message, or to before it.",
			body: object{"type": "object", "required": []string{"message_id"}, "properties": object{"message_id": object{"type": "string", "description": "the last message that stays"},
				"before": object{"type": "boolean", "description": "take the message itself back too; of a restored version, its step"}}},
			result: object{"type": "object", "properties": object{"message_id": object{"type": "string"}, "records_undone": object{"type": "integer"},
				"published_files": object{"type": "array", "items": object{"type": "string"}}, "has_draft": object{"type": "boolean"}, "draft_id": object{"type": "string"}}},
			errors: with(http.StatusNotFound, http.StatusConflict)},
		{path: ws + "/questions/{qid}/answers", method: "POST", id: "answerQuestion", summary: "Answers a pending question; each answer must fit its schema.",
			body: object{"type": "object", "required": []string{"answers"}, "properties": object{
				"answers": object{"type": "object", "description": "by the name of the question"}}},
			result: object{"type": "object", "properties": object{"accepted": object{"const": true}}}, errors: with(http.StatusNotFound)},
		{path: ws + "/conversation", method: "GET", id: "getConversation", engine: "WorkshopGetConversation", summary: "Every message of the workspace's conversation, with tool calls and results.", errors: member},
		{path: ws + "/runs", method: "GET", id: "listRuns", result: reflect.TypeFor[struct {
			Runs []runInfo `json:"runs"`
		}](), summary: "The run in progress, and those whose events are still kept.", errors: member},
		{path: ws + "/runs", method: "POST", id: "startRun", summary: "Has the model do a task; its changes land in the draft.",
			body: object{"type": "object", "required": []string{"text"}, "properties": object{
				"text": object{"type": "string", "description": "the task, in words"},
				"attachments": object{"type": "array", "description": "files that come with the task; they go into the draft as files/NAME, which the model reads as file:NAME. A name that is taken gets a number. The request may have 10 MiB in all",
					"maxItems": attachments.MaxFiles, "items": object{"type": "object", "required": []string{"name", "content"}, "properties": object{
						"name": object{"type": "string", "description": "without folders"}, "content": object{"type": "string", "contentEncoding": "base64"}}}},
				"model":     object{"type": "string", "description": "default: the workspace's model"},
				"catalogue": object{"enum": catalogue.Names(), "description": "whose tools the model gets", "default": catalogue.Names()[0]},
				"mode":      object{"enum": []string{tools.ModePlan, tools.ModeBuild}, "description": "in plan mode only plans can be written, until the user accepts one; default: as the workspace is"},
				"workflow":  object{"description": "agent goes ahead, rpi researches, plans and implements, auto decides", "enum": []string{agent.WorkflowAgent, agent.WorkflowRPI, agent.WorkflowAuto}, "default": agent.WorkflowAgent},
				"budget": object{"type": "object", "description": "bounds of the run, below those of the server, which it cannot raise; where nobody answers when they are reached, it waits until it is stopped", "properties": object{
					"tokens": object{"type": "integer"}, "cost": object{"type": "number"}, "seconds": object{"type": "number"}}}}},
			result: reflect.TypeFor[startedRun](), errors: with(http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable)},
		{path: ws + "/runs/{run}/events", method: "GET", id: "runEvents", summary: "A run's events as they come, from the first or after Last-Event-ID.",
			query: []any{object{"name": "Last-Event-ID", "in": "header", "required": false, "schema": object{"type": "integer", "minimum": 0},
				"description": "the query parameter last_event_id does the same"}},
			response: object{"description": "Server-sent events", "content": object{"text/event-stream": object{"schema": object{"$ref": "#/components/schemas/event"}}}},
			errors:   with(http.StatusNotFound)},
		{path: ws + "/runs/{run}/stop", method: "POST", id: "stopRun", summary: "Stops a run; what it did is kept in the draft.",
			result: object{"type": "object", "properties": object{"stopping": object{"type": "boolean"}}}, errors: with(http.StatusNotFound)},
		{path: ws + "/runs/{run}/messages", method: "POST", id: "steerRun", summary: "Says something to a run, which goes on with it before its next request to the model, or after its answer.",
			body: object{"type": "object", "required": []string{"text"}, "properties": object{
				"text": object{"type": "string", "description": "what is said"}, "when": object{"description": "before the next request to the model, or after its answer", "enum": []string{agent.SteerNow, agent.SteerAfter}, "default": agent.SteerNow}}},
			result: properties("message_id"), errors: with(http.StatusNotFound, http.StatusConflict)},
		{path: ws + "/usage", method: "GET", id: "getUsage", engine: "WorkbenchGetUsage", summary: "Tokens and costs of the workspace, by model and by run.",
			query: []any{object{"name": "before", "in": "query", "required": false, "description": "next_before of the page before", "schema": object{"type": "integer", "minimum": 0}},
				object{"name": "limit", "in": "query", "required": false, "description": "at most so many runs", "schema": object{"type": "integer", "minimum": 1, "maximum": 100, "default": 20}}},
			errors: member},
		{path: ws + "/approvals", method: "GET", id: "getApprovals", engine: "WorkshopGetApprovals", summary: "What a model has to ask for, and what was allowed for good.", errors: member},
		{path: ws + "/approvals", method: "PUT", id: "setApprovals", engine: "WorkshopSetApprovals", summary: "Sets the rules about what a model has to ask for, or what is allowed for good; what is left out stays.",
			body: object{"type": "object", "properties": object{
				"rules":   object{"type": "array", "items": object{"type": "object"}, "description": "the first that fits decides; as GET gives them"},
				"granted": object{"type": "array", "items": object{"type": "object"}, "description": "what is allowed for good; as GET gives them"}}}, errors: member},
		{path: ws + "/consents", method: "GET", id: "listConsents", owner: true, summary: "The consents to send the workspace's documents to models on other machines.",
			result: object{"type": "object", "properties": object{"mode": object{"enum": []string{engine.EgressAsk, engine.EgressAllowAll, engine.EgressLocalOnly}},
				"consents": object{"type": "array", "items": and(and(properties("provider_id", "model_id", "host"), "files", "integer"), "persisted", "boolean")}}}, errors: member},
		{path: ws + "/consents/status", method: "GET", id: "getConsentStatus", owner: true, engine: "EgressGetConsentStatus", summary: "Whether a run may begin, and what a consent would be about.",
			query: []any{optionalText("model", "default: the workspace's model")}, errors: member},
		{path: ws + "/consents", method: "POST", id: "grantConsent", owner: true, engine: "EgressGrantWorkshopConsent", summary: "Lets the workspace's documents go to a model on another machine.",
			body: object{"type": "object", "required": []string{"provider_id", "model_id", "scope_hash"}, "properties": object{
				"provider_id": object{"type": "string", "description": "the provider, as the status says"}, "model_id": object{"type": "string", "description": "the model, as the status says"},
				"scope_hash": object{"type": "string", "description": "what the status said would be sent"}, "persist": object{"type": "boolean", "default": false, "description": "for good; else as long as the server runs"}}}, errors: member},
		{path: ws + "/consents", method: "DELETE", id: "revokeConsents", owner: true, summary: "Takes consents back, all of them or those of a provider or model; a run in progress sends nothing more.",
			query:  []any{optionalText("provider", "default: all"), optionalText("model", "default: all")},
			result: object{"type": "object", "properties": object{"revoked": object{"type": "integer"}}}, errors: member},
		{path: ws + "/active-files", method: "GET", id: "listActiveFiles", engine: "SessionListActiveFiles", summary: "The files the user has open elsewhere, without their content.", errors: member},
		{path: ws + "/active-files", method: "PUT", id: "setActiveFiles", engine: "SessionSetActiveFiles", summary: "Says which files the user has open elsewhere; their content is the truth for their docPaths.",
			body: object{"type": "object", "required": []string{"files"}, "properties": object{
				"files": object{"type": "array", "description": "they take the place of those there are, but for merge", "items": object{"type": "object", "required": []string{"docPath"}, "properties": object{
					"docPath": object{"type": "string"}, "displayPath": object{"type": "string"}, "content": object{"type": "string", "description": "required unless isActive is false; \"\" is an empty file"},
					"isDirty": object{"type": "boolean"}, "isActive": object{"type": "boolean", "default": true}}}},
				"merge":  object{"type": "boolean", "description": "keep the files that are there"},
				"remove": object{"type": "array", "items": object{"type": "string"}, "description": "docPaths to take out, after the rest"}}},
			errors: member},
		{path: ws + "/draft", method: "GET", id: "getDraft", result: reflect.TypeFor[struct {
			State     engine.DraftGetStateResult `json:"state"`
			ChangeSet engine.ChangeSetResult     `json:"change_set"`
		}](), summary: "The draft's state and what it changes.", errors: member},
		{path: ws + "/draft/publish", method: "POST", id: "publishDraft", engine: "DraftPublish", summary: "Publishes the draft or some paths of it: all or nothing.",
			body: paths, bodyOptional: true, errors: with(http.StatusConflict)},
		{path: ws + "/draft/discard", method: "POST", id: "discardDraft", engine: "DraftDiscard", summary: "Drops the draft or some paths of it.",
			body: paths, bodyOptional: true, errors: member},
	}...)
}

// pathParameter names a file.
var pathParameter = object{"name": "path", "in": "query", "required": true, "schema": object{"type": "string"}, "description": "the file", "example": "/contracts/2026.docx"}

func sharedSchemas() object {
	text := object{"type": "string"}
	return object{
		"error": object{"type": "object", "required": []string{"error", "code"}, "properties": object{
			"success": object{"const": false}, "error": text, "code": text,
			"fields":  object{"type": "object", "additionalProperties": text, "description": "what is wrong, by field"},
			"paths":   object{"type": "array", "items": text, "description": "the files a conflict concerns"},
			"consent": object{"type": "object", "description": "what the owner of the workspace can post to /consents to allow what was refused", "properties": object{"provider_id": text, "model_id": text, "scope_hash": text}},
			"result":  object{"type": "object", "description": "of tools of the catalogue aptix: the payload, such as {success, errorCode, errors, sessionId, conversationId}"}}},
		"event": object{"type": "object", "description": "the data of one server-sent event", "required": []string{"type", "data"}, "properties": object{
			"type": object{"enum": []string{eventSessionInit, eventThought, eventCall, eventObservation, eventFileUpdated, eventChunk, eventError, eventDone, eventPing, eventStopped, eventQuestionPending, eventModeChanged, eventPatchProposed}},
			"data": object{"type": "object"}}},
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

// versionSchema is the schema of a version of a file.
func versionSchema() object {
	s := properties("version_id", "path", "author", "created_at")
	for name, kind := range map[string]string{"hash": "string", "size": "integer", "checkpoint_id": "string", "in_draft": "boolean", "tool": "string", "current": "boolean"} {
		and(s, name, kind)
	}
	return s
}

// and adds an optional property to an object.
func and(o object, name, kind string) object {
	o["properties"].(object)[name] = object{"type": kind}
	return o
}

// optionalText returns a query parameter.
func optionalText(name, description string) object {
	return object{"name": name, "in": "query", "required": false, "schema": object{"type": "string"}, "description": description}
}

// properties returns an object of required strings.
func properties(names ...string) object {
	ps := object{}
	for _, n := range names {
		ps[n] = object{"type": "string"}
	}
	return object{"type": "object", "required": names, "properties": ps}
}
