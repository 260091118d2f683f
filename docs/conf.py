"""The documentation site: Markdown pages, and a reference made from the code itself. Nothing is fetched."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for from_code, beside this file

from pconv import __version__

project = "pconv"
author = "pconv contributors"
copyright = author
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "from_code"]
myst_heading_anchors = 3  # links to headings, as code-hosting sites make them

default_role = "code"  # `name` in a docstring
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_default_options = {
    "members": True,
    # scikit-learn puts these into its estimators, with links into its own documentation
    "exclude-members": "set_fit_request, set_partial_fit_request, set_predict_request, set_score_request, "
    "set_transform_request",
}

html_theme = "furo"
html_title = f"pconv {release}"
html_copy_source = False
html_show_sphinx = False
