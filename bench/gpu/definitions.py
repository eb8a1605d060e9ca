# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of bench/kernels (classics.py and products.py) once more, as Python functions: what the StableHLO ones are compared with.

FORMULAS computes them as they are written, over numpy or torch (`xp`), in the type of its arguments: in float64 that is the
reference. TORCH is what a user of PyTorch writes: the framework's own function where there is one, else the formula in
float32, as the StableHLO kernels do it.
"""
import dataclasses

EPSILON_LAYERNORM, EPSILON_RMSNORM = 1e-5, 1e-6


@dataclasses.dataclass
class Input:
    shape: tuple
    kind: str  # normal, positive (uniform in [0.5, 1.5)), label (an integer below `high`), mask
    narrow: bool = True  # in the kernel's element type; False: in the type that is computed in
    high: int = 0
    scale: float = 1.0  # of a normal one


def inputs(name, rows, columns):
    """The kernel's inputs, in order."""
    matrix, vector = Input((rows, columns), "normal"), Input((columns,), "normal")
    positive, label = Input((rows,), "positive", narrow=False), Input((rows,), "label", high=columns)
    statistic = Input((rows,), "normal", narrow=False)
    heads = Input((min(max(65536 // rows, 4), 1024) if rows >= 64 else 4, rows, columns), "normal")
    weights = Input((4 * columns, columns), "normal", scale=columns**-0.5)
    return {
        "softmax": [matrix], "softmax_outer": [matrix],
        "layernorm": [matrix, vector, vector],
        "layernorm_backward": [matrix, matrix, vector, statistic, positive],
        "rmsnorm": [matrix, vector],
        "rmsnorm_backward": [matrix, matrix, vector, positive],
        "cross_entropy": [matrix, label],
        "gelu_dropout_residual_layernorm": [matrix, matrix, Input((rows, columns), "mask"), vector, vector, vector],
        "batchnorm_training": [matrix, vector, vector],
        "adam": [matrix, matrix, Input((rows, columns), "normal", narrow=False), Input((rows, columns), "positive", narrow=False)],
        "row_column_reduce": [matrix], "row_reduce": [matrix], "column_reduce": [matrix],
        "transpose_add": [matrix, vector],
        "attention": [heads] * 3,
        "matvec": [Input((1, rows), "normal"), matrix], "thin_product": [Input((8, rows), "normal"), matrix],
        "lstm": [matrix, weights, weights, Input((4 * columns,), "normal")],
    }[name]


# ---------------------------------------------------------------------------------------------------------------------
# As they are written
# ---------------------------------------------------------------------------------------------------------------------


def normalized(xp, x, axis=1):
    centred = x - x.mean(axis=axis, keepdims=True)
    return centred / xp.sqrt((centred * centred).mean(axis=axis, keepdims=True) + EPSILON_LAYERNORM)


def softmax(xp, x, axis=1):
    e = xp.exp(x - xp.amax(x, axis=axis, keepdims=True))
    return [e / e.sum(axis=axis, keepdims=True)]


def layernorm(xp, x, gamma, beta):
    return [normalized(xp, x) * gamma + beta]


def layernorm_backward(xp, dy, x, gamma, mean, rstd):
    xhat = (x - mean[:, None]) * rstd[:, None]
    wdy = dy * gamma
    c1, c2 = (wdy * xhat).mean(axis=1, keepdims=True), wdy.mean(axis=1, keepdims=True)
    return [(wdy - xhat * c1 - c2) * rstd[:, None], (dy * xhat).sum(axis=0), dy.sum(axis=0)]


def rmsnorm(xp, x, gamma):
    return [x / xp.sqrt((x * x).mean(axis=1, keepdims=True) + EPSILON_RMSNORM) * gamma]


def rmsnorm_backward(xp, dy, x, gamma, rstd):
    xhat, wdy = x * rstd[:, None], dy * gamma
    return [(wdy - xhat * (wdy * xhat).mean(axis=1, keepdims=True)) * rstd[:, None], (dy * xhat).sum(axis=0)]


def cross_entropy(xp, logits, labels):
    shifted = logits - xp.amax(logits, axis=1, keepdims=True)
    e = xp.exp(shifted)
    total = e.sum(axis=1, keepdims=True)
    columns = xp.arange(logits.shape[1], **({"device": logits.device} if hasattr(logits, "is_cuda") else {}))
    is_label = columns[None, :] == labels[:, None]
    loss = xp.log(total[:, 0]) - xp.where(is_label, shifted, 0.0 * shifted).sum(axis=1)
    return [loss, xp.where(is_label, e / total - 1.0, e / total) / float(logits.shape[0])]


def gelu_dropout_residual_layernorm(xp, x, residual, mask, bias, gamma, beta):
    h = x + bias
    gelu = h * (xp.tanh((h + h * h * h * 0.044715) * 0.7978845608) + 1.0) * 0.5
    y = residual + xp.where(mask, gelu / 0.9, 0.0 * gelu)
    return [normalized(xp, y) * gamma + beta]


def batchnorm_training(xp, x, gamma, beta):
    mean = x.mean(axis=0)
    centred = x - mean
    variance = (centred * centred).mean(axis=0)
    return [centred * (gamma / xp.sqrt(variance + EPSILON_LAYERNORM)) + beta, mean, variance]


def adam(xp, parameter, gradient, m, v):
    m = m * 0.9 + gradient * 0.1
    v = v * 0.999 + gradient * gradient * 0.001
    return [parameter - m / (xp.sqrt(v) + 1e-8) * 1e-3, m, v]


def transpose_add(xp, x, bias):
    y = x + bias
    return [xp.where(y > 0, y, 0.0 * y).T]


def attention(xp, q, k, v):
    scores = q @ xp.swapaxes(k, 1, 2) * q.shape[2]**-0.5
    e = xp.exp(scores - xp.amax(scores, axis=2, keepdims=True))
    return [(e / e.sum(axis=2, keepdims=True)) @ v]


def lstm(xp, x, w_x, w_h, bias):
    def logistic(z):
        return 1.0 / (1.0 + xp.exp(-z))

    inputs, size = x @ w_x.T + bias, w_h.shape[1]
    h = c = 0.0 * x[0]
    rows = []
    for row in inputs:
        gates = row + w_h @ h
        c = logistic(gates[size:2 * size]) * c + logistic(gates[:size]) * xp.tanh(gates[2 * size:3 * size])
        h = logistic(gates[3 * size:]) * xp.tanh(c)
        rows.append(h)
    return [xp.stack(rows), c]


FORMULAS = {
    "attention": attention, "matvec": lambda xp, x, w: [x @ w], "thin_product": lambda xp, x, w: [x @ w], "lstm": lstm,
    "softmax": softmax, "softmax_outer": lambda xp, x: softmax(xp, x, axis=0),
    "layernorm": layernorm, "layernorm_backward": layernorm_backward, "rmsnorm": rmsnorm,
    "rmsnorm_backward": rmsnorm_backward, "cross_entropy": cross_entropy,
    "gelu_dropout_residual_layernorm": gelu_dropout_residual_layernorm, "batchnorm_training": batchnorm_training,
    "adam": adam, "row_column_reduce": lambda xp, x: [x.sum(axis=1), x.sum(axis=0)],
    "row_reduce": lambda xp, x: [x.sum(axis=1)], "column_reduce": lambda xp, x: [x.sum(axis=0)],
    "transpose_add": transpose_add,
}


# ---------------------------------------------------------------------------------------------------------------------
# As a user of PyTorch writes them
# ---------------------------------------------------------------------------------------------------------------------

UNROLLED = ("lstm",)  # which a compiler would unroll
KEPT_WIDE = {"adam": (1, 2)}  # outputs in the type that is computed in


def torch_function(name):
    """A function of torch tensors to a list of them; without data-dependent control flow, so that it can be compiled."""
    import torch
    import torch.nn.functional as F
    formula, wide = FORMULAS[name], KEPT_WIDE.get(name, ())

    def as_written(*arguments):
        dtype = arguments[0].dtype
        compute = torch.float32 if dtype in (torch.bfloat16, torch.float16) else dtype
        outputs = formula(torch, *[a.to(compute) if a.is_floating_point() else a for a in arguments])
        return [o if i in wide else o.to(dtype).contiguous() for i, o in enumerate(outputs)]

    def layernorm_backward_own(dy, x, gamma, mean, rstd):
        beta = torch.zeros_like(gamma)
        return list(torch.ops.aten.native_layer_norm_backward(dy, x, [x.shape[1]], mean[:, None], rstd[:, None], gamma, beta,
                                                              [True, True, True]))

    def lstm_own(x, w_x, w_h, bias):
        """cuDNN's on a GPU. The weights lie in its own layout, as a module of the framework keeps them: they are copied there once."""
        key = (x.device, w_x.data_ptr(), w_h.data_ptr(), bias.data_ptr())
        if key not in modules:
            module = torch.nn.LSTM(x.shape[1], w_h.shape[1], device=x.device, dtype=x.dtype)
            with torch.no_grad():
                for parameter, value in zip(module._flat_weights, (w_x, w_h, bias, torch.zeros_like(bias))):
                    parameter.copy_(value)
            modules.clear()
            modules[key] = module.requires_grad_(False)
        outputs, (_, c) = modules[key](x)
        return [outputs, c[0]]

    modules = {}
    own = {
        "attention": lambda q, k, v: [F.scaled_dot_product_attention(q[None], k[None], v[None])[0]],
        "matvec": lambda x, w: [x @ w],
        "thin_product": lambda x, w: [x @ w],
        "lstm": lstm_own,
        "softmax": lambda x: [F.softmax(x, 1)],
        "softmax_outer": lambda x: [F.softmax(x, 0)],
        "layernorm": lambda x, gamma, beta: [F.layer_norm(x, (x.shape[1],), gamma, beta, EPSILON_LAYERNORM)],
        "layernorm_backward": layernorm_backward_own,
        "rmsnorm": lambda x, gamma: [F.rms_norm(x, (x.shape[1],), gamma, EPSILON_RMSNORM)],
        "row_reduce": lambda x: [x.sum(1)],
        "column_reduce": lambda x: [x.sum(0)],
        "row_column_reduce": lambda x: [x.sum(1), x.sum(0)],
        "transpose_add": lambda x, bias: [torch.relu(x + bias).T.contiguous()],
    }
    return own.get(name, as_written)


def other_functions(name):
    """What else PyTorch has for a kernel: name -> a function like torch_function's."""
    import torch
    import torch.nn.functional as F
    if name != "attention":
        return {}

    def by(backend):
        def run(q, k, v):
            with torch.nn.attention.sdpa_kernel(backend):
                return [F.scaled_dot_product_attention(q[None], k[None], v[None])[0]]
        return run

    backends = torch.nn.attention.SDPBackend
    return {"flash": by(backends.FLASH_ATTENTION), "cudnn": by(backends.CUDNN_ATTENTION)}
