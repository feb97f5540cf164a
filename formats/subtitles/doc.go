// Package subtitles takes the translatable text out of subtitles, SubRip (.srt)
// and WebVTT (.vtt), and puts it back: formats.Segmenter for them.
//
//	segs, err := subtitles.Segmenter().Segments(ctx, src, formats.SegmentOptions{})
//
// A segment is the text of one cue. Times, numbers, settings, notes and styles
// stay; markup becomes tags. Running text is one line in the segment and is
// broken again at the width of the original; where each line has a speaker,
// lines are kept.
package subtitles
