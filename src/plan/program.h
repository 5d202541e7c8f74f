// SPDX-License-Identifier: Apache-2.0
// A program as plain data, ready for code generation: buffers, fused groups, and the steps of the host flow.
#pragma once
#include "group/group.h"
#include "runtime/pack.h"
#include "shape/list_type.h"
#include <map>

namespace pliant {

struct Buffer {
  enum class Storage : uint8_t {
    Input,    ///< memory of the caller, `index` into the inputs
    Output,   ///< allocated when its extents are known, `index` into the outputs
    Weight,   ///< `index` into the weight table
    Constant, ///< `index` into the program's constants
    Arena,    ///< in the arena, at an offset found when the extents are known
    Dynamic,  ///< memory of its own, counted: allocated when its extents are known, or another buffer's by Share
    Alias,    ///< the memory of buffer `index` under another shape
    Element,  ///< the next element of what buffer `index` collects over the trips of a loop
    List      ///< no memory: a list of tensors, known to the host
  };
  TensorType type;
  Storage storage = Storage::Arena;
  int index = -1;
  Extents room = {}; ///< the extents of its memory where a state has room to grow; empty: its own
  Expr bytes() const { return product(type.shape) * static_cast<int64_t>(byteSize(type.dtype)); }
};

/// A buffer of the arena and the steps between which it holds a value.
struct ArenaItem {
  int buffer;
  Expr bytes;
  int first, last;
};

/// What is done to a list (src/ir/list.td).
enum class ListAction : uint8_t { Make, Absent, Insert, Erase, At, Length, Present, Get, Concat, Split };

struct Step {
  enum class Kind : uint8_t {
    Launch,   ///< kernel of group `group` on inputs and outputs
    Evaluate, ///< the reference evaluator of `op`: a fallback, or how the op runs
    Extents,  ///< writes `values` as i64 to outputs[0]
    Bind,     ///< reads inputs[0], an integer tensor, into `symbols`, each within [low, high]
    Check,    ///< `values[0]` must equal `values[1]`, or one of them be 1 when `broadcast`
    Guard,    ///< inputs[0], a bool, must be `flag`; `reason` says why
    Assign,   ///< `symbols` get the values of `values`, all at once: extents in which branches or trips differ
    If,       ///< inputs[0] picks `thenSteps` or `elseSteps`
    Loop,     ///< `body`, at most `values[0]` times and while inputs[0], then `condition` hold; symbols[0] counts
    Share,    ///< outputs[i] become what inputs[i] are, all at once, without a copy; with `flag` inputs give it up
    Collect,  ///< outputs[i] become what their elements were collected into; `symbols` of their types are set
    Release,  ///< outputs hold nothing any longer
    List      ///< `list` on inputs to outputs; `symbols` of the result are set
  };
  Kind kind;
  int group = -1;
  OpId op{};
  Attrs attrs;
  std::vector<int> inputs, outputs; ///< buffers
  int scratch = -1;                 ///< Launch: a buffer that only this kernel uses, or none
  std::vector<Expr> values;
  std::vector<std::string> symbols; ///< Bind: the names; Launch: what the group's s0, s1, ... stand for
  int64_t low = 0, high = 0;
  bool broadcast = false;
  std::string place;                ///< the user's node or line
  std::vector<TensorType> operands; ///< Check: of the op that needs it; its shape rule words the message
  std::string reason;               ///< Guard: the message; Bind: what is read
  std::vector<Step> thenSteps, elseSteps, body;
  int condition = -1;           ///< Loop: of the next trip, a buffer; none: goes on
  std::vector<ArenaItem> arena; ///< Loop: what is placed for each trip, in an arena of its own
  int region = 0;               ///< Loop: which one
  bool past = false;            ///< Launch: the copy of a state's past, left out where it is in place
  ListAction list{};            ///< List; positions, sizes and lengths are in `values`
  int64_t axis = 0;
  bool flag = false; ///< List: new axis of Concat, kept axis of Split; Share: a move
};

/// Whether the step runs a reference for want of a kernel.
inline bool isFallback(const Step &step) { return step.kind == Step::Kind::Evaluate && !info(step.op).hosted; }

struct Argument {
  std::string name;
  TensorType type;                             ///< of a tensor
  std::optional<ListInfo> list = std::nullopt; ///< of a sequence or optional, or an output whose rank a run tells

  /// Whether it is a list for the caller, too.
  bool isList() const { return list && list->kind != ListInfo::Kind::AnyRank; }
};

/// A tensor that never changes during the program's life. Its bytes are no part of the program: they come from the
/// model, or are computed from other weights when the program is loaded (batch-norm factors, reshaped filters).
struct Weight {
  std::string name;
  DType dtype;
  std::vector<int64_t> dims;
  int source = -1; ///< index into the model's weight data; -1: computed
  OpId op{};       ///< computed: the op, on other weights or constants
  Attrs attrs;
  std::vector<int> inputs; ///< weights; an empty list is a constant
  DenseTensor value;       ///< a constant that only other weights read
};

/// A weight as panels, made once at load; its address follows those of the buffers in the buffer table.
struct PackedWeight {
  int weightBuffer;
  PackSpec spec;
  bool only = false; ///< nothing reads the weight as it is
  bool operator==(const PackedWeight &) const = default;
};

/// An output that is an input with more behind it along one axis. Where a run is given the input for good and there is
/// room, the output is the same memory, and only what is new is written. Elements of both lie as in tensors that are
/// `from` and `to` long along the axis: symbols that the host sets, the second when it allocates the output.
struct State {
  int input, output; ///< arguments of the program; several outputs may grow from one input
  int64_t axis;
  std::string from, to;
};

/// The same in a loop: what a trip makes of what it was handed, both counted buffers.
struct CarriedState {
  int handed, made; ///< buffers
  int64_t axis;
  std::string from, to;
};

/// An output that one kernel makes of an input, element by element, where nothing reads the input later: it may lie in
/// the memory of an input that the caller gives up.
struct Heir {
  int input, output; ///< arguments of the program
};

struct Program {
  std::vector<Argument> inputs, outputs;
  std::vector<int> inputBuffers, outputBuffers;
  std::vector<State> states;
  std::vector<CarriedState> carried;
  std::vector<Heir> heirs; ///< no input and no output twice
  bool mayFail = true;     ///< a run may find an error in its values, not only lack memory
  std::vector<Buffer> buffers;
  std::vector<DenseTensor> constants;
  std::vector<Weight> weights;
  std::vector<Group> groups; ///< in canonical symbols; equal groups once
  std::vector<Step> steps;
  std::vector<PackedWeight> packed; ///< filled when kernels are compiled
  std::vector<ArenaItem> arena;     ///< placed at entry; set by `findLives`
  int regions = 1;                  ///< arenas: that of the entry, and those of loops
};

/// Where the flow finds and keeps values in RunState::symbols.
struct SymbolSlots {
  std::vector<std::vector<int>> inputDims; ///< raw extents of the inputs, written by the caller
  std::map<std::string, int> symbols;      ///< values of symbols, written by the flow
  int count = 0;
};
SymbolSlots symbolSlots(const Program &program);

/// Fills the arenas from the steps. Buffers whose extents are known at entry, or when a trip of a loop begins, are
/// placed there; those that depend on values read later become Dynamic.
/// Without `share` every buffer lives to the end, so that each can be read after a run.
void findLives(Program &program, bool share = true);
/// Places items of the given sizes so that those that live together do not overlap; returns the bytes needed. Offsets
/// are multiples of 64. Deterministic: the same sizes give the same offsets.
int64_t placeArena(std::span<const ArenaItem> items, const int64_t *sizes, int64_t *offsets);

/// All steps in program order, branches and bodies after their step: the numbers of RunError::step and of fallbacks.
std::vector<const Step *> numberedSteps(const Program &program);

} // namespace pliant
