package delimited_test

import (
	"bytes"
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/delimited"
)

// records reads everything, through reads of one byte when slow.
func records(t require.TestingT, text string, delim byte, slow bool) [][]string {
	var in io.Reader = strings.NewReader(text)
	if slow {
		in = iotest.OneByteReader(in)
	}
	r := delimited.NewReader(in, delim)
	out := [][]string{}
	for {
		f, err := r.Read()
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		row := []string{}
		for _, b := range f {
			row = append(row, string(b))
		}
		out = append(out, row)
	}
}

func TestReader(t *testing.T) {
	for _, c := range []struct {
		in   string
		want [][]string
	}{
		{"", [][]string{}},
		{"\n\r\n\n", [][]string{}},
		{"a,b\n1,2", [][]string{{"a", "b"}, {"1", "2"}}},
		{"a,b\r\n\r\n1,\r\n", [][]string{{"a", "b"}, {"1", ""}}},
		{`"a ""x""","l1` + "\n" + `l2"` + "\n", [][]string{{`a "x"`, "l1\nl2"}}},
		{`a "b",c`, [][]string{{`a "b"`, "c"}}},
		{`"a"b"c,d`, [][]string{{`ab"c`, "d"}}},
		{"\"never closed,\nx", [][]string{{"never closed,\nx"}}},
		{`"","x"`, [][]string{{"", "x"}}},
		{`"`, [][]string{{""}}},
		{"\"a\r\"\r\n", [][]string{{"a\r"}}},
		{"a,b\r", [][]string{{"a", "b\r"}}},
	} {
		for _, slow := range []bool{false, true} {
			require.Equal(t, c.want, records(t, c.in, ',', slow), "%q", c.in)
		}
	}
}

// What encoding/csv writes is read back the same.
func TestReaderRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOf(rapid.SliceOfN(rapid.StringMatching(`[a"\n, ;é]{0,6}`), 2, 4)).Draw(t, "rows")
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		require.NoError(t, w.WriteAll(rows))
		if rows == nil {
			rows = [][]string{}
		}
		require.Equal(t, rows, records(t, out.String(), ',', rapid.Bool().Draw(t, "slow")))
	})
}

func TestReaderRefusesEndlessRecord(t *testing.T) {
	r := delimited.NewReader(io.MultiReader(strings.NewReader("a,b\n1,\""), endless{}), ',')
	_, err := r.Read()
	require.NoError(t, err)
	_, err = r.Read()
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err))
	require.ErrorContains(t, err, "row 2")
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func TestKinds(t *testing.T) {
	const i, n, c, b, d = delimited.AsInteger, delimited.AsNumber, delimited.AsComma, delimited.AsBoolean, delimited.AsDate
	for in, want := range map[string]delimited.Kinds{
		"0": i | n | c, "12": i | n | c, "-5": i | n | c, "9223372036854775807": i, "9223372036854775808": 0,
		"12345678901234567890": 0, "007": 0, "-0": 0, "+34600": 0, "-": 0, ".": 0, "--1": 0, "1-2": 0,
		"1.5": n, "-0.25": n, ".5": n, "5.": 0, "1.2.3": 0, "1e5": n, "1E-7": n, "1e999": 0, "1e": 0, "00.5": 0,
		"1,5": c, "1.234": n | c, "1.234,50": c, "1.23,4": 0, "12.345.678,9": c, "1,2,3": 0, "1,234.5": 0, ",5": 0,
		"true": b, "FALSE": b, "False": b, "tRue": 0, "t": 0, "yes": 0,
		"2024-02-29": d, "2023-02-29": 0, "2024-13-01": 0, "2024-12-31T23:59": d, "2024-12-31 23:59:59.123Z": d,
		"2024-12-31T23:59:59+01:00": d, "2024-12-31T24:00": 0, "2024-12-31x": 0, "0x10": 0, "NaN": 0, "Inf": 0, "abc": 0,
		"1234567890123456.789": 0, "1234567890123456": i,
	} {
		require.Equal(t, want, delimited.KindsOf([]byte(in)), in)
	}
}

// A value that counts as a number is that number to the last bit.
func TestParseNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,17})?(e-?[0-9]{1,2})?`).Draw(t, "s")
		k := delimited.KindsOf([]byte(s))
		if k&delimited.AsNumber != 0 {
			want, err := strconv.ParseFloat(s, 64)
			require.NoError(t, err)
			require.Equal(t, math.Float64bits(want), math.Float64bits(delimited.ParseFloat([]byte(s), false)), s)
		}
		if k&delimited.AsInteger != 0 {
			want, err := strconv.ParseInt(s, 10, 64)
			require.NoError(t, err)
			require.Equal(t, want, delimited.ParseInt([]byte(s)))
		}
	})
	require.Equal(t, 1234.5, delimited.ParseFloat([]byte("1.234,50"), true))
}

func TestNames(t *testing.T) {
	require.Equal(t, []string{"A", "B"}, delimited.Names(nil, 2))
	require.Equal(t, []string{"id", "ID_2", "C", "a b", "E"}, delimited.Names([]string{" id", "ID", "", "a\n b"}, 5))
	require.Equal(t, []string{"a_2", "a", "a_3"}, delimited.Names([]string{"a_2", "a", "a"}, 3))
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("a,\"b\"\"\"\n\r\n,,\"x\ny"))
	f.Fuzz(func(t *testing.T, b []byte) {
		require.Equal(t, records(t, string(b), ',', false), records(t, string(b), ',', true))
		for _, row := range records(t, string(b), ',', false) {
			for _, v := range row {
				if x := delimited.Trim([]byte(v)); len(x) > 0 {
					delimited.KindsOf(x)
				}
			}
		}
		delimited.Detect(b, ".csv")
	})
}
