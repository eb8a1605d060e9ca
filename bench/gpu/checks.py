# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a kernel's outputs are right: compared with a float64 computation, within the bound of docs/error_bounds.md.

The bound counts roundings (the model file says how many) and measures how inputs that are a little different change the
float64 result. One side of the comparison is exact, so the variance counts once.
"""
import math

import definitions

UNIT_ROUNDOFF = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
FALSE_ALARM = 1e-9


def make_inputs(arrays, case):
    """Random inputs of a kernel, fresh for each case."""
    compute = "f32" if case["dtype"] in ("f16", "bf16") else case["dtype"]
    arrays.seed(sum(map(ord, case["id"])))
    made = []
    for i in definitions.inputs(case["kernel"], case["rows"], case["columns"]):
        dtype = case["dtype"] if i.narrow else compute
        if i.kind == "normal":
            made.append(arrays.normal(i.shape, dtype, i.scale))
        elif i.kind == "positive":
            made.append(arrays.uniform(i.shape, dtype, 0.5, 1.5))
        elif i.kind == "label":
            made.append(arrays.integers(i.shape, "i32", 0, i.high))
        else:
            made.append(arrays.integers(i.shape, "i1", 0, 2))
    return made


def deviations(elements):
    """Standard deviations that none of so many normal variables leaves."""
    return math.sqrt(2.0 * math.log(2.0 * (elements + 1) / FALSE_ALARM))


def largest(arrays, array):
    """The largest magnitude; NaN if there is one."""
    return float(arrays.xp.abs(array).max()) if math.prod(array.shape) else 0.0


class Reference:
    """The float64 results of a kernel, with what each output's bound needs."""

    def __init__(self, arrays, case, inputs):
        wide = [arrays.double(i) if arrays.is_float(i) else i for i in inputs]
        formula = definitions.FORMULAS[case["kernel"]]
        self.arrays, self.outputs = arrays, formula(arrays.xp, *wide)
        self.magnitudes = [largest(arrays, o) for o in self.outputs]
        delta = math.sqrt(UNIT_ROUNDOFF[case["dtype"]])
        changed = formula(arrays.xp, *[arrays.perturbed(w, delta) if arrays.is_float(i) else w for i, w in zip(inputs, wide)])
        del wide
        self.conditions = [self._condition(c, o, m, delta) for c, o, m in zip(changed, self.outputs, self.magnitudes)]

    def _condition(self, changed, output, magnitude, delta):
        change = largest(self.arrays, changed - output)
        return max(1.0, change * math.sqrt(3.0) / (delta * magnitude)) if magnitude > 0.0 else 1.0

    def compare(self, outputs, variances):
        """For each output: error, bound, relative norm of the error, and whether it is right."""
        found = []
        for output, expected, magnitude, condition, variance in zip(outputs, self.outputs, self.magnitudes,
                                                                    self.conditions, variances, strict=True):
            if tuple(output.shape) != tuple(expected.shape):
                found.append({"ok": False, "reason": f"shape {tuple(output.shape)}, not {tuple(expected.shape)}"})
                continue
            difference = self.arrays.double(output) - expected
            error = largest(self.arrays, difference)
            bound = condition * deviations(math.prod(expected.shape)) * math.sqrt(variance) * magnitude
            norm = float((expected * expected).sum()) ** 0.5
            found.append({"error": error, "bound": bound, "magnitude": magnitude, "condition": condition,
                          "relative_norm": float((difference * difference).sum()) ** 0.5 / norm if norm else error,
                          "ok": error <= bound})  # false for NaN
        return found


def bound_variances(model, case):
    """Of the outputs of another implementation of the same kernel: what the model file counts for Stitch's."""
    return [o.error_variance for o in model.outputs]
