package subtitles

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/tags"
)

func segments(t testing.TB, name, s string) []formats.Segment {
	t.Helper()
	segs, err := Segmenter().Segments(context.Background(), formats.FromBytes(name, []byte(s)), formats.SegmentOptions{})
	require.NoError(t, err)
	return segs
}

func replace(t testing.TB, name, s string, targets map[string]string) (string, error) {
	t.Helper()
	var buf bytes.Buffer
	err := Segmenter().Replace(context.Background(), formats.FromBytes(name, []byte(s)), &buf, targets, formats.ReplaceOptions{})
	return buf.String(), err
}

func texts(segs []formats.Segment) string {
	var out []string
	for _, s := range segs {
		out = append(out, s.ID+"="+s.Text)
	}
	return strings.Join(out, "|")
}

const srt = "1\r\n00:00:01,000 --> 00:00:03,400\r\nBienvenidos a la <i>almazara</i>\r\nde la familia Ferrer.\r\n\r\n" +
	"2\r\n00:00:04,000 --> 00:00:06,000\r\n- ¿Está listo?\r\n- Todavía no.\r\n\r\n3\r\n00:00:07,000 --> 00:00:08,000\r\n{\\an8}1978\r\n\r\n4\r\n00:00:09,000 --> 00:00:10,000 X1:10\r\n<b>Fin</b>\r\n\r\nde verdad\r\n"

const vtt = "WEBVTT - título\n\nSTYLE\n::cue { color: red }\n\nNOTE nada\nde esto\n\nintro\n00:01.000 --> 00:03.000 line:0\n<v Ana>Hola &amp; adiós</v>\n\n00:04.000 --> 00:05.000\n<c.rojo>Uno</c> <00:04.500>dos\n"

func TestSegments(t *testing.T) {
	require.Equal(t, "c1=Bienvenidos a la <1>almazara</1> de la familia Ferrer.|c2=- ¿Está listo?\n- Todavía no.|c4=Fin|c4.2=de verdad", texts(segments(t, "a.srt", srt)))
	require.Equal(t, "c1=Hola &amp; adiós|c2=<1>Uno</1> <2/>dos", texts(segments(t, "a.vtt", vtt)))
	require.Equal(t, "cue 1, 00:00:01,000", segments(t, "a.srt", srt)[0].Place)
}

func TestReplace(t *testing.T) {
	got, err := replace(t, "a.srt", srt, map[string]string{"c1": "Welcome to the <1>oil mill</1> of the Ferrer family, since 1978.", "c2": "- Ready?\n- Not yet."})
	require.NoError(t, err)
	want := strings.NewReplacer("Bienvenidos a la <i>almazara</i>\r\nde la familia Ferrer.", "Welcome to the <i>oil mill</i> of the\r\nFerrer family, since 1978.", "- ¿Está listo?\r\n- Todavía no.", "- Ready?\r\n- Not yet.").Replace(srt)
	require.Equal(t, want, got)
	got, err = replace(t, "a.srt", srt, map[string]string{"c1": "欢迎来到费雷尔家族的<1>油坊</1>，这里从一九七八年开始生产特级初榨橄榄油。"})
	require.NoError(t, err)
	for line := range strings.Lines(got) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 44)
	}
	got, err = replace(t, "a.vtt", vtt, map[string]string{"c1": "Hi &lt; bye"})
	require.NoError(t, err)
	require.Equal(t, strings.Replace(vtt, "Hola &amp; adiós", "Hi &lt; bye", 1), got)
	for id, target := range map[string]string{"c1": "no tags", "c2": "one line", "c4": "a --> b", "c9": "x"} {
		_, err := replace(t, "a.srt", srt, map[string]string{id: target})
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), id)
	}
}

// Whatever the file: the same texts give the same bytes, other cues stay.
func FuzzReplace(f *testing.F) {
	f.Add(srt)
	f.Add(vtt)
	f.Add("1\n00:00:01,000 --> 00:00:02,000\n<i>a\nb</i>\n2\n00:00:03,000 --> 00:00:04,000\nc\n\n\nd")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || strings.Contains(s, "\x00") || len(s) > 2000 {
			return
		}
		for _, name := range []string{"a.srt", "a.vtt"} {
			segs := segments(t, name, s)
			same := map[string]string{}
			for _, seg := range segs {
				require.NoError(t, tags.Check(seg.Text, seg.Text))
				same[seg.ID] = seg.Text
			}
			require.Len(t, same, len(segs))
			got, err := replace(t, name, s, same)
			require.NoError(t, err)
			require.Equal(t, s, got)
			for k, seg := range segs {
				got, err := replace(t, name, s, map[string]string{seg.ID: "Nuevo " + seg.Text})
				if err != nil {
					require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
					continue
				}
				after := segments(t, name, got)
				require.Len(t, after, len(segs), "%q became %q", s, got)
				for i := range segs {
					require.Equal(t, segs[i].ID, after[i].ID)
					if i != k {
						require.Equal(t, segs[i].Text, after[i].Text)
					}
				}
			}
		}
	})
}
