"""Replaces a text in all cells of a workbook and saves it."""
import sys

import openpyxl

book = openpyxl.load_workbook(sys.argv[1])
hits = 0
for row in book["Data"].iter_rows():
    for cell in row:
        if isinstance(cell.value, str) and "Widget" in cell.value:
            hits += cell.value.count("Widget")
            cell.value = cell.value.replace("Widget", "Gadget")
book.save(sys.argv[2])
print("replaced", hits)
