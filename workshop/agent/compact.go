package agent

import (
	"context"
	"fmt"
	"unicode/utf8"

	"atelier/llm"
	"atelier/workshop"
)

// The marks at which the context of a run is made smaller. Compaction begins
// when a request has CompactAt percent of the model's window; it goes on until
// the messages have at most compactTo percent of what instructions and tools
// leave of the window, and keeps recent turns of keepTurns percent of that word
// for word.
const (
	CompactAt = 80
	compactTo = 60
	keepTurns = 30
)

// Why a compaction was made.
const (
	CompactedAhead    = "window"   // the next request would come near the window
	CompactedOverflow = "overflow" // the endpoint refused a request as too long
)

// fit makes room before a request that would come near the model's window. When
// little was won, it waits until the conversation has grown by a twentieth of
// the window before it tries again.
func (r *run) fit(ctx context.Context) error {
	w := r.cfg.Window
	if w <= 0 {
		return nil
	}
	if now := r.pressure(); now < w*CompactAt/100 || now < r.again {
		return nil
	}
	_, err := r.compact(ctx, CompactedAhead, w)
	r.again = r.pressure() + w/20
	return err
}

// overflowed makes room after the endpoint refused a request. A window that was
// not known, or was said larger than it is, is then taken to be what was
// refused. It reports whether trying again makes sense.
func (r *run) overflowed(ctx context.Context) (bool, error) {
	if now := r.pressure(); r.cfg.Window <= 0 || r.cfg.Window > now {
		r.cfg.Window = now
	}
	return r.compact(ctx, CompactedOverflow, r.cfg.Window)
}

// compact makes the conversation as the model sees it shorter, in this order
// and only as far as needed: earlier turns become a summary that the model
// writes; old tool results and arguments are cut to their heads; the work on
// the present request becomes a summary too; and what force does, only when an
// endpoint refused the request. The stored conversation keeps everything. It
// reports whether anything became shorter; the error is that of a run that was
// canceled meanwhile.
func (r *run) compact(ctx context.Context, reason string, window int) (bool, error) {
	before := size(r.msgs)
	ev := ContextCompacted{WorkbenchID: r.wb.ID(), Phase: r.phase.name, Reason: reason,
		CharactersWere: before, TokensWere: r.pressure(), Window: window}
	var notes []workshop.Record
	free := max(window-r.fixed(), 0)
	enough := func() bool {
		return r.gauge.of(messagesTokens(r.msgs)) <= min(free*compactTo/100, (window*CompactAt/100-r.fixed())*3/4)
	}

	if err := r.fold(ctx, &ev, &notes, r.earlierTurns(free*keepTurns/100), window); err != nil {
		return false, err
	}
	if !enough() {
		r.shorten(&ev, keepAnswers)
	}
	if !enough() {
		if err := r.fold(ctx, &ev, &notes, r.earlierSteps(), window); err != nil {
			return false, err
		}
	}
	if reason == CompactedOverflow {
		r.force(&ev, window)
	}
	if ev.CharactersAre = size(r.msgs); ev.CharactersAre >= before {
		return false, nil
	}
	ev.TokensAre = r.pressure()
	if err := r.noteCompacted(&ev, notes); err != nil {
		return false, err
	}
	r.emit(EventContextCompacted, ev)
	return true, nil
}

// force makes room when an endpoint refused a request and nothing that keeps
// the sense helped enough: what was read last is cut too, which can be read
// again; then earlier turns are left out.
func (r *run) force(ev *ContextCompacted, window int) {
	for keep := keepAnswers - 1; keep >= 0 && r.pressure() > window*90/100; keep-- {
		r.shorten(ev, keep)
	}
	if ev.Summarised == 0 && r.pressure() > window*75/100 {
		r.msgs, ev.Dropped = dropEarlier(r.msgs)
	}
}

func (r *run) shorten(ev *ContextCompacted, keep int) {
	var n int
	r.msgs, n = r.shrink(r.msgs, keep)
	ev.Shortened += n
}

// noteCompacted records what the model goes on with: each summary, else a word
// about what was cut.
func (r *run) noteCompacted(ev *ContextCompacted, notes []workshop.Record) error {
	if len(notes) == 0 {
		notes = []workshop.Record{{Text: fmt.Sprintf("The conversation was longer than the model's window: %d results were shortened and %d messages left out for it.", ev.Shortened, ev.Dropped)}}
	}
	for _, rec := range notes {
		rec.Type, rec.EventKind, rec.MessageID = workshop.TypeSystem, eventCompacted, r.wb.Conversation().NewMessageID("s-")
		rec.CreatedAt = r.cfg.Now().UTC()
		meta := map[string]any{"reason": ev.Reason, "model": r.cfg.Model, "summarised": ev.Summarised, "shortened": ev.Shortened,
			"dropped": ev.Dropped, "tokens_were": ev.TokensWere, "tokens_are": ev.TokensAre}
		for k, v := range rec.Metadata {
			meta[k] = v
		}
		rec.Metadata = meta
		ev.MessageID = rec.MessageID
		if err := r.append(rec); err != nil {
			return err
		}
	}
	return nil
}

// fixed estimates what no compaction makes smaller: instructions, the list of
// files and the tools.
func (r *run) fixed() int { return r.pressure() - r.gauge.of(messagesTokens(r.msgs)) }

// pressure estimates the next request in tokens.
func (r *run) pressure() int { return r.gauge.of(r.estimate()) }

func (r *run) estimate() int { return messagesTokens(r.request()) + toolsTokens(r.tools) }

// dropEarlier leaves out what came before the last user message.
func dropEarlier(msgs []llm.Message) ([]llm.Message, int) {
	last := 0
	for i, m := range msgs {
		if m.Role == llm.RoleUser {
			last = i
		}
	}
	if last == 0 {
		return msgs, 0
	}
	note := llm.Message{Role: llm.RoleUser, Content: fmt.Sprintf("[%d earlier messages of this conversation were left out to fit the model's window.]", last)}
	return append([]llm.Message{note}, msgs[last:]...), last
}

// size counts characters.
func size(msgs []llm.Message) int {
	n := 0
	for _, m := range msgs {
		n += utf8.RuneCountInString(m.Content)
		for _, c := range m.ToolCalls {
			n += utf8.RuneCountInString(c.Function.Arguments)
		}
	}
	return n
}
