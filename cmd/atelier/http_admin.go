package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/ipc/accounts"
)

// adminCommand returns a command on the accounts that prints its result as
// JSON (H-19). Each flag in required must be set.
func adminCommand(s *settings, c *clusterFlags, use, short string, required []string, do func(context.Context, *accounts.Store) (any, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range required {
				if cmd.Flag(name).Value.String() == "" {
					return usageError{fmt.Errorf("%s needs --%s", cmd.CommandPath(), name)}
				}
			}
			if err := s.resolve(); err != nil {
				return err
			}
			store, end, err := c.openAccounts(cmd.Context(), s, cmd.CommandPath()+" on "+hostName())
			if err != nil {
				return err
			}
			defer end()
			result, err := do(cmd.Context(), store)
			if err != nil {
				return err
			}
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetEscapeHTML(false)
			return enc.Encode(result)
		},
	}
}

// group returns a command that only has subcommands.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(subs...)
	return cmd
}

func newHTTPUser(s *settings, c *clusterFlags) *cobra.Command {
	var email, name string
	add := adminCommand(s, c, "add", "Make a user", []string{"email"}, func(ctx context.Context, a *accounts.Store) (any, error) {
		return a.AddUser(ctx, email, name)
	})
	add.Flags().StringVar(&email, "email", "", "e-mail address")
	add.Flags().StringVar(&name, "name", "", "full name")
	list := adminCommand(s, c, "list", "List the users", nil, func(ctx context.Context, a *accounts.Store) (any, error) {
		users, err := a.Users(ctx)
		return map[string]any{"users": users}, err
	})
	return group("user", "Make and list users, and limit their tokens", add, list, newHTTPUserLimit(s, c))
}

// newHTTPUserLimit returns the command that limits the tokens of a user.
func newHTTPUserLimit(s *settings, c *clusterFlags) *cobra.Command {
	var user string
	var tokens int64
	cmd := adminCommand(s, c, "limit", "Limit the tokens of a user's runs and translations in a month, or show them", []string{"user"}, func(ctx context.Context, a *accounts.Store) (any, error) {
		if tokens == -1 {
			return a.Spending(ctx, user)
		}
		return a.SetLimit(ctx, user, tokens)
	})
	cmd.Flags().StringVar(&user, "user", "", "user: id or e-mail address")
	cmd.Flags().Int64Var(&tokens, "tokens", -1, "tokens a month (UTC), sent and answered, in all workspaces; 0 is no limit; -1 only shows")
	return cmd
}

func newHTTPWorkspace(s *settings, c *clusterFlags) *cobra.Command {
	var name, owner, root string
	add := adminCommand(s, c, "add", "Make a workspace", []string{"name", "owner"}, func(ctx context.Context, a *accounts.Store) (any, error) {
		if c.on() {
			return addSharedWorkspace(ctx, a, name, owner, root)
		}
		return addWorkspace(ctx, s, a, name, owner, root)
	})
	add.Flags().StringVar(&name, "name", "", "its name")
	add.Flags().StringVar(&owner, "owner", "", "the user it belongs to: id or e-mail address")
	add.Flags().StringVar(&root, "root", "", "folder to work on, instead of a new one in the data folder")
	list := adminCommand(s, c, "list", "List the workspaces", nil, func(ctx context.Context, a *accounts.Store) (any, error) {
		ws, err := a.Workspaces(ctx)
		return map[string]any{"workspaces": ws}, err
	})
	return group("workspace", "Make and list workspaces", add, list)
}

// addWorkspace creates a workbench and stores its owner.
func addWorkspace(ctx context.Context, s *settings, a *accounts.Store, name, owner, root string) (any, error) {
	if _, err := a.FindUser(ctx, owner); err != nil {
		return nil, err // before anything is created
	}
	e, err := s.engine()
	if err != nil {
		return nil, err
	}
	defer e.Close() // the workbench is then available to the server
	params, err := json.Marshal(engine.WorkbenchCreateParams{Name: name, Root: root})
	if err != nil {
		return nil, err
	}
	made, err := e.Call(ctx, "WorkbenchCreate", params)
	if err != nil {
		return nil, err
	}
	return a.AddWorkspace(ctx, made.(engine.WorkbenchCreated).WorkbenchID, name, owner)
}

func newHTTPMember(s *settings, c *clusterFlags) *cobra.Command {
	var workspace, user string
	member := func(use, short string, required []string, do func(context.Context, *accounts.Store) (any, error)) *cobra.Command {
		cmd := adminCommand(s, c, use, short, required, do)
		cmd.Flags().StringVar(&workspace, "workspace", "", "workspace id")
		if len(required) > 1 {
			cmd.Flags().StringVar(&user, "user", "", "user: id or e-mail address")
		}
		return cmd
	}
	both := []string{"workspace", "user"}
	return group("member", "Manage the members of a workspace",
		member("add", "Let a user use a workspace", both, func(ctx context.Context, a *accounts.Store) (any, error) {
			return a.AddMember(ctx, workspace, user)
		}),
		member("remove", "Remove a member", both, func(ctx context.Context, a *accounts.Store) (any, error) {
			return a.RemoveMember(ctx, workspace, user)
		}),
		member("list", "List who may use a workspace", both[:1], func(ctx context.Context, a *accounts.Store) (any, error) {
			ms, err := a.Members(ctx, workspace)
			return map[string]any{"members": ms}, err
		}))
}

func newHTTPToken(s *settings, c *clusterFlags, claims *httpClaims) *cobra.Command {
	var user string
	var valid int
	cmd := adminCommand(s, c, "token", "Make an access token for a user", []string{"user"}, func(ctx context.Context, a *accounts.Store) (any, error) {
		tokens, err := tokensFromEnv()
		if err != nil {
			return nil, err
		}
		claims.demand(tokens, s)
		var lifetime time.Duration
		if valid != 0 {
			if lifetime, err = minutes(valid); err != nil {
				return nil, usageError{fmt.Errorf("--minutes %w", err)}
			}
		}
		u, err := a.FindUser(ctx, user)
		if err != nil {
			return nil, err
		}
		token, until, err := tokens.Mint(u, lifetime)
		return map[string]string{"access_token": token, "token_type": "Bearer", "user_id": u.ID, "expires_at": until.UTC().Format(time.RFC3339)}, err
	})
	cmd.AddCommand(newHTTPTokenRevoke(s, c))
	cmd.Flags().StringVar(&user, "user", "", "user: id or e-mail address")
	cmd.Flags().IntVar(&valid, "minutes", 0, "how long it is valid; default ATELIER_JWT_MINUTES, or 15")
	return cmd
}

// newHTTPTokenRevoke returns the command that takes back the tokens of a user. It
// ends after the second whose tokens count no more, so that the next token counts.
func newHTTPTokenRevoke(s *settings, c *clusterFlags) *cobra.Command {
	var user string
	cmd := adminCommand(s, c, "revoke", "Take back all access tokens that a user has, and end the sessions at the page", []string{"user"}, func(ctx context.Context, a *accounts.Store) (any, error) {
		u, err := a.RevokeTokens(ctx, user)
		if err != nil {
			return nil, err
		}
		select {
		case <-time.After(time.Until(time.Unix(u.RevokedUntil+1, 0))):
		case <-ctx.Done():
		}
		return map[string]string{"user_id": u.ID, "revoked_until": time.Unix(u.RevokedUntil, 0).UTC().Format(time.RFC3339)}, nil
	})
	cmd.Flags().StringVar(&user, "user", "", "user: id or e-mail address")
	return cmd
}
