package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"atelier/engine"
)

func newKey(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Store, list and remove the API keys of model providers",
		Long: `A key is stored in the system's keychain, or if there is none, or ATELIER_KEYCHAIN is
off, in the encrypted file keys.age of the data folder (ATELIER_KEY_PASSPHRASE sets its
passphrase). PROVIDER is openai, which is the endpoint of --base-url, or a name under
"providers" of config.json. A key in the environment (OPENAI_API_KEY,
ATELIER_<PROVIDER>_API_KEY) comes first, a stored one next, one in config.json last. No
command prints a key.`,
		Example: `  atelier key set
  atelier key set openrouter < key.txt
  atelier key list`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newKeySet(s), newKeyList(s), newKeyRemove(s))
	return cmd
}

func newKeySet(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "set [PROVIDER]",
		Short: "Store a key, typed without echo or read from standard input",
		Long: `Asks for the key on a terminal, without showing it; otherwise reads one line from
standard input. It is not an argument because other users of the machine can see
command lines. The default PROVIDER is openai.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{errors.New("the key is not an argument, since others can see command lines: it is asked for, or read from standard input")}
			}
			return nil
		},
		ValidArgsFunction: completeProviders(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := s.engine()
			if err != nil {
				return err
			}
			defer e.Close()
			p, err := providerStatus(cmd, e, providerArg(args))
			if err != nil {
				return err
			}
			key, err := readKey(cmd, p.ProviderID)
			if err != nil {
				return err
			}
			if _, err := engine.CallAs[engine.Empty](cmd.Context(), e, "ProvidersSetApiKey", engine.SetAPIKeyParams{ProviderID: p.ProviderID, APIKey: key}); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "The key of %s is kept.\n", name(p.ProviderID))
			return tellOtherKey(cmd, e, p.ProviderID, "which comes before the one that is kept")
		},
	}
}

// maxKey limits a key in bytes.
const maxKey = 64 << 10

// readKey returns the key that the person types without echo, or the line on
// standard input.
func readKey(cmd *cobra.Command, provider string) (string, error) {
	in, err := cmd.InOrStdin(), error(nil)
	var b []byte
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprintf(cmd.ErrOrStderr(), "Key of %s (not shown): ", name(provider))
		b, err = readSecret(cmd.Context(), f)
		fmt.Fprintln(cmd.ErrOrStderr())
	} else {
		b, err = bufio.NewReader(io.LimitReader(in, maxKey)).ReadBytes('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	key := strings.TrimSpace(string(b))
	if key == "" {
		return "", usageError{errors.New("there is no key: type one, or give it on standard input")}
	}
	return key, nil
}

func newKeyList(s *settings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the providers, and where the key of each comes from", Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := s.engine()
			if err != nil {
				return err
			}
			defer e.Close()
			r, err := engine.CallAs[engine.ProvidersStatus](cmd.Context(), e, "ProvidersGetStatus", engine.Empty{})
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), r)
			}
			t := newTable(cmd.OutOrStdout(), "PROVIDER", "KEY", "ADDRESS")
			for _, p := range r.Providers {
				t.addRow(name(p.ProviderID), keyWords(p), name(p.BaseURL))
			}
			return t.print()
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// keyWords says where the key of a provider comes from.
func keyWords(p engine.ProviderStatus) string {
	words := map[string]string{"environment": "from the environment", "stored": "kept", "config": "from config.json"}[p.KeySource]
	switch {
	case p.AuthMode == "none":
		words = "needs none"
	case words == "":
		words = "none"
	}
	if !p.Enabled {
		words += " (switched off)"
	}
	return words
}

func newKeyRemove(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "remove [PROVIDER]", Short: "Remove the stored key of a provider", Args: usageArgs(cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeProviders(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := s.engine()
			if err != nil {
				return err
			}
			defer e.Close()
			id := providerArg(args)
			if _, err := engine.CallAs[engine.Empty](cmd.Context(), e, "ProvidersClearApiKey", engine.ProviderRef{ProviderID: id}); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "No key of %s is kept.\n", name(id))
			return tellOtherKey(cmd, e, id, "which is used")
		},
	}
}

// providerArg returns the provider in the arguments, else the default.
func providerArg(args []string) string {
	if len(args) == 0 {
		return engine.ProviderOpenAI
	}
	return args[0]
}

// providerStatus finds a provider that needs a key, before asking for the
// key.
func providerStatus(cmd *cobra.Command, e *engine.Engine, id string) (engine.ProviderStatus, error) {
	r, err := engine.CallAs[engine.ProvidersStatus](cmd.Context(), e, "ProvidersGetStatus", engine.Empty{})
	if err != nil {
		return engine.ProviderStatus{}, err
	}
	var ids []string
	for _, p := range r.Providers {
		if p.AuthMode == "none" {
			continue
		}
		if p.ProviderID == id {
			return p, nil
		}
		ids = append(ids, p.ProviderID)
	}
	return engine.ProviderStatus{}, fmt.Errorf("there is no provider %q that takes a key: there is %s; more can be set up under \"providers\" of config.json", id, strings.Join(ids, ", "))
}

// tellOtherKey says that a key from another source is used.
func tellOtherKey(cmd *cobra.Command, e *engine.Engine, id, why string) error {
	p, err := providerStatus(cmd, e, id)
	if err == nil && p.KeySource != "" && p.KeySource != "stored" {
		fmt.Fprintf(cmd.OutOrStdout(), "There is also a key %s, %s.\n", keyWords(p), why)
	}
	return err
}

// jsonFlag adds --json to a command that prints a list.
func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}
