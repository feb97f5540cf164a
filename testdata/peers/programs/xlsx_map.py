"""Says the sheets of a workbook, their sizes, headers and how many formulas they have."""
import sys

import openpyxl

book = openpyxl.load_workbook(sys.argv[1], read_only=True)
for sheet in book:
    rows = formulas = 0
    for row in sheet.iter_rows():
        rows += 1
        if rows == 1:
            print([cell.value for cell in row])
        formulas += sum(cell.data_type == "f" for cell in row)
    print(sheet.title, "rows", rows, "formulas", formulas)
