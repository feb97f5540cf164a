package engine

import (
	"slices"

	"atelier/formats"
	"atelier/llm/api"
	"atelier/llm/models"
	"atelier/llm/probe"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/approvals"
	"atelier/workshop/review"
	"atelier/workshop/tools"
	"atelier/workshop/translate"
	"atelier/workshop/translate/check"
)

// freeForms are the JSON types of members that hold any value for Go.
var freeForms = map[string][]string{
	"ToolCallParams.args":    {"object"},
	"ToolCallResult.result":  {"object", "array", "string", "null"},
	"FunctionDef.parameters": {"object"},
	"Question.schema":        {"object", "boolean"},
	"Button.value":           {"string", "number", "boolean"},
}

var (
	egressModes  = values(EgressAsk, EgressAllowAll, EgressLocalOnly)
	modes        = values(tools.ModePlan, tools.ModeBuild)
	effects      = values(approvals.Read, approvals.Write, approvals.Delete)
	runPhases    = values("research", "plan", "implement", "summary")
	purposes     = values("turn", "summary")
	changes      = values(formats.Added, formats.Removed, formats.Modified, formats.Moved, formats.Renamed, formats.Formatted)
	kinds        = values(formats.KindText, formats.KindDocx, formats.KindODT, formats.KindXlsx, formats.KindPptx, formats.KindPDF, formats.KindImage, formats.KindBinary)
	changedKinds = append(slices.Clone(kinds), review.KindFolder)
	activities   = values(workshop.ActRun, workshop.ActTranslation, workshop.ActSummary, workshop.ActPublish, workshop.ActDiscard, workshop.ActRevert, workshop.ActUndo,
		workshop.ActCheckpoint, workshop.ActRestore, workshop.ActAttach, workshop.ActDelete)
	errorCodes = values(CodeValidationFailed, CodeSandbox, CodeFileReadFailed, CodeNotFound, CodeFileWriteFailed, CodeDiskFull, CodeKeptDamaged, CodeUserCanceled,
		CodeConflictPublished, CodeAuthFailed, CodeNotConfigured, CodeUnavailable, CodeNetwork, CodeAnswerTooLarge, CodeEgressConsent, CodeEgressBlocked,
		CodeMethodNotFound, CodeInvalidParams, runerr.CodeLoopDetected, runerr.CodeBudget)
)

// resultValues are all the values of members that have a few, by Type.member.
// Of a list they are the values of its items.
var resultValues = map[string][]any{
	"Holder.activity":               activities,
	"WorkshopState.activity":        activities,
	"CheckpointInfo.reason":         values(workshop.ReasonPublish, workshop.ReasonRestore, workshop.ReasonUndo, workshop.ReasonManual, workshop.ReasonAdd, workshop.ReasonRemove, workshop.ReasonLive),
	"HistoryEntry.kind":             values(workshop.ReasonPublish, workshop.ReasonRestore, workshop.ReasonUndo, workshop.ReasonManual, workshop.ReasonAdd, workshop.ReasonRemove, "version", "reject", "discard", "guest"),
	"HistoryFile.change_type":       values("added", "modified", "deleted"),
	"RestoreChange.change_type":     values("added", "modified", "deleted"),
	"Change.change_type":            values("added", "modified", "deleted", "renamed"),
	"Change.file_kind":              changedKinds,
	"ContentDiff.file_kind":         changedKinds,
	"FileInfo.file_kind":            kinds,
	"FileStatus.status":             values("added", "removed", "extracted", "rejected", "failed"),
	"Attachment.kind":               kinds,
	"DiffGroup.change":              changes,
	"DiffItem.change":               changes,
	"Fact.change":                   values(formats.Added, formats.Changed, formats.Removed, formats.Moved),
	"Line.type":                     values("context", "added", "removed"),
	"ReviewPreviewResult.rendering": values("pdf", "libreoffice", "text", "image"),
	"ReviewPreviewResult.mime_type": values("image/png"),
	"EgressStatus.mode":             egressModes,
	"Consents.mode":                 egressModes,
	"ConsentMode.mode":              egressModes,
	"EgressEvent.kind":              values("run", "summary", "translate", "models", "validate", "probe", "fetch", "tool_server", "tool_server_request", "tool_sign_in", "release", "allowed", "consent_granted", "consent_revoked"),
	"Check.status":                  values(probe.OK, probe.Note, probe.Fail, probe.Skip),
	"Settings.tools":                values(models.ToolsFull, models.ToolsSmall),
	"Settings.call_ids":             values(models.CallIDsAny, models.CallIDsNine),
	"ProviderStatus.api":            values(api.Chat, api.Anthropic, api.Responses),
	"ProviderStatus.auth_mode":      values("api_key", "none"),
	"ProviderStatus.key_source":     values("", "environment", "stored", "config"),
	"ErrorInfo.error_code":          errorCodes,
	"ErrorInfo.actions":             values("retry", "open_settings", "review_draft", "discard_draft", "grant_consent"),
	"Tool.type":                     values("function"),
	"ModeResult.mode":               modes,
	"ModeChanged.mode":              modes,
	"Record.type":                   values(workshop.TypeUser, workshop.TypeAssistant, workshop.TypeToolResult, workshop.TypeSystem),
	"Record.role":                   values("user", "assistant", "tool", "system"),
	"RunAgentResult.workflow":       values(agent.WorkflowAgent, agent.WorkflowRPI),
	"UnfinishedRun.phase":           runPhases,
	"PhaseStarted.phase":            runPhases,
	"PhaseCompleted.phase":          runPhases,
	"PartUsage.purpose":             purposes,
	"RequestUsage.purpose":          purposes,
	"RunUsage.kind":                 values("run", "translation", "compaction"),
	"Queued.when":                   values(agent.SteerNow, agent.SteerAfter, agent.SteerHold),
	"SteerQueued.when":              values(agent.SteerNow, agent.SteerAfter, agent.SteerHold),
	"MessageComplete.finish_reason": values("length", "content_filter"),
	"ContextCompacted.reason":       values(agent.CompactedAhead, agent.CompactedOverflow, agent.CompactedPhase, agent.CompactedAsked),
	"ChangedFile.change":            values("written", "removed"),
	"ProposedChange.operation":      values("insert", "replace", "delete"),
	"Rule.action":                   values(approvals.Allow, approvals.Ask, approvals.Deny),
	"Rule.effect":                   effects,
	"Grant.effect":                  effects,
	"Use.effect":                    effects,
	"ContextItem.status":            values("ready", "empty", "unreadable"),
	"ContextChanged.action":         values("updated", "deleted"),
	"WindowFill.level":              values("Light", "Moderate", "Heavy"),
	"TranslateProgress.status":      values("", translate.StatusOK, translate.StatusFlagged, translate.StatusSkipped, translate.StatusFailed, translate.StatusPlanned),
	"Flag.code": values(check.Empty, check.Tags, check.Placeholder, check.Address, check.Verbatim, check.Protected, check.Length, check.Number, check.NumberOrder,
		check.Glossary, check.Forbidden, check.Blanks, check.Untranslated, check.Script, check.Chatter, check.Punctuation, check.Ratio, check.Control,
		translate.NoAnswer, translate.Repaired, translate.NotTaken),
}
