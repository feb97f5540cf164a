// Package virtual shows things that a workbench keeps elsewhere, such as its
// conversation, as files of a view that can be listed, read and searched, but
// not changed (B-08). It is laid over a view for one call of a catalogue whose
// clients expect such files; drafts, reviews and publishes never see them.
//
//	chat, ok, err := virtual.Chat(wb.ID(), wb.Conversation())
//	view := virtual.Over(wb.DraftView(cause), chat)
package virtual
