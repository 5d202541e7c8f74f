# SPDX-License-Identifier: Apache-2.0
"""torchvision's ResNet-18 and MobileNetV2 with random weights; batch, height and width free.

BatchNorm statistics are random, so that folding them into a convolution matters. Both sets are the same two files:
the real sizes export in seconds.
"""

import torch
import torch.nn as nn
import torchvision

from common import chosen_set, export, generator, seed


def prepare(model):
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.normal_(module.running_mean, std=0.1)
            nn.init.uniform_(module.running_var, 0.8, 1.2)
            nn.init.uniform_(module.weight, 0.8, 1.2)
            nn.init.normal_(module.bias, std=0.05)
    return model


def case(batch, height, width):
    return (torch.randn(batch, 3, height, width, generator=generator(batch * 1000000 + height * 1000 + width)),)


if __name__ == "__main__":
    chosen_set()
    axes = {"x": {0: "batch", 2: "height", 3: "width"}, "logits": {0: "batch"}}
    cases = [case(b, h, w) for h, w in ((129, 145), (160, 192), (224, 224)) for b in (1, 2, 5)]
    for value, name in ((5, "resnet18"), (6, "mobilenet_v2")):
        seed(value)
        model = prepare(getattr(torchvision.models, name)(weights=None))
        export(model, name, ["x"], ["logits"], axes, cases, 16, traced=case(1, 224, 224))
