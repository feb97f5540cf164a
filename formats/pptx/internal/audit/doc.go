// Package audit looks for likely mistakes in the slides of a presentation: texts
// that do not fit or lie over each other, shapes beside the slide, titles that
// jump, fonts and colours that are not those of the theme.
//
//	a := audit.New(audit.Deck{Width: w, Height: h}, formats.AuditOptions{})
//	for _, s := range slides {
//		a.Slide(ctx, s)
//	}
//	out, err := a.Finish(ctx)
//
// It knows nothing of the file: a caller makes a Slide of each slide, with frames
// and formats as layout and master give them. Lengths are in EMU (914,400 to the
// inch). Rules rather stay silent than raise a false alarm, since a model acts on
// what it is told.
package audit
