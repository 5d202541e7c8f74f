// SPDX-License-Identifier: Apache-2.0
// Recurrent layers. D is 2 when direction is "bidirectional", else ("forward", "reverse") 1; G is the gates of a cell:
// 1 (rnn), 3 (gru: update, reset, hidden) or 4 (lstm: input, output, forget, cell); H is the number of hidden units.
// The layers (lstm, gru, rnn) are what front ends build: operands are x (T, B, I), the weights w (D, G*H, I) and
// r (D, G*H, H), then those that `given` names, in this order and separated by blanks: "bias" (D, 2*G*H: of w, then of r),
// "lengths" (B, i32), "hidden" (D, B, H), and for lstm "cell" (D, B, H) and "peepholes" (D, 3*H: input, output, forget).
// They stand for one product of all steps with w and the recurrence proper (lstm_steps, gru_steps, rnn_steps), whose first
// operand is gates (T, B, D*G*H) in the place of x and w, and whose "bias" is gru's own when resetAfter: (D, H), of r's
// hidden gate.
// Results: y (T, D, B, H), the last hidden state (D, B, H), for lstm the last cell state (D, B, H). With batchFirst:
// x (B, T, I), y (B, T, D, H), states (B, D, H).
// A row of length n takes part in the first n steps (from its own end when reversed); y is 0 beyond, its state stays.
// activations: for each direction lstm's f g h, gru's f g, rnn's f, by their ONNX names separated by blanks, each with an
// entry in alphas and betas. clip > 0 bounds what activations see to [-clip, clip]; 0 leaves it. units: H, or 0 for "as r says".
// C1: equal float element types (of the steps: f32 or f64). C2: ranks and extents as above. C3: lengths in [0, T], i32.
// C4: attributes as above. coupled (lstm): the forget gate is 1 - the input gate. resetAfter (gru): the reset gate applies
// after the product with r.
class Pliant_Recurrence<string mnemonic, string patternName, string text, dag own, dag all, string numbers>
    : Pliant_Op<mnemonic, patternName> {
  let folder = "recurrence";
  let summary = text;
  let example = numbers;
  let arguments = !con((ins Variadic<Pliant_Tensor>:$operands, StrAttr:$given, StrAttr:$direction, StrAttr:$activations,
      DenseF64ArrayAttr:$alphas, DenseF64ArrayAttr:$betas, F64Attr:$clip, I64Attr:$units, BoolAttr:$batchFirst), own);
  let results = all;
}
defvar recurrentStates = (outs Pliant_Tensor:$y, Pliant_Tensor:$hidden);
defvar recurrentAndCell = (outs Pliant_Tensor:$y, Pliant_Tensor:$hidden, Pliant_Tensor:$cell);
// Activations that are the identity, for whole numbers.
defvar plainRnn = [{ {given = "", direction = "forward", activations = "Affine", alphas = array<f64: 1.0>,
    betas = array<f64: 0.0>, clip = 0.0 : f64, units = 0 : i64, batchFirst = false} -> f32(3, 1, 1, 1): 1 4 11; f32(1, 1, 1): 11}];
defvar plainGru = [{ {given = "hidden", direction = "forward", activations = "Affine Affine", alphas = array<f64: 1.0, 1.0>,
    betas = array<f64: 0.0, 0.0>, clip = 0.0 : f64, units = 0 : i64, batchFirst = false, resetAfter = false}
    -> f32(1, 1, 1, 1): -32; f32(1, 1, 1): -32}];
defvar plainLstm = [{ {given = "hidden cell", direction = "forward", activations = "Affine Affine Affine",
    alphas = array<f64: 1.0, 1.0, 1.0>, betas = array<f64: 0.0, 0.0, 0.0>, clip = 0.0 : f64, units = 0 : i64, batchFirst = false,
    coupled = false} -> f32(1, 1, 1, 1): 28; f32(1, 1, 1): 28; f32(1, 1, 1): 14}];
def Pliant_LstmOp : Pliant_Recurrence<"lstm", "Composite", "long short-term memory over a sequence",
    (ins BoolAttr:$coupled), recurrentAndCell,
    !strconcat("f32(1, 1, 1): 1; f32(1, 4, 1): 1 2 3 1; f32(1, 4, 1): 1 0 1 2; f32(1, 1, 1): 1; f32(1, 1, 1): 2", plainLstm)>;
def Pliant_GruOp : Pliant_Recurrence<"gru", "Composite", "gated recurrent units over a sequence",
    (ins BoolAttr:$resetAfter), recurrentStates,
    !strconcat("f32(1, 1, 1): 1; f32(1, 3, 1): 1 2 3; f32(1, 3, 1): 1 1 2; f32(1, 1, 1): 2", plainGru)>;
def Pliant_RnnOp : Pliant_Recurrence<"rnn", "Composite", "h = f(x*w' + h*r' + b) over a sequence", (ins), recurrentStates,
    !strconcat("f32(3, 1, 1): 1 2 3; f32(1, 1, 1): 1; f32(1, 1, 1): 2", plainRnn)>;
def Pliant_LstmStepsOp : Pliant_Recurrence<"lstm_steps", "Kernel", "the steps of lstm over products with w",
    (ins BoolAttr:$coupled), recurrentAndCell,
    !strconcat("f32(1, 1, 4): 1 2 3 1; f32(1, 4, 1): 1 0 1 2; f32(1, 1, 1): 1; f32(1, 1, 1): 2", plainLstm)>;
def Pliant_GruStepsOp : Pliant_Recurrence<"gru_steps", "Kernel", "the steps of gru over products with w",
    (ins BoolAttr:$resetAfter), recurrentStates,
    !strconcat("f32(1, 1, 3): 1 2 3; f32(1, 3, 1): 1 1 2; f32(1, 1, 1): 2", plainGru)>;
def Pliant_RnnStepsOp : Pliant_Recurrence<"rnn_steps", "Kernel", "the steps of rnn over products with w", (ins), recurrentStates,
    !strconcat("f32(3, 1, 1): 1 2 3; f32(1, 1, 1): 2", plainRnn)>;
