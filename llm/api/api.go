// Package api chooses the client for the API that an endpoint speaks.
//
//	c := api.New(endpoint.Options{BaseURL: url, API: api.Anthropic})
package api

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/llm"
	"atelier/llm/anthropic"
	"atelier/llm/endpoint"
	"atelier/llm/models"
	"atelier/llm/openai"
	"atelier/llm/responses"
)

// The APIs that there are clients for.
const (
	Chat      = "chat"      // OpenAI's Chat Completions
	Anthropic = "anthropic" // Anthropic's Messages
	Responses = "responses" // OpenAI's Responses
)

var names = []string{Chat, Anthropic, Responses}

// Client is a client of an endpoint, with what is known and was learned of it.
type Client interface {
	llm.Client
	// Ready returns why no request can be made with a key; nil otherwise.
	Ready(key string) error
	// Settings returns what is known of a model, SettingsIn what a table says of it,
	// Refused what the endpoint did not take for it so far.
	Settings(model string) models.Settings
	SettingsIn(t models.Table, model string) models.Settings
	Refused(model string) []string
	// Models lists what the endpoint offers, ServedWindow the window with which a local
	// server has a model loaded.
	Models(ctx context.Context, key string) ([]endpoint.Listed, error)
	ServedWindow(ctx context.Context, key, model string) int
	// Local reports whether the endpoint is on this machine or network; Host and
	// Address say where it is.
	Local() bool
	Host() string
	Address() string
}

// Check reports that name is no API; "" is the default of the address.
func Check(name string) error {
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("%q is none of the APIs %s", name, strings.Join(names, ", "))
}

// Of returns the API that an endpoint is asked in: name, or, when that is "", the
// default of its address, which is Anthropic for api.anthropic.com, else Chat.
func Of(name, baseURL string) string {
	switch {
	case name != "":
		return name
	case endpoint.HostOf(baseURL) == anthropicHost:
		return Anthropic
	}
	return Chat
}

// DefaultBaseURL returns the endpoint of the maker of an API.
func DefaultBaseURL(name string) string {
	if name == Anthropic {
		return anthropic.DefaultBaseURL
	}
	return openai.DefaultBaseURL
}

// KeyVariables returns the environment variables that may have the key for the default
// endpoint, the first that is set goes. A key of Anthropic's goes only to Anthropic's
// own endpoint, and OpenAI's variable does not stand in where no address is named.
func KeyVariables(name, baseURL string) []string {
	const other, own = "OPENAI_API_KEY", "ANTHROPIC_API_KEY"
	switch {
	case baseURL == "" && name == Anthropic:
		return []string{own}
	case endpoint.HostOf(baseURL) == anthropicHost:
		return []string{own, other}
	}
	return []string{other}
}

const anthropicHost = "api.anthropic.com"

// New makes the client for an endpoint. Options.API must be one that Check takes;
// another is asked as Chat.
func New(o endpoint.Options) Client {
	switch Of(o.API, o.BaseURL) {
	case Anthropic:
		return anthropic.New(o)
	case Responses:
		return responses.New(o)
	}
	return openai.New(o)
}
