package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // sizes of images that servers send
	_ "image/png"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/internal/textclip"
	"atelier/internal/textsafe"
	"atelier/internal/timelimit"
	"atelier/internal/trace"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/approvals"
	"atelier/workshop/tools"
	"atelier/workshop/tools/servertools"
)

// How much of a call a person is shown who is asked about it.
const (
	shownArguments   = 4000 // bytes
	shownDescription = 600
)

// outsideOf describes a call for the person who is asked.
func outsideOf(t servertools.Tool, args string) *approvals.Outside {
	shown := textsafe.Text(strings.ToValidUTF8(args, "\uFFFD"))
	cut := len(shown) > shownArguments
	if cut {
		shown = textclip.HeadBytes(shown, shownArguments)
	}
	return &approvals.Outside{Server: t.Server, Tool: t.Own, Title: t.Title, Description: textclip.HeadBytes(t.Description, shownDescription),
		Arguments: shown, Cut: cut, Destructive: t.Destructive && !t.ReadOnly, ReadOnly: t.ReadOnly, Hash: t.Hash}
}

// callServer carries out a call of a server's tool. made is called before anything is
// sent. It touches nothing of r that changes during a run, as call.
func (r *run) callServer(ctx context.Context, env *tools.Env, t servertools.Tool, c llm.ToolCall, made func()) tools.Result {
	ctx, span := trace.Start(ctx, "tool call", trace.String("gen_ai.tool.name", "of another server"))
	defer span.End()
	args := json.RawMessage(c.Function.Arguments)
	res, images, err := func() (tools.Outside, []llm.Image, error) {
		args, err := r.checkedArguments(t, args)
		if err != nil {
			return tools.Outside{}, nil, err
		}
		if env.Mode == tools.ModePlan && !t.ReadOnly {
			return tools.Outside{}, nil, errPlanned(t.Name)
		}
		if err := r.mayCall(ctx, env, t, c); err != nil {
			return tools.Outside{}, nil, err
		}
		made()
		got, err := r.cfg.Servers.Call(ctx, t, args, r.carried.List())
		if errNoServerAnswer(ctx, err) {
			return tools.Outside{}, nil, err
		}
		if err == nil && got.Failed {
			err = workshop.Faultf(workshop.Invalid, "%s", cmp.Or(strings.TrimSpace(got.Text), "the tool failed and does not say why"))
		}
		if err != nil {
			return tools.Outside{}, nil, r.withSchema(t, err)
		}
		images, notes := r.imagesFrom(t, got.Images)
		return tools.Outside{Text: got.Text, Note: strings.Join(append(got.Notes, notes...), "; ")}, images, nil
	}()
	span.FailIf(err, "failed")
	if env.Sees {
		res.Images = images
	}
	_, res.Pages = r.cfg.Catalogue.Effect("recall_tool_result")
	return tools.ResultOf(ctx, env, t.Name, args, res, err)
}

// mayCall asks for what is missing: whether the server may be sent anything, and whether
// this call is wanted. What is refused in any case is not asked about.
func (r *run) mayCall(ctx context.Context, env *tools.Env, t servertools.Tool, c llm.ToolCall) error {
	gate, _ := env.Gate.(*approvals.Gate)
	if gate != nil {
		if err := gate.Begin(ctx, false); err != nil {
			return err
		}
	}
	if err := r.allowServer(ctx, t.Server, c); err != nil {
		return err
	}
	if gate == nil {
		return nil
	}
	return gate.Whole(ctx)
}

// checkedArguments returns the arguments of a call as an object. Those of a tool whose
// description the model did not have are checked here, so that it gets the description
// before anything is done.
func (r *run) checkedArguments(t servertools.Tool, args json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	var object map[string]any
	err := json.Unmarshal(args, &object)
	switch {
	case err != nil || object == nil:
		return nil, r.withSchema(t, workshop.Faultf(workshop.Invalid, "the arguments of %s are not a JSON object", t.Name))
	case r.servers.IsOffered(t.Name):
		return args, nil // the server checks them
	}
	var schema jsonschema.Schema
	if json.Unmarshal(t.Schema, &schema) != nil {
		return args, nil
	}
	rs, err := schema.Resolve(nil)
	if err != nil {
		return args, nil // the server knows its schema better
	}
	if err := rs.Validate(object); err != nil {
		return nil, r.withSchema(t, workshop.Faultf(workshop.Invalid, "the arguments of %s do not fit: %s", t.Name, textclip.HeadBytes(err.Error(), 500)))
	}
	return args, nil
}

// schemaMost is how much of a tool's description an error repeats.
const schemaMost = 2500

// withSchema adds to an error what the tool takes, where the model was not told.
func (r *run) withSchema(t servertools.Tool, err error) error {
	if r.servers.IsOffered(t.Name) {
		return err
	}
	f := *workshop.AsFault(err)
	f.Message = textclip.HeadBytes(f.Message, 1000) + ". " + textclip.HeadBytes(servertools.Describe(t), schemaMost)
	return &f
}

// imagesFrom returns images for the model, and what to say of the others.
func (r *run) imagesFrom(t servertools.Tool, list []servertools.Image) (images []llm.Image, notes []string) {
	if len(list) == 0 {
		return nil, nil
	}
	if !r.sees() {
		left := "1 image was"
		if len(list) > 1 {
			left = fmt.Sprintf("%d images were", len(list))
		}
		return nil, []string{left + " left out: you cannot see images"}
	}
	for i, im := range list {
		size, form, err := image.DecodeConfig(bytes.NewReader(im.Data))
		if err != nil || form != "png" && form != "jpeg" || len(im.Data) > serverImageMost || max(size.Width, size.Height) > serverImageSide {
			notes = append(notes, fmt.Sprintf("image %d (%s, %d bytes) was left out: only PNG and JPEG up to %d MiB and %d pixels a side can be shown", i+1, textclip.HeadBytes(im.MIME, 40), len(im.Data), serverImageMost>>20, serverImageSide))
			continue
		}
		images = append(images, llm.Image{Name: fmt.Sprintf("%s image %d", t.Name, i+1), MIME: "image/" + form, Data: im.Data, Width: size.Width, Height: size.Height})
	}
	return images, notes
}

// The largest image of a server that a model is shown.
const (
	serverImageMost = 4 << 20 // bytes
	serverImageSide = 8000    // pixels
)

// serverAnswers are the buttons of the question about a server.
var serverAnswers = append([]tools.Button{}, approvalButtons...)

const serverQuestionName = "server"

// IsServerQuestion reports whether a question of that name is about what a server may be
// sent.
func IsServerQuestion(name string) bool { return name == serverQuestionName }

// allowServer is nil when a server may be sent what the model sends it. The person is
// asked once; asking waits for its turn.
func (r *run) allowServer(ctx context.Context, server string, c llm.ToolCall) error {
	defer timelimit.Pause(ctx)() // people take their time
	r.allowed.asking.Lock()
	defer r.allowed.asking.Unlock()
	ask, err := r.cfg.Servers.Missing(ctx, server)
	if err != nil || !ask || r.allowed.has(server) {
		return err
	}
	said, err := r.askServer(ctx, server, c)
	switch {
	case errors.Is(err, tools.ErrNobody):
		return notSent(server, "and nobody is there to allow it", "the user can allow it with --allow-egress; do what you can without it and say so in your answer")
	case err != nil:
		return err
	}
	files := r.carried.List()
	choice, reason, _ := strings.Cut(said, ":")
	switch choice {
	case approvals.Once:
		return r.cfg.Servers.Grant(ctx, server, files, false)
	case approvals.ForRun:
		r.allowed.add(server)
		return r.cfg.Servers.Grant(ctx, server, files, false)
	case approvals.Always:
		return r.cfg.Servers.Grant(ctx, server, files, r.cfg.Servers.Lasting())
	}
	why := "and the user does not allow it"
	if reason = strings.TrimSpace(reason); reason != "" {
		why += ": " + reason
	}
	return notSent(server, why, "continue without the tools of this program")
}

func notSent(server, why, hint string) error {
	f := workshop.Faultf(workshop.Forbidden, "nothing was sent to the program %s: what you send it can leave this machine, %s", server, why)
	f.Hint = hint
	return f
}

// askServer puts the question about a server and records the answer.
func (r *run) askServer(ctx context.Context, server string, c llm.ToolCall) (string, error) {
	if r.cfg.Questions == nil {
		return "", tools.ErrNobody
	}
	q := fmt.Sprintf("Let the model use the tools of %s (%s)? What it sends there can leave this machine", server, r.cfg.Servers.Describe(server))
	if files := r.carried.List(); len(files) > 0 {
		q += ", and can hold what was read of " + someOf(files)
	}
	choices, buttons := "once|run", append([]tools.Button{}, serverAnswers...)
	if r.cfg.Servers.Lasting() {
		q, choices = q+". (once; run: this run; always: this folder; no, or \"no:\" and what to do instead)", choices+"|always"
	} else {
		q += ". (once; run: this run; no, or \"no:\" and what to do instead)"
		buttons = append(buttons[:2:2], buttons[3:]...)
	}
	id := r.wb.Conversation().NewMessageID("")
	schema := `{"type":"string","pattern":"^(` + choices + `|no(:[\\s\\S]*)?)$","maxLength":4000}`
	answers, err := asker{r}.Ask(ctx, tools.Asking{ID: id, Questions: []tools.Question{{Name: serverQuestionName, Question: q, Schema: json.RawMessage(schema), Buttons: buttons}}})
	if err != nil {
		return "", err
	}
	var said string
	if err := json.Unmarshal(answers[serverQuestionName], &said); err != nil {
		return "", err
	}
	choice, _, _ := strings.Cut(said, ":")
	meta := map[string]any{"question_id": id, "tool": c.Function.Name, "tool_call_id": c.ID, "server": server, "answer": choice}
	return said, r.append(workshop.Record{Type: workshop.TypeSystem, MessageID: r.wb.Conversation().NewMessageID("s-"), EventKind: eventApproval,
		CreatedAt: r.cfg.Now().UTC(), Metadata: meta})
}

// outsideText words the question about a call of a server's tool.
func outsideText(o *approvals.Outside) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "the tool %s of %s with %s", name(o.Tool), name(o.Server), o.Arguments)
	switch {
	case o.Changed:
		sb.WriteString(" (it has changed since you allowed it)")
	case o.Destructive:
		sb.WriteString(" (it may delete or replace something)")
	}
	return sb.String()
}

// name quotes a name that could be taken for more.
func name(s string) string {
	if strings.ContainsFunc(s, func(c rune) bool { return c == utf8.RuneError || strings.ContainsRune(" ,()\"?", c) }) {
		return fmt.Sprintf("%q", s)
	}
	return s
}
