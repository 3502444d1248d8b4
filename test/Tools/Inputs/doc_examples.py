"""Writes the mlir blocks of README.md and docs/*.md into files: PAGE-INDEX.mlir.

usage: doc_examples.py SOURCE_ROOT OUTPUT_FOLDER
"""

import re
import sys
from pathlib import Path

root, output = map(Path, sys.argv[1:])
for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
    blocks = re.findall(r"^```mlir\n(.*?)^```$", page.read_text(), re.M | re.S)
    for index, block in enumerate(blocks):
        (output / f"{page.stem}-{index}.mlir").write_text(block)
