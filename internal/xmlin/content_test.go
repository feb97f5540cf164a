package xmlin_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/xmlin"
)

func TestContent(t *testing.T) {
	d := xmlin.NewDecoder(strings.NewReader(`<a>1<b>2<skip>x<b/></skip>3</b><![CDATA[<]]><c/>4</a>rest`))
	_, err := d.Token()
	require.NoError(t, err)
	got := ""
	require.NoError(t, d.Content(func(s string) { got += s }, func(e xml.StartElement) (func() error, error) {
		if e.Name.Local == "skip" {
			return nil, d.Skip()
		}
		got += "("
		return func() error { got += ")"; return nil }, nil
	}))
	require.Equal(t, "1(23)<()4", got)

	d = xmlin.NewDecoder(strings.NewReader(`<a>1<b>2</b><c><b>3</b></c><b>4</b></a>`))
	_, err = d.Token()
	require.NoError(t, err)
	got = ""
	require.NoError(t, d.Children(func(e xml.StartElement) (bool, error) {
		if e.Name.Local != "b" {
			return false, nil
		}
		s, err := d.Text()
		got += s
		return true, err
	}))
	require.Equal(t, "24", got, "only children")

	d = xmlin.NewDecoder(strings.NewReader(`<a><b>cut`))
	_, err = d.Token()
	require.NoError(t, err)
	require.Error(t, d.Content(nil, func(xml.StartElement) (func() error, error) { return xmlin.Enter, nil }))
}
