package plans

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"atelier/workshop"
)

// Metadata is what the front matter of a plan says.
type Metadata struct {
	Title     string `json:"title" yaml:"title"`
	Status    string `json:"status" yaml:"status"`
	CreatedAt string `json:"created_at" yaml:"created_at"` // RFC 3339
}

// Statuses are the statuses a plan can have, the first the default.
var Statuses = []string{"draft", "approved", "implemented", "archived"}

// checkStatus checks a status argument.
func checkStatus(s string) error {
	if slices.Contains(Statuses, s) {
		return nil
	}
	return workshop.Faultf(workshop.Invalid, "Invalid plan status: %s. It must be one of %s", s, strings.Join(Statuses, ", ")).OnField("status")
}

// maxFrontMatter bounds the YAML that is looked at, in bytes.
const maxFrontMatter = 64 << 10

// render returns a plan as it is stored.
func render(m Metadata, body string) (string, error) {
	y, err := yaml.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("the front matter cannot be written: %w", err)
	}
	return "---\n" + string(y) + "---\n" + body, nil
}

// split finds the front matter of a plan: what it says and how many bytes it
// has. A text without one that is whole and valid gives nil and 0, as plans of
// old have it.
func split(text string) (m *Metadata, head int) {
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimSuffix(first, "\r") != "---" {
		return nil, 0
	}
	for at := 0; at <= min(len(rest), maxFrontMatter); {
		line, _, more := strings.Cut(rest[at:], "\n")
		next := at + len(line)
		if more {
			next++
		}
		if strings.TrimSuffix(line, "\r") == "---" {
			m := &Metadata{}
			if yaml.Unmarshal([]byte(rest[:at]), m) != nil || !m.valid() {
				return nil, 0
			}
			return m, len(first) + 1 + next
		}
		if !more {
			break
		}
		at = next
	}
	return nil, 0
}

func (m *Metadata) valid() bool {
	return strings.TrimSpace(m.Title) != "" && slices.Contains(Statuses, m.Status) && !m.created().IsZero()
}

func (m *Metadata) created() time.Time {
	t, err := time.Parse(time.RFC3339Nano, m.CreatedAt)
	if err != nil {
		return time.Time{}
	}
	return t
}
