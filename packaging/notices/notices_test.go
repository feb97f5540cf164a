package main

import (
	"encoding/json"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The file of notices is that of the modules in go.mod.
func TestNoticesAreCurrent(t *testing.T) {
	all, err := components()
	require.NoError(t, err)
	have, err := os.ReadFile(Notices)
	require.NoError(t, err)
	require.True(t, strings.ReplaceAll(string(have), "\r\n", "\n") == string(noticesOf(all)), "run: go run ./packaging/notices")
	for _, c := range all {
		require.NotEmpty(t, c.licence, c.name)
		require.NotEmpty(t, c.texts, c.name)
		for _, word := range strings.Fields(strings.ReplaceAll(c.licence, " AND ", " ")) {
			require.NotContains(t, word, "GPL", "%s: the program could not be given away under its licence", c.name)
		}
	}
}

func TestLicenceOf(t *testing.T) {
	bsd := "Redistribution and use in source and binary forms, with or\nwithout modification, are permitted provided that the following conditions are met:"
	for _, c := range []struct {
		files []text
		want  string
	}{
		{[]text{{"LICENSE", bsd}}, "BSD-2-Clause"},
		{[]text{{"LICENSE", bsd + " Neither the name of X"}, {"PATENTS", "anything"}}, "BSD-3-Clause"},
		{[]text{{"COPYING", "Apache License\n   Version 2.0, January 2004"}, {"NOTICE", "anything"}}, "Apache-2.0"},
		{[]text{{"LICENSE-MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files"}, {"LICENSE-BSD", bsd}}, "BSD-2-Clause AND MIT"},
	} {
		got, err := licenceOf(c.files)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	for _, files := range [][]text{nil, {{"NOTICE", bsd}}, {{"LICENSE", "All rights reserved."}}} {
		_, err := licenceOf(files)
		require.Error(t, err)
	}
}

func TestBill(t *testing.T) {
	all, err := components()
	require.NoError(t, err)
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}}}
	for _, c := range all {
		if c.sum != "" && c.name != "github.com/ledongthuc/pdf" {
			info.Deps = append(info.Deps, &debug.Module{Path: c.name, Version: c.version, Sum: c.sum})
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	b, err := billOf("0.9.0", info, all)
	require.NoError(t, err)
	again, err := billOf("0.9.0", info, all)
	require.NoError(t, err)
	require.Equal(t, string(b), string(again))
	var got bill
	require.NoError(t, json.Unmarshal(b, &got))
	require.Equal(t, "0.9.0", got.Metadata.Component.Version)
	require.Equal(t, "2023-11-14T22:13:20Z", got.Metadata.Timestamp)
	require.Len(t, got.Components, len(all)-1, "all but the reader of PDF that this build leaves out")
	for _, p := range got.Components {
		require.NotEmpty(t, p.Licenses[0].Expression, p.Name)
		if p.PURL != "" {
			require.NotEmpty(t, p.Version, p.Name)
		}
	}

	info.Deps = slices.DeleteFunc(info.Deps, func(m *debug.Module) bool { return strings.HasSuffix(m.Path, "go-pdfium") })
	b, err = billOf("0.9.0", info, all)
	require.NoError(t, err)
	require.NotContains(t, string(b), "PDFium")
	info.Deps[0].Version = "v0.0.1"
	_, err = billOf("0.9.0", info, all)
	require.ErrorContains(t, err, "built from other sources")
}
