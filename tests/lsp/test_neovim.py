"""The real Neovim, headless: diagnostics appear, the action is applied, the buffer is right."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Scanlint

SCRIPT = """
local done = { diagnostics = 0, left = -1 }
vim.cmd("edit loop.py")
local id = vim.lsp.start_client({
  name = "scanlint",
  cmd = { [[%s]], "-m", "scanlint", "lsp" },
  root_dir = vim.fn.getcwd(),
})
vim.lsp.buf_attach_client(0, id)
vim.wait(90000, function() return #vim.diagnostic.get(0) > 0 end, 50)
local found = vim.diagnostic.get(0)
done.diagnostics = #found
done.message = found[1].message
vim.api.nvim_win_set_cursor(0, { found[1].lnum + 1, found[1].col })
local params = vim.lsp.util.make_range_params()
params.context = { diagnostics = {} }
local actions = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 90000)[id].result
local chosen = vim.lsp.buf_request_sync(0, "codeAction/resolve", actions[1], 180000)[id].result
done.title = chosen.title
vim.lsp.util.apply_workspace_edit(chosen.edit, vim.lsp.get_client_by_id(id).offset_encoding)
vim.wait(90000, function() return #vim.diagnostic.get(0) == 0 end, 50)
done.left = #vim.diagnostic.get(0)
vim.cmd("write")
vim.fn.writefile({ vim.fn.json_encode(done) }, "done.json")
vim.cmd("qall!")
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="there is no Neovim here")
def test_neovim_shows_a_finding_and_applies_its_rewrite(project: Path, run: Scanlint) -> None:
    (project / "drive.lua").write_text(SCRIPT % sys.executable)
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    words = ["nvim", "--headless", "--clean", "-c", "luafile drive.lua"]
    before = (project / "loop.py").read_text()
    subprocess.run(words, cwd=project, env={**os.environ, "PYTHONPATH": path}, check=True, timeout=400)
    done, written = json.loads((project / "done.json").read_text()), (project / "loop.py").read_text()
    assert (done["diagnostics"], done["left"]) == (1, 0)
    assert "unrolls this loop 50 times" in done["message"]
    assert "proved" in done["title"]
    (project / "loop.py").write_text(before)
    run("--fix", "loop.py")
    assert written == (project / "loop.py").read_text()
