package consent

import (
	"context"

	"atelier/workshop"
)

// ProviderTools means programs whose tools a model calls among the parties of
// consents; the model is then the name of the server.
const ProviderTools = "tool-servers"

// ToolServer is a program whose tools a model calls, as the recipient of what it is sent.
type ToolServer struct {
	Name string // as the person named it
	// Identity changes with what the server is: another command or address under the
	// same name is another recipient.
	Identity string
	Host     string // for people
}

// ForServer returns the consent to send a server, from runs in a workbench, what the
// model sends it; files are those that this can carry. It is asked for once for a
// server, whatever files come later: which files a model passes on is in the log. A
// server on this machine may send on what it gets, so it is not local either.
func (s *Store) ForServer(ctx context.Context, workbench string, to ToolServer, files []string) (*Consent, error) {
	c := &Consent{Workbench: workbench, Host: to.Host, since: s.changes.Load(), Scope: NewScope(files),
		To: Recipient{Party: Party{Provider: ProviderTools, Origin: to.Identity, Model: to.Name}, Name: to.Name}}
	var err error
	if c.Mode, err = s.Mode(ctx); err != nil {
		return nil, err
	}
	return c, s.lookUp(ctx, c)
}

// ServerMissing reports whether the person has to be asked before a server is sent
// anything. The error is that of a policy that refuses it.
func (c *Consent) ServerMissing() (ask bool, err error) {
	switch {
	case c.Mode == LocalOnly:
		f := workshop.Faultf(workshop.Forbidden, "nothing was sent to the program %s: the settings allow only models on this machine (egress is local_only), and nobody can say where the program sends what it gets", c.To.Name)
		f.Hint = "do without it and say so in your answer"
		return false, f
	case c.Mode == AllowAll, c.Asked:
		return false, nil
	}
	return true, nil
}

// LogServer logs once that a server was allowed without a question.
func (s *Store) LogServer(c *Consent) error { return s.LogAllowed(c) }
