package httpapi

import (
	"net/http"
	"reflect"

	"atelier/workshop/agent"
	"atelier/workshop/tools"
	"atelier/workshop/tools/attachments"
	"atelier/workshop/tools/catalogue"
)

// runOperations returns the routes of the conversation: runs, questions, undo
// and usage.
func runOperations() []operation {
	const ws = workspacePath
	with := memberErrors
	member := memberErrors()
	return []operation{
		{path: ws + "/undo", method: "POST", id: "undo", summary: "Takes the conversation, the draft and what was published back to a message, or to before it.",
			body: object{"type": "object", "required": []string{"message_id"}, "properties": object{"message_id": object{"type": "string", "description": "the last message that stays"},
				"before": object{"type": "boolean", "description": "take the message itself back too; of a restored version, its step"}}},
			engine: "WorkshopUndoToMessage",
			errors: with(http.StatusNotFound, http.StatusConflict)},
		{path: ws + "/questions/{qid}/answers", method: "POST", id: "answerQuestion", summary: "Answers a pending question; each answer must fit its schema.",
			body: object{"type": "object", "required": []string{"answers"}, "properties": object{
				"answers": object{"type": "object", "description": "by the name of the question"}}},
			engine: "WorkshopAnswerQuestion", errors: with(http.StatusNotFound)},
		{path: ws + "/conversation", method: "GET", id: "getConversation", engine: "WorkshopGetConversation", summary: "Every message of the workspace's conversation, with tool calls and results.", errors: member},
		{path: ws + "/runs", method: "GET", id: "listRuns", result: reflect.TypeFor[struct {
			Runs []runInfo `json:"runs"`
		}](), summary: "The run in progress, and those whose events are still kept.", errors: member},
		{path: ws + "/runs", method: "POST", id: "startRun", summary: "Has the model do a task; its changes land in the draft.",
			body: object{"type": "object", "required": []string{"text"}, "properties": object{
				"text": object{"type": "string", "description": "the task, in words"},
				"attachments": object{"type": "array", "description": "files that come with the task; they go into the draft as files/NAME, which the model reads as file:NAME. A name that is taken gets a number. The request may have 10 MiB in all",
					"maxItems": attachments.MaxFiles, "items": object{"type": "object", "required": []string{"name", "content"}, "properties": object{
						"name": object{"type": "string", "description": "without folders"}, "content": object{"type": "string", "contentEncoding": "base64", "description": "the bytes in base64"}}}},
				"model":     object{"type": "string", "description": "default: the workspace's model"},
				"catalogue": object{"enum": catalogue.Names(), "description": "whose tools the model gets", "default": catalogue.Names()[0]},
				"mode":      object{"enum": []string{tools.ModePlan, tools.ModeBuild}, "description": "in plan mode only plans can be written, until the user accepts one; default: as the workspace is"},
				"workflow":  object{"description": "agent goes ahead, rpi researches, plans and implements, auto decides", "enum": []string{agent.WorkflowAgent, agent.WorkflowRPI, agent.WorkflowAuto}, "default": agent.WorkflowAgent},
				"budget": object{"type": "object", "description": "bounds of the run, below those of the server, which it cannot raise; where nobody answers when they are reached, it waits until it is stopped", "properties": object{
					"tokens": object{"type": "integer", "description": "tokens at most, sent and answered"}, "cost": object{"type": "number", "description": "money at most, in the currency of the prices"},
					"seconds": object{"type": "number", "description": "seconds of work at most"}}}}},
			result: reflect.TypeFor[startedRun](), errors: with(http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable)},
		{path: ws + "/runs/{run}/events", method: "GET", id: "runEvents", summary: "A run's events as they come, from the first or after Last-Event-ID.",
			query: []any{object{"name": "Last-Event-ID", "in": "header", "required": false, "schema": object{"type": "integer", "minimum": 0},
				"description": "the query parameter last_event_id does the same"}},
			response: object{"description": "Server-sent events", "content": object{"text/event-stream": object{"schema": object{"$ref": "#/components/schemas/event"}}}},
			errors:   with(http.StatusNotFound)},
		{path: ws + "/runs/{run}/stop", method: "POST", id: "stopRun", summary: "Stops a run; what it did is kept in the draft.",
			result: object{"type": "object", "properties": object{"stopping": object{"type": "boolean", "description": "false: the run had ended already"}}}, errors: with(http.StatusNotFound)},
		{path: ws + "/runs/{run}/messages", method: "POST", id: "steerRun", summary: "Says something to a run, which goes on with it before its next request to the model, or after its answer.",
			body: object{"type": "object", "required": []string{"text"}, "properties": object{
				"text": object{"type": "string", "description": "what is said"}, "when": object{"description": "before the next request to the model, or after its answer", "enum": []string{agent.SteerNow, agent.SteerAfter}, "default": agent.SteerNow}}},
			result: object{"type": "object", "required": []string{"message_id"}, "properties": object{"message_id": object{"type": "string", "description": "the message of the conversation"}}}, errors: with(http.StatusNotFound, http.StatusConflict)},
		{path: ws + "/usage", method: "GET", id: "getUsage", engine: "WorkbenchGetUsage", summary: "Tokens and costs of the workspace, by model and by run.",
			query: []any{object{"name": "before", "in": "query", "required": false, "description": "next_before of the page before", "schema": object{"type": "integer", "minimum": 0}},
				object{"name": "limit", "in": "query", "required": false, "description": "at most so many runs", "schema": object{"type": "integer", "minimum": 1, "maximum": 100, "default": 20}}},
			errors: member},
	}
}
