package otlp

import (
	"crypto/rand"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

func TestOffUnlessSet(t *testing.T) {
	for _, get := range []func(string) string{
		env(), env("OTEL_SERVICE_NAME", "x"), env("OTEL_TRACES_EXPORTER", "none", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"),
		env("OTEL_SDK_DISABLED", "true", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"), env("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://c:4318"),
	} {
		set, problems, err := FromEnv(get)
		require.NoError(t, err)
		require.Nil(t, set)
		require.Empty(t, problems)
	}
}

func TestEndpoints(t *testing.T) {
	for want, get := range map[string]func(string) string{
		"http://localhost:4318/v1/traces": env("OTEL_TRACES_EXPORTER", "otlp"),
		"http://c:4318/v1/traces":         env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/"),
		"https://c/base/v1/traces":        env("OTEL_EXPORTER_OTLP_ENDPOINT", "https://c/base"),
		"https://c/x?y=z":                 env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://c/x?y=z", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://other"),
		"https://c/":                      env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://c"),
	} {
		set, problems, err := FromEnv(get)
		require.NoError(t, err)
		require.Empty(t, problems)
		require.Equal(t, want, set.Endpoint)
		require.True(t, set.Propagate)
	}
}

func TestSettings(t *testing.T) {
	set, problems, err := FromEnv(env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c", "OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%3Db, x = 1", "OTEL_EXPORTER_OTLP_TIMEOUT", "1500",
		"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "250", "OTEL_EXPORTER_OTLP_COMPRESSION", "gzip", "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", "OTEL_BSP_SCHEDULE_DELAY", "100", "OTEL_BSP_MAX_QUEUE_SIZE", "10",
		"OTEL_RESOURCE_ATTRIBUTES", "service.name=s,deployment.environment.name=test%20it", "OTEL_PROPAGATORS", "b3"))
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, "a=b", set.Headers.Get("Api-Key"))
	require.Equal(t, "1", set.Headers.Get("X"))
	require.Equal(t, 250*time.Millisecond, set.Timeout)
	require.Equal(t, 100*time.Millisecond, set.Delay)
	require.True(t, set.Gzip)
	require.Equal(t, 10, set.Queue)
	require.Equal(t, 10, set.Batch)
	require.Equal(t, "s", set.Service)
	require.Equal(t, map[string]string{"deployment.environment.name": "test it"}, set.Resource)
	require.False(t, set.Propagate)
}

// What cannot be used is an error, what is merely wrong is told, and neither repeats a value
// that may be a secret.
func TestProblems(t *testing.T) {
	for _, get := range []func(string) string{
		env("OTEL_TRACES_EXPORTER", "zipkin"), env("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"), env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
		env("OTEL_EXPORTER_OTLP_ENDPOINT", "https://c", "OTEL_EXPORTER_OTLP_CERTIFICATE", filepath.Join(t.TempDir(), "none.pem")),
		env("OTEL_EXPORTER_OTLP_ENDPOINT", "https://c", "OTEL_EXPORTER_OTLP_CLIENT_KEY", "none.pem"),
	} {
		set, _, err := FromEnv(get)
		require.ErrorContains(t, err, "OTEL_")
		require.Nil(t, set)
	}
	set, problems, err := FromEnv(env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c", "OTEL_EXPORTER_OTLP_HEADERS", "SECRET", "OTEL_EXPORTER_OTLP_TIMEOUT", "soon", "OTEL_BSP_MAX_QUEUE_SIZE", "0",
		"OTEL_TRACES_SAMPLER", "sometimes", "OTEL_EXPORTER_OTLP_COMPRESSION", "zip"))
	require.NoError(t, err)
	require.Len(t, problems, 5)
	for _, p := range problems {
		require.NotContains(t, p, "SECRET")
		require.Contains(t, p, "OTEL_")
	}
	require.Equal(t, 10*time.Second, set.Timeout)
	require.Equal(t, 2048, set.Queue)
	require.Nil(t, set.Sample)
}

func TestSampler(t *testing.T) {
	sample := func(name, arg string) func(id [16]byte, remote, recorded bool) bool {
		set, problems, err := FromEnv(env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c", "OTEL_TRACES_SAMPLER", name, "OTEL_TRACES_SAMPLER_ARG", arg))
		require.NoError(t, err)
		require.Empty(t, problems)
		return set.Sample
	}
	var id [16]byte
	require.True(t, sample("always_on", "")(id, true, false))
	require.False(t, sample("always_off", "")(id, false, false))
	require.True(t, sample("parentbased_always_off", "")(id, true, true))
	require.False(t, sample("parentbased_always_on", "")(id, true, false))
	require.True(t, sample("parentbased_always_on", "")(id, false, false))
	quarter, n := sample("traceidratio", "0.25"), 0
	for range 4000 {
		_, err := rand.Read(id[:])
		require.NoError(t, err)
		if quarter(id, true, true) {
			n++
		}
	}
	require.InDelta(t, 1000, n, 150)
}
