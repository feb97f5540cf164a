package translator

import (
	"context"

	"atelier/formats/language"
	"atelier/llm/pseudo"
)

// Pseudo marks text instead of translating it: accented letters, longer, in
// brackets; in letters of a right-to-left script where the target language is
// written so. It needs neither key nor network.
type Pseudo struct{}

// Name is "pseudo".
func (Pseudo) Name() string { return pseudo.Model }

// Size is large: it costs nothing.
func (Pseudo) Size() Size { return Size{Segments: 8000, Chars: 1_000_000} }

// Translate implements Engine.
func (Pseudo) Translate(ctx context.Context, b Batch, accept func(id, target string) error) (Usage, error) {
	rtl := language.RightToLeft(b.To)
	for _, s := range b.Segments {
		if err := ctx.Err(); err != nil {
			return Usage{}, err
		}
		if accept(s.ID, pseudo.In(s.Text, s.MaxLength, rtl)) != nil {
			// What a rule refuses at full length may pass without the filling.
			_ = accept(s.ID, pseudo.PlainIn(s.Text, rtl))
		}
	}
	return Usage{}, nil
}
