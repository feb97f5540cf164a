//lint:file-ignore SA1019 roots, sampling and logging belong to revisions before 2026-07-28, which are served too

package mcpserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm"
	"atelier/workshop/tools"
)

// The tools, resources and prompts that the conformance suite prescribes. As many of them
// as can be are a catalogue of the registry, run by the engine as calls of a guest; its
// resources are files of the folder, read and subscribed to under the addresses of the
// suite; the simple prompts are of our kind. What our server never gives or asks for
// (audio, embedded resources, sampling) is registered with the SDK's server beside them:
// it passes our bounds and transports.

// A picture of one pixel, and a sound of one sample.
const (
	onePixel  = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	oneSample = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="
)

func decoded(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	require.NoError(t, err)
	return b
}

// fixtureRig is a server with the fixtures; url is where it listens.
func fixtureRig(t *testing.T) (url string) {
	t.Helper()
	catalogue, err := tools.NewCatalogue(tools.Style{Name: "conformance"}, fixtureTools(t)...)
	require.NoError(t, err)
	r := newRig(t, func(o *Options, _ *engine.Options) { o.Catalogue = catalogue })
	require.NoError(t, os.MkdirAll(r.folder+"/template/123", 0o700))
	write(t, r.folder+"/template/123/data.json", `{"id":"123","templateTest":true,"data":"Data for ID: 123"}`)
	require.NoError(t, os.WriteFile(filepath.Join(r.folder, "pixel.png"), decoded(t, onePixel), 0o600))
	r.srv.sdk.AddReceivingMiddleware(suiteAddresses)
	addContents(t, r.srv.sdk)
	addOldRequests(r.srv.sdk)
	addInputRequests(r.srv.sdk)
	addDiagnostics(r.srv.sdk)
	addFixturePrompts(t, r.srv.sdk)
	h := r.srv.HTTP()
	const token = "of-the-test"
	inner := h.Loopback(token)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		req.Header.Set("Authorization", "Bearer "+token) // the suite has none
		inner.ServeHTTP(w, req)
	}))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		h.Drain(ctx)
		web.Close()
	})
	return web.URL + "/mcp"
}

// picture is a result that is an image.
type picture struct{ png []byte }

// ToolImages implements tools.Imager.
func (p picture) ToolImages() []llm.Image { return []llm.Image{{MIME: "image/png", Data: p.png}} }

// ToolText implements tools.Texter.
func (p picture) ToolText() string { return "a picture of one pixel" }

// asking returns a tool that puts questions to the person, one form after the other.
func asking(name string, forms ...tools.Question) tools.Binding {
	return tools.Direct(name, tools.New(name, "Asks the person.", tools.Interact, func(ctx context.Context, env *tools.Env, _ struct {
		Message string `json:"message,omitempty"`
	}) (any, error) {
		if env.Asker == nil {
			return nil, tools.ErrNobody
		}
		said := []tools.Answers{}
		for _, q := range forms {
			a, err := env.Asker.Ask(ctx, tools.Asking{Questions: []tools.Question{q}})
			if err != nil {
				return nil, err
			}
			said = append(said, a)
		}
		return map[string]any{"state": "state-ok", "answers": said}, nil
	}))
}

func question(name, text, schema string) tools.Question {
	return tools.Question{Name: name, Question: text, Schema: json.RawMessage(schema)}
}

// fixtureTools are the tools of the suite that are tools of the registry.
func fixtureTools(t *testing.T) []tools.Binding {
	type none struct{}
	plain := func(name string, run func(context.Context, *tools.Env) (any, error)) tools.Binding {
		return tools.Direct(name, tools.New(name, "A tool of the conformance suite.", tools.Read, func(ctx context.Context, env *tools.Env, _ none) (any, error) { return run(ctx, env) }))
	}
	pixel := decoded(t, onePixel)
	keywords := tools.New("json_schema_2020_12_tool", "A tool with keywords of JSON Schema 2020-12.", tools.Read, func(context.Context, *tools.Env, none) (any, error) { return "ok", nil })
	require.NoError(t, json.Unmarshal([]byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
		"additionalProperties":false}`), keywords.Schema))
	header := tools.New("test_x_mcp_header", "A tool with an argument that is also a header (SEP-2243).", tools.Read, func(context.Context, *tools.Env, struct {
		Region string `json:"region,omitempty"`
	}) (any, error) {
		return "ok", nil
	})
	header.Schema.Properties["region"].Extra = map[string]any{"x-mcp-header": "Region"}
	yes := question("ok", "Please confirm", `{"type":"boolean"}`)
	return []tools.Binding{
		plain("test_simple_text", func(context.Context, *tools.Env) (any, error) {
			return "This is a simple text response for testing.", nil
		}),
		plain("test_image_content", func(context.Context, *tools.Env) (any, error) { return picture{pixel}, nil }),
		plain("test_error_handling", func(context.Context, *tools.Env) (any, error) {
			return nil, errors.New("this tool intentionally returns an error for testing")
		}),
		plain("test_tool_with_progress", func(ctx context.Context, _ *tools.Env) (any, error) {
			time.Sleep(150 * time.Millisecond) // the server tells that it is at work every 20
			return "done", ctx.Err()
		}),
		asking("test_elicitation", question("username", "Your name?", `{"type":"string"}`), question("email", "Your address?", `{"type":"string"}`)),
		asking("test_streaming_elicitation", yes),
		asking("test_input_required_result_request_state", yes),
		asking("test_input_required_result_tampered_state", yes),
		asking("test_input_required_result_multi_round", question("name", "Step 1: What is your name?", `{"type":"string"}`), question("color", "Step 2: What is your favorite color?", `{"type":"string"}`)),
		tools.Direct("json_schema_2020_12_tool", keywords),
		tools.Direct("test_x_mcp_header", header),
	}
}

// suiteAddresses makes the addresses of the suite other names of files of the folder.
func suiteAddresses(next mcp.MethodHandler) mcp.MethodHandler {
	names := map[string]string{"test://static-text": draftURI + "notas.md", "test://static-binary": contentURI + "pixel.png", "test://template/123/data": folderURI + "template/123/data.json", "test://watched-resource": draftURI + "notas.md"}
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		var uri *string
		switch r := req.(type) {
		case *mcp.ReadResourceRequest:
			uri = &r.Params.URI
		case *mcp.SubscribeRequest:
			uri = &r.Params.URI
		case *mcp.UnsubscribeRequest:
			uri = &r.Params.URI
		}
		if uri != nil && names[*uri] != "" {
			*uri = names[*uri]
		}
		return next(ctx, method, req)
	}
}

type fixtureHandler = func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)

func addFixture(s *mcp.Server, name string, run fixtureHandler) {
	s.AddTool(&mcp.Tool{Name: name, Description: "A tool of the conformance suite.", InputSchema: json.RawMessage(`{"type":"object"}`)}, run)
}

func gives(content ...mcp.Content) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: content}, nil
}

func embedded(uri string) mcp.Content {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "Embedded resource content for testing."}}
}

// addContents adds the tools whose results have content that ours never have.
func addContents(t *testing.T, s *mcp.Server) {
	sound, pixel := decoded(t, oneSample), decoded(t, onePixel)
	addFixture(s, "test_audio_content", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return gives(&mcp.AudioContent{Data: sound, MIMEType: "audio/wav"})
	})
	addFixture(s, "test_embedded_resource", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return gives(embedded("test://embedded-resource"))
	})
	addFixture(s, "test_multiple_content_types", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return gives(&mcp.TextContent{Text: "Multiple content types test:"}, &mcp.ImageContent{Data: pixel, MIMEType: "image/png"}, embedded("test://mixed-content-resource"))
	})
}

// addOldRequests adds the tools that send messages to the client during a call.
func addOldRequests(s *mcp.Server) {
	addFixture(s, "test_tool_with_logging", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: text}); err != nil {
				return nil, err
			}
			time.Sleep(50 * time.Millisecond)
		}
		return gives(&mcp.TextContent{Text: "done"})
	})
	addFixture(s, "test_sampling", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		res, err := req.Session.CreateMessage(ctx, sampling("Test prompt for sampling", 100))
		if err != nil {
			return nil, err
		}
		return gives(res.Content)
	})
	form := func(name, schema string) {
		addFixture(s, name, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Mode: "form", Message: "A form", RequestedSchema: json.RawMessage(schema)})
			if err != nil {
				return nil, err
			}
			return gives(&mcp.TextContent{Text: "Elicitation completed: action=" + res.Action})
		})
	}
	form("test_elicitation_sep1034_defaults", `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`)
	form("test_elicitation_sep1330_enums", `{"type":"object","properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`)
	addFixture(s, "test_reconnection", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if req.Extra != nil && req.Extra.CloseSSEStream != nil {
			req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		}
		time.Sleep(100 * time.Millisecond) // the client comes again meanwhile
		return gives(&mcp.TextContent{Text: "the client came again"})
	})
}

func sampling(text string, most int64) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}, MaxTokens: most}
}

func nameForm() *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: "What is your name?", RequestedSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"name": {Type: "string"}}, Required: []string{"name"}}}
}

// addInputRequests adds the tools that ask for input of kinds, or under names, that ours
// do not ask for (SEP-2322).
func addInputRequests(s *mcp.Server) {
	add := func(name string, needs func(*mcp.CallToolRequest) mcp.InputRequestMap) {
		addFixture(s, name, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			left := needs(req)
			for key := range left {
				if req.Params.InputResponses[key] != nil {
					delete(left, key)
				}
			}
			if len(left) > 0 {
				return &mcp.CallToolResult{InputRequests: left, RequestState: name}, nil
			}
			return gives(&mcp.TextContent{Text: "all is there"})
		})
	}
	add("test_input_required_result_elicitation", func(*mcp.CallToolRequest) mcp.InputRequestMap { return mcp.InputRequestMap{"user_name": nameForm()} })
	add("test_input_required_result_sampling", func(*mcp.CallToolRequest) mcp.InputRequestMap {
		return mcp.InputRequestMap{"capital_question": sampling("What is the capital of France?", 100)}
	})
	add("test_input_required_result_list_roots", func(*mcp.CallToolRequest) mcp.InputRequestMap {
		return mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}}
	})
	add("test_input_required_result_multiple_inputs", func(*mcp.CallToolRequest) mcp.InputRequestMap {
		return mcp.InputRequestMap{"user_name": nameForm(), "greeting": sampling("Generate a greeting", 50), "client_roots": &mcp.ListRootsParams{}}
	})
	add("test_input_required_result_capabilities", func(req *mcp.CallToolRequest) mcp.InputRequestMap {
		out, caps := mcp.InputRequestMap{}, req.ClientCapabilities()
		if elicits(caps) {
			out["user_name"] = nameForm()
		}
		if caps != nil && caps.Sampling != nil {
			out["greeting"] = sampling("Generate a greeting", 50)
		}
		return out
	})
}

// addDiagnostics adds the tools by which the suite looks at subscriptions, logging and
// capabilities of the stateless revision (SEP-2575).
func addDiagnostics(s *mcp.Server) {
	addFixture(s, "test_missing_capability", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if caps := req.ClientCapabilities(); caps != nil && caps.Sampling != nil {
			return gives(&mcp.TextContent{Text: "the client has it"})
		}
		data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}})
		if err != nil {
			return nil, err
		}
		return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client has no sampling", Data: data}
	})
	addFixture(s, "test_logging_tool", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "not wanted"}); err != nil {
			return nil, err
		}
		return gives(&mcp.TextContent{Text: "logged"})
	})
	changed := func(tool string, change func()) {
		addFixture(s, tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			change()
			return gives(&mcp.TextContent{Text: "changed"})
		})
	}
	changed("test_trigger_tool_change", func() {
		addFixture(s, "test_added", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return gives() })
		s.RemoveTools("test_added")
	})
	changed("test_trigger_prompt_change", func() {
		p := prompt{name: "test_added"}
		s.AddPrompt(&mcp.Prompt{Name: p.name}, p.get)
		s.RemovePrompts(p.name)
	})
}

// addFixturePrompts adds the prompts of the suite: those of text as ours.
func addFixturePrompts(t *testing.T, s *mcp.Server) {
	for _, p := range []prompt{
		{name: "test_simple_prompt", description: "A prompt without arguments.", text: "This is a simple prompt for testing."},
		{name: "test_prompt_with_arguments", description: "A prompt with arguments.", text: "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'", args: []*mcp.PromptArgument{arg("arg1", "first", true), arg("arg2", "second", true)}},
	} {
		s.AddPrompt(&mcp.Prompt{Name: p.name, Description: p.description, Arguments: p.args}, p.get)
	}
	pixel := decoded(t, onePixel)
	add := func(name string, args []*mcp.PromptArgument, content func(*mcp.GetPromptRequest) mcp.Content) {
		s.AddPrompt(&mcp.Prompt{Name: name, Description: "A prompt of the conformance suite.", Arguments: args}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: content(req)}, {Role: "user", Content: &mcp.TextContent{Text: "Please " + strings.ReplaceAll(name, "_", " ")}}}}, nil
		})
	}
	add("test_prompt_with_embedded_resource", []*mcp.PromptArgument{arg("resourceUri", "a resource", true)}, func(req *mcp.GetPromptRequest) mcp.Content { return embedded(req.Params.Arguments["resourceUri"]) })
	add("test_prompt_with_image", nil, func(*mcp.GetPromptRequest) mcp.Content { return &mcp.ImageContent{Data: pixel, MIMEType: "image/png"} })
	s.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "A prompt that asks."}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if req.Params.InputResponses["user_context"] == nil {
			return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": nameForm()}}, nil
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "with context"}}}}, nil
	})
}
