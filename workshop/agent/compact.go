package agent

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"atelier/llm"
	"atelier/llm/tokens"
	"atelier/workshop"
)

// The marks at which the context of a run is made smaller. Compaction begins
// when a request has Config.CompactAt percent of the model's window; it goes on
// until the messages have at most compactTo percent of what instructions and
// tools leave of the window, and keeps recent turns of keepTurns percent of that
// word for word. A phase of a run in phases begins with at most phaseAt percent,
// so that it need not be interrupted.
const (
	CompactAt = 80 // the default of Config.CompactAt
	compactTo = 60
	keepTurns = 30
	phaseAt   = 50
)

// The bounds of Config.CompactAt, in percent: below, instructions and tools
// alone would set it off; above, no estimate is exact enough.
const (
	LeastCompactAt = 30
	MostCompactAt  = 95
)

// Why a compaction was made.
const (
	CompactedAhead    = "window"   // the next request would come near the window
	CompactedOverflow = "overflow" // the endpoint refused a request as too long
	CompactedPhase    = "phase"    // between two phases, or items, of a run in phases
	CompactedAsked    = "asked"    // somebody asked for it (Compact)
)

// fit makes room before a request that would come near the model's window. When
// little was won, it waits until the conversation has grown by a twentieth of
// the window before it tries again.
func (r *run) fit(ctx context.Context) error {
	w := r.cfg.Window
	if w <= 0 {
		return nil
	}
	if now := r.nextRequestTokens(); now < w*r.cfg.CompactAt/100 || now < r.again {
		return nil
	}
	_, err := r.compact(ctx, CompactedAhead, w)
	r.again = r.nextRequestTokens() + w/20
	return err
}

// fitPhase makes room for a phase before it begins, by a summary of earlier
// turns, which is better made here than in the middle of an item.
func (r *run) fitPhase(ctx context.Context) error {
	w := r.cfg.Window
	if w <= 0 || r.nextRequestTokens() < w*min(phaseAt, r.cfg.CompactAt)/100 {
		return nil
	}
	c := r.compaction(CompactedPhase, w)
	free := max(w-r.fixed(), 0)
	if err := r.fold(ctx, c, r.earlierTurns(free*keepTurns/100)); err != nil {
		return err
	}
	_, err := r.done(c)
	return err
}

// shorterTo is the percentage of a refused request to which shorter descriptions of
// tools must have brought it for another try.
const shorterTo = 90

// overflowed makes room after the endpoint refused a request. A window that was
// not known, or was said larger than it is, is then taken to be what was
// refused. It reports whether trying again makes sense.
func (r *run) overflowed(ctx context.Context) (bool, error) {
	if now := r.nextRequestTokens(); r.cfg.Window <= 0 || r.cfg.Window > now {
		r.cfg.Window = now
	}
	if r.shortTools() {
		r.offer(r.phase)
		if r.nextRequestTokens() < r.cfg.Window*shorterTo/100 {
			return true, nil
		}
	}
	return r.compact(ctx, CompactedOverflow, r.cfg.Window)
}

// compaction is one in the making.
type compaction struct {
	ContextCompacted
	notes []workshop.Record // a record for each summary
	err   error             // why there is no summary of a stretch
	cut   map[string]bool   // what was shortened
}

func (r *run) compaction(reason string, window int) *compaction {
	return &compaction{cut: map[string]bool{}, ContextCompacted: ContextCompacted{WorkbenchID: r.wb.ID(), Phase: r.phase.name, Reason: reason,
		CharactersWere: size(r.msgs), TokensWere: r.nextRequestTokens(), Window: window}}
}

// compact makes the conversation as the model sees it shorter, in this order
// and only as far as needed: earlier turns become a summary that the model
// writes; old tool results and arguments are cut to receipts; the work on
// the present request becomes a summary too; and what force does, only when an
// endpoint refused the request. The stored conversation keeps everything. It
// reports whether anything became shorter; the error is that of a run that was
// canceled meanwhile.
func (r *run) compact(ctx context.Context, reason string, window int) (bool, error) {
	c := r.compaction(reason, window)
	free := max(window-r.fixed(), 0)
	enough := func() bool {
		return r.gauge.Of(tokens.OfMessages(r.msgs)) <= min(free*compactTo/100, (window*r.cfg.CompactAt/100-r.fixed())*3/4)
	}

	if r.dropImages(c) && enough() {
		return r.done(c)
	}
	if err := r.fold(ctx, c, r.earlierTurns(free*keepTurns/100)); err != nil {
		return false, err
	}
	if !enough() {
		r.shorten(c, keepAnswers, r.preview)
	}
	if !enough() && !r.headsWillDo(enough) {
		if err := r.foldSteps(ctx, c, keepAnswers); err != nil {
			return false, err
		}
	}
	if !enough() {
		r.shorten(c, keepAnswers, r.head)
	}
	if reason == CompactedOverflow {
		if err := r.force(ctx, c); err != nil {
			return false, err
		}
	}
	return r.done(c)
}

// headsWillDo looks whether cutting old results to their heads makes enough
// room: that costs no request, but leaves little to make a summary from.
func (r *run) headsWillDo(enough func() bool) bool {
	whole := r.msgs
	defer func() { r.msgs = whole }()
	r.msgs, _ = shrink(r.msgs, keepAnswers, r.head)
	return enough()
}

// done records a compaction and says so, if anything became shorter.
func (r *run) done(c *compaction) (bool, error) {
	if c.CharactersAre = size(r.msgs); c.CharactersAre >= c.CharactersWere {
		return false, nil
	}
	c.TokensAre = r.nextRequestTokens()
	if err := r.noteCompacted(c); err != nil {
		return false, err
	}
	r.emit(EventContextCompacted, c.ContextCompacted)
	return true, nil
}

// force makes room when an endpoint refused a request and nothing that keeps
// the sense helped enough: what was read last is cut too, which can be read
// again; then it is summed up, as the calls of one answer can be too many; then
// earlier turns are left out.
func (r *run) force(ctx context.Context, c *compaction) error {
	over := func(percent int) bool { return r.nextRequestTokens() > c.Window*percent/100 }
	for keep := keepAnswers - 1; keep >= 0 && over(90); keep-- {
		r.shorten(c, keep, r.head)
	}
	for keep := keepAnswers - 1; keep >= 0 && over(90); keep-- {
		if err := r.foldSteps(ctx, c, keep); err != nil {
			return err
		}
	}
	if at := r.present(); c.Summarised == 0 && len(at) > 0 && over(75) {
		r.msgs, c.Dropped = dropEarlier(r.msgs, at[0])
	}
	return nil
}

func (r *run) shorten(c *compaction, keep int, short func(llm.Message) string) {
	var cut []string
	r.msgs, cut = shrink(r.msgs, keep, short)
	for _, id := range cut {
		c.cut[id] = true
	}
	c.Shortened = len(c.cut)
}

// noteCompacted records what the model goes on with: each summary, else a word
// about what was cut.
func (r *run) noteCompacted(c *compaction) error {
	if len(c.notes) == 0 {
		c.notes = []workshop.Record{{Text: fmt.Sprintf("The conversation was longer than the model's window: %d results were shortened and %d messages left out for it.", c.Shortened, c.Dropped)}}
	}
	for i := range c.notes {
		rec := &c.notes[i]
		rec.Type, rec.EventKind, rec.MessageID = workshop.TypeSystem, eventCompacted, r.wb.Conversation().NewMessageID("s-")
		rec.CreatedAt = r.cfg.Now().UTC()
		meta := map[string]any{"reason": c.Reason, "model": r.cfg.Model, "summarised": c.Summarised, "shortened": c.Shortened,
			"dropped": c.Dropped, "tokens_were": c.TokensWere, "tokens_are": c.TokensAre}
		for k, v := range rec.Metadata {
			meta[k] = v
		}
		rec.Metadata = meta
		c.MessageID = rec.MessageID
		if err := r.append(*rec); err != nil {
			return err
		}
	}
	return nil
}

// fixed estimates what no compaction makes smaller: instructions, the list of
// files and the tools.
func (r *run) fixed() int { return r.nextRequestTokens() - r.gauge.Of(tokens.OfMessages(r.msgs)) }

// nextRequestTokens estimates the next request in tokens.
func (r *run) nextRequestTokens() int { return r.gauge.Of(r.estimate()) }

func (r *run) estimate() int { return tokens.OfMessages(r.request()) + tokens.OfTools(r.tools) }

// dropEarlier leaves out what came before the message at request, but for
// summaries, which are short and all that is left of what they stand for.
func dropEarlier(msgs []llm.Message, request int) ([]llm.Message, int) {
	var kept []llm.Message
	for _, m := range msgs[:request] {
		if isSummary(m) {
			kept = append(kept, m)
		}
	}
	n := request - len(kept)
	if n == 0 {
		return msgs, 0
	}
	note := llm.Message{Role: llm.RoleUser, Content: fmt.Sprintf("[%d earlier messages of this conversation were left out to fit the model's window.]", n)}
	return slices.Concat(kept, []llm.Message{note}, msgs[request:]), n
}

// size counts characters; an image counts as four for each of its tokens.
func size(msgs []llm.Message) int {
	n := 0
	for _, m := range msgs {
		for _, im := range m.Images {
			n += 4 * tokens.OfImage(im.Width, im.Height)
		}
		n += utf8.RuneCountInString(m.Content)
		for _, c := range m.ToolCalls {
			n += utf8.RuneCountInString(c.Function.Arguments)
		}
	}
	return n
}
