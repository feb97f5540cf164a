package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
	"atelier/workshop/agent"
	"atelier/workshop/approvals"
	"atelier/workshop/tools"
	"atelier/workshop/tools/questions"
)

// typedQuestion is a question that the next prompt answers.
type typedQuestion struct {
	question tools.Question
	reply    questions.Reply
	answer   chan json.RawMessage // takes one
}

// question asks the person what a run asks, in another goroutine.
func (s *session) question(p agent.QuestionPending) {
	s.mu.Lock()
	r := s.run
	s.mu.Unlock()
	if r == nil || !s.a.begin() {
		return
	}
	go func() {
		defer s.a.working.Done()
		s.ask(r, p)
	}()
}

// ask asks the questions one after another. A question without an answer ends the
// run, as nobody would continue it.
func (s *session) ask(r *run, p agent.QuestionPending) {
	answers := tools.Answers{}
	for i, q := range p.Questions {
		v, err := s.askOne(r, p, q, fmt.Sprintf("question-%s-%d", p.QuestionID, i+1))
		if err != nil {
			r.cancel()
			return
		}
		answers[q.Name] = v
	}
	_, err := engine.CallAs[engine.AcceptedResult](r.ctx, s.a.eng, "WorkshopAnswerQuestion", engine.AnswerQuestionParams{WorkbenchID: s.id, QuestionID: p.QuestionID, Answers: answers})
	if err != nil && r.ctx.Err() == nil {
		s.say("\n\nThe answer was not taken: " + explain(err) + "\n")
		r.cancel()
	}
}

// errCancelled says that the person did not answer.
var errCancelled = errors.New("the person did not answer")

func (s *session) askOne(r *run, p agent.QuestionPending, q tools.Question, id string) (json.RawMessage, error) {
	if p.Approval != nil {
		return s.approve(r, p, q)
	}
	reply := questions.ReplyTo(q)
	choices := choicesOf(q, reply)
	if reply.Several() || len(choices) == 0 || len(choices) > maxChoices {
		return s.askTyped(r, q, reply)
	}
	var options []sdk.PermissionOption
	for i, c := range choices {
		kind := sdk.PermissionOptionKindAllowOnce
		if c.Variant == "danger" || c.Variant == "destructive" || slices.Contains([]string{"no", "reject", "cancel"}, strings.ToLower(c.Label)) {
			kind = sdk.PermissionOptionKindRejectOnce
		}
		options = append(options, sdk.PermissionOption{OptionId: sdk.PermissionOptionId(fmt.Sprint(i + 1)), Name: c.Label, Kind: kind})
	}
	open := !closed(q)
	if open {
		options = append(options, sdk.PermissionOption{OptionId: optionOther, Name: "Another answer …", Kind: sdk.PermissionOptionKindAllowOnce})
	}
	chosen, err := s.permission(r.ctx, sdk.ToolCallId(id), q.Question, "", sdk.ToolKindOther, options)
	if errors.Is(err, errNoPermissions) || chosen == optionOther {
		return s.askTyped(r, q, reply)
	}
	if err != nil {
		return nil, err
	}
	for i, c := range choices {
		if chosen == fmt.Sprint(i+1) {
			return c.Value, nil
		}
	}
	return nil, errCancelled
}

// maxChoices is how many options a client is given; more are answered with a text.
const maxChoices = 12

const optionOther = "other"

// choicesOf are the choices of a question; a yes or no has two.
func choicesOf(q tools.Question, reply questions.Reply) []questions.Choice {
	choices := reply.Choices()
	if len(choices) == 0 && questions.Fits(q, json.RawMessage("true")) == nil && questions.Fits(q, json.RawMessage(`"x"`)) != nil {
		choices = []questions.Choice{{Label: "Yes", Value: json.RawMessage("true")}, {Label: "No", Value: json.RawMessage("false")}}
	}
	return choices
}

// closed reports whether a question takes none but its choices.
func closed(q tools.Question) bool {
	var schema struct {
		Type string            `json:"type"`
		Enum []json.RawMessage `json:"enum"`
	}
	return json.Unmarshal(q.Schema, &schema) == nil && (len(schema.Enum) > 0 || schema.Type == "boolean")
}

// askTyped asks in the text of the conversation; the next prompt answers.
func (s *session) askTyped(r *run, q tools.Question, reply questions.Reply) (json.RawMessage, error) {
	t := &typedQuestion{question: q, reply: reply, answer: make(chan json.RawMessage, 1)}
	text := "\n\n**" + q.Question + "**\n"
	for i, c := range reply.Choices() {
		text += fmt.Sprintf("%d. %s\n", i+1, c.Label)
	}
	s.say(text + "\n(Your next message answers this: " + reply.Wanted() + ".)\n")
	r.mu.Lock()
	r.open = t
	r.mu.Unlock()
	select {
	case r.typed <- struct{}{}:
	default:
	}
	select {
	case v := <-t.answer:
		return v, nil
	case <-r.ctx.Done():
		return nil, r.ctx.Err()
	}
}

// typedAnswer takes a prompt as the answer to the open question of a run. asked is
// false when none is open.
func (s *session) typedAnswer(r *run, text string) (asked, fits bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		return false, false
	}
	v, ok := r.open.reply.Read(strings.TrimSpace(text))
	if !ok {
		s.say("That does not fit: " + r.open.reply.Wanted() + ".\n")
		return true, false
	}
	r.open.answer <- v
	r.open = nil
	return true, true
}

// The options of an approval, and its answers.
var approvalOptions = []sdk.PermissionOption{
	{OptionId: approvals.Once, Name: "Once", Kind: sdk.PermissionOptionKindAllowOnce},
	{OptionId: approvals.ForRun, Name: "For this run", Kind: sdk.PermissionOptionKindAllowOnce},
	{OptionId: approvals.Always, Name: "Always", Kind: sdk.PermissionOptionKindAllowAlways},
	{OptionId: "no", Name: "No", Kind: sdk.PermissionOptionKindRejectOnce},
}

// approve asks whether a call is allowed.
func (s *session) approve(r *run, p agent.QuestionPending, q tools.Question) (json.RawMessage, error) {
	var always []string
	for _, g := range p.Approval.Always {
		always = append(always, g.String())
	}
	text := ""
	if len(always) > 0 {
		text = "For this run, or always: " + strings.Join(always, ", ")
	}
	if o := p.Approval.Outside; o != nil {
		text = fmt.Sprintf("%s of %s, with %s\nWhat it does is not in the draft and cannot be undone.\n%s", o.Tool, o.Server, o.Arguments, text)
	}
	kind := s.kindOf(p.Approval.Tool)
	chosen, err := s.permissionFor(r.ctx, s.calls.of(p.Approval.CallID), "Allow "+p.Approval.Describe()+"?", text, kind, approvalOptions)
	if errors.Is(err, errNoPermissions) {
		return s.askTyped(r, q, questions.ReplyTo(q))
	}
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(approvalOptions, func(o sdk.PermissionOption) bool { return string(o.OptionId) == chosen }) {
		chosen = "no" // an option that was not offered allows nothing
	}
	b, err := json.Marshal(chosen)
	return b, err
}

// errNoPermissions says that the client cannot be asked.
var errNoPermissions = errors.New("the client takes no permission requests")

// permission asks the person to choose an option, as a tool call that begins and
// ends with the question.
func (s *session) permission(ctx context.Context, id sdk.ToolCallId, title, text string, kind sdk.ToolKind, options []sdk.PermissionOption) (string, error) {
	start := []sdk.ToolCallStartOpt{sdk.WithStartKind(kind), sdk.WithStartStatus(sdk.ToolCallStatusPending)}
	if text != "" {
		start = append(start, sdk.WithStartContent([]sdk.ToolCallContent{textContent(text)}))
	}
	s.send(sdk.StartToolCall(id, title, start...))
	chosen, err := s.permissionFor(ctx, id, title, text, kind, options)
	status := sdk.ToolCallStatusCompleted
	if err != nil {
		status = sdk.ToolCallStatusFailed
	}
	said := "Not answered"
	for _, o := range options {
		if err == nil && string(o.OptionId) == chosen {
			said = "Answer: " + o.Name
		}
	}
	content := []sdk.ToolCallContent{textContent(said)}
	if text != "" {
		content = append([]sdk.ToolCallContent{textContent(text)}, content...)
	}
	s.send(sdk.UpdateToolCall(id, sdk.WithUpdateStatus(status), sdk.WithUpdateContent(content)))
	return chosen, err
}

// permissionFor asks about a call that the client knows. An answer that the person
// did not give is errCancelled.
func (s *session) permissionFor(ctx context.Context, id sdk.ToolCallId, title, text string, kind sdk.ToolKind, options []sdk.PermissionOption) (string, error) {
	<-s.a.up
	about := sdk.ToolCallUpdate{ToolCallId: id, Title: &title, Kind: &kind, Status: sdk.Ptr(sdk.ToolCallStatusPending)}
	if text != "" {
		about.Content = []sdk.ToolCallContent{textContent(text)}
	}
	resp, err := s.a.conn.RequestPermission(ctx, sdk.RequestPermissionRequest{SessionId: sdk.SessionId(s.id), ToolCall: about, Options: options})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", fmt.Errorf("%w: %w", errNoPermissions, err)
	case resp.Outcome.Selected == nil:
		return "", errCancelled
	}
	return string(resp.Outcome.Selected.OptionId), nil
}

// The answers about consent.
const (
	consentAlways = "always"
	consentNow    = "now"
	consentNo     = "no"
)

// consent asks whether documents may go to the model, unless that was answered
// before. It returns false when the person says no.
func (s *session) consent(ctx context.Context) (bool, error) {
	for range 3 { // files may come while the person thinks
		err := s.a.eng.RequireConsent(ctx, s.id, "")
		if err == nil {
			return true, nil
		}
		if ok, err := s.allow(ctx, err); err != nil || !ok {
			return false, err
		}
	}
	return false, refused(codeServer, "the files of the folder change while you are asked; try again")
}

// allow asks for the consent whose lack an error tells, and keeps it. Other errors
// are returned.
func (s *session) allow(ctx context.Context, err error) (bool, error) {
	var info *engine.ErrorInfo
	if !errors.As(err, &info) || info.ErrorCode != engine.CodeEgressConsent || info.Egress == nil {
		return false, wireError(err)
	}
	text := "It would be sent the conversation, and what it reads of:\n"
	for _, p := range info.Paths {
		text += "- " + name(p) + "\n"
	}
	if more := info.Egress.NewFiles - len(info.Paths); more > 0 {
		text += fmt.Sprintf("- and %d more files\n", more)
	}
	if before := info.Egress.Files - info.Egress.NewFiles; before > 0 {
		text += fmt.Sprintf("(%d files may be sent already.)\n", before)
	}
	where := "is not on this machine"
	if info.Egress.PassedOn {
		where = "is this machine, but passes requests on to the cloud"
	}
	title := fmt.Sprintf("Send documents to %s at %s (%s), which %s?", info.ModelID, info.Egress.Host, info.ProviderID, where)
	chosen, err := s.permission(ctx, sdk.ToolCallId("consent-"+s.a.number()), title, text, sdk.ToolKindFetch, []sdk.PermissionOption{
		{OptionId: consentAlways, Name: "Allow from now on", Kind: sdk.PermissionOptionKindAllowAlways},
		{OptionId: consentNow, Name: "Allow until Atelier ends", Kind: sdk.PermissionOptionKindAllowOnce},
		{OptionId: consentNo, Name: "No", Kind: sdk.PermissionOptionKindRejectOnce},
	})
	if errors.Is(err, errNoPermissions) {
		return false, wireError(info)
	}
	if err != nil || chosen != consentAlways && chosen != consentNow {
		return false, ctx.Err()
	}
	_, err = engine.CallAs[engine.Empty](ctx, s.a.eng, "EgressGrantWorkshopConsent", engine.EgressGrantParams{WorkbenchID: s.id,
		ProviderID: info.ProviderID, ModelID: info.ModelID, ScopeHash: info.Egress.ScopeHash, Persist: chosen == consentAlways})
	if err != nil && codeOf(err) != engine.CodeValidationFailed { // else the files are others now
		return false, wireError(err)
	}
	return true, nil
}
