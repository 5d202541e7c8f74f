// SPDX-License-Identifier: Apache-2.0
// What a softmax lets loops leave out. e = exp(x - max x) takes no positive number; and where x is NaN, e and its sum
// are, so that the maximum need not say so too.
#include "codegen/loop_nest.h"

using namespace mlir;

namespace pliant::codegen {

using Kind = Instance::Kind;

namespace {

class Softmax {
public:
  Softmax(const Group &group, const Schedule &plan) : group(group), plan(plan), users(plan.instances.size()) {
    for (size_t i = 0; i < plan.instances.size(); ++i)
      for (int operand : plan.instances[i].operands)
        users[operand].push_back(static_cast<int>(i));
    for (const Schedule::Store &store : plan.stores)
      users[store.instance].push_back(stored);
  }

  void find(std::vector<bool> &notPositive, std::vector<bool> &folds) const {
    for (int max = 0; max < static_cast<int>(plan.instances.size()); ++max) {
      if (!isOp(max, Kind::Reduce, OpId::ReduceMax) || !isFloat(group.type(plan.instances[max].value).dtype))
        continue;
      const int x = plan.instances[max].operands[0];
      bool seen = !users[max].empty();
      for (int user : users[max]) {
        const bool shifts = isPoint(user, OpId::Sub) && operands(user)[0] == x && operands(user)[1] == max;
        seen = seen && shifts && nanIsSeen(user);
        for (int exp : shifts ? users[user] : std::vector<int>())
          if (isPoint(exp, OpId::Exp))
            notPositive[exp] = true;
      }
      folds[max] = seen;
    }
  }

private:
  static constexpr int stored = -1;
  const Group &group;
  const Schedule &plan;
  std::vector<std::vector<int>> users;

  bool isOp(int i, Kind kind, OpId op) const {
    return i != stored && plan.instances[i].kind == kind && group.node(plan.instances[i].value).op == op;
  }
  bool isPoint(int i, OpId op) const { return isOp(i, Kind::Point, op); }
  const std::vector<int> &operands(int i) const { return plan.instances[i].operands; }

  /// Whether all that is made of x - max x depends on the sum of its exponentials: softmax and its logarithm.
  bool nanIsSeen(int shifted) const {
    int exp = stored;
    for (int user : users[shifted])
      if (isPoint(user, OpId::Exp))
        exp = user;
    int sum = stored;
    for (int user : exp == stored ? std::vector<int>() : users[exp])
      if (isOp(user, Kind::Reduce, OpId::ReduceSum))
        sum = user;
    auto with = [&](int user, OpId op, int one, OpId of) {
      if (!isPoint(user, op))
        return false;
      const int first = operands(user)[0], second = operands(user)[1], other = first == one ? second : first;
      return (first == one || (second == one && op == OpId::Mul)) && isPoint(other, of) && operands(other)[0] == sum;
    };
    return sum != stored &&
           llvm::all_of(users[shifted],
                        [&](int user) { return user == exp || with(user, OpId::Sub, shifted, OpId::Log); }) &&
           llvm::all_of(users[exp],
                        [&](int user) { return user == sum || with(user, OpId::Mul, exp, OpId::Reciprocal); });
  }
};

} // namespace

void LoopNest::findSoftmax() {
  g.notPositive.resize(plan.instances.size());
  numberFolds.resize(plan.instances.size());
  Softmax(g.group, plan).find(g.notPositive, numberFolds);
}

} // namespace pliant::codegen
