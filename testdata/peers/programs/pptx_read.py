"""Prints the texts of a slide deck, or with a number of one slide of it."""
import sys

import common  # noqa: F401
import pptx

for i, slide in enumerate(pptx.Presentation(sys.argv[1]).slides):
    if len(sys.argv) > 2 and i != int(sys.argv[2]):
        continue
    for shape in slide.shapes:
        if shape.has_text_frame:
            print(shape.text_frame.text)
