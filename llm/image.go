package llm

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// Image is a picture that comes with a message.
type Image struct {
	// Name says what it shows in a few words, such as "report.docx page 2". It stands
	// in the place of the image where a model takes none.
	Name   string `json:"name"`
	MIME   string `json:"mime"` // "image/png" or "image/jpeg"
	Data   []byte `json:"data"`
	Width  int    `json:"width"`  // pixels
	Height int    `json:"height"` // pixels
	// Object is where the bytes are kept while Data is empty, for those who keep them.
	Object string `json:"-"`
}

// DataURL returns the image as an RFC 2397 URL, the form of chat completions.
func (i Image) DataURL() string {
	return "data:" + i.MIME + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
}

// Words returns what stands in the place of the image where it is not sent, with
// the reason.
func (i Image) Words(why string) string {
	return fmt.Sprintf("[image not shown: %s, %d × %d pixels; %s]", i.Name, i.Width, i.Height, why)
}

// WithoutImages returns messages in which keep images at most are left, the newest,
// and words stand in the place of the others. It changes none of messages.
func WithoutImages(messages []Message, keep int, why string) []Message {
	n := CountImages(messages)
	if n <= keep {
		return messages
	}
	out := append([]Message(nil), messages...)
	drop := n - keep
	for i := range out {
		m := &out[i]
		if drop == 0 {
			break
		}
		k := min(drop, len(m.Images))
		drop -= k
		if k == 0 {
			continue
		}
		lines := []string{}
		if m.Content != "" {
			lines = append(lines, m.Content)
		}
		for _, im := range m.Images[:k] {
			lines = append(lines, im.Words(why))
		}
		m.Content, m.Images = strings.Join(lines, "\n"), m.Images[k:]
	}
	return out
}

// CountImages returns how many images messages have.
func CountImages(messages []Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Images)
	}
	return n
}

// UnmarshalJSON reads a message as chat completions write it: the content is a
// text, null, or a list of parts, of which texts and images as data URLs count.
func (m *Message) UnmarshalJSON(b []byte) error {
	type plain Message
	var raw struct {
		plain
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*m = Message(raw.plain)
	if len(raw.Content) == 0 || raw.Content[0] != '[' {
		if raw.Content == nil {
			return nil
		}
		return json.Unmarshal(raw.Content, &m.Content)
	}
	var parts []struct {
		Text     string `json:"text"`
		ImageURL *struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(raw.Content, &parts); err != nil {
		return err
	}
	var texts []string
	for _, p := range parts {
		if p.ImageURL == nil {
			texts = append(texts, p.Text)
			continue
		}
		im, err := imageOf(p.ImageURL.URL)
		if err != nil {
			return err
		}
		m.Images = append(m.Images, im)
	}
	m.Content = strings.Join(texts, "\n")
	return nil
}

// imageOf reads a data URL.
func imageOf(url string) (Image, error) {
	head, data, ok := strings.Cut(url, ";base64,")
	mime, isData := strings.CutPrefix(head, "data:")
	if !ok || !isData {
		return Image{}, fmt.Errorf("an image of a message is no data URL in base64")
	}
	b, err := base64.StdEncoding.DecodeString(data)
	return Image{MIME: mime, Data: b}, err
}
