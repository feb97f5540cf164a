package main

import (
	"context"
	"fmt"
	"strings"

	"atelier/engine"
)

// chatCommand is a command inside a chat.
type chatCommand struct {
	name, takes, does string
	run               func(c *chat, ctx context.Context, args []string) error
}

func chatCommands() []chatCommand {
	return []chatCommand{
		{"review", "[PATH…]", "show what the draft changes", func(c *chat, ctx context.Context, args []string) error {
			wb, done, err := c.e.Current(ctx, c.wb)
			if err != nil {
				return err
			}
			defer done()
			only, err := draftPaths(ctx, wb, args)
			if err != nil {
				return err
			}
			return reviewDraft(ctx, c.e, wb, c.out, only, false, false, false)
		}},
		{"publish", "[PATH…]", "put the draft in place of the published files", func(c *chat, ctx context.Context, args []string) error {
			paths, err := c.paths(ctx, args)
			if err != nil {
				return err
			}
			return publishDraft(ctx, c.e, c.wb.ID(), c.out, paths, nil, false)
		}},
		{"discard", "[PATH…]", "drop the draft, or some files of it", func(c *chat, ctx context.Context, args []string) error {
			paths, err := c.paths(ctx, args)
			if err != nil {
				return err
			}
			return discardDraft(ctx, c.e, c.wb.ID(), c.out, paths, false)
		}},
		{"undo", "", "take back the last message and all it changed", func(c *chat, ctx context.Context, _ []string) error {
			wb, done, err := c.e.Current(ctx, c.wb)
			if err != nil {
				return err
			}
			defer done()
			records, err := wb.Conversation().Records()
			if err != nil {
				return err
			}
			return undoTo(ctx, c.e, c.wb.ID(), records, "", c.out, c.flags.in)
		}},
		{"show", "", "show the conversation", func(c *chat, ctx context.Context, _ []string) error {
			conv, err := engine.CallAs[engine.Conversation](ctx, c.e, "WorkshopGetConversation", engine.WorkbenchRef{WorkbenchID: c.wb.ID()})
			if err == nil {
				printConversation(c.out, conv.Messages)
			}
			return err
		}},
		{"attach", "[FILE…]", "send files with the next message; without FILE, say which", (*chat).attachFiles},
		{"detach", "", "send no files with the next message", func(c *chat, _ context.Context, _ []string) error {
			c.attached = nil
			fmt.Fprintln(c.out, "The next message has no attachments.")
			return nil
		}},
		{"model", "[NAME]", "say which model answers, or use another one from now on", (*chat).chooseModel},
		{"help", "", "list the commands", func(c *chat, _ context.Context, _ []string) error {
			for _, k := range chatCommands() {
				fmt.Fprintf(c.out, "  %-18s %s\n", strings.TrimSpace("/"+k.name+" "+k.takes), k.does)
			}
			fmt.Fprintln(c.out, "Any other line goes to the model; one that begins with // without its first stroke.")
			return nil
		}},
		{"quit", "", "end the chat; draft and conversation stay", func(*chat, context.Context, []string) error { return errQuit }},
	}
}

// paths converts arguments of a command to paths of the draft as it is now.
func (c *chat) paths(ctx context.Context, args []string) ([]string, error) {
	wb, done, err := c.e.Current(ctx, c.wb)
	if err != nil {
		return nil, err
	}
	defer done()
	return draftPaths(ctx, wb, args)
}

// command executes a command, given without its slash. An argument with
// spaces is quoted.
func (c *chat) command(ctx context.Context, line string) error {
	words, err := splitWords(line)
	if err != nil {
		return err
	}
	if len(words) == 0 {
		words = []string{"help"}
	}
	for _, k := range chatCommands() {
		if k.name != words[0] {
			continue
		}
		if k.takes == "" && len(words) > 1 {
			return fmt.Errorf("/%s takes nothing; leave %s out", k.name, words[1])
		}
		return k.run(c, ctx, words[1:])
	}
	return fmt.Errorf("there is no command /%s; /help lists them", words[0])
}

func (c *chat) chooseModel(ctx context.Context, args []string) error {
	switch len(args) {
	case 0:
	case 1:
		before := c.model
		c.model = args[0]
		if err := c.consent(ctx); err != nil {
			c.model = before
			return err
		}
	default:
		return fmt.Errorf("/model takes one name")
	}
	model := c.model
	if model == "" {
		st, err := engine.CallAs[engine.WorkshopState](ctx, c.e, "WorkshopGetState", engine.WorkbenchRef{WorkbenchID: c.wb.ID()})
		if err != nil {
			return err
		}
		model = st.ActiveModelID
	}
	fmt.Fprintf(c.out, "%s answers.\n", name(model))
	return nil
}

// splitWords splits a line at spaces; 'a b' and "a b" are one word.
func splitWords(line string) (words []string, err error) {
	var word strings.Builder
	quote, begun := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a %c is not closed", quote)
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}
