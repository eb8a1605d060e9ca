# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recommendation: tables of embeddings, interactions of all pairs, small products, in f32. Inference, and a training step with SGD."""
import dataclasses

from . import Argument, Network, index, weight


@dataclasses.dataclass(frozen=True)
class Sizes:
    dense: int
    tables: int
    rows: int
    embedding: int
    bottom: tuple  # the last is `embedding`
    top: tuple
    rate: float = 0.1


DLRM = Sizes(13, 26, 100000, 128, (512, 256, 128), (1024, 1024, 512, 256, 1))


def weights(s):
    found, vectors = {}, s.tables + 1
    for name, inputs, sizes in (("bottom", s.dense, s.bottom), ("top", s.embedding + vectors * (vectors - 1) // 2, s.top)):
        for i, outputs in enumerate(sizes):
            found |= {f"{name}.{i}": weight(inputs, outputs, dtype="f32"), f"{name}.{i}_bias": Argument((outputs,), "f32", scale=0.1)}
            inputs = outputs
    return found


def arguments(s, batch, training):
    found = {"dense": Argument((batch, s.dense), "f32"), "indices": index((batch, s.tables), s.rows)}
    if training:
        found["clicked"] = index((batch,), 2)
    # Interactions are sums of `embedding` products: this scale makes them as large as the dense features.
    return found | {"tables": Argument((s.tables, s.rows, s.embedding), "f32", scale=s.embedding**-0.25), **weights(s)}


def in_jax(s, training):
    import jax
    import jax.numpy as jnp
    import numpy as np

    vectors, names = s.tables + 1, list(weights(s))
    above, below = np.tril_indices(vectors, -1)

    def layers(x, p, name, count, last):
        for i in range(count):
            x = x @ p[f"{name}.{i}"] + p[f"{name}.{i}_bias"]
            x = jax.nn.relu(x) if i < count - 1 or last else x
        return x

    def logits(p, dense, embedded):
        dense = layers(dense, p, "bottom", len(s.bottom), True)
        all_vectors = jnp.concatenate([dense[:, None], embedded], axis=1)
        pairs = jnp.einsum("bid,bjd->bij", all_vectors, all_vectors)[:, above, below]
        return layers(jnp.concatenate([dense, pairs], axis=1), p, "top", len(s.top), False)[:, 0]

    def loss_of(p, embedded, dense, clicked):
        z = logits(p, dense, embedded)
        return -jnp.mean(clicked * jax.nn.log_sigmoid(z) + (1 - clicked) * jax.nn.log_sigmoid(-z))

    def run(a):
        p, rows = {name: a[name] for name in names}, (jnp.arange(s.tables), a["indices"])
        embedded = a["tables"][rows]
        if not training:
            return [jax.nn.sigmoid(logits(p, a["dense"], embedded))]
        loss, (g, of_rows) = jax.value_and_grad(loss_of, argnums=(0, 1))(p, embedded, a["dense"], a["clicked"].astype(embedded.dtype))
        return [loss, a["tables"].at[rows].add(-s.rate * of_rows), *(p[name] - s.rate * g[name] for name in names)]

    return run


def in_torch(s, training):
    import torch
    import torch.nn.functional as F

    vectors, names = s.tables + 1, list(weights(s))

    def layers(x, p, name, count, last):
        for i in range(count):
            x = torch.addmm(p[f"{name}.{i}_bias"], x, p[f"{name}.{i}"])
            x = F.relu(x) if i < count - 1 or last else x
        return x

    def logits(p, dense, embedded):
        above, below = torch.tril_indices(vectors, vectors, -1, device=dense.device)
        dense = layers(dense, p, "bottom", len(s.bottom), True)
        all_vectors = torch.cat([dense[:, None], embedded], 1)
        pairs = torch.bmm(all_vectors, all_vectors.transpose(1, 2))[:, above, below]
        return layers(torch.cat([dense, pairs], 1), p, "top", len(s.top), False)[:, 0]

    def loss_of(p, embedded, dense, clicked):
        return F.binary_cross_entropy_with_logits(logits(p, dense, embedded), clicked)

    def run(a):
        p, flat = {name: a[name] for name in names}, a["tables"].view(-1, s.embedding)
        rows = a["indices"] + s.rows * torch.arange(s.tables, dtype=a["indices"].dtype, device=flat.device)
        embedded = F.embedding(rows, flat)
        if not training:
            return [torch.sigmoid(logits(p, a["dense"], embedded))]
        (g, of_rows), loss = torch.func.grad_and_value(loss_of, argnums=(0, 1))(p, embedded, a["dense"], a["clicked"].to(flat.dtype))
        tables = flat.index_add(0, rows.view(-1), of_rows.flatten(0, 1), alpha=-s.rate).view(a["tables"].shape)
        return [loss, tables, *(p[name] - s.rate * g[name] for name in names)]

    return run


def network(s, batch, training=False):
    return Network(arguments(s, batch, training), lambda: in_jax(s, training), lambda: in_torch(s, training), "DLRM")


SMALL = Sizes(5, 4, 50, 16, (24, 16), (32, 24, 1), rate=2.0)
NETWORKS = {
    "dlrm_b2048": network(DLRM, 2048),
    "dlrm_training_b2048": network(DLRM, 2048, training=True),
    "small_dlrm": network(SMALL, 7),
    "small_dlrm_training": network(SMALL, 7, training=True),
}
