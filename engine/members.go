package engine

import (
	"cmp"
	"maps"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/llm/models"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// member is what the schema says of a member of params besides its type.
type member struct {
	about  string
	values []any // all that is allowed; nil: anything of the type
}

func values[S ~string](list ...S) []any {
	var out []any
	for _, v := range list {
		out = append(out, string(v))
	}
	return out
}

// members describes the members of params by name, since a name means the same
// in every method; a row "Method.name" goes before a row "name".
func members() map[string]member {
	efforts := values(append([]string{""}, models.AllEfforts()...)...)
	rows := map[string]member{
		"after":            {about: "only entries with a greater id; default 0, from the first"},
		"agentic":          {about: "whether WorkshopRunAgent may be used"},
		"another":          {about: "the root is another folder than the one that stood at its path before: it gets a workbench of its own"},
		"answers":          {about: "the answers, by the name of the question; each fits its question's schema"},
		"api_key":          {about: "the key; it is kept in the system's keychain, else encrypted, and never given back"},
		"approved":         {about: "the user was asked and agreed; allow_all needs it"},
		"args":             {about: "the arguments of the tool, an object as its schema says (x-tools)"},
		"budget":           {about: "bounds of the work: tokens, cost, seconds; what is left out is as the engine was set up"},
		"password":         {about: "a password of encrypted files; it is kept in memory only, and never given back"},
		"catalogue":        {about: "whose tools are meant; default workshop", values: values(catalogue.Names()...)},
		"category":         {about: "company-context, department-context, situation, document-style, or the name of another file of the context without .md"},
		"checkpoint_id":    {about: "the checkpoint, as CheckpointList and CheckpointCreated give it"},
		"decision":         {about: "what the user decides", values: values("approve", "decline", "forget")},
		"description":      {about: "what the checkpoint is called in lists"},
		"destination_dir":  {about: "a folder of the host; it must exist"},
		"do_not_translate": {about: "what stays as it is: words, wildcards such as SKU-*, /regular expressions/, or @FILE with one a line, a file of the workbench"},
		"doc_path":         {about: "the name of the workbench in doc paths; \"\" gives back the default one"},
		"enabled":          {about: "whether the provider's models are offered"},
		"engine":           {about: "what translates; default the model", values: values("model", "pseudo", "apertium", "none")},
		"file_id":          {about: "the file, instead of path; it stays the same when the file is moved"},
		"folder":           {about: "where translations go, a folder for each language below it; default \"translated\""},
		"from":             {about: "the language of the documents, BCP 47 or an English name; default: found out"},
		"glossary":         {about: "a CSV or TBX file of the workbench"},
		"granted":          {about: "the calls that are allowed for good; takes the place of the list there is"},
		"headless":         {about: "nobody answers questions: tools that ask fail, the run goes on"},
		"implement_effort": {about: "reasoning_effort of the implementing phase; \"\" is the model's default", values: efforts},
		"in_place":         {about: "the translation takes the original's place in the draft; for one language"},
		"instructions":     {about: "what the model is told for this work, in words"},
		"job_id":           {about: "the job, as TranslateStart and TranslateList give it"},
		"keep":             {about: "what the summary must not lose, in words; at most 4000 characters"},
		"keep_turns":       {about: "how many messages of the user stay word for word, with all that came of them"},
		"limit":            {about: "at most so many entries in one answer"},
		"masters":          {about: "translate the texts of slide masters and layouts too"},
		"max_bytes":        {about: "at most so many bytes in one answer; default 1 MiB, at most 8 MiB"},
		"max_items":        {about: "at most so many items in one answer, default 1000; the counts are of all"},
		"max_lines":        {about: "at most so many changed lines in one answer; default 2000, at most 20000"},
		"merge":            {about: "keep the active files there are; those with the same docPath are replaced"},
		"message_id":       {about: "the message of the conversation that is meant"},
		"model":            {about: "the model that translates; default the workbench's"},
		"model_id":         {about: "the model, as ModelsList gives it; where it may be left out, default the workbench's active model"},
		"name":             {about: "what the workbench is called in lists"},
		"overflow":         {about: "also send a request longer than the window, which may cost money"},
		"page":             {about: "the page, from 0; of a presentation the slide"},
		"path":             {about: "the file, relative to the workbench's root, with / between folders"},
		"paths":            {about: "files and folders, relative to the workbench's root; empty: all"},
		"persist":          {about: "keep the consent for good; default: as long as the engine runs"},
		"plan_effort":      {about: "reasoning_effort of the planning phase; \"\" is the model's default", values: efforts},
		"profile":          {about: "another word for catalogue", values: values(catalogue.Names()...)},
		"provider_id":      {about: "the provider, as ProvidersGetStatus gives it; where it may be left out, default all"},
		"question_id":      {about: "the question, as WorkshopQuestionPending gave it"},
		"remove":           {about: "docPaths to take out, after the rest is done"},
		"research_effort":  {about: "reasoning_effort of the researching phase; \"\" is the model's default", values: efforts},
		"root":             {about: "an absolute path of a folder of the host"},
		"rules":            {about: "the rules of the workbench, the first that fits decides; takes the place of the list there is"},
		"scale":            {about: "0.25 to 2, default 1: a pixel is 1/72 inch, of an image a pixel"},
		"scope_hash":       {about: "as EgressGetConsentStatus gave it: stands for what the user was shown"},
		"sheet_names":      {about: "translate the names of sheets too"},
		"upload_id":        {about: "the upload, as UploadBegin gave it"},
		"uploads":          {about: "ids of complete uploads to add; those that are added are dropped"},
		"bytes_base64":     {about: "the bytes in base64, at most 8 MiB in one part"},
		"source_paths":     {about: "absolute paths of files and folders of the host"},
		"start":            {about: "next of the part before; \"\" begins at the beginning"},
		"text":             {about: "what the user says"},
		"to":               {about: "the languages wanted, BCP 47 or English names"},
		"tool":             {about: "the name of a tool of the catalogue"},
		"version":          {about: "which state of the file: draft (the default), published, or a version as WorkbenchFileVersions gives it, its hash, or the beginning of either"},
		"version_id":       {about: "the version, as WorkbenchFileVersions gives it, or its hash, or the beginning of either"},
		"when":             {about: "when the model sees it; default now", values: values("now", "after", "hold")},
		"with":             {about: "the version to compare with; default the one the file has now"},
		"workbench_id":     {about: "the workbench, as WorkbenchCreate and WorkbenchList give it"},
		"workbench_paths":  {about: "paths relative to the workbench's root; empty: all"},
		"read_only":        {about: "the model gets no tools that change files; with the workflow agent only"},
		"workflow":         {about: "how the run works: agent goes ahead (the default), rpi researches, plans and implements, auto decides", values: values(agent.WorkflowAgent, agent.WorkflowRPI, agent.WorkflowAuto)},
	}
	maps.Copy(rows, methodMembers())
	maps.Copy(rows, translateMembers())
	maps.Copy(rows, serverMembers())
	serverNameMembers(rows)
	return rows
}

// methodMembers describes members that mean something else in one method.
func methodMembers() map[string]member {
	return map[string]member{
		"UserSetBudget.budget":                {about: "bounds of each run and of each workbench; what is left out is as the program was set up"},
		"WorkbenchSetBudget.budget":           {about: "bounds of each run and of the workbench in all; what is left out is as UserSetBudget says, else as the program was set up"},
		"GivePasswordParams.path":             {about: "an encrypted file to try it on; left out, it is kept untried"},
		"SkillsDecide.hash":                   {about: "the hash as SkillsGet gave it, of what the user was shown; not for forget"},
		"SkillsDecide.name":                   {about: "the name of a skill of the folder, or AGENTS.md"},
		"SkillsGet.name":                      {about: "the name of a skill, or AGENTS.md"},
		"SkillsGet.source":                    {about: "where it is from; default the first of these that has one", values: values("folder", "user", "program")},
		"EventsResume.position":               {about: "the position of the last notification that the client has; left out, it wants later ones only"},
		"DraftRevertChanges.changes":          {about: "ids of items and facts of ReviewGetContentDiff, or of hunks of ReviewGetTextDiff"},
		"ReviewGetContentDiff.requires":       {about: "say of each change of a docx, xlsx or pptx whether it can be taken back and with which others; this takes many comparisons"},
		"DraftPublish.force":                  {about: "publish these paths over what changed outside; what they replace is kept in the checkpoint"},
		"HistoryList.before":                  {about: "only what happened before this entry: an entry_id"},
		"HistoryList.files":                   {about: "at most so many files of each entry; default 50, at most 2000"},
		"HistoryList.limit":                   {about: "at most so many entries in one answer; default 100, at most 500"},
		"WorkbenchReadFileVersion.offset":     {about: "the first byte wanted, from 0"},
		"ProvidersAdd.provider_id":            {about: "a name of small letters, digits, - and _; models of it are named provider_id:model"},
		"ProvidersAdd.base_url":               {about: "the address of the endpoint, such as http://localhost:11434/v1"},
		"ProvidersAdd.display_name":           {about: "the name to show; default the provider_id"},
		"ProvidersAdd.api":                    {about: "that the endpoint speaks; default chat, at api.anthropic.com anthropic", values: values("", "chat", "anthropic", "responses")},
		"EgressListEvents.before":             {about: "only events with a smaller id, with newest_first; default 0, from the newest"},
		"EgressListEvents.find":               {about: "only events with this text in host, provider, model, kind, error or files, whatever the case of A to Z"},
		"EgressListEvents.left":               {about: "only requests that went to another machine"},
		"EgressListEvents.newest_first":       {about: "the newest first, paged with before instead of after"},
		"WorkbenchFilesList.after":            {about: "only files whose paths come behind this one in byte order, which need not be there"},
		"WorkbenchFilesList.limit":            {about: "at most so many files in one answer; default 0, all"},
		"UploadBegin.name":                    {about: "the name of the file, without folders"},
		"UploadBegin.size":                    {about: "the bytes of the whole file, at most 104857600"},
		"UploadAppend.offset":                 {about: "where the part begins: the bytes received so far; the part received last may come again"},
		"WorkshopSendUserMessage.attachments": {about: "files that come with the message, at most 20 of at most 104857600 bytes: {name, content} with content in base64, {upload_id} of a complete upload, or {path} of a regular file of the host; they go into the draft as files/NAME, which is file:NAME, and are refused while anything is in progress"},
		"SessionSetActiveFiles.files":         {about: "the files open in the editor, with content, when isActive is not false; they take the place of those there are, but for merge"},
		"SessionSetActiveFiles.session_id":    {about: "an editor's session; a workbench_id is one too"},
		"SessionListActiveFiles.session_id":   {about: "an editor's session; a workbench_id is one too"},
		"ContextUpdateDirect.files":           {about: "the files of the category; each is written whole, the others stay"},
		"UserSetConsentMode.mode":             {about: "whether the user is asked before documents are sent", values: values("ask", "allow_all")},
		"WorkshopSetMode.mode":                {about: "in plan mode only plans can be written", values: values(tools.ModePlan, tools.ModeBuild)},
		"WorkbenchFileVersions.before":        {about: "before of the page before: only versions older than this"},
		"WorkbenchGetUsage.before":            {about: "next_before of the page before; 0: the last runs"},
		"WorkshopUndoToMessage.before":        {about: "take the message itself back too"},
		"FoldersList.path":                    {about: "an absolute path; default: the home of the user"},
		"WorkshopRunAgent.message_id":         {about: "the user message to answer, as WorkshopSendUserMessage gave it"},
		"WorkshopRegenerate.message_id":       {about: "the user message whose answer is made anew"},
		"WorkshopUndoToMessage.message_id":    {about: "the last message or step that stays, or with before the first that goes"},
	}
}

// describeMembers gives the members of a method's params their descriptions and
// the values that are allowed.
func describeMembers(method string, params *jsonschema.Schema, rows map[string]member) {
	for name, s := range params.Properties {
		row, ok := rows[method+"."+name]
		if !ok {
			row = rows[name]
		}
		if s.Description == "" {
			s.Description = row.about
		}
		if row.values != nil {
			s.Enum = row.values
		}
	}
}

// describeType describes the members of a type, nested ones too, from the tables
// of results, where the schema does not say yet.
func describeType(t reflect.Type, s *jsonschema.Schema) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case s == nil:
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		describeType(t.Elem(), s.Items)
	case t.Kind() == reflect.Map:
		describeType(t.Elem(), s.AdditionalProperties)
	case t.Kind() == reflect.Struct && s.Properties != nil:
		for i := range t.NumField() {
			describeField(t, t.Field(i), s)
		}
	}
}

// describeField describes the member of s that is the field f of the struct t.
func describeField(t reflect.Type, f reflect.StructField, s *jsonschema.Schema) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if f.Anonymous && name == "" {
		describeType(f.Type, s)
		return
	}
	member := s.Properties[name]
	if member == nil {
		return
	}
	typed := t.Name() + "." + name
	if form, ok := freeForms[typed]; ok {
		member.Types = form
	}
	if member.Description == "" {
		member.Description = cmp.Or(resultMembers[typed], resultMembers[name])
	}
	if list := resultValues[typed]; list != nil {
		if of := member.Items; of != nil {
			of.Enum = list
		} else {
			member.Enum = list
		}
	}
	describeType(f.Type, member)
}
