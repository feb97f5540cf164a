"""Sorts the rows of a workbook by column A and saves it, formulas moved with their rows."""
import sys

import openpyxl
from openpyxl.formula.translate import Translator

book = openpyxl.load_workbook(sys.argv[1])
sheet = book["Data"]
rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)]
order = sorted(range(len(rows)), key=lambda i: rows[i][0])
for to, at in enumerate(order, start=2):
    for column, value in enumerate(rows[at], start=1):
        if isinstance(value, str) and value.startswith("="):
            value = Translator(value, origin=f"J{at + 2}").translate_formula(f"J{to}")
        sheet.cell(row=to, column=column, value=value)
book.save(sys.argv[2])
print("sorted", len(rows))
