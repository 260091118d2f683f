"""The page runs its own script and no other."""

from __future__ import annotations

import base64
import re
from hashlib import sha256

from pconv.report.page.build import page_html


def test_the_policy_allows_the_script_of_the_page_by_its_hash() -> None:
    page = page_html()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert policy
    assert len(scripts) == 1
    digest = base64.b64encode(sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy[1]
