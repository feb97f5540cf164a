package openai

import (
	"slices"

	goopenai "github.com/sashabaranov/go-openai"

	"atelier/llm"
	"atelier/llm/endpoint"
)

// imagesOfResults begins the message that carries the images of tool results: in
// chat completions the result itself may have text only.
const imagesOfResults = "Images of the results above:"

// placeImages puts the images of tool results into a message of the user behind all
// results of the turn, and words in the place of those that the endpoint does not
// take. most is how many it takes in a request, 0 for any number.
func placeImages(messages []llm.Message, most int, made map[string]bool) []llm.Message {
	messages = endpoint.FitImages(messages, most, made)
	if llm.CountImages(messages) == 0 {
		return messages
	}
	var out []llm.Message
	var waiting []llm.Image
	for i, m := range messages {
		if m.Role == llm.RoleTool {
			waiting = append(waiting, m.Images...)
			m.Images = nil
		}
		out = append(out, m)
		if len(waiting) > 0 && (i+1 == len(messages) || messages[i+1].Role != llm.RoleTool) {
			out = append(out, llm.Message{Role: llm.RoleUser, Content: imagesOfResults, Images: waiting})
			waiting = nil
		}
	}
	return out
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
