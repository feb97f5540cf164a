package docpages

import "strings"

// ShellCommands divides shell text into its simple commands, each a list of words
// without their quotes. Comments, redirections and assignments before a command are
// left out. Commands in $( ) follow the one around them.
func ShellCommands(script string) [][]string {
	s := &shell{in: script}
	s.list(0)
	return s.commands
}

type shell struct {
	in       string
	at       int
	commands [][]string
}

// list reads commands up to end, a closing parenthesis or 0 for the end of the text.
func (s *shell) list(end byte) {
	var words []string
	var inner [][]string
	finish := func() {
		for len(words) > 0 && assignment(words[0]) {
			words = words[1:]
		}
		if len(words) > 0 {
			s.commands = append(s.commands, words)
		}
		s.commands = append(s.commands, inner...)
		words, inner = nil, nil
	}
	for s.at < len(s.in) {
		c := s.in[s.at]
		switch {
		case c == end && end != 0:
			s.at++
			finish()
			return
		case c == '\\' && strings.HasPrefix(s.in[s.at+1:], "\n"):
			s.at += 2
		case c == ' ' || c == '\t':
			s.at++
		case c == '#':
			for s.at < len(s.in) && s.in[s.at] != '\n' {
				s.at++
			}
		case strings.IndexByte("\n;|&(){}", c) >= 0:
			s.at++
			finish()
		case c == '<' || c == '>':
			s.redirection()
		default:
			before := len(s.commands)
			word := s.word()
			inner = append(inner, s.commands[before:]...)
			s.commands = s.commands[:before:before]
			words = append(words, word)
		}
	}
	finish()
}

// redirection skips < or > with its target.
func (s *shell) redirection() {
	s.at++
	for s.at < len(s.in) && strings.IndexByte("<>& ", s.in[s.at]) >= 0 {
		s.at++
	}
	if s.at < len(s.in) && s.in[s.at] != '\n' {
		s.word()
	}
}

// word reads one word.
func (s *shell) word() string {
	var sb strings.Builder
	quote := byte(0)
	for ; s.at < len(s.in); s.at++ {
		c := s.in[s.at]
		switch {
		case quote != '\'' && strings.HasPrefix(s.in[s.at:], "$("):
			s.at += 2
			s.list(')')
			sb.WriteString("$()")
			s.at--
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote != '\'' && c == '\\' && s.at+1 < len(s.in):
			s.at++
			sb.WriteByte(s.in[s.at])
		case quote == 0 && strings.IndexByte(" \t\n;|&()<>", c) >= 0:
			return sb.String()
		default:
			sb.WriteByte(c)
		}
	}
	return sb.String()
}

// assignment reports whether a word sets a variable, such as A=1.
func assignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == ""
}
