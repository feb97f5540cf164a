// Package localization takes the translatable text out of the files that programs
// keep their messages in, and puts translations into them: formats.Segmenter
// for gettext (.po, .pot), XLIFF 1.2, 2.0 and 2.1 (.xliff, .xlf), JSON and
// Java properties.
//
//	segs, err := localization.Segmenter(".po").Segments(ctx, src, formats.SegmentOptions{})
//
// gettext and XLIFF hold source and translation side by side: the segments are
// the messages that have no translation yet (or one that is marked as not fit
// for use), and Replace fills them in. In the others the source text itself is
// replaced, and keys stay. Every byte that is not replaced stays.
package localization
