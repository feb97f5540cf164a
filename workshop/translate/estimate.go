package translate

import "context"

// estimate counts a document without asking anything: what would be asked, once
// in the whole job, and about how many tokens that takes.
func (w *work) estimate(ctx context.Context) error {
	open, err := w.fill(ctx)
	if err != nil {
		return err
	}
	var ask []int32
	w.mu.Lock()
	for _, i := range open {
		f := flight{w.to, w.texts[i].key}
		if w.seen[f] {
			w.rep.Repetitions++ // of another document
			continue
		}
		w.seen[f] = true
		ask = append(ask, i)
	}
	w.mu.Unlock()
	w.rep.AskSegments = len(ask)
	err = w.batches(ask, w.opt.Engine.Size(), func(batch []text) error {
		w.rep.EstimatedPrompt += tokensPerBatch
		for _, t := range batch {
			words, _ := count(t.Text)
			n := tokens(t.Text)
			w.rep.AskWords += words
			w.rep.EstimatedPrompt += n + tokensPerSegment
			w.rep.EstimatedCompletion += int(growth*float64(n)) + tokensPerAnswer
		}
		return ctx.Err()
	})
	w.rep.Cost = w.opt.Price.Of(w.rep.EstimatedPrompt, 0, 0, w.rep.EstimatedCompletion)
	return err
}
