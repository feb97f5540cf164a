package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	httpapi "atelier/ipc/http"
)

// newHTTPHealth returns the command that checks a server, for health checks of
// containers without another program that could ask.
func newHTTPHealth() *cobra.Command {
	var addr string
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Check that the server at an address answers",
		Long: `Asks GET /api/v1/health of the server of 'atelier http' at --addr and prints its
answer as JSON. Exit code 0 means that the server is well, 1 that it is not or does
not answer.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			host, port, err := net.SplitHostPort(addr)
			if err != nil {
				return usageError{fmt.Errorf("--addr: %w", err)}
			}
			if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
				host = "127.0.0.1" // of a server that listens on all addresses
			}
			return checkHealth(cmd, net.JoinHostPort(host, port), wait)
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:3000", "address that the server listens on")
	cmd.Flags().DurationVar(&wait, "wait", 3*time.Second, "time for the answer")
	return cmd
}

func checkHealth(cmd *cobra.Command, addr string, wait time.Duration) error {
	client := &http.Client{Timeout: wait, Transport: &http.Transport{DisableKeepAlives: true}} // no proxy
	req, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, "http://"+addr+httpapi.HealthPath, nil)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return err
	}
	var said struct {
		Status string `json:"status"`
	}
	if json.Unmarshal(b, &said) != nil || res.StatusCode != http.StatusOK || said.Status != "ok" {
		return fmt.Errorf("%s is not a healthy server of atelier: it answered %s", addr, res.Status)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", b)
	return err
}
