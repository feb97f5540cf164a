package transcript

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"atelier/llm"
	"atelier/llm/api"
	"atelier/llm/endpoint"
	"atelier/llm/models"
	"atelier/llm/pseudo"
	"atelier/llm/replay"
)

// model is who answers in a playing.
type model struct {
	client llm.Client
	name   string
	key    string
	sent   func() []any // the requests so far, for want-requests
	close  func()
	rec    *replay.Recorder // counts the requests; nil for the built-in model
	srv    *replay.Server   // nil for the built-in model
}

func (m *model) unused() int {
	if m.srv == nil {
		return 0
	}
	return m.srv.Unused()
}

// onRequest has f called with the number of each request as it is sent.
func (m *model) onRequest(f func(n int)) {
	if m.rec != nil {
		m.rec.OnRequest(f)
	}
}

// asked returns the number of requests so far.
func (m *model) asked() int {
	if m.rec == nil {
		return 0
	}
	return m.rec.Requests()
}

// serve starts the model's part: the record over real HTTP, or the built-in
// model.
func serve(s *script, apiName string) (*model, error) {
	if s.config.Model == pseudo.Model {
		return &model{client: pseudo.New(), name: pseudo.Model, sent: func() []any { return nil }, close: func() {}}, nil
	}
	if !slices.ContainsFunc(s.archive.Files, func(f txtar.File) bool {
		return f.Name == sectionModel || strings.HasPrefix(f.Name, sectionModel+"-")
	}) {
		return nil, errors.New("the transcript has no model section, and its config does not name the built-in model")
	}
	fixture, err := replay.Parse(txtar.Format(s.archive))
	if err != nil {
		return nil, err
	}
	srv, err := replay.NewServer(fixture, replay.Options{})
	if err != nil {
		return nil, err
	}
	rec := replay.NewRecorder(nil)
	table := models.Table{}.With(models.Rule{Model: "*", Settings: s.config.Settings})
	return &model{
		rec: rec, srv: srv,
		client: api.New(endpoint.Options{API: apiName, BaseURL: srv.URL, HTTPClient: &http.Client{Transport: replay.Tap(rec)}, Models: &table}), name: "replay", key: "replay",
		sent: func() []any { return requests(srv.Requests()) }, close: func() { srv.Close() },
	}, nil
}

// request is a line of want-requests.
type request struct {
	Tools    []string      `json:"tools"`
	Messages []llm.Message `json:"messages"`
}

// requests shows what the model was sent, without what no transcript is about:
// the fixed beginning of the system message, up to the list of files.
func requests(sent []replay.Request) []any {
	var out []any
	for _, s := range sent {
		r := request{Messages: s.Messages}
		for _, t := range s.Tools {
			r.Tools = append(r.Tools, t.Function.Name)
		}
		for i, m := range r.Messages {
			for _, im := range m.Images { // whose bytes differ with the versions of libraries
				r.Messages[i].Content += "\n[" + im.MIME + "]"
			}
			r.Messages[i].Images = nil
			if m.Role == llm.RoleSystem {
				if _, rest, ok := strings.Cut(m.Content, "\n\n"); ok {
					r.Messages[i].Content = rest
				}
			}
		}
		out = append(out, r)
	}
	return out
}
