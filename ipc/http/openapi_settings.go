package httpapi

// settingOperations returns the routes of approval rules, consents and open
// files.
func settingOperations() []operation {
	const ws = workspacePath
	member := memberErrors()
	return []operation{
		{path: ws + "/approvals", method: "GET", id: "getApprovals", engine: "WorkshopGetApprovals", summary: "What a model has to ask for, and what was allowed for good.", errors: member},
		{path: ws + "/approvals", method: "PUT", id: "setApprovals", owner: true, engine: "WorkshopSetApprovals", summary: "Sets the rules about what a model has to ask for, or what is allowed for good; what is left out stays.",
			params: "WorkshopSetApprovals", errors: member},
		{path: ws + "/consents", method: "GET", id: "listConsents", owner: true, summary: "The consents to send the workspace's documents to models on other machines.",
			engine: "EgressListConsents", errors: member},
		{path: ws + "/consents/status", method: "GET", id: "getConsentStatus", owner: true, engine: "EgressGetConsentStatus", summary: "Whether a run may begin, and what a consent would be about.",
			query: []any{optionalText("model", "default: the workspace's model")}, errors: member},
		{path: ws + "/consents", method: "POST", id: "grantConsent", owner: true, engine: "EgressGrantWorkshopConsent", summary: "Lets the workspace's documents go to a model on another machine.",
			body: object{"type": "object", "required": []string{"provider_id", "model_id", "scope_hash"}, "properties": object{
				"provider_id": object{"type": "string", "description": "the provider, as the status says"}, "model_id": object{"type": "string", "description": "the model, as the status says"},
				"scope_hash": object{"type": "string", "description": "what the status said would be sent"}, "persist": object{"type": "boolean", "default": false, "description": "for good; else as long as the server runs"}}}, errors: member},
		{path: ws + "/consents", method: "DELETE", id: "revokeConsents", owner: true, summary: "Takes consents back, all of them or those of a provider or model; a run in progress sends nothing more.",
			query:  []any{optionalText("provider", "default: all"), optionalText("model", "default: all")},
			engine: "EgressRevokeWorkshopConsent", errors: member},
		{path: ws + "/active-files", method: "GET", id: "listActiveFiles", engine: "SessionListActiveFiles", summary: "The files the user has open elsewhere, without their content.", errors: member},
		{path: ws + "/active-files", method: "PUT", id: "setActiveFiles", engine: "SessionSetActiveFiles", summary: "Says which files the user has open elsewhere; their content is the truth for their docPaths.",
			params: "SessionSetActiveFiles", errors: member},
	}
}
