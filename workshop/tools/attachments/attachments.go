// Package attachments puts files that come with a message of the user into the
// draft, among the files of the chat (C-41), and says what a model is told of
// them. The record of the message keeps the list.
package attachments

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/tools/uris"
)

// The limits of one message.
const (
	MaxFiles = 20        // files
	MaxBytes = 100 << 20 // bytes of one file
	MaxName  = 200       // bytes of a name
)

// File is a file to attach.
type File struct {
	Name string
	Size int64
	Open func() (io.ReadCloser, error)
}

// Attachment is a file that came with a message.
type Attachment struct {
	Name      string       `json:"name"`                 // among the files of the chat
	GivenName string       `json:"given_name,omitempty"` // what the file was called, where that name was taken
	URI       string       `json:"uri"`                  // file:name
	Path      string       `json:"path"`                 // in the draft
	Kind      formats.Kind `json:"kind"`
	MIME      string       `json:"mime_type"`
	Size      int64        `json:"size"`
	// NotReadable says why no tool gives the file to the model; left out when one does.
	NotReadable string `json:"not_readable,omitempty"`
}

// Cause returns what the draft says of the change.
func Cause(messageID string) workshop.Cause {
	return workshop.Cause{MessageID: messageID, Tool: "attach", Author: "user"}
}

// Put puts files into the draft, all or none, as one change.
func Put(ctx context.Context, wb *workshop.Workbench, messageID string, files []File) ([]Attachment, error) {
	if err := check(files); err != nil {
		return nil, err
	}
	view := wb.DraftView(Cause(messageID))
	names, err := freeNames(ctx, wb, view, files)
	if err != nil {
		return nil, err
	}
	puts := make([]workshop.Put, len(files))
	for i, f := range files {
		puts[i] = workshop.Put{Path: pathOf(names[i]), Options: workshop.PutOptions{CreateOnly: true}, Write: f.write}
	}
	entries, err := workshop.PutAll(ctx, view, puts)
	if err != nil {
		return nil, err
	}
	out := make([]Attachment, len(files))
	for i, e := range entries {
		out[i] = Attachment{Name: names[i], URI: uris.ChatURI(names[i]), Path: string(e.Path), Kind: e.Kind, MIME: e.MIME, Size: e.Size}
		if names[i] != files[i].Name {
			out[i].GivenName = files[i].Name
		}
	}
	return out, nil
}

// Remove takes attachments out of the draft again.
func Remove(ctx context.Context, wb *workshop.Workbench, messageID string, list []Attachment) error {
	view := wb.DraftView(Cause(messageID))
	for _, a := range list {
		if err := view.Remove(ctx, workshop.Path(a.Path)); err != nil {
			return err
		}
	}
	return nil
}

// write copies the content. A file that grew since it was looked at is refused
// too.
func (f File) write(w io.Writer) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := io.Copy(w, io.LimitReader(r, MaxBytes+1))
	if err == nil && n > MaxBytes {
		err = tooLarge(f.Name, n)
	}
	return err
}

func check(files []File) error {
	if len(files) > MaxFiles {
		return refuse("%d files are attached; a message can have at most %d", len(files), MaxFiles)
	}
	for _, f := range files {
		if err := CheckName(f.Name); err != nil {
			return err
		}
		if f.Size > MaxBytes {
			return tooLarge(f.Name, f.Size)
		}
	}
	return nil
}

func tooLarge(name string, size int64) error {
	return refuse("%s is too large to be attached: it has %d bytes, and the limit is %d", name, size, MaxBytes)
}

// CheckName says why a file cannot be attached under a name.
func CheckName(name string) error {
	p, err := workshop.ParseStrict(path.Join(uris.ChatFiles, name))
	switch {
	case name == "":
		return refuse("an attachment needs a name")
	case !utf8.ValidString(name), strings.ContainsFunc(name, unicode.IsControl):
		return refuse("the name %q of an attachment has characters that a name cannot have", name)
	case strings.ContainsAny(name, `/\`), name == ".", name == "..":
		return refuse("%q is not the name of a file; give the name without its folder", name)
	case len(name) > MaxName:
		return refuse("the name %.40q… has %d bytes; the limit for attachments is %d", name, len(name), MaxName)
	case strings.TrimSpace(name) != name:
		return refuse("the name %q of an attachment begins or ends with a blank", name)
	case err != nil:
		return refuse("the name %q is reserved: %s", name, workshop.AsFault(err).Message)
	case workshop.ReservedName(workshop.Entry{Path: p}.Name()):
		return refuse("the name %q is reserved; attach the file under another one", name)
	}
	return nil
}

func refuse(format string, args ...any) error {
	return workshop.Faultf(workshop.Invalid, format, args...).OnField("attachments")
}

func pathOf(name string) workshop.Path { return workshop.Path(uris.ChatFiles + "/" + name) }

// freeNames gives each file a name that no other file has, in the draft or
// published: its own, or else with a number before the extension. Case does not
// make names different, since it does not on every disk.
func freeNames(ctx context.Context, wb *workshop.Workbench, view workshop.View, files []File) ([]string, error) {
	taken := map[string]bool{}
	for _, v := range []workshop.View{view, wb.Published()} {
		entries, err := v.List(ctx, uris.ChatFiles, workshop.ListOptions{NoHash: true})
		if err != nil && !workshop.IsFault(err, workshop.NotFound) {
			return nil, err
		}
		for _, e := range entries {
			taken[strings.ToLower(e.Name())] = true
		}
	}
	names := make([]string, len(files))
	for i, f := range files {
		name, ext := f.Name, path.Ext(f.Name)
		if ext == f.Name { // .profile
			ext = ""
		}
		for n := 2; taken[strings.ToLower(name)]; n++ {
			name = strings.TrimSuffix(f.Name, ext) + "-" + strconv.Itoa(n) + ext
		}
		taken[strings.ToLower(name)] = true
		names[i] = name
	}
	return names, nil
}

// metadata is the member of a record's metadata that keeps the list.
const metadata = "attachments"

// Metadata returns the metadata of the message that has the attachments.
func Metadata(list []Attachment) map[string]any { return map[string]any{metadata: list} }

// Of returns the attachments of a message.
func Of(rec workshop.Record) []Attachment {
	switch list := rec.Metadata[metadata].(type) {
	case []Attachment:
		return list
	case []any:
		b, err := json.Marshal(list)
		var out []Attachment
		if err == nil && json.Unmarshal(b, &out) == nil {
			return out
		}
	}
	return nil
}

// Text returns the text of a message as a model reads it: with a list of what is
// attached.
func Text(rec workshop.Record) string {
	list := Of(rec)
	if len(list) == 0 {
		return rec.Text
	}
	var sb strings.Builder
	sb.WriteString(rec.Text)
	sb.WriteString("\n\nAttached to this message (URI, path, kind, size):")
	for _, a := range list {
		fmt.Fprintf(&sb, "\n- %s (%s, %s, %d bytes)", a.URI, a.Path, a.Kind, a.Size)
		if a.GivenName != "" {
			fmt.Fprintf(&sb, ", sent as %s, a name that was taken", a.GivenName)
		}
		if a.NotReadable != "" {
			sb.WriteString(", not readable by you")
		}
	}
	return sb.String()
}
