package servertools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm/tokens"
)

func tool(server, own, description string) Tool {
	return Tool{Name: server + Mark + own, Server: server, Own: own, Description: description, Hash: description,
		Schema: json.RawMessage(`{"type":"object","properties":{"project_id":{"type":"string","description":"the project"}}}`)}
}

// many are n tools of a server, one of which creates tickets.
func many(n int) []Tool {
	list := []Tool{tool("jira", "createTicket", "Opens a new issue with a summary.")}
	for i := range n - 1 {
		list = append(list, tool("jira", fmt.Sprintf("list_boards_%03d", i), "Lists the boards of a project, page "+fmt.Sprint(i)))
	}
	return list
}

// C-01: few tools are offered as they are, without another tool.
func TestC01FewToolsAreOfferedAtOnce(t *testing.T) {
	s := NewSet(DefaultBudget)
	require.Nil(t, s.Offered(nil), "nothing without servers")
	require.True(t, s.Update([]Tool{tool("b", "two", "x"), tool("a", "one", "y")}))
	require.False(t, s.Update([]Tool{tool("a", "one", "y"), tool("b", "two", "x")}), "the order does not count")
	got := s.Offered(nil)
	require.Len(t, got, 2)
	require.Equal(t, "a__one", got[0].Function.Name)
	require.False(t, s.Deferred())
	require.Len(t, s.Offered(func(t Tool) bool { return t.Server == "b" }), 1)
	require.True(t, s.Update([]Tool{tool("b", "two", "another")}), "a description changed, a tool is gone")
	require.True(t, s.Gone("a__one"))
	require.False(t, s.Gone("b__two"))
}

// C-01: many tools are found, and what was found is offered within bounds.
func TestC01ManyToolsAreFound(t *testing.T) {
	s := NewSet(DefaultBudget)
	s.Update(many(200))
	require.True(t, s.Deferred())
	offered := s.Offered(nil)
	require.Len(t, offered, 1)
	require.Equal(t, FindTools, offered[0].Function.Name)
	require.Contains(t, offered[0].Function.Description, "jira (200)")
	require.Less(t, tokens.OfTools(offered), 200)

	text, failed := s.Find(`{"query":"create a ticket"}`, nil, 16<<10)
	require.False(t, failed)
	require.True(t, strings.HasPrefix(text, "jira__createTicket: Opens a new issue"), text)
	require.Contains(t, text, `"project_id"`)
	require.True(t, s.IsOffered("jira__createTicket"))
	require.Equal(t, "jira__createTicket", s.Offered(nil)[1].Function.Name)

	for i := range 199 {
		text, _ := s.Find(fmt.Sprintf(`{"query":"jira__list_boards_%03d"}`, i), nil, 2<<10)
		require.LessOrEqual(t, len(text), 2<<10)
		require.True(t, strings.HasPrefix(text, fmt.Sprintf("jira__list_boards_%03d: ", i)), "the name itself comes first: %.80s", text)
	}
	require.LessOrEqual(t, tokens.OfTools(s.Offered(nil)), 3*DefaultBudget+200)
	require.True(t, s.IsOffered("jira__list_boards_198"), "the last that was found")
	require.False(t, s.IsOffered("jira__createTicket"), "the first made room")

	text, failed = s.Find(`{"query":"zzz"}`, nil, 4<<10)
	require.False(t, failed)
	require.Contains(t, text, "jira__createTicket")
	require.LessOrEqual(t, len(text), 4<<10)
	_, failed = s.Find(`{"query":" "}`, nil, 4<<10)
	require.True(t, failed)
	_, failed = s.Find(`[]`, nil, 4<<10)
	require.True(t, failed)
	text, _ = s.Find(`{"query":"create a ticket"}`, func(t Tool) bool { return t.ReadOnly }, 4<<10)
	require.NotContains(t, text, "createTicket", "what may not be used is not found")
}

// C-01: one tool whose schema is as long as schemas may be is named and loaded.
func TestC01LongSchema(t *testing.T) {
	s := NewSet(100)
	long := tool("x", "long", strings.Repeat("word ", 800))
	long.Schema = json.RawMessage(`{"type":"object","properties":{"a":{"description":"` + strings.Repeat("y", 30<<10) + `"}}}`)
	s.Update([]Tool{long})
	text, failed := s.Find(`{"query":"long"}`, nil, 2<<10)
	require.False(t, failed)
	require.True(t, strings.HasPrefix(text, "x__long: word"), text)
	require.LessOrEqual(t, len(text), 2<<10)
	require.True(t, s.IsOffered("x__long"))
}

// Endpoints refuse a whole request for one schema with a choice at its top. It is
// told in words there; what they take stays as it is.
func TestSchemasThatEndpointsRefuse(t *testing.T) {
	for _, c := range []struct{ schema, want, rest string }{
		{`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"}]}}}`, `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"}]}}}`, ""},
		{`{"type":"object"}`, `{"type":"object","properties":{}}`, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{}},"required":["a"]}`, `{"type":"object","properties":{"a":{}},"required":["a"]}`, ""},
		{`{"type":"object","properties":{"a":{},"b":{}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"type":"object","properties":{"a":{},"b":{}}}`, `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`},
		{`[]`, `{"type":"object","properties":{}}`, ""},
	} {
		got, rest := offered(json.RawMessage(c.schema))
		require.JSONEq(t, c.want, string(got))
		require.Equal(t, c.rest, rest)
	}
	one := tool("x", "y", "Does y.")
	one.Schema = json.RawMessage(`{"type":"object","anyOf":[{"required":["a"]}]}`)
	require.Contains(t, one.asLLM().Function.Description, `also have to fit: {"anyOf"`)
	require.Contains(t, Describe(one), `"anyOf"`, "find_tools gives the whole schema")
}

func TestWords(t *testing.T) {
	require.Equal(t, []string{"create", "issue", "at", "git", "hub", "2"}, wordsOf("createIssues at_GitHub-2"))
	require.Equal(t, []string{"query", "class"}, wordsOf("Queries class"))
	require.Equal(t, []string{"翻译", "译文", "文件"}, wordsOf("翻译文件"))
}
