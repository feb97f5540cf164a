package httpapi

import (
	"atelier/engine"
)

// settingOperations returns the routes of approval rules, consents and open
// files.
func settingOperations() []operation {
	const ws = workspacePath
	member := memberErrors()
	return []operation{
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
	}
}
