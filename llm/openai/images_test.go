package openai_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/llmtest"
	"atelier/llm/models"
	"atelier/llm/openai"
)

// A model that nothing is known of counts as one that takes no images; a refusal is
// remembered, so that later requests begin with words.
func TestImagesGoToModelsThatSee(t *testing.T) {
	var sent [][]llm.Message
	refuses := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Messages []llm.Message }
		require.NoError(t, json.NewDecoder(r.Body).Decode(&body))
		sent = append(sent, body.Messages)
		w.Header().Set("Content-Type", "application/json")
		if refuses && llm.CountImages(body.Messages) > 0 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"message":"m does not support image input"}}`))
			return
		}
		_, _ = w.Write([]byte(`{"choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`))
	}))
	defer s.Close()
	chat := func(c *openai.Client, model string) []llm.Message {
		t.Helper()
		sent = nil
		_, err := c.Chat(t.Context(), llm.Request{Model: model, Messages: llmtest.WithImages(llmtest.LongAsk)})
		require.NoError(t, err)
		return sent[len(sent)-1]
	}
	yes := true
	table := models.Builtin().With(models.Rule{Model: "seer", Settings: models.Settings{Images: &yes}}, models.Rule{Model: "seer-of-one", Settings: models.Settings{Images: &yes, MaxImages: 1}})
	c := openai.New(openai.Options{BaseURL: s.URL, Models: &table})

	got := chat(c, "unheard-of")
	require.Zero(t, llm.CountImages(got))
	require.Contains(t, got[3].Content, "[image not shown: page of callaaaa1, 10 × 20 pixels; this model takes no images]")

	got = chat(c, "seer")
	require.Equal(t, 2, llm.CountImages(got))
	i := slices.IndexFunc(got, func(m llm.Message) bool { return len(m.Images) > 0 })
	require.Equal(t, llm.RoleTool, got[i-1].Role)
	require.Equal(t, []byte("page of callbbbb2"), got[i].Images[1].Data)

	require.Equal(t, []byte("page of callbbbb2"), func() []byte {
		for _, m := range chat(c, "seer-of-one") {
			if len(m.Images) == 1 {
				return m.Images[0].Data
			}
		}
		return nil
	}(), "the newest")

	refuses = true
	require.Zero(t, llm.CountImages(chat(c, "seer")))
	require.Len(t, sent, 2, "refused, then sent with words")
	require.False(t, c.Settings("seer").TakesImages())
	chat(c, "seer")
	require.Len(t, sent, 1, "the refusal is remembered")
}

// A message reads back what a request has: texts and images.
func TestMessageReadsParts(t *testing.T) {
	var m llm.Message
	require.NoError(t, json.Unmarshal([]byte(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,`+base64.StdEncoding.EncodeToString([]byte("x"))+`"}}]}`), &m))
	require.Equal(t, llm.Message{Role: "user", Content: "a", Images: []llm.Image{{MIME: "image/png", Data: []byte("x")}}}, m)
	require.Error(t, json.Unmarshal([]byte(`{"content":[{"image_url":{"url":"https://example.com/x.png"}}]}`), &m))
	require.NoError(t, json.Unmarshal([]byte(`{"role":"user","content":null}`), &m))
}
