package pptx

type segmenter struct{}
