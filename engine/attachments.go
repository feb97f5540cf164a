package engine

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"atelier/workshop"
	"atelier/workshop/tools/attachments"
)

// AttachmentParams is a file that comes with a message: content, path or upload.
type AttachmentParams struct {
	Name     string `json:"name,omitempty"`      // default: the last segment of path, or the name of the upload
	Content  string `json:"content,omitempty"`   // base64 (RFC 4648, section 4)
	Path     string `json:"path,omitempty"`      // absolute, of a regular file of the host
	UploadID string `json:"upload_id,omitempty"` // a complete upload, which is dropped when the message is stored
}

// MessageAttached says that a message of the user came with files, which are in
// the draft now.
type MessageAttached struct {
	WorkbenchID string                   `json:"workbench_id"`
	MessageID   string                   `json:"message_id"`
	Attachments []attachments.Attachment `json:"attachments"`
}

const eventAttached = "WorkshopMessageAttached"

// storeWith keeps a message of the user that comes with files. It is refused
// while something else is in progress: a run would see the files before the
// message.
func (e *Engine) storeWith(ctx context.Context, wb *openWorkbench, text string, given []AttachmentParams) (MessageRef, error) {
	files, err := e.filesToAttach(wb.ID(), given)
	if err != nil {
		return MessageRef{}, err
	}
	end, err := e.hold(wb, workshop.ActAttach, nil)
	if err != nil {
		return MessageRef{}, err
	}
	defer end(nil)
	wb.talk.Lock()
	defer wb.talk.Unlock()
	c := wb.Conversation()
	id := c.NewMessageID("u-")
	if err := wb.MarkBefore(ctx, id); err != nil {
		return MessageRef{}, err
	}
	list, err := attachments.Put(ctx, wb.Workbench, id, files)
	if err != nil {
		return MessageRef{}, err
	}
	err = e.noteReadable(ctx, wb, list)
	if err == nil {
		err = c.Append(workshop.Record{Type: workshop.TypeUser, MessageID: id, Role: "user", Text: text, CreatedAt: e.opt.Now().UTC(), Metadata: attachments.Metadata(list)})
	}
	if err != nil {
		if left := attachments.Remove(context.WithoutCancel(ctx), wb.Workbench, id, list); left != nil {
			e.log.Warn("attachments of a message that could not be stored are left in the draft", "workbench", wb.ID(), "err", left)
		}
		return MessageRef{}, err
	}
	e.conversationChanged(wb, conversationMessage, id)
	for _, a := range given {
		e.uploads.discard(a.UploadID)
	}
	e.hub.Emit(Notification{Method: eventAttached, Params: MessageAttached{wb.ID(), id, list}})
	return MessageRef{MessageID: id, Attachments: list}, nil
}

// noteReadable says of attachments why the model gets no content of them, where
// a rule keeps that back.
func (e *Engine) noteReadable(ctx context.Context, wb *openWorkbench, list []attachments.Attachment) error {
	g, err := e.documents(wb).Guard(ctx)
	if err != nil {
		return err
	}
	for i, a := range list {
		list[i].NotReadable = g.Withheld(workshop.Path(a.Path), false)
	}
	return nil
}

func (e *Engine) filesToAttach(workbench string, given []AttachmentParams) ([]attachments.File, error) {
	files := make([]attachments.File, len(given))
	for i, a := range given {
		read := a.file
		if a.UploadID != "" {
			read = func() (attachments.File, error) { return e.uploads.fileOf(workbench, a) }
		}
		f, err := read()
		if err != nil {
			return nil, err
		}
		files[i] = f
	}
	return files, nil
}

func (a AttachmentParams) file() (attachments.File, error) {
	if a.Path != "" && a.Content != "" {
		return attachments.File{}, refusedAttachment("an attachment has content or a path, not both")
	}
	if a.Path == "" {
		b, err := base64.StdEncoding.DecodeString(a.Content)
		if err != nil {
			return attachments.File{}, refusedAttachment("the content of the attachment %q is not base64: %v", a.Name, err)
		}
		return attachments.File{Name: a.Name, Size: int64(len(b)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }}, nil
	}
	if !filepath.IsAbs(a.Path) {
		return attachments.File{}, refusedAttachment("the path %q of an attachment is not absolute", a.Path)
	}
	st, err := os.Lstat(a.Path) // links and special files are not opened (W-65)
	if err != nil {
		return attachments.File{}, refusedAttachment("%s cannot be attached: %v", a.Path, err)
	}
	if !st.Mode().IsRegular() {
		return attachments.File{}, refusedAttachment("%s cannot be attached: it is not a regular file", a.Path)
	}
	name := a.Name
	if name == "" {
		name = filepath.Base(a.Path)
	}
	return attachments.File{Name: name, Size: st.Size(), Open: func() (io.ReadCloser, error) {
		f, err := os.Open(a.Path)
		if err != nil {
			return nil, refusedAttachment("%s cannot be attached: %v", a.Path, err)
		}
		return f, nil
	}}, nil
}

func refusedAttachment(format string, args ...any) error {
	return workshop.Faultf(workshop.Invalid, "%s", fmt.Sprintf(format, args...)).OnField("attachments")
}
