// SPDX-License-Identifier: Apache-2.0
// The importer's state, shared by its parts: import.cpp walks graphs and calls the rows, branch.cpp builds branches,
// control.cpp loops, list.cpp sequences and optionals.
#pragma once
#include "ir/ir_builder.h"
#include "onnx/import.h"
#include "shape/list_type.h"
#include <unordered_map>

namespace pliant::onnx_import {

/// A sequence or optional. Where the number of elements is known it is no value of the program, only its elements are.
struct List {
  ListInfo type;
  std::optional<std::vector<Value>> items; ///< the elements, when known and present
  bool absent = false;                     ///< an optional that is known to be empty
  mlir::Value made;                        ///< otherwise: the value of the host flow
};

/// What a name of the graph stands for.
struct Item {
  Value value;
  std::shared_ptr<const List> list;

  Item() = default;
  Item(Value value) : value(value) {}
  Item(List list) : list(std::make_shared<List>(std::move(list))) {}
  explicit operator bool() const { return list || value; }
};

class Importer {
public:
  Importer(const onnx_file::ModelFile &file, mlir::MLIRContext &context, const ImportOptions &options)
      : file(file), context(context), options(options) {}
  Result<ImportedModel> run();

private:
  struct Input {
    std::string name;
    TensorType type;
    std::optional<ListInfo> list; ///< of an input that is no tensor
  };
  using Items = std::vector<Item>;
  using Scope = std::unordered_map<std::string, Item>;

  const onnx_file::ModelFile &file;
  mlir::MLIRContext &context;
  const ImportOptions &options;
  ImportedModel result;
  Facts facts;
  int64_t opset = 1;
  std::optional<ir::IrBuilder> builder;
  std::vector<Scope> scopes;
  std::vector<Input> arguments;
  std::set<std::string> taken;          ///< symbols of the inputs
  std::vector<std::string> placeOfFact; ///< beside facts.all(): the node that gave it
  int named = 0;                        ///< regions that have named symbols of their own
  int64_t imported = 0;                 ///< nodes, each time that they are

  // import.cpp
  Status reportGaps(const ::onnx::GraphProto &top);
  Status userFacts();
  Status inputTypes(const ::onnx::GraphProto &graph);
  Result<Value> tensorValue(const ::onnx::TensorProto &proto);
  struct Behind;
  /// The nodes of a graph in the order of their import. An `if` whose branches give different ranks comes after all
  /// that do not depend on it, and takes in those that do.
  struct Rest {
    const ::onnx::GraphProto &graph;
    std::vector<int> nodes;
    const Behind *behind = nullptr; ///< of a graph that is a branch
    size_t next = 0;
    std::set<int> delayed = {};
    int passed = 0; ///< graphs around this one that were imported to their ends as well, inside of its last `if`

    Rest tail() const {
      return {graph, {nodes.begin() + static_cast<std::ptrdiff_t>(next), nodes.end()}, behind, 0, delayed};
    }
    std::vector<int>::iterator at(size_t i) { return nodes.begin() + static_cast<std::ptrdiff_t>(i); }
    /// Puts a node that was taken, and those that depend on it, behind all others: once, and where there are others.
    bool delay(int index);
  };
  /// What follows a branch: the results of its graph become those of `node`, and the rest of the graph around it goes
  /// on.
  struct Behind {
    const ::onnx::NodeProto &node;
    Rest rest;
    /// The n-th from here, outwards.
    const Behind &out(int n) const {
      const Behind *at = this;
      for (; n > 0; --n)
        at = at->rest.behind;
      return *at;
    }
  };
  /// The graph's results; none of a branch that took in what is `behind` it, which counts the graphs that it `passed`.
  Result<Items> importGraph(const ::onnx::GraphProto &graph, const Behind *behind = nullptr, int *passed = nullptr);
  Result<Items> results(const ::onnx::GraphProto &graph) const;
  Status importNodes(Rest &rest);
  Status importNext(Rest &rest);
  Status define(const ::onnx::NodeProto &node, const Items &results);
  Item lookup(const std::string &name) const;
  Item input(const ::onnx::NodeProto &node, int i) const;

  // branch.cpp
  struct Branches;
  int pulls = 0; ///< branches that are taking in what follows
  Status importIf(const ::onnx::NodeProto &node, int index, Rest &rest);
  Status decided(const ::onnx::NodeProto &node, const ::onnx::GraphProto &graph, Rest &rest);
  Status pull(Branches &both);
  Status goOn(Branches &both);
  Status box(Branches &both);
  Status keepBranch(Branches &both, Value condition);
  Status joinBranches(Branches &both, Value condition);

  // control.cpp
  static bool isControl(const std::string &op) { return op == "If" || op == "Loop" || op == "Scan"; }
  Result<Items> importControl(const ::onnx::NodeProto &node);
  Result<Items> importLoop(const ::onnx::NodeProto &node);
  Result<Items> importScan(const ::onnx::NodeProto &node);
  struct ScanAxes;
  Result<Items> scan(const ::onnx::GraphProto &body, const Items &states, std::vector<Value> sequences,
                     const ScanAxes &axes);

  /// What one trip gives. An invalid condition goes on.
  struct Trip {
    Value condition;
    Items carried;
    std::vector<Value> outputs;
  };
  struct LoopParts {
    const char *op;
    std::optional<Expr> trips;
    Value condition; ///< of the first trip; invalid: true
    Items initial;
    std::vector<std::string> names; ///< of the carried values
    /// Builds a trip; called again when the types of carried values turn out to change.
    std::function<Result<Trip>(const Expr &iteration, const Items &carried)> body;
  };
  Result<Items> loop(LoopParts parts);

  /// A region of an `if` or a loop, while it is built: values inside are in scope, and facts hold, only there.
  struct Region;
  std::string region(const char *kind) { return kind + std::to_string(named++); }
  Expr fresh(std::string name);
  Result<mlir::Value> ssa(const Item &item);

  // list.cpp
  static bool isListOp(const std::string &op);
  bool takesList(const ::onnx::NodeProto &node) const;
  Result<Items> importList(const ::onnx::NodeProto &node);
  Result<Items> sequenceMap(const ::onnx::NodeProto &node);
  Result<Item> optional(const ::onnx::NodeProto &node);
  Result<ListInfo> listType(const ::onnx::TypeProto &type, bool symbolic);
  mlir::Type toMlir(const ListInfo &type);
  Result<mlir::Value> made(const List &list); ///< as a value of the flow
  List dynamic(ListInfo type, mlir::Value value) { return {std::move(type), std::nullopt, false, value}; }
  Extents position(const ::onnx::NodeProto &node, int i);
  Result<Value> at(const std::string &place, const List &list, const Extents &position);
  Result<Expr> length(const std::string &place, const List &list);
  Result<List> insert(const List &list, Value item, const Extents &position);
  Result<List> erase(const List &list, const Extents &position);
  Result<Value> concat(const ::onnx::NodeProto &node, const List &list);
  Result<List> split(const ::onnx::NodeProto &node, Value x);
};

} // namespace pliant::onnx_import
