"""Import statements go where the file keeps its own."""

from __future__ import annotations

import pytest

from scanlint.rewrite.emit.imports import add_imports

PARTIAL, JAX, LAX = "from functools import partial", "import jax", "from jax import lax"


@pytest.mark.parametrize(
    ("text", "statement", "after"),
    [
        pytest.param(
            "import jax.numpy as jnp\n\nx = 1\n",
            JAX,
            "import jax\nimport jax.numpy as jnp\n\nx = 1\n",
            id="beside its kin, in order",
        ),
        pytest.param(
            "import jax\nimport jax.numpy as jnp\n",
            LAX,
            "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n",
            id="a from import after the plain ones",
        ),
        pytest.param(
            "import jax\n\nx = 1\n",
            PARTIAL,
            "from functools import partial\n\nimport jax\n\nx = 1\n",
            id="a standard module above the third party, an empty line between",
        ),
        pytest.param(
            '"""Doc."""\n\nimport jax\n',
            PARTIAL,
            '"""Doc."""\n\nfrom functools import partial\n\nimport jax\n',
            id="below the docstring, above the third party",
        ),
        pytest.param(
            "import abc\nimport typing\n\nimport jax\n",
            PARTIAL,
            "import abc\nimport typing\nfrom functools import partial\n\nimport jax\n",
            id="below the plain imports of the standard modules",
        ),
        pytest.param("x = 1\n", JAX, "import jax\n\nx = 1\n", id="first in a file without imports"),
        pytest.param('"""Doc."""\nx = 1\n', JAX, '"""Doc."""\n\nimport jax\nx = 1\n', id="below a lone docstring"),
        pytest.param(
            "from __future__ import annotations\n\nx = 1\n",
            JAX,
            "from __future__ import annotations\n\nimport jax\n\nx = 1\n",
            id="after the future import",
        ),
        pytest.param("import jax\n", JAX, "import jax\n", id="not twice"),
        pytest.param("import jax\r\nx = 1\r\n", LAX, "import jax\r\nfrom jax import lax\r\nx = 1\r\n", id="CRLF stays"),
    ],
)
def test_add_imports(text: str, statement: str, after: str) -> None:
    assert add_imports(text, [statement]) == after
