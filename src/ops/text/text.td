// SPDX-License-Identifier: Apache-2.0
// Ops that look inside strings. They run on the host (let hosted = 1): a text is bytes elsewhere, no number in a vector.
// C1: the stated operands are strings, the others not. C2: shapes broadcast. C3: a text is a number.
class Pliant_Text<string mnemonic, string text, string shown> : Pliant_Op<mnemonic, "Kernel"> {
  let folder = "text";
  let summary = text;
  let example = shown;
  let results = (outs Pliant_Tensor:$result);
  let hosted = 1;
  let texts = 1;
}

def Pliant_FormatTextOp
    : Pliant_Text<"format_text", "the elements as text: the shortest plain decimal that reads back, or INF, -INF, NaN",
                  "f32(4): 0.1 -2 inf 1e8 -> string(4): 0.1 -2 INF 100000000"> {
  let arguments = (ins Pliant_Tensor:$x);
}
def Pliant_ParseTextOp
    : Pliant_Text<"parse_text", "the numbers that the texts are; what is beyond an integer type saturates",
                  "string(3): 1e-3 -inf 12 {dtype = f32} -> f32(3): 0.001 -inf 12"> {
  let arguments = (ins Pliant_Tensor:$x, Pliant_TypeAttr:$dtype);
}
def Pliant_TextEqualOp : Pliant_Text<"text_equal", "whether the texts are the same bytes, under broadcasting",
                                     "string(2): a b; string(): b -> bool(2): 0 1"> {
  let arguments = (ins Pliant_Tensor:$lhs, Pliant_Tensor:$rhs);
}
def Pliant_TextConcatOp : Pliant_Text<"text_concat", "one text behind the other, under broadcasting",
                                      "string(2): a b; string(): x -> string(2): ax bx"> {
  let arguments = (ins Pliant_Tensor:$lhs, Pliant_Tensor:$rhs);
}
def Pliant_TextCaseOp : Pliant_Text<"text_case", "all letters upper or lower, by Unicode's simple mapping of UTF-8",
                                    "string(2): aB c {upper = true} -> string(2): AB C"> {
  let arguments = (ins Pliant_Tensor:$x, BoolAttr:$upper);
}
