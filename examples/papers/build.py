"""Typesets every paper of this folder beside its source: python build.py (needs typst==0.15.0 from PyPI)."""

from pathlib import Path

import typst

here = Path(__file__).parent
fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=True)

for source in sorted(here.glob("*.typ")):
    if source.stem != "paper":
        typst.compile(source, output=source.with_suffix(".pdf"), root=here, font_paths=fonts)
        print(source.with_suffix(".pdf").name)
