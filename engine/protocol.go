package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/llm/models"
	"atelier/workshop/agent"
	"atelier/workshop/translate"
)

// NotificationDoc describes one notification for docs and schema.
type NotificationDoc struct {
	Name    string
	Summary string
	Params  reflect.Type
}

// Notifications lists what the engine sends by itself (I-20…I-24). Each also
// carries seq, which counts a workbench's notifications on one connection, and
// position, which EventsResume takes.
func Notifications() []NotificationDoc {
	return []NotificationDoc{
		{"DraftStateChanged", "The workbench gained, changed or lost its draft.", reflect.TypeFor[DraftStateChanged]()},
		{"CheckpointCreated", "A state of the published files can be restored from now on.", reflect.TypeFor[CheckpointCreated]()},
		{"CheckpointRestored", "The published files went back to a checkpoint.", reflect.TypeFor[CheckpointRestored]()},
		{"TranslateComplete", "A translation job has ended, however it did.", reflect.TypeFor[TranslateCompleted]()},
		{"TranslateProgress", "A translation job went on.", reflect.TypeFor[TranslateProgress]()},
		{"TranslateSegmentsChanged", "A person corrected translations of a job.", reflect.TypeFor[TranslateSegmentsChanged]()},
		{"WorkbenchFilesChanged", "Published files changed.", reflect.TypeFor[WorkbenchFilesChanged]()},
		{"WorkshopAgentLoopWarning", "The model repeats a call without progress.", reflect.TypeFor[agent.LoopWarning]()},
		{"WorkshopAssistantMessageComplete", "The final text of a run is stored.", reflect.TypeFor[agent.MessageComplete]()},
		{"WorkshopAssistantStreamDelta", "A piece of text as the model writes it.", reflect.TypeFor[agent.StreamDelta]()},
		{"WorkshopToolsReduced", "The model gets its tools in short descriptions, since its window is small; describe_tool gives it the rest.", reflect.TypeFor[agent.ToolsReduced]()},
		{agent.EventNotInstructed, "Skills or an AGENTS.md are not used in this run, and why.", reflect.TypeFor[agent.InstructionsUnused]()},
		{"WorkshopContextCut", "The endpoint left out a part of a request, since its window is too small for it.", reflect.TypeFor[agent.ContextCut]()},
		{"WorkshopContextCompacted", "Older parts of the conversation were shortened for the model; the record keeps them.", reflect.TypeFor[agent.ContextCompacted]()},
		{"WorkshopImplementProgress", "A run in phases begins an item of its plan.", reflect.TypeFor[agent.ImplementProgress]()},
		{eventAttached, "A message of the user came with files, which are in the draft now.", reflect.TypeFor[MessageAttached]()},
		{"WorkshopModeChanged", "The session went to plan or to build mode.", reflect.TypeFor[agent.ModeChanged]()},
		{"WorkshopPhaseCompleted", "A phase of a run in phases has ended well.", reflect.TypeFor[agent.PhaseCompleted]()},
		{"WorkshopPhaseStarted", "A phase of a run in phases begins, or goes on after a break.", reflect.TypeFor[agent.PhaseStarted]()},
		{"WorkshopQuestionAnswered", "A client has answered a question; others stop asking it.", reflect.TypeFor[QuestionAnswered]()},
		{"WorkshopQuestionPending", "A tool asks the user; WorkshopAnswerQuestion answers. A run waits for it.", reflect.TypeFor[agent.QuestionPending]()},
		{"WorkshopRateLimitWarning", "The model endpoint asks to wait; the request is tried again.", reflect.TypeFor[agent.RateLimitWarning]()},
		{agent.EventRunQueued, "Over atelier http: a run waits for its turn; ahead is how many have theirs before it. With over it no longer waits, and is not begun.", reflect.TypeFor[agent.RunQueued]()},
		{agent.EventPatchProposed, "A patch of files that the user has open, whole: the editor applies it, nobody else writes to them.", reflect.TypeFor[agent.PatchProposed]()},
		{"ContextChanged", "Somebody wrote or removed standing context.", reflect.TypeFor[ContextChanged]()},
		{windowFillChanged, "How full the model's window is, after a run, a compaction or a change of standing context.", reflect.TypeFor[WindowFillChanged]()},
		{"WorkbenchActivityBegan", "A run, translation, publish or the like began.", reflect.TypeFor[ActivityBegan]()},
		{"WorkbenchActivityEnded", "A run, translation, publish or the like ended, one way or another.", reflect.TypeFor[ActivityEnded]()},
		{"WorkshopConversationChanged", "The conversation changed other than by a run: a message, an undo, a restored file, rejected changes.", reflect.TypeFor[ConversationChanged]()},
		{"WorkshopRunCancelRequested", "A run was asked to stop.", reflect.TypeFor[RunCancelRequested]()},
		{"WorkshopRegenerateStarted", "An answer is about to be made anew.", reflect.TypeFor[RegenerateStarted]()},
		{"WorkshopRegenerateCompleted", "An answer was made anew.", reflect.TypeFor[RegenerateCompleted]()},
		{agent.EventSteerQueued, "A message of the user waits for the run in progress.", reflect.TypeFor[agent.SteerQueued]()},
		{agent.EventSteerTaken, "A message that waited for a run is in the conversation now.", reflect.TypeFor[agent.SteerTaken]()},
		{"ToolServersChanged", "A program whose tools models may call has another state, or other tools.", reflect.TypeFor[ToolServersChanged]()},
		{"ToolServersSignInAddress", "Where the person signs in to a program; ToolServersSignIn waits for it.", reflect.TypeFor[ToolServerSignIn]()},
		{agent.EventServers, "Tools of some programs are not offered in this run, and why; or the run waits for programs that start.", reflect.TypeFor[agent.ServerProblems]()},
		{"WorkshopToolComplete", "A tool call has ended; one for each WorkshopToolExecuting.", reflect.TypeFor[agent.ToolComplete]()},
		{"WorkshopToolExecuting", "A tool call begins.", reflect.TypeFor[agent.ToolExecuting]()},
		{agent.EventUsage, "What a request to the model took, and the run so far.", reflect.TypeFor[agent.RequestUsage]()},
	}
}

// OpenRPC returns the protocol as an OpenRPC 1.3 document with the tool catalogue
// under x-tools and the notifications under x-notifications.
func OpenRPC() (map[string]any, error) {
	var methods []any
	rows := members()
	for _, m := range Methods() {
		params, err := paramsSchema(m, rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		result, err := schemaOf(m.Result)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		methods = append(methods, map[string]any{
			"name": m.Name, "summary": m.Summary, "paramStructure": "by-name",
			"params": contentDescriptors(params),
			"result": map[string]any{"name": "result", "schema": result},
		})
	}
	var notes []any
	for _, n := range Notifications() {
		params, err := schemaOf(n.Params)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.Name, err)
		}
		notes = append(notes, map[string]any{"name": n.Name, "summary": n.Summary, "params": params})
	}
	return map[string]any{
		"openrpc":         "1.3.2",
		"info":            map[string]any{"title": "Atelier", "version": APIVersion},
		"methods":         methods,
		"x-notifications": notes,
		"x-tools":         workshopCatalogue().Tools(),
	}, nil
}

// ResultSchema describes the result of a method for other documents, such as
// the OpenAPI document of the routes that answer with it.
func ResultSchema(method string) (*jsonschema.Schema, error) {
	for _, m := range Methods() {
		if m.Name == method {
			return schemaOf(m.Result)
		}
	}
	return nil, fmt.Errorf("there is no method %s", method)
}

// ParamsSchema describes the params of a method for other documents.
func ParamsSchema(method string) (*jsonschema.Schema, error) {
	m := lookup(method)
	if m == nil {
		return nil, fmt.Errorf("there is no method %s", method)
	}
	return paramsSchema(m, members())
}

// paramsSchema describes the params of a method; rows are members().
func paramsSchema(m *Method, rows map[string]member) (*jsonschema.Schema, error) {
	s, err := plainSchema(m.Params)
	if err != nil {
		return nil, err
	}
	describeMembers(m.Name, s, rows)
	describeType(m.Params, s)
	return s, nil
}

// SchemaOf describes a type as it is in JSON.
func SchemaOf(t reflect.Type) (*jsonschema.Schema, error) { return schemaOf(t) }

// contentDescriptors lists the members of a params schema as OpenRPC wants them.
func contentDescriptors(s *jsonschema.Schema) []any {
	required := map[string]bool{}
	for _, name := range s.Required {
		required[name] = true
	}
	out := []any{}
	for _, name := range s.PropertyOrder {
		out = append(out, map[string]any{"name": name, "description": s.Properties[name].Description, "required": required[name], "schema": s.Properties[name]})
	}
	return out
}

// schemaOf describes a type as it is in JSON, with what its members mean.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := plainSchema(t)
	if err == nil {
		describeType(t, s)
	}
	return s, err
}

// plainSchema describes a type as it is in JSON, which for some types differs
// from the Go type.
func plainSchema(t reflect.Type) (*jsonschema.Schema, error) {
	words := &jsonschema.Schema{Types: []string{"null", "array"}, Items: &jsonschema.Schema{Type: "string"}}
	return jsonschema.ForType(t, &jsonschema.ForOptions{IgnoreInvalidTypes: true, TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage]():    {}, // any value
		reflect.TypeFor[models.Efforts]():     words,
		reflect.TypeFor[models.Repairs]():     words,
		reflect.TypeFor[models.Temperature](): {Types: []string{"number", "string"}},
		reflect.TypeFor[TranslateState]():     {Type: "string", Enum: values(translateRunning, translateComplete, translateCanceled, translateInterrupted, translateFailed, translateOver)},
		reflect.TypeFor[translate.Status]():   {Type: "string", Enum: values(translate.StatusOK, translate.StatusFlagged, translate.StatusSkipped, translate.StatusFailed, translate.StatusPlanned)},
	}})
}

// ProtocolMarkdown returns docs/protocol.md: the text of docs/protocol.head.md and
// the tables made from the method table and the tool catalogue.
func ProtocolMarkdown(head []byte) []byte {
	var b bytes.Buffer
	b.Write(head)
	b.WriteString("\n## Methods\n\n| method | params | result | |\n|---|---|---|---|\n")
	for _, m := range Methods() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Name, fields(m.Params), fields(m.Result), m.Summary)
	}
	b.WriteString("\n## Notifications\n\n| notification | params (besides `seq` and `position`) | |\n|---|---|---|\n")
	for _, n := range Notifications() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", n.Name, fields(n.Params), n.Summary)
	}
	b.WriteString("\n## Tools of the workshop catalogue\n")
	for _, t := range workshopCatalogue().Tools() {
		fmt.Fprintf(&b, "\n### `%s`\n\n%s\n\n```json\n", t.Function.Name, t.Function.Description)
		json.Indent(&b, t.Function.Parameters, "", "  ")
		b.WriteString("\n```\n")
	}
	return b.Bytes()
}

// fields lists the JSON members of a struct type; "?" marks optional ones.
func fields(t reflect.Type) string {
	var names []string
	own := ownNames(t) // they hide members of structs within
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.Anonymous || f.Tag.Get("json") != "" {
			if name := fieldName(f); name != "" {
				names = append(names, name)
			}
			continue
		}
		for inner := range strings.SplitSeq(fields(f.Type), ", ") {
			if inner != "–" && !own[strings.TrimRight(inner, "?[]")] {
				names = append(names, inner)
			}
		}
	}
	if len(names) == 0 {
		return "–"
	}
	return strings.Join(names, ", ")
}

// ownNames returns the JSON names of the fields that t does not take from structs
// within.
func ownNames(t reflect.Type) map[string]bool {
	own := map[string]bool{}
	for i := range t.NumField() {
		if f := t.Field(i); !f.Anonymous {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			own[name] = true
		}
	}
	return own
}

// fieldName returns the JSON name of a field with its marks, "" for one that JSON
// leaves out.
func fieldName(f reflect.StructField) string {
	name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() || name == "-" || name == "" {
		return ""
	}
	if opts == "omitempty" {
		name += "?"
	}
	if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() != reflect.Uint8 {
		name += "[]"
	}
	return name
}
