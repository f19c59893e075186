"""The encoder's attention is torch's own, however it is computed."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra 'train' (torch, 200 MB)")

from polyhop.training.encoder import attention  # noqa: E402
from polyhop.training.graph import HEAD_WIDTH  # noqa: E402


@pytest.mark.parametrize("seen", [1, 9, 17])
def test_attention_is_what_torch_computes_and_so_are_its_gradients(seen: int) -> None:
    torch.manual_seed(3)
    parts = query, key, value = [torch.randn(2, 3, 17, HEAD_WIDTH, requires_grad=True) for _ in range(3)]
    mask = torch.arange(17)[None, None, None] < seen
    ours = attention(query, key, value, mask)
    expected = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert torch.allclose(ours, expected, atol=1e-5)
    ways_back = [torch.autograd.grad(result.square().sum(), parts) for result in (ours, expected)]
    assert all(torch.allclose(one, other, atol=1e-4) for one, other in zip(*ways_back, strict=True))
