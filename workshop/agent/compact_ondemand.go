package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
)

// CompactOptions say how Compact is to sum up; the zero value is fine.
type CompactOptions struct {
	// Keep is what the summary must not lose, in the words of the person, at
	// most MostKeep characters.
	Keep string
	// KeepTurns is how many of the last messages of the user stay word for word
	// with all that came of them; with 0, the last message and the last answer
	// stay, and the work between them is summed up too.
	KeepTurns int
}

// MostKeep bounds CompactOptions.Keep, in characters.
const MostKeep = 4000

// Compacted is what Compact did.
type Compacted struct {
	ContextCompacted
	Summaries []string // what the model goes on with, in the order of the conversation
	UndoTo    string   // the last message before: an undo to it takes the compaction back
}

// Compact has the model sum up the conversation now, instead of when the window
// is nearly full. Nothing is summed up, and Summaries is empty, when what could
// be is short already. The caller holds the workbench's run lock. An error is
// always an *Error; the conversation is then as it was, but for a summary that
// was made before another failed.
func Compact(ctx context.Context, cfg Config, opt CompactOptions) (Compacted, error) {
	r := newRun(cfg)
	done, err := r.compactNow(ctx, opt)
	if err != nil {
		return done, withoutKey(asError(ctx, err), cfg.APIKey)
	}
	return done, nil
}

func (r *run) compactNow(ctx context.Context, opt CompactOptions) (Compacted, error) {
	switch {
	case opt.KeepTurns < 0:
		return Compacted{}, runerr.Errorf(runerr.CodeValidation, "keep_turns must be 0 or more")
	case utf8.RuneCountInString(opt.Keep) > MostKeep:
		return Compacted{}, runerr.Errorf(runerr.CodeValidation, "what the summary must keep can have %d characters at most", MostKeep)
	}
	if err := r.setLimits(ctx); err != nil {
		return Compacted{}, err
	}
	r.keep = opt.Keep
	r.enter(plain)
	if _, err := r.tellStanding(ctx); err != nil {
		return Compacted{}, err
	}
	if err := r.look(ctx); err != nil {
		return Compacted{}, err
	}
	if err := r.tellSession(ctx); err != nil {
		return Compacted{}, err
	}
	c := r.compaction(CompactedAsked, cmp.Or(r.cfg.Window, assumedWindow))
	undoTo, err := r.lastMessage()
	if err != nil {
		return Compacted{}, err
	}
	if err := r.fold(ctx, c, r.turnsBefore(max(opt.KeepTurns, 1))); err != nil {
		return Compacted{}, err
	}
	if opt.KeepTurns == 0 {
		if err := r.foldSteps(ctx, c, 1); err != nil {
			return Compacted{}, err
		}
	}
	out := Compacted{UndoTo: undoTo}
	_, err = r.done(c)
	for _, n := range c.notes {
		out.Summaries = append(out.Summaries, n.Text)
	}
	if out.ContextCompacted = c.ContextCompacted; len(c.notes) == 0 {
		out.CharactersAre, out.TokensAre = out.CharactersWere, out.TokensWere
	}
	if err == nil && c.err != nil {
		err = noSummary(c.err)
	}
	return out, err
}

// noSummary returns the failure of a compaction that a person asked for.
func noSummary(err error) error {
	var model *llm.Error
	if errors.As(err, &model) {
		return err
	}
	e := runerr.Errorf(runerr.CodeUnavailable, "the model gave no summary: %w", err)
	e.Hint, e.Retryable, e.Actions = "try again, or with another model", true, []string{"retry"}
	return e
}

// turnsBefore returns what came before the last n messages of the user.
func (r *run) turnsBefore(n int) span {
	for i := len(r.msgs) - 1; i > 0; i-- {
		if isUsers(r.msgs[i]) {
			if n--; n == 0 {
				return span{0, i}
			}
		}
	}
	return span{}
}

// lastMessage returns the last message that an undo can go back to.
func (r *run) lastMessage() (id string, err error) {
	records, err := r.wb.Conversation().Records()
	if err != nil {
		return "", readError("the conversation cannot be read", err)
	}
	for _, rec := range records {
		if rec.Type == workshop.TypeUser || rec.Type == workshop.TypeAssistant {
			id = rec.MessageID
		}
	}
	return id, nil
}

// wishes returns what the person wants a summary to keep, for the prompt of it.
func (r *run) wishes() string {
	if r.keep == "" {
		return ""
	}
	return fmt.Sprintf("\n\nThe person asks you to keep above all: %s", r.keep)
}
