package openai

import (
	"slices"

	goopenai "github.com/sashabaranov/go-openai"

	"atelier/llm"
	"atelier/llm/endpoint"
)

// placeImages puts the images of tool results into a message of the user behind all
// results of the turn, and words in the place of those that the endpoint does not
// take. most is how many it takes in a request, 0 for any number.
func placeImages(messages []llm.Message, most int, made map[string]bool) []llm.Message {
	return endpoint.ImagesBehindResults(endpoint.FitImages(messages, most, made))
}

// parts returns the content of a message with images: its text, then each image
// behind its name.
func parts(m llm.Message) []goopenai.ChatMessagePart {
	var list []goopenai.ChatMessagePart
	text := func(s string) {
		if !blank(s) {
			list = append(list, goopenai.ChatMessagePart{Type: goopenai.ChatMessagePartTypeText, Text: s})
		}
	}
	text(m.Content)
	for _, im := range m.Images {
		text(im.Name)
		list = append(list, goopenai.ChatMessagePart{Type: goopenai.ChatMessagePartTypeImageURL, ImageURL: &goopenai.ChatMessageImageURL{URL: im.DataURL()}})
	}
	return slices.Clip(list)
}
