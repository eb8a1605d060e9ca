# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an exporter makes of a model."""


class Exported:
    """A model as its framework has written it, with inputs, and what the framework computes of them."""

    def __init__(self, name, exporter, data, inputs, outputs, tolerance):
        self.name, self.exporter, self.data, self.inputs, self.outputs, self.tolerance = name, exporter, data, inputs, outputs, tolerance


class Refused(Exception):
    """An exporter cannot make a module of a model."""

    def __init__(self, exporter, reason):
        super().__init__(reason)
        self.exporter = exporter
