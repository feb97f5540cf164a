"""Replaces a text in all runs of a slide deck and saves it."""
import sys

import common  # noqa: F401
import pptx

deck = pptx.Presentation(sys.argv[1])
hits = 0
for slide in deck.slides:
    for shape in slide.shapes:
        if shape.has_text_frame:
            for paragraph in shape.text_frame.paragraphs:
                for run in paragraph.runs:
                    if "Widget" in run.text:
                        hits += run.text.count("Widget")
                        run.text = run.text.replace("Widget", "Gadget")
deck.save(sys.argv[2])
print("replaced", hits)
