# Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of the recorded runs: one description, two renderings.

A `Model` is both a PyTorch module (`forward`, `loss`) and the text of an `nn`
file (`mlir`), so that a recorded run and the file it is replayed on cannot drift
apart. Widths are odd on purpose: no vector length divides them.
"""

import dataclasses

import torch
import torch.nn.functional as F

ACTIVATIONS = {
    # name: (function, nn op, attributes)
    "relu": (F.relu, "relu", ""),
    "gelu_erf": (lambda v: F.gelu(v), "gelu", " {approximate = #nn.gelu<erf>}"),
    "gelu_tanh": (lambda v: F.gelu(v, approximate="tanh"), "gelu", " {approximate = #nn.gelu<tanh>}"),
    "silu": (F.silu, "silu", ""),
    "tanh": (torch.tanh, "tanh", ""),
    "sigmoid": (torch.sigmoid, "sigmoid", ""),
    "softmax": (lambda v: F.softmax(v, dim=1), "softmax", " {dim = 1 : i64}"),
    "log_softmax": (lambda v: F.log_softmax(v, dim=1), "log_softmax", " {dim = 1 : i64}"),
}


@dataclasses.dataclass
class Loss:
    """A loss of the `nn` dialect; `ignore_index` also marks rows in the data."""

    kind: str = "mse"  # mse | cross_entropy
    reduction: str = "mean"
    ignore_index: int = -100
    label_smoothing: float = 0.0

    def __call__(self, output, target):
        if self.kind == "mse":
            return F.mse_loss(output, target, reduction=self.reduction)
        return F.cross_entropy(
            output,
            target,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
        )

    def attributes(self):
        items = []
        if self.kind == "cross_entropy":
            items.append(f"ignore_index = {self.ignore_index} : i64")
            items.append(f"label_smoothing = {self.label_smoothing!r} : f64")
        items.append(f"reduction = #nn.reduction<{self.reduction}>")
        return "{" + ", ".join(items) + "}"


@dataclasses.dataclass
class Model:
    """Linear layers `widths`, `activation` between them, `head` before the loss.

    `residual` adds a layer's activation to its input where widths agree, which
    makes a value with two uses and so a sum of cotangents.
    """

    name: str
    widths: tuple
    activation: str = "relu"
    loss: Loss = dataclasses.field(default_factory=Loss)
    head: str = ""
    residual: bool = False
    bias: bool = True

    def parameter_names(self):
        layers = len(self.widths) - 1
        kinds = ("weight", "bias") if self.bias else ("weight",)
        if layers == 1:
            return list(kinds)
        return [f"fc{i}.{kind}" for i in range(1, layers + 1) for kind in kinds]

    def init(self):
        """Fresh parameters by name, drawn from torch's global generator."""
        values = []
        for fan_in, fan_out in zip(self.widths, self.widths[1:]):
            layer = torch.nn.Linear(fan_in, fan_out, bias=self.bias)
            values += [p.detach().clone() for p in layer.parameters()]
        return dict(zip(self.parameter_names(), values))

    def forward(self, parameters, x):
        values = list(parameters.values())
        step = 2 if self.bias else 1
        layers = [values[i : i + step] for i in range(0, len(values), step)]
        for index, layer in enumerate(layers):
            z = F.linear(x, *layer)
            if index + 1 < len(layers):
                h = ACTIVATIONS[self.activation][0](z)
                x = h + x if self._is_residual(index) else h
        return ACTIVATIONS[self.head][0](z) if self.head else z

    def _is_residual(self, index):
        return self.residual and self.widths[index] == self.widths[index + 1]

    def mlir(self):
        """The text of the model file, without its RUN lines."""
        last = self.widths[-1]
        classes = self.loss.kind == "cross_entropy"
        target = "tensor<?xi64>" if classes else f"tensor<?x{last}xf32>"
        arguments, body, count = [], [], 0
        for name, (ssa, kind) in self._arguments().items():
            arguments.append(f'%{ssa}: {kind} {{amp.name = "{name}", amp.role = #amp.role<parameter>}}')
        arguments.append(f'%x: tensor<?x{self.widths[0]}xf32> {{amp.name = "x", amp.role = #amp.role<input>}}')
        arguments.append(f'%y: {target} {{amp.name = "y", amp.role = #amp.role<target>}}')

        def emit(op, operands, types, result, attributes=""):
            nonlocal count
            value = f"%{count}"
            count += 1
            body.append(f"  {value} = nn.{op} {', '.join(operands)}{attributes} : ({', '.join(types)}) -> {result}")
            return value

        table = list(self._arguments().values())
        step = 2 if self.bias else 1
        value, kind = "%x", f"tensor<?x{self.widths[0]}xf32>"
        for index in range(len(self.widths) - 1):
            layer = table[index * step : (index + 1) * step]
            out = f"tensor<?x{self.widths[index + 1]}xf32>"
            z = emit("linear", [value] + [f"%{s}" for s, _ in layer], [kind] + [t for _, t in layer], out)
            if index + 2 < len(self.widths):
                _, op, attributes = ACTIVATIONS[self.activation]
                h = emit(op, [z], [out], out, attributes)
                if self._is_residual(index):
                    h = emit("add", [h, value], [out, out], out)
                value, kind = h, out
        if self.head:
            _, op, attributes = ACTIVATIONS[self.head]
            z = emit(op, [z], [out], out, attributes)
        op = "cross_entropy" if classes else "mse_loss"
        loss = emit(op, [z, "%y"], [out, target], "tensor<f32>", " " + self.loss.attributes())
        head = "func.func @main("
        text = head + (",\n" + " " * len(head)).join(arguments) + ")\n"
        text += "    -> (tensor<f32> {amp.role = #amp.role<loss>},\n"
        text += f"        {out} {{amp.role = #amp.role<logits>}}) {{\n"
        text += "\n".join(body) + "\n"
        text += f"  return {loss}, {z} : tensor<f32>, {out}\n}}\n"
        return text

    def _arguments(self):
        """Parameter name -> (SSA name, type), in argument order."""
        table = {}
        for name in self.parameter_names():
            layer = int(name[2 : name.index(".")]) - 1 if "." in name else 0
            fan_in, fan_out = self.widths[layer], self.widths[layer + 1]
            suffix = str(layer + 1) if "." in name else ""
            if name.endswith("weight"):
                table[name] = (f"w{suffix}", f"tensor<{fan_out}x{fan_in}xf32>")
            else:
                table[name] = (f"b{suffix}", f"tensor<{fan_out}xf32>")
        return table


def all_models():
    """Every model of test/Replay/models, by name."""
    ce = lambda **options: Loss("cross_entropy", **options)
    models = [
        Model("amp_probe", (4, 2)),
        Model("linear_mse_sum", (4, 2), loss=Loss(reduction="sum")),
        Model("mlp_relu_mse", (5, 9, 3)),
        Model("mlp_relu_ce", (5, 9, 4), loss=ce()),
        Model("mlp_gelu_erf_ce", (5, 9, 4), "gelu_erf", ce()),
        Model("mlp_gelu_tanh_ce", (5, 9, 4), "gelu_tanh", ce()),
        Model("mlp_silu_ce", (5, 9, 4), "silu", ce()),
        Model("mlp_tanh_mse", (5, 7, 3), "tanh"),
        Model("mlp_sigmoid_mse", (5, 7, 3), "sigmoid"),
        Model("mlp_softmax_mse", (5, 7, 3), "softmax"),
        Model("mlp_tanh_softmax_mse", (5, 7, 3), "tanh", head="softmax"),
        Model("mlp_tanh_log_softmax_mse", (5, 7, 3), "tanh", head="log_softmax"),
        Model("mlp_log_softmax_mse", (5, 7, 3), "log_softmax"),
        Model("mlp_relu_mse_sum", (5, 7, 3), loss=Loss(reduction="sum")),
        Model("mlp_relu_ce_sum", (5, 7, 4), loss=ce(reduction="sum")),
        Model("mlp_relu_ce_ignore", (5, 7, 4), loss=ce(ignore_index=-1)),
        Model("mlp_relu_ce_sum_ignore", (5, 7, 4), loss=ce(reduction="sum")),
        Model("mlp_relu_ce_smooth", (5, 7, 4), loss=ce(label_smoothing=0.1)),
        Model("mlp_relu_ce_smooth_ignore", (5, 7, 4), loss=ce(label_smoothing=0.25, ignore_index=2)),
        Model("mlp_residual_ce", (5, 7, 7, 4), "silu", ce(), residual=True),
        Model("mlp_no_bias_mse", (5, 7, 3), "tanh", bias=False),
    ]
    return {model.name: model for model in models}
