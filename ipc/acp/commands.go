package acp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
	"atelier/internal/lazyregexp"
	"atelier/workshop"
	"atelier/workshop/agent"
)

// command is a slash command.
type command struct {
	name, takes, does string
	run               func(s *session, ctx context.Context, args string) (next, error)
}

// next is what a prompt continues with after a command; the zero value is nothing.
type next struct {
	task    string // for the model
	message string // id of a stored message that the model answers
}

func commands() []command {
	return []command{
		{"review", "[path]", "Show what the draft changes", (*session).cmdReview},
		{"publish", "[paths]", "Put the draft in place of the files of the folder", (*session).cmdPublish},
		{"discard", "[paths]", "Drop the draft, or some of its files", (*session).cmdDiscard},
		{"undo", "", "Take back the last message and all that it changed", (*session).cmdUndo},
		{"translate", "language [paths]", "Translate documents in the draft", (*session).cmdTranslate},
		{"plan", "[task]", "Plan first: nothing else is changed until you accept the plan", (*session).cmdPlan},
		{"compact", "[what to keep]", "Have the model sum up the conversation so far", (*session).cmdCompact},
		{"continue", "", "Go on with a run that was broken off", (*session).cmdContinue},
	}
}

func availableCommands() []sdk.AvailableCommand {
	var out []sdk.AvailableCommand
	for _, c := range commands() {
		a := sdk.AvailableCommand{Name: c.name, Description: c.does}
		if c.takes != "" {
			a.Input = &sdk.AvailableCommandInput{Unstructured: &sdk.UnstructuredCommandInput{Hint: c.takes}}
		}
		out = append(out, a)
	}
	return out
}

var commandLine = lazyregexp.New(`(?s)^/([a-z]+)(?:\s+(.*))?$`)

// commandOf splits a command; a text that begins with a slash otherwise is a task.
func commandOf(text string) (name, args string, ok bool) {
	m := commandLine.FindStringSubmatch(text)
	if m == nil || !slices.ContainsFunc(commands(), func(c command) bool { return c.name == m[1] }) {
		return "", "", false
	}
	return m[1], strings.TrimSpace(m[2]), true
}

// command carries a command out. What went wrong is said in the conversation.
func (s *session) command(ctx context.Context, name, args string) (n next, err error) {
	for _, c := range commands() {
		if c.name != name {
			continue
		}
		if c.takes == "" && args != "" {
			s.say("/" + name + " takes nothing; nothing was done.\n")
			return next{}, nil
		}
		n, err = c.run(s, ctx, args)
		if err != nil && ctx.Err() == nil {
			s.say("/" + name + " did not work: " + explain(err) + "\n")
			return next{}, nil
		}
	}
	return n, err
}

// pathsOf splits paths of files at spaces; names with spaces are quoted.
func (s *session) pathsOf(args string) []string {
	var out []string
	for _, m := range quotedWord.FindAllStringSubmatch(args, -1) {
		p := m[1] + m[2] + m[3]
		if rel, ok := s.inFolder(p); ok {
			p = rel
		}
		out = append(out, strings.TrimPrefix(p, "/"))
	}
	return out
}

var quotedWord = lazyregexp.New(`"([^"]*)"|'([^']*)'|(\S+)`)

func (s *session) cmdReview(ctx context.Context, args string) (next, error) {
	text, err := s.review(ctx, s.pathsOf(args), manyItems)
	if err == nil && text == "" {
		text = "The draft changes nothing."
		if args != "" {
			text = "The draft does not change " + name(args) + "; /review alone lists what it changes."
		}
	}
	if err == nil {
		s.say(text + "\n")
	}
	return next{}, err
}

// The answers about publishing.
const (
	publishDisk   = "publish"
	publishEditor = "publish-and-editor"
	publishNo     = "no"
)

func (s *session) cmdPublish(ctx context.Context, args string) (next, error) {
	paths := s.pathsOf(args)
	set, err := engine.CallAs[engine.ChangeSetResult](ctx, s.a.eng, "ReviewGetChangeSet", s.ref())
	if err != nil {
		return next{}, err
	}
	text, files := "", []string{}
	for _, c := range set.Changes {
		if len(paths) == 0 || slices.Contains(paths, c.Path) {
			files = append(files, c.Path)
			text += "- " + c.ChangeType + " **" + name(c.Path) + "**: " + name(c.Summary) + "\n"
			for _, w := range c.Warnings {
				text += "  - ⚠ " + name(w) + "\n"
			}
		}
	}
	if len(files) == 0 {
		s.say("There is nothing to publish.\n")
		return next{}, nil
	}
	wb, err := s.workbench(ctx)
	if err != nil {
		return next{}, err
	}
	open := s.editor.unsaved(ctx, wb, files)
	options := []sdk.PermissionOption{{OptionId: publishDisk, Name: "Publish", Kind: sdk.PermissionOptionKindAllowOnce}}
	if len(open) > 0 {
		text += "\nNot saved in the editor: " + name(strings.Join(open, ", ")) + "\n"
		if s.a.canWrite() {
			options = append(options, sdk.PermissionOption{OptionId: publishEditor, Name: "Publish, and put the text into the editor", Kind: sdk.PermissionOptionKindAllowOnce})
		}
	}
	options = append(options, sdk.PermissionOption{OptionId: publishNo, Name: "No", Kind: sdk.PermissionOptionKindRejectOnce})
	chosen, err := s.permission(ctx, sdk.ToolCallId("publish-"+s.a.number()), fmt.Sprintf("Publish %s into the folder?", counted(len(files), "file", "files")), text, sdk.ToolKindEdit, options)
	if err != nil || chosen != publishDisk && chosen != publishEditor {
		if ctx.Err() == nil {
			s.say("Nothing was published.\n")
		}
		return next{}, ctx.Err()
	}
	return next{}, s.publish(ctx, wb, paths, open, chosen == publishEditor)
}

// publish publishes files, and has the editor take over those that it has open with
// unsaved text, if the person said so.
func (s *session) publish(ctx context.Context, wb *workshop.Workbench, paths, open []string, edit bool) error {
	r, err := engine.CallAs[engine.DraftPublishResult](ctx, s.a.eng, "DraftPublish", engine.DraftPublishParams{WorkbenchID: s.id, Paths: paths})
	if err != nil {
		return err
	}
	text := ""
	for _, p := range r.Published {
		text += "- published " + name(p) + "\n"
	}
	for _, n := range r.Notes {
		text += "- " + name(n) + "\n"
	}
	text += "\nWhat was replaced is kept in checkpoint " + r.CheckpointID + ".\n"
	for _, p := range open {
		if slices.Contains(r.Published, p) {
			text += s.publishOpen(ctx, wb, p, edit)
		}
	}
	s.say(text)
	return nil
}

// publishOpen puts a published text into the editor, unless the person has typed on,
// and says what became of it.
func (s *session) publishOpen(ctx context.Context, wb *workshop.Workbench, p string, edit bool) string {
	published, exists, ok := textOf(ctx, wb.PublishedView(), workshop.Path(p))
	if !ok || !exists {
		return ""
	}
	if !edit {
		return "- " + name(p) + " has unsaved text in the editor: saving it there would replace what was published\n"
	}
	now, err := s.editor.read(ctx, p)
	base, known := s.editor.base(p)
	if err == nil {
		now, _ = likeSaved(now, published)
	}
	switch {
	case err != nil:
		return "- " + name(p) + ": the editor could not be asked: " + err.Error() + "\n"
	case now == published:
		return ""
	case !known || now != base:
		return "- " + name(p) + " stays as it is in the editor: its text there is newer than what the change began from\n"
	}
	if err := s.editor.write(ctx, p, published); err != nil {
		return "- " + name(p) + ": the editor did not take the text: " + err.Error() + "\n"
	}
	return "- the editor has the published text of " + name(p) + "\n"
}

func (s *session) cmdDiscard(ctx context.Context, args string) (next, error) {
	st, err := engine.CallAs[engine.DraftGetStateResult](ctx, s.a.eng, "DraftGetState", s.ref())
	if err != nil {
		return next{}, err
	}
	if !st.HasDraft {
		s.say("There is no draft.\n")
		return next{}, nil
	}
	paths := s.pathsOf(args)
	what := "the draft"
	if len(paths) > 0 {
		what = name(strings.Join(paths, ", ")) + " of the draft"
	}
	chosen, err := s.permission(ctx, sdk.ToolCallId("discard-"+s.a.number()), "Discard "+what+"?", "", sdk.ToolKindDelete, []sdk.PermissionOption{
		{OptionId: "discard", Name: "Discard", Kind: sdk.PermissionOptionKindAllowOnce}, {OptionId: "no", Name: "No", Kind: sdk.PermissionOptionKindRejectOnce}})
	if err != nil || chosen != "discard" {
		if ctx.Err() == nil {
			s.say("The draft stays.\n")
		}
		return next{}, ctx.Err()
	}
	if _, err = engine.CallAs[engine.DraftDiscardResult](ctx, s.a.eng, "DraftDiscard", engine.DraftDiscardParams{WorkbenchID: s.id, Paths: paths}); err == nil {
		s.say("Discarded " + what + "; the folder stays as it is.\n")
	}
	return next{}, err
}

func (s *session) cmdUndo(ctx context.Context, _ string) (next, error) {
	last, err := s.lastMessage(ctx, true)
	if err != nil {
		return next{}, err
	}
	if last == "" {
		s.say("There is no message to take back.\n")
		return next{}, nil
	}
	r, err := engine.CallAs[engine.UndoResult](ctx, s.a.eng, "WorkshopUndoToMessage", engine.UndoParams{WorkbenchID: s.id, MessageID: last, Before: true})
	if err != nil {
		return next{}, err
	}
	text := fmt.Sprintf("Took back %s of the conversation. The model does not know them any more; they stay in the editor's window.\n", counted(r.RecordsUndone, "record", "records"))
	for _, p := range r.PublishedFiles {
		text += "- restored " + name(p) + "\n"
	}
	for _, n := range r.Notes {
		text += "- " + name(n) + "\n"
	}
	if r.HasDraft {
		text += "The draft is as it was then; /review shows it.\n"
	} else {
		text += "There is no draft.\n"
	}
	s.say(text)
	return next{}, nil
}

func (s *session) cmdPlan(ctx context.Context, args string) (next, error) {
	if err := s.setMode(ctx, modePlan); err != nil {
		return next{}, err
	}
	if args == "" {
		s.say("Plan mode: say what is to be done. The mode \"work\" leaves it.\n")
	}
	return next{task: args}, nil
}

func (s *session) cmdCompact(ctx context.Context, args string) (next, error) {
	if ok, err := s.consent(ctx); err != nil || !ok {
		s.declined(ctx, err)
		return next{}, err
	}
	r, err := engine.CallAs[engine.CompactResult](ctx, s.a.eng, "WorkshopCompact", engine.CompactParams{WorkbenchID: s.id, Keep: args})
	if err != nil {
		return next{}, err
	}
	if r.Summarised == 0 {
		s.say("There was nothing worth summing up.\n")
		return next{}, nil
	}
	s.say(fmt.Sprintf("Summed up %s: the next request has about %d tokens instead of %d. Nothing was deleted.\n", counted(r.Summarised, "message", "messages"), r.TokensAre, r.TokensWere))
	return next{}, nil
}

// cmdContinue has the model answer the last message from where it was broken off.
func (s *session) cmdContinue(ctx context.Context, _ string) (next, error) {
	id, err := s.lastMessage(ctx, false)
	if err != nil || id == "" {
		s.say("There is no message to answer.\n")
		return next{}, err
	}
	if ok, err := s.consent(ctx); err != nil || !ok {
		s.declined(ctx, err)
		return next{}, err
	}
	return next{message: id}, nil
}

// lastMessage returns the last message of the person that began a run, or with steps
// the last step that can be undone; "" for none.
func (s *session) lastMessage(ctx context.Context, steps bool) (string, error) {
	c, err := engine.CallAs[engine.Conversation](ctx, s.a.eng, "WorkshopGetConversation", s.ref())
	for _, r := range slices.Backward(c.Messages) {
		if steps && r.IsStep() || r.Type == workshop.TypeUser && agent.Steers(r) == "" {
			return r.MessageID, err
		}
	}
	return "", err
}
