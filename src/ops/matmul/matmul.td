// SPDX-License-Identifier: Apache-2.0
def Pliant_MatmulOp : Pliant_Op<"matmul", "Contraction"> {
  let summary = "matrix product over the last two axes; leading axes broadcast";
  let description = [{
    C1: equal element types. C2: the last axis of lhs equals the last but one of rhs. C3: leading axes broadcast.
    C4: both ranks are at least 2 (a front end gives vectors an axis and takes it away again).

    Example:
    ```mlir
    func.func @f(%x: tensor<?x4xf32, #pliant.shape<"B", "4">>, %w: tensor<4x3xf32>) -> tensor<?x3xf32, #pliant.shape<"B", "3">> {
      %0 = pliant.matmul %x, %w : (tensor<?x4xf32, #pliant.shape<"B", "4">>, tensor<4x3xf32>) -> tensor<?x3xf32, #pliant.shape<"B", "3">>
      return %0 : tensor<?x3xf32, #pliant.shape<"B", "3">>
    }
    ```
  }];
  let arguments = (ins Pliant_Tensor:$lhs, Pliant_Tensor:$rhs);
  let results = (outs Pliant_Tensor:$result);
}
