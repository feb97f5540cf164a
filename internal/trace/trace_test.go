package trace

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// recorder keeps the spans that ended.
func recorder() (*Tracer, *[]Finished) {
	var list []Finished
	return &Tracer{Ended: func(f Finished) { list = append(list, f) }}, &list
}

func TestSpans(t *testing.T) {
	tracer, list := recorder()
	ctx, outer := Start(tracer.Into(t.Context()), "outer", String("k", "v"))
	inner, span := Start(ctx, "inner")
	span.Fail("CODE")
	span.End()
	span.End()
	outer.Set(Int("n", 3))
	outer.End()
	outer.Set(Int("late", 1))
	require.Len(t, *list, 2)
	first, second := (*list)[0], (*list)[1]
	require.Equal(t, second.Trace, first.Trace)
	require.Equal(t, second.ID, first.Parent)
	require.Zero(t, second.Parent)
	require.True(t, first.Failed)
	require.False(t, second.Failed)
	require.Equal(t, []Attr{{"k", "v"}, {"n", int64(3)}}, second.Attrs)

	// Another trace, and a context that another work continues in.
	_, root := Start(Root(inner), "root")
	root.End()
	_, later := Start(In(context.Background(), inner), "later")
	later.End()
	require.NotEqual(t, first.Trace, (*list)[2].Trace)
	require.Equal(t, first.ID, (*list)[3].Parent)
}

func TestNothingWithoutTracer(t *testing.T) {
	var none *Tracer
	ctx, span := Start(none.Into(t.Context()), "x")
	require.Nil(t, span)
	span.Set(String("a", "b"))
	span.Name("y")
	span.Fail("z")
	span.End()
	require.Equal(t, t.Context(), ctx)
	require.Empty(t, Parent(ctx))
	require.Equal(t, ctx, Continue(ctx, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
}

// A trace continues in another process, recorded or not.
func TestContinue(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	tracer, list := recorder()
	ctx, span := Start(Continue(tracer.Into(t.Context()), parent), "x")
	require.True(t, strings.HasPrefix(Parent(ctx), "00-0af7651916cd43dd8448eb211c80319c-"))
	require.True(t, strings.HasSuffix(Parent(ctx), "-01"))
	require.NotEqual(t, parent, Parent(ctx))
	span.End()
	require.True(t, (*list)[0].Remote)
	require.Equal(t, byte(0xb7), (*list)[0].Parent[0])

	ctx, span = Start(Continue(tracer.Into(t.Context()), parent[:53]+"00"), "x")
	require.Nil(t, span, "the other process does not record it")
	require.True(t, strings.HasPrefix(Parent(ctx), "00-0af7651916cd43dd8448eb211c80319c-"))
	require.True(t, strings.HasSuffix(Parent(ctx), "-00"))

	alone := &Tracer{Ended: tracer.Ended, Alone: true}
	ctx, span = Start(Continue(alone.Into(t.Context()), parent), "x")
	require.NotNil(t, span)
	require.Empty(t, Parent(ctx))
	span.End()
	require.NotEqual(t, byte(0x0a), (*list)[1].Trace[0])
}

// An invalid traceparent is ignored: the span begins a new trace.
func TestBadParents(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, bad := range []string{"", "x", parent[:54], parent + "0", parent + "-x", "ff" + parent[2:], strings.ToUpper(parent), strings.Replace(parent, "0af7", "0afg", 1),
		"00-00000000000000000000000000000000-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"} {
		tracer, list := recorder()
		_, span := Start(Continue(tracer.Into(t.Context()), bad), "x")
		require.NotNil(t, span, bad)
		span.End()
		require.Zero(t, (*list)[0].Parent, bad)
		require.False(t, (*list)[0].Remote, bad)
	}
	tracer, list := recorder()
	_, span := Start(Continue(tracer.Into(t.Context()), "01"+parent[2:]+"-more"), "a later version")
	span.End()
	require.True(t, (*list)[0].Remote)
}

func TestValuesAreBounded(t *testing.T) {
	for _, s := range []string{strings.Repeat("x", 1000), strings.Repeat("ä", 500), "\xff\xfe" + strings.Repeat("日", 300)} {
		v := String("k", s).Value.(string)
		require.LessOrEqual(t, len(v), longest)
		require.Greater(t, len(v), longest-4)
		require.True(t, utf8.ValidString(v))
	}
	require.Equal(t, "short", String("k", "short").Value)
}
