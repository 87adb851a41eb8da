"""try_page.py FOLDER OUT [WASM]: writes the page on which one tries a robots.txt, as one file that
needs no server. FOLDER has the parts of the page, and WASM is the compiled library. Without WASM,
writes a page that says how to get it."""

import base64
import hashlib
import re
import sys
from pathlib import Path

folder, out, wasm = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]

LEFT_OUT = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Try a robots.txt - robots-cpp</title>
<h1>Try a robots.txt</h1>
<p>This page was left out, since no compiler for WebAssembly was there when the site was made. It is
made by <code>./run try</code>, which installs one.</p>
<p><a href="index.html">robots-cpp</a></p>
</html>
"""


def part(name):
    return (folder / name).read_text(encoding="ascii")


def module(name):
    """Returns a module as a part of one script, which has all modules."""
    text = re.sub(r'^import \{[^}]*\} from "\./\w+\.mjs";\n', "", part(name), flags=re.M)
    return re.sub(r"^export ", "", text, flags=re.M)


def digest(text):
    """Returns the source expression of Content-Security-Policy for an inline script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page():
    style = part("page.css")
    script = "".join(module(name) for name in ("library.mjs", "fragment.mjs", "page.mjs"))
    for text in (style, script):
        if re.search(r"</|<!--", text) or re.search(r"^(import|export)\b", text, re.M):
            sys.exit("try_page.py: a part has </, <!--, or an import or export that is not on one line")
    values = {
        "STYLE_HASH": digest(style), "SCRIPT_HASH": digest(script), "STYLE": style, "SCRIPT": script,
        "LIBRARY": base64.b64encode(Path(wasm[0]).read_bytes()).decode(),
    }
    return re.sub(r"@([A-Z_]+)@", lambda mark: values[mark[1]], part("page.html"))


out.parent.mkdir(parents=True, exist_ok=True)
out.write_text(page() if wasm else LEFT_OUT, encoding="ascii")
