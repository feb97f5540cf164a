package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"atelier/engine"
	"atelier/workshop/tools/attachments"
)

// toAttach checks files to attach to a message. It follows links, because the
// person named them.
func toAttach(files []string) ([]engine.AttachmentParams, error) {
	var out []engine.AttachmentParams
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		var st os.FileInfo
		if err == nil {
			st, err = os.Stat(path)
		}
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("%s cannot be attached: there is no such file", name(file))
		case err != nil:
			return nil, fmt.Errorf("%s cannot be attached: %w", name(file), err)
		case !st.Mode().IsRegular():
			return nil, fmt.Errorf("%s cannot be attached: it is not a regular file", name(file))
		case st.Size() > attachments.MaxBytes:
			return nil, fmt.Errorf("%s is too large to be attached: it has %d bytes, and the limit is %d", name(file), st.Size(), attachments.MaxBytes)
		}
		out = append(out, engine.AttachmentParams{Name: filepath.Base(file), Path: path})
	}
	if len(out) > attachments.MaxFiles {
		return nil, fmt.Errorf("%d files are attached; a message can have at most %d", len(out), attachments.MaxFiles)
	}
	return out, nil
}

// attachedLine describes what was done with an attachment.
func attachedLine(a attachments.Attachment) string {
	line := fmt.Sprintf("attached %s (%s, %d bytes)", name(a.URI), a.Kind, a.Size)
	if a.GivenName != "" {
		line += fmt.Sprintf("; the name %s was taken", name(a.GivenName))
	}
	if a.NotReadable != "" {
		line += "; the model may not read it: " + a.NotReadable
	}
	return line
}

// consentTo asks for consent for a message with files. Without consent, the
// message and its files are removed.
func (x *session) consentTo(ctx context.Context, messageID string) error {
	err := x.consent(ctx)
	if err == nil {
		return nil
	}
	_, undone := engine.CallAs[engine.UndoResult](context.WithoutCancel(ctx), x.e, "WorkshopUndoToMessage",
		engine.UndoParams{WorkbenchID: x.wb.ID(), MessageID: messageID, Before: true})
	return errors.Join(err, undone)
}

// attachFiles is /attach.
func (c *chat) attachFiles(_ context.Context, args []string) error {
	more, err := toAttach(args)
	if err != nil {
		return err
	}
	if n := len(c.attached) + len(more); n > attachments.MaxFiles {
		return fmt.Errorf("%d files would be attached; a message can have at most %d", n, attachments.MaxFiles)
	}
	c.attached = append(c.attached, more...)
	if len(c.attached) == 0 {
		fmt.Fprintln(c.out, "The next message has no attachments.")
		return nil
	}
	names := make([]string, len(c.attached))
	for i, a := range c.attached {
		names[i] = name(a.Name)
	}
	fmt.Fprintf(c.out, "With the next message: %s\n", strings.Join(names, ", "))
	return nil
}
