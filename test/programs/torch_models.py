#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of the package transformers, small and with random weights, through torch.compile(backend="stitch").

usage: torch_models.py [--only NAME,...] [--checks forward,gradients,growing,static] [--steps N] [--write]

For each model: its forward function and its gradients beside eager PyTorch, and what it generates, with a cache that grows and with a static one. A cell says "equal", or
what differs, then how many programs were compiled, and "left" if PyTorch ran some operators, which the last column names; "not by aot_eager" if PyTorch's own way
to compiled graphs fails, too. --write puts each row into test/programs/torch_models.md when it is measured. Exit status 1 if anything differs. Needs the environment of tools/setup.sh --torch with transformers, PYTHONPATH=python and STITCH_BUILD.
"""
import argparse
import copy
import inspect
import logging
import os
import re
import sys
import warnings

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

import stitch.torch  # noqa: F401

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_models.md")
COLUMNS = ["forward", "gradients", "growing cache", "static cache"]
TEXT = {"vocab_size": 96, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2, "attention_dropout": 0.0}
LLAMA = {**TEXT, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
         "max_position_embeddings": 128}
BERT = {"vocab_size": 96, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "max_position_embeddings": 64, "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0}
IMAGE = {"image_size": 32, "patch_size": 8, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_dropout_prob": 0.0,
         "attention_probs_dropout_prob": 0.0}


def _tokens(*shape):
    return torch.randint(3, 96, shape or (2, 7))


def _text_inputs(_config):
    return {"input_ids": _tokens()}


def _image_inputs(_config):
    return {"pixel_values": torch.randn(2, 3, 32, 32)}


def _pair_inputs(_config):
    return {"input_ids": _tokens(), "decoder_input_ids": _tokens(2, 5)}


# Name -> its configuration's class, what differs from that, the model's class, its inputs.
MODELS = {
    "gpt2": ("GPT2Config", {"vocab_size": 96, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 128, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2, "resid_pdrop": 0.0,
                            "embd_pdrop": 0.0, "attn_pdrop": 0.0}, AutoModelForCausalLM, _text_inputs),
    "llama": ("LlamaConfig", LLAMA, AutoModelForCausalLM, _text_inputs),
    "mistral": ("MistralConfig", {**LLAMA, "sliding_window": 16}, AutoModelForCausalLM, _text_inputs),
    "qwen2": ("Qwen2Config", LLAMA, AutoModelForCausalLM, _text_inputs),
    "qwen3": ("Qwen3Config", LLAMA, AutoModelForCausalLM, _text_inputs),
    "gemma2": ("Gemma2Config", {**LLAMA, "query_pre_attn_scalar": 8, "sliding_window": 16}, AutoModelForCausalLM, _text_inputs),
    "mixtral": ("MixtralConfig", {**LLAMA, "num_local_experts": 4, "num_experts_per_tok": 2}, AutoModelForCausalLM, _text_inputs),
    "mamba": ("MambaConfig", {"vocab_size": 96, "hidden_size": 32, "state_size": 4, "num_hidden_layers": 2, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2},
              AutoModelForCausalLM, _text_inputs),
    "t5": ("T5Config", {"vocab_size": 96, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4, "dropout_rate": 0.0, "decoder_start_token_id": 0}, AutoModelForSeq2SeqLM,
           _pair_inputs),
    "bart": ("BartConfig", {"vocab_size": 96, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 48,
                            "decoder_ffn_dim": 48, "max_position_embeddings": 96, "dropout": 0.0, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2, "forced_eos_token_id": None,
                            "decoder_start_token_id": 0}, AutoModelForSeq2SeqLM, _pair_inputs),
    "whisper": ("WhisperConfig", {"vocab_size": 96, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
                                  "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "num_mel_bins": 8, "max_source_positions": 16, "max_target_positions": 96, "dropout": 0.0, "bos_token_id": 0,
                                  "eos_token_id": 1, "pad_token_id": 2, "decoder_start_token_id": 0, "suppress_tokens": None, "begin_suppress_tokens": None},
                transformers.WhisperForConditionalGeneration, lambda c: {"input_features": torch.randn(2, 8, 32), "decoder_input_ids": _tokens(2, 5)}),
    "bert": ("BertConfig", BERT, transformers.AutoModelForSequenceClassification, lambda c: {"input_ids": _tokens(), "attention_mask": torch.ones(2, 7).tril(5)}),
    "deberta": ("DebertaV2Config", {**BERT, "relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 8}, transformers.AutoModelForSequenceClassification, _text_inputs),
    "vit": ("ViTConfig", IMAGE, transformers.AutoModelForImageClassification, _image_inputs),
    "clip": ("CLIPConfig", {"text_config": {**BERT, "eos_token_id": 1}, "vision_config": IMAGE, "projection_dim": 16}, transformers.AutoModel,
             lambda c: {"input_ids": _tokens(), "pixel_values": torch.randn(2, 3, 32, 32)}),
    "resnet": ("ResNetConfig", {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]}, transformers.AutoModelForImageClassification, _image_inputs),
    "segformer": ("SegformerConfig", {"depths": [1, 1], "num_encoder_blocks": 2, "sr_ratios": [2, 1], "hidden_sizes": [8, 16], "patch_sizes": [7, 3], "strides": [4, 2],
                                      "num_attention_heads": [1, 2], "mlp_ratios": [2, 2], "decoder_hidden_size": 16, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
                                      "classifier_dropout_prob": 0.0, "drop_path_rate": 0.0}, transformers.AutoModelForSemanticSegmentation, _image_inputs),
    "wav2vec2": ("Wav2Vec2Config", {**BERT, "conv_dim": (8, 8), "conv_stride": (5, 2), "conv_kernel": (10, 3), "num_feat_extract_layers": 2, "num_conv_pos_embeddings": 8,
                                    "num_conv_pos_embedding_groups": 2, "layerdrop": 0.0, "mask_time_prob": 0.0, "hidden_dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0,
                                    "feat_proj_dropout": 0.0, "final_dropout": 0.0}, transformers.AutoModelForCTC, lambda c: {"input_values": torch.randn(2, 400)}),
}

_reasons: list[str] = []
_compiled: list[stitch.Model] = []


class _Reasons(logging.Handler):
    def emit(self, record):
        _reasons.append(re.sub(r"\s+", " ", record.getMessage().removeprefix("left to PyTorch: ")).split(": loc(")[0])


def _count_compilations():
    compile_ = stitch.compile

    def counted(*args, **kwargs):
        _compiled.append(compile_(*args, **kwargs))
        return _compiled[-1]

    stitch.compile = counted


def make(name):
    """A model and its inputs."""
    torch.manual_seed(0)
    config_name, fields, kind, inputs = MODELS[name]
    config = getattr(transformers, config_name)(**fields)
    model = (kind.from_config(config) if hasattr(kind, "from_config") else kind(config)).eval()
    return model, inputs(config)


def tensors(results):
    return [t for t in torch.utils._pytree.tree_leaves(dict(results)) if isinstance(t, torch.Tensor) and t.is_floating_point()]


def forward(model, inputs, wrap, _steps):
    with torch.no_grad():
        return tensors(wrap(model)(**inputs))


def gradients(model, inputs, wrap, _steps):
    model.train()
    takes_cache = "use_cache" in inspect.signature(model.forward).parameters
    results = tensors(wrap(model)(**inputs, use_cache=False) if takes_cache else wrap(model)(**inputs))
    sum((t * torch.linspace(-1, 1, t.numel()).view_as(t)).sum() for t in results if t.requires_grad).backward()
    return [p.grad for p in model.parameters() if p.grad is not None]


def _generate(model, inputs, wrap, steps, **how):
    model.forward = wrap(model.forward)
    given = {k: v[:1] for k, v in inputs.items() if k != "decoder_input_ids"}
    with torch.no_grad():
        return [model.generate(**given, max_new_tokens=steps, min_new_tokens=steps, do_sample=False, num_beams=1, **how)]


def growing_cache(model, inputs, wrap, steps):
    return _generate(model, inputs, wrap, steps)


def static_cache(model, inputs, wrap, steps):
    return _generate(model, inputs, wrap, steps, cache_implementation="static", disable_compile=True)


def _is_by_pytorch(check, model, inputs, steps):
    """Whether PyTorch traces the model at all."""
    torch._dynamo.reset()
    try:
        check(model, inputs, lambda f: torch.compile(f, backend="aot_eager"), steps)
    except Exception:  # pylint: disable=broad-except
        return False
    return True


def _write(rows, steps):
    """The rows that are known, and those that are new."""
    with open(TABLE, encoding="utf-8") as file:
        known = {cells[0]: cells for line in file if line.startswith("| ") for cells in [[c.strip() for c in line.split("|")[1:-1]]] if cells[0] != "model"}
    known |= {r[0]: r for r in rows}
    lines = [f"# Models of transformers {transformers.__version__} through torch.compile(backend=\"stitch\")", "",
             f"Made by `test/programs/torch_models.py --write`: small ones, random weights, {steps} tokens generated. equal: as eager PyTorch; compiled: programs that were; left: PyTorch ran",
             "some operators; not by aot_eager: PyTorch does not trace it at all.", "", "| model | " + " | ".join(COLUMNS) + " | left |", "|---" * (len(COLUMNS) + 2) + "|"]
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["| " + " | ".join(known[name]) + " |" for name in MODELS if name in known]) + "\n")


def compared(check, name, steps):
    """A cell."""
    model, inputs = make(name)
    torch._dynamo.reset()
    _reasons.clear()
    _compiled.clear()
    expected = check(copy.deepcopy(model), inputs, lambda f: f, steps)
    spare = copy.deepcopy(model)
    try:
        found = check(model, inputs, lambda f: torch.compile(f, backend="stitch"), steps)
        for f, e in zip(found, expected, strict=True):
            scale = max(1.0, e.abs().max().item()) if e.numel() else 1.0
            torch.testing.assert_close(f, e, rtol=1e-3, atol=2e-4 * scale, check_stride=False)
        said = "equal"
    except Exception as error:  # pylint: disable=broad-except
        if not _is_by_pytorch(check, spare, inputs, steps):
            return "not by aot_eager"
        said = re.sub(r"\s+", " ", f"{type(error).__name__}: {error}")[:200]
    return f"{said}, {len(_compiled)} compiled" + (", left" if _reasons else "")


CHECKS = {"forward": forward, "gradients": gradients, "growing": growing_cache, "static": static_cache}


def row(name, steps, wanted):
    model, _inputs = make(name)
    can_generate = model.can_generate() and hasattr(model, "generate")
    cells, reasons = [], []
    for check, function in CHECKS.items():
        is_possible = check in ("forward", "gradients") or (can_generate and not (check == "static" and name == "mamba"))
        cells.append(compared(function, name, steps) if is_possible and check in wanted else "")
        reasons += _reasons if cells[-1] else []
    return [name, *cells, "; ".join(sorted(set(reasons)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(MODELS))
    parser.add_argument("--checks", default=",".join(CHECKS))
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    logging.getLogger("stitch").addHandler(_Reasons())
    logging.getLogger("stitch").propagate = False
    _count_compilations()
    rows = []
    for name in options.only.split(","):
        rows.append(row(name, options.steps, options.checks.split(",")))
        print(" | ".join(rows[-1]), flush=True)
        if options.write:
            _write(rows, options.steps)
    wrong = sum(bool(cell) and not re.match("equal|not by aot_eager", cell) for r in rows for cell in r[1:5])
    print(f"{len(rows)} models, {wrong} differences")
    sys.exit(1 if wrong or not rows else 0)


if __name__ == "__main__":
    main()
