// SPDX-License-Identifier: Apache-2.0
// Rows of docs/differential.md where the standard is silent or leaves a choice, and what we do not take. Each says
// which elements its cause touches and what ours are there, so that nothing else hides behind it.
#include "case.h"
#include "compare.h"
#include "files/tensor_proto.h"
#include "ops/dispatch.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace pliant::differential {
namespace {

/// Whether a number, cut to a whole one, is none of the integers of [low, high]. The largest of 64 bits is no double:
/// the next one is beyond.
bool isBeyond(double v, double low, double high) {
  const double whole = std::trunc(v);
  return whole < low || whole > high || whole >= 0x1p63;
}

/// A float that the integer type does not hold: the nearest value, 0 of NaN.
bool beyondTheInteger(const Case &c) {
  if (!c.elements() || !c.is({"Cast", "CastLike"}) || !c.in(0) || !isFloat(c.in(0).dtype()) ||
      !isInteger(c.found->ours.dtype()))
    return false;
  const std::vector<double> x = c.list(0);
  const auto [low, high] = rangeOf(c.found->ours.dtype());
  return c.each([&](int64_t i) {
    const double v = x[static_cast<size_t>(i)];
    if (std::isnan(v))
      return c.ours(i) == 0;
    return isBeyond(v, low, high) && c.ours(i) == std::clamp(std::trunc(v), low, high);
  });
}

/// A sum whose terms cancel: its order decides, and it is off by no more than rounding each partial sum may make it.
bool sumsCancel(const Case &c) {
  if (c.kind() != Kind::Compiled || !c.found || !c.found->ours || !c.is({"ReduceSum", "ReduceMean"}) ||
      !isFloat(c.in(0).dtype()))
    return false;
  const auto lines = c.reducedLines();
  const double epsilon = c.in(0).dtype() == DType::F64 ? 0x1p-52 : 0x1p-23;
  return c.each([&](int64_t i) {
    const auto &line = lines[static_cast<size_t>(i)];
    double sum = 0;
    for (double v : line)
      sum += std::abs(v);
    const double count = static_cast<double>(line.size()), most = count * epsilon * sum;
    return std::isfinite(sum) && std::abs(c.ours(i) - c.reference(i)) <= (c.is({"ReduceMean"}) ? most / count : most);
  });
}

/// A division by what such a cast gives: 0 here, another number there.
bool dividesByTheNearest(const Case &c) {
  if (c.kind() != Kind::WeRefuse || !c.says("division by zero"))
    return false;
  return std::any_of(c.node.input().begin(), c.node.input().end(), [&](const std::string &name) {
    const onnx::NodeProto *maker = c.makerOf(name);
    if (!maker || maker->op_type() != "Cast")
      return false;
    const Case cast(c.finding, *maker, c.ort);
    const std::vector<double> x = cast.list(0);
    for (DType type : {DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64}) {
      const auto [low, high] = rangeOf(type);
      if (onnxType(type) == cast.integer("to", 0))
        return std::any_of(x.begin(), x.end(), [&](double v) { return std::isnan(v) || isBeyond(v, low, high); });
    }
    return false;
  });
}

/// Scan outputs of no trip: extents that are known without one.
bool extentsOfNoTrip(const Case &c) {
  if (!c.shapes() || !c.is({"Loop"}) || c.output() < c.node.input_size() - 2)
    return false;
  const Dims &ours = c.found->ours.dims(), &theirs = c.found->theirs.dims();
  bool holds = !ours.empty() && ours[0] == 0 && !theirs.empty() && theirs[0] == 0;
  if (theirs.size() == 1)
    return holds; // a rank that nobody declared is lost with the extents
  holds &= ours.size() == theirs.size();
  for (size_t i = 1; holds && i < ours.size(); ++i)
    holds &= theirs[i] == 0 || theirs[i] == ours[i];
  return holds;
}

/// Ours without the extents that are 1 when it is compiled, theirs without all of 1.
bool squeezesFreeExtents(const Case &c) {
  if (!c.shapes() || !c.is({"Squeeze"}) || (c.in(1) && c.in(1).size()) || c.attribute("axes"))
    return false;
  const auto input = std::find_if(c.finding.model.inputs.begin(), c.finding.model.inputs.end(),
                                  [&](const Input &each) { return each.name == c.node.input(0); });
  if (input == c.finding.model.inputs.end())
    return false;
  Dims ours, theirs;
  const Dims &dims = c.in(0).dims();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!input->type.shape[i].isConstant(1))
      ours.push_back(dims[i]);
    if (dims[i] != 1)
      theirs.push_back(dims[i]);
  }
  const DenseTensor &x = c.in(0), &y = c.found->ours;
  return y.dims() == ours && c.found->theirs.dims() == theirs &&
         (x.dtype() == DType::String || std::memcmp(x.data(), y.data(), x.bytes()) == 0);
}

/// 0 divided by 0: the scale.
bool scaleOfZeros(const Case &c) {
  return c.elements() && c.is({"DynamicQuantizeLinear"}) && c.output() == 1 &&
         !c.any(0, [](double v) { return v != 0; }) &&
         c.each([&](int64_t i) { return c.ours(i) == 0 && c.theirs(i) == 1; });
}

/// A number as text: ours is the shortest that reads back, without an exponent; theirs has eight digits.
bool shortestText(const Case &c) {
  if (!c.elements() || !c.is({"Cast", "CastLike"}) || !c.in(0) || !isFloat(c.in(0).dtype()) ||
      c.found->ours.dtype() != DType::String)
    return false;
  const std::vector<double> x = c.list(0);
  return c.each([&](int64_t i) {
    const double v = x[static_cast<size_t>(i)];
    const std::string ours(c.found->ours.text(i)), theirs(c.found->theirs.text(i));
    const double read = std::strtod(ours.c_str(), nullptr);
    const double back = dispatch(c.in(0).dtype(), [&]<class T>(Type<T>) {
      if constexpr (isFloatStorage<T>)
        return static_cast<double>(static_cast<ComputeOf<T>>(T(static_cast<ComputeOf<T>>(read))));
      else
        return read;
    });
    const double near = std::strtod(theirs.c_str(), nullptr);
    return std::isfinite(v) && ours.find_first_not_of("-0123456789.") == std::string::npos && back == v &&
           std::abs(near - v) <= 1e-7 * std::abs(v);
  });
}

/// Rows of no step of a recurrent layer: the last states are the initial ones. Where no row has a step, theirs are
/// memory that nobody wrote.
bool statesOfNoStep(const Case &c) {
  if (!c.elements() || !c.is({"LSTM", "GRU", "RNN"}) || c.output() < 1 || c.integer("layout", 0))
    return false;
  const std::vector<double> lengths = c.list(4), initial = c.list(c.output() == 1 ? 5 : 6);
  const Dims &dims = c.found->ours.dims(); // (directions, batch, units)
  return c.each([&](int64_t i) {
    const auto row = static_cast<size_t>(i / dims[2] % dims[1]);
    const double first = initial.empty() ? 0 : initial[static_cast<size_t>(i)];
    const bool none = c.in(0).dims()[0] == 0, noStep = row < lengths.size() && lengths[row] == 0;
    return c.ours(i) == first && (none || (noStep && c.theirs(i) == 0));
  });
}

/// A query that sees no key.
bool seesNothing(const Case &c) {
  const bool hides = (c.in(3) && c.in(3).size()) || (c.in(6) && c.in(6).size()) || c.integer("is_causal", 0);
  return c.elements() && c.is({"Attention"}) && hides &&
         c.each([&](int64_t i) { return std::isnan(c.ours(i)) && c.theirs(i) == 0; });
}

bool meanOfNothing(const Case &c) {
  return c.elements() && c.is({"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"}) && c.output() == 0 &&
         (!c.attribute("reduction") || c.text("reduction") == "mean") && c.in(1).size() == 0 &&
         c.each([&](int64_t i) { return std::isnan(c.ours(i)) && c.theirs(i) == 0; });
}

bool maskBefore12(const Case &c) {
  return c.elements() && c.is({"Dropout"}) && c.opset() < 12 && c.output() == 1 &&
         c.each([&](int64_t i) { return c.ours(i) == 1 && c.theirs(i) == 0; });
}

/// An axis of which cropping leaves nothing, or less to fill than the padding reads.
bool padsFromNothing(const Case &c) {
  const bool said = c.says("pad.C3") || c.says("pad.C4") || c.says("slice.C3");
  if (c.kind() != Kind::WeRefuse || !c.is({"Pad"}) || !said)
    return false;
  const std::vector<double> pads = c.list(1), axes = c.list(3);
  if (!c.in(0) || pads.empty())
    return true; // not known: our words must do
  for (size_t i = 0; i < pads.size() / 2; ++i) {
    const auto given = static_cast<int64_t>(i < axes.size() ? axes[i] : static_cast<double>(i));
    const auto axis = static_cast<size_t>(given < 0 ? given + c.in(0).rank() : given);
    const double before = pads[i], after = pads[i + pads.size() / 2];
    const double left = static_cast<double>(c.in(0).dims()[axis]) + std::min(before, 0.0) + std::min(after, 0.0);
    if (left <= 0 || (c.text("mode") == "reflect" && std::max(before, after) >= left) ||
        (c.text("mode") == "wrap" && std::max(before, after) > left))
      return true;
  }
  return false;
}

// ---- NaN among what is compared

bool nan(double v) { return std::isnan(v); }

/// The operands with numbers that every kernel orders alike: NaN above (below) all others, and these finite.
std::vector<DenseTensor> ordered(const Case &c, double instead) {
  std::vector<DenseTensor> operands = c.inputs;
  for (DenseTensor &operand : operands) {
    if (!operand || !isFloat(operand.dtype()))
      continue;
    DenseTensor copy = *DenseTensor::allocate(operand.dtype(), operand.dims());
    const auto [low, high] = rangeOf(operand.dtype());
    dispatch(operand.dtype(), [&]<class T>(Type<T>) {
      if constexpr (isFloatStorage<T>)
        for (int64_t i = 0; i < operand.size(); ++i) {
          const auto v = static_cast<double>(static_cast<ComputeOf<T>>(operand.as<T>()[i]));
          copy.as<T>()[i] = T(static_cast<ComputeOf<T>>(std::isnan(v) ? instead : std::clamp(v, low, high)));
        }
    });
    operand = copy;
  }
  return operands;
}
/// Extremes where NaN spreads, and where they are: as of operands in which NaN is beyond all others.
bool nanSpreads(const Case &c) {
  const bool least = c.is({"ReduceMin", "Min", "ArgMin"});
  if (!c.elements() || !(c.any(0, nan) || c.any(1, nan) || c.any(2, nan) || c.any(3, nan)) ||
      !c.is({"ReduceMin", "ReduceMax", "Min", "Max", "MaxPool", "ArgMin", "ArgMax", "Hardmax"}))
    return false;
  const double beyond = least ? -INFINITY : INFINITY;
  const auto answer = answered(c.node, ordered(c, beyond), c.opset(), c.ort);
  if (!answer)
    return false;
  const std::vector<double> right = numbersOf((*answer)[static_cast<size_t>(c.output())]);
  return c.each([&](int64_t i) {
    const double v = right[static_cast<size_t>(i)];
    const bool extreme = isFloat(c.found->ours.dtype()) && !c.is({"Hardmax"});
    return extreme ? v == beyond && std::isnan(c.ours(i)) : v == c.ours(i);
  });
}
bool nanStays(const Case &c) {
  if (!c.elements() || !c.is({"Relu", "Clip"}))
    return false;
  const std::vector<double> x = c.list(0);
  return c.each([&](int64_t i) { return std::isnan(x[static_cast<size_t>(i)]) && std::isnan(c.ours(i)); });
}
/// Of NaN, minimum, maximum and scale are NaN; of an infinity, what is divided by the scale. The integers are what NaN
/// becomes.
bool quantisesNan(const Case &c) {
  auto unbounded = [](double v) { return !std::isfinite(v); };
  return c.elements() && c.is({"DynamicQuantizeLinear"}) && c.any(0, unbounded) &&
         c.each([&](int64_t i) { return c.output() == 1 ? c.any(0, nan) && std::isnan(c.ours(i)) : c.ours(i) == 0; });
}

// ---- products beyond the type

/// A product of some of the elements is beyond the type, so that the order decides.
bool leavesTheRange(const std::vector<double> &line, double doublings) {
  double up = 0, down = 0;
  for (double v : line)
    if (std::isfinite(v) && v != 0)
      (std::abs(v) > 1 ? up : down) += std::abs(std::log2(std::abs(v)));
  return up >= doublings || down >= doublings; // overflow, or 0 where it is left behind
}
bool overflows(const Case &c) {
  if ((c.kind() != Kind::Values && c.kind() != Kind::Compiled) || !c.found || !c.is({"ReduceProd"}) || !c.in(0) ||
      !isFloat(c.in(0).dtype()))
    return false;
  const DType type = c.in(0).dtype();
  const double doublings = type == DType::F64 ? 1022 : type == DType::F16 ? 14 : 126;
  const auto lines = c.reducedLines();
  return c.each([&](int64_t i) { return leavesTheRange(lines[static_cast<size_t>(i)], doublings); });
}
bool wraps(const Case &c) {
  if (!c.elements() || !c.is({"ReduceProd"}) || !isInteger(c.in(0).dtype()))
    return false;
  const DType type = c.in(0).dtype();
  const auto lines = folded(c.in(0).dims(), c.reducedAxes());
  return dispatch(type, [&]<class T>(Type<T>) {
    if constexpr (isFloatStorage<T>) {
      return false;
    } else {
      return c.each([&](int64_t i) {
        uint64_t wrapped = 1;
        double whole = 1;
        for (int64_t k : lines[static_cast<size_t>(i)]) {
          wrapped *= static_cast<uint64_t>(c.in(0).as<T>()[k]);
          whole *= static_cast<double>(c.in(0).as<T>()[k]);
        }
        const auto [low, high] = rangeOf(type);
        return c.found->ours.as<T>()[i] == static_cast<T>(wrapped) && (whole < low || whole > high || whole >= 0x1p63);
      });
    }
  });
}

// ---- what only a run finds wrong

std::vector<double> initializerNumbers(const Case &c, const onnx::NodeProto &of, int i) {
  return i < of.input_size() ? numbersOf(initializerOf(c.graph(), of.input(i))) : std::vector<double>();
}
/// Whether a slice takes nothing of an axis, however long that is.
bool takesNothing(const Case &c, const onnx::NodeProto &reader) {
  if (reader.op_type() != "Slice")
    return false;
  constexpr double far = 2147483647;
  const std::vector<double> starts = initializerNumbers(c, reader, 1), ends = initializerNumbers(c, reader, 2);
  std::vector<double> steps = initializerNumbers(c, reader, 4);
  steps.resize(starts.size(), 1);
  for (size_t i = 0; i < starts.size() && i < ends.size(); ++i) {
    const bool front = starts[i] <= -far, fromBack = starts[i] < 0 && !front, endFromBack = ends[i] < 0;
    if (fromBack == endFromBack && (steps[i] > 0 ? starts[i] >= ends[i] : starts[i] <= ends[i]))
      return true;
  }
  return false;
}
/// Whether no element is read of the value at which the error is: only the shape, or how many a list has with it.
bool noElementIsRead(const Case &c) {
  const size_t at = c.what().rfind("at: ");
  if (at == std::string::npos)
    return false;
  std::vector<std::string> names{c.what().substr(at + 4)};
  for (size_t i = 0; i < names.size(); ++i) {
    for (const auto &output : c.graph().output())
      if (output.name() == names[i] &&
          !c.says((" " + names[i] + ",").c_str())) // judge.cpp names those without elements
        return false;
    for (const onnx::NodeProto &reader : c.graph().node())
      if (std::find(reader.input().begin(), reader.input().end(), names[i]) != reader.input().end() &&
          !std::set<std::string>{"Shape", "Size", "EyeLike", "SequenceLength", "OptionalHasElement"}.contains(
              reader.op_type()) &&
          !takesNothing(c, reader))
        names.insert(names.end(), reader.output().begin(), reader.output().end());
  }
  return true;
}

/// A graph's input or initializer.
DenseTensor given(const Case &c, const std::string &name) {
  if (auto inputs = c.finding.model.tensors(c.finding.point, 0))
    for (const auto &[input, tensor] : *inputs)
      if (input == name)
        return tensor;
  return initializerOf(c.graph(), name);
}
/// A division of integers by 0 of which the result's elements do not know: where the divisor is 1 instead, the
/// references give what compiled code does.
bool divisionsLeftOut(const Case &c) {
  if (c.kind() != Kind::Compiled || !c.says("only the references refuse") || !c.says("division by zero"))
    return false;
  const std::string at = c.what().substr(c.what().rfind("at: ") + 4);
  const onnx::NodeProto *division = c.makerOf(at.substr(0, at.find(' ')));
  const DenseTensor divisors = division ? given(c, division->input(1)) : DenseTensor();
  if (!divisors)
    return false;
  Model harmless = c.finding.model;
  auto &graph = *harmless.proto.mutable_graph();
  graph.clear_node();
  auto add = [&](const char *op, std::initializer_list<std::string> inputs, const char *output) {
    auto &node = *graph.add_node();
    node.set_op_type(op);
    for (const std::string &name : inputs)
      node.add_input(name);
    node.add_output(output);
  };
  for (uint8_t number : {0, 1}) {
    DenseTensor scalar = *DenseTensor::zeros(divisors.dtype(), {});
    std::memcpy(scalar.data(), &number, 1); // integers, the low byte first
    if (auto bytes = files::tensorProtoBytes("", {number ? "one" : "zero", scalar}))
      graph.add_initializer()->ParseFromString(*bytes);
  }
  for (const onnx::NodeProto &node : c.graph().node()) {
    if (&node == division) {
      add("Equal", {node.input(1), "zero"}, "isZero");
      add("Where", {"isZero", "one", node.input(1)}, "divisor");
    }
    *graph.add_node() = node;
    if (&node == division)
      graph.mutable_node(graph.node_size() - 1)->set_input(1, "divisor");
  }
  const auto ours = computed(c.finding.model, c.finding.point, false),
             right = computed(harmless, c.finding.point, true);
  return !ours.empty() && ours.size() == right.size() && std::all_of(ours.begin(), ours.end(), [&](const auto &each) {
    const auto other = right.find(each.first);
    return other != right.end() && tool::compare(each.second, other->second, 1e-6).holds;
  });
}

const Row silent[] = {
    {"S1",
     [](const Case &c) {
       return c.kind() == Kind::WeRefuse && c.starts("Arg") && c.says("extents 0 and 1") &&
              (!c.in(0) || c.in(0).dims()[static_cast<size_t>(*c.reducedAxes().begin())] == 0);
     },
     true},
    {"N1", sumsCancel},
    {"S2", beyondTheInteger},
    {"S2", dividesByTheNearest, true},
    {"S3", extentsOfNoTrip, true},
    {"S4", squeezesFreeExtents},
    {"S6", scaleOfZeros},
    {"S7", meanOfNothing},
    {"S8", maskBefore12},
    {"S9", padsFromNothing, true},
    {"S10", nanSpreads},
    {"S10", nanStays},
    {"S10", quantisesNan},
    {"S12",
     [](const Case &c) {
       return c.kind() == Kind::WeRefuse && c.starts("Scatter") && c.says("bool has no reduction") &&
              c.attribute("reduction");
     },
     true},
    {"S13",
     [](const Case &c) {
       return c.kind() == Kind::Compiled && c.says("only the references refuse") && noElementIsRead(c);
     },
     true},
    {"S13", divisionsLeftOut, true},
    {"S14", overflows},
    {"S15", wraps},
    {"S16", shortestText},
    {"S17", statesOfNoStep},
    {"S18", seesNothing},
};

/// Constructs that the importer names as not supported: docs/differential.md has the same list.
struct Gap {
  const char *op, *words;
};
constexpr Gap gaps[] = {{"Resize", "antialias is not supported"},
                        {"Unique", "strings are moved, compared and converted"}};

const Row gapRows[] = {
    {"L1",
     [](const Case &c) {
       return c.kind() == Kind::WeRefuse &&
              (c.says("a rank that depends on the data cannot be compiled") ||
               (c.is({"If"}) && (c.says("a rank is static") || c.says("element types must agree"))));
     },
     true},
    {"L2",
     [](const Case &c) {
       return c.kind() == Kind::WeRefuse && std::any_of(std::begin(gaps), std::end(gaps), [&](const Gap &gap) {
                return c.is({gap.op}) && c.says(gap.words);
              });
     },
     true},
};

} // namespace

std::span<const Row> standardIsSilent() { return silent; }
std::span<const Row> notTaken() { return gapRows; }

} // namespace pliant::differential
