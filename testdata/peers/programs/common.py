"""The folder of python-pptx where install.sh could not get it from Debian."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / ".peers" / "python"))
