// SPDX-License-Identifier: Apache-2.0
def Pliant_PhiloxOp : Pliant_Op<"philox", "Composite"> {
  let summary = "random bits by counters: words 0 and 1, and 2 and 3, of the block that counter and key give";
  let example = "u64(1): 0; u64(): 0 -> u64(1): 16242730742183356629; u64(1): 11169168799798111308";
  let description = [{
    Philox4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw: Parallel random numbers, 2011). The counter's upper half is 0.
    C1: counters and key are u64. C2: key has rank 0.
  }];
  let arguments = (ins Pliant_Tensor:$counters, Pliant_Tensor:$key);
  let results = (outs Pliant_Tensor:$low, Pliant_Tensor:$high);
}
