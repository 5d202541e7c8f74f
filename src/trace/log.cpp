// SPDX-License-Identifier: Apache-2.0
#include "trace/log.h"
#include <algorithm>
#include <new>

namespace pliant::trace {
namespace {

void letGo(Chunk *chunk, uint32_t shares = 1) {
  if (chunk->held.fetch_sub(shares, std::memory_order_acq_rel) == shares)
    delete chunk;
}

/// By a half, since what is recorded is the larger part of a log's memory.
template <class T> void makeRoom(std::vector<T> &in, size_t count) {
  if (in.size() + count > in.capacity()) [[unlikely]]
    in.reserve(in.size() + count + std::max<size_t>(in.size() / 2, 256));
}

constexpr size_t mostOperands = 0xfffff, mostResults = 0xff;

uint64_t headerOf(OpId op, size_t operands, size_t attrWords, size_t results) {
  return Header{op, static_cast<uint32_t>(operands), static_cast<uint32_t>(attrWords), static_cast<uint32_t>(results)}
      .word();
}

} // namespace

constinit thread_local Log *Log::ofThread = nullptr;
static std::atomic<uint64_t> logs{0}, segments{0};

Log::Log() : own(++logs), segment(++segments) { foreign.begin(segment); }

Log::~Log() {
  for (const Handle &result : cut().results)
    result->stored()->set(internalError("trace", "the log of a value was given up before the value was computed"));
  if (chunk)
    letGo(chunk, static_cast<uint32_t>(1 + dropped + Chunk::nodes - chunk->used));
}

Node *Log::make() {
  if (!chunk || chunk->used == Chunk::nodes) {
    Chunk *next = new Chunk(own);
    if (chunk)
      letGo(chunk, 1 + std::exchange(dropped, 0));
    chunk = next;
  }
  Node *node = new (chunk->at(chunk->used)) Node;
  node->place = static_cast<uint16_t>(chunk->used++);
  node->handles.store(1, std::memory_order_relaxed);
  return node;
}

static void setType(Node *node, DType dtype, std::span<const int64_t> dims) {
  node->dtype = dtype;
  node->rank = static_cast<uint8_t>(dims.size());
  int64_t *to = node->few.data();
  if (dims.size() > Node::inlineRank) {
    to = node->many = new int64_t[dims.size()];
    node->chunk()->longDims.emplace_back(to);
  }
  std::copy(dims.begin(), dims.end(), to);
}

Handle Log::leaf(DenseTensor value) {
  auto stored = std::make_unique<Stored>();
  Node *node = make();
  setType(node, value.dtype(), value.dims());
  stored->set(std::move(value));
  node->slot.store(stored.release(), std::memory_order_release);
  return Handle(node);
}

Handle Log::scalar(DType dtype, const void *value) {
  Node *node = make();
  node->dtype = dtype;
  std::copy_n(static_cast<const std::byte *>(value), byteSize(dtype), node->number.data());
  node->slot.store(Node::scalarSlot(), std::memory_order_release);
  return Handle(node);
}

static int64_t bytesOf(const Node &node) {
  auto bytes = static_cast<int64_t>(byteSize(node.dtype));
  for (int64_t extent : node.dims())
    bytes *= extent;
  return bytes;
}

/// A value of this segment by its number; a leaf by its own.
uint32_t Log::operandWord(Node *node) {
  if (node->segment.load(std::memory_order_relaxed) == segment)
    return node->index;
  const bool mine = node->chunk()->log == own;
  if (!mine)
    if (const uint32_t word = foreign.find(node); word != ForeignLeaves::none)
      return word;
  const uint32_t word = leafBit | static_cast<uint32_t>(leaves.size());
  if (mine) {
    node->index = word;
    node->segment.store(segment, std::memory_order_relaxed);
  } else {
    foreign.add(node, word);
  }
  retain(node);
  leaves.emplace_back(node);
  leafBytes += bytesOf(*node);
  return word;
}

void Log::forgetLeaves(size_t known) {
  for (; leaves.size() > known; leaves.pop_back())
    if (Node *node = leaves.back().get(); node->chunk()->log == own)
      node->segment.store(0, std::memory_order_relaxed);
    else
      foreign.remove(node);
}

/// Weights are large, but somebody holds them.
Log::Cut Log::dueBytes() {
  int64_t alone = 0;
  for (const Handle &leaf : leaves)
    if (leaf->handles.load(std::memory_order_relaxed) == 1)
      alone += bytesOf(*leaf.get());
  sharedBytes = leafBytes - alone;
  return alone >= budget.bytes.load(std::memory_order_relaxed) ? Cut::Bytes : Cut::Asked;
}

/// A new value of the segment.
Handle Log::value(DType dtype, std::span<const int64_t> dims) {
  Node *node = make();
  setType(node, dtype, dims);
  addValue(node);
  return Handle(node);
}

void Log::addValue(Node *node) {
  node->index = values++;
  node->segment.store(segment, std::memory_order_relaxed);
  if (ranges.empty() || ranges.back().chunk != chunk) {
    chunk->held.fetch_add(1, std::memory_order_relaxed); // the segment reads nodes that users have given up
    ranges.push_back({chunk, node->place, 0});
  }
  ranges.back().behind = node->place + 1u;
}

void Log::addSite(Site site) {
  if (sameSites) {
    const Site &before = (*tape->sites)[ops];
    if (before.file == site.file && before.line == site.line)
      return;
    sites.assign(tape->sites->begin(), tape->sites->begin() + ops);
    sameSites = false;
  }
  makeRoom(sites, 1);
  sites.push_back(site);
}

/// Whether the op is the tape's next; `behind` then says where it ends.
bool Log::follows(OpId op, std::span<Node *const> operands, size_t results) {
  const Words &all = tape->code->words;
  const uint64_t *word = all.data() + at.word;
  if (at.word == all.size() || *word++ != headerOf(op, operands.size(), attrWords.size(), results))
    return false;
  behind = at;
  const size_t known = leaves.size();
  for (size_t i = 0; i < operands.size(); i += 2) {
    uint64_t pair = operandWord(operands[i]);
    if (i + 1 < operands.size())
      pair |= static_cast<uint64_t>(operandWord(operands[i + 1])) << 32;
    if (*word++ != pair)
      return false;
  }
  for (size_t i = known; i < leaves.size(); ++i) {
    const auto dims = leaves[i]->dims();
    if (*word++ != leafType(leaves[i]->dtype, dims.size()))
      return false;
    sameNumbers &=
        std::equal(dims.begin(), dims.end(), tape->leafDims.begin() + static_cast<ptrdiff_t>(behind.leafDim));
    behind.leafDim += dims.size();
  }
  if (!std::equal(attrWords.begin(), attrWords.end(), word))
    return false;
  sameNumbers &= std::equal(attrIntegers.begin(), attrIntegers.end(),
                            tape->integers.begin() + static_cast<ptrdiff_t>(integers.size()));
  behind.word = static_cast<size_t>(word - all.data()) + attrWords.size();
  return true;
}

/// From here on it is another segment than the tape's.
void Log::leaveTape() {
  words.assign(tape->code->words.begin(), tape->code->words.begin() + static_cast<ptrdiff_t>(at.word));
  if (sameSites)
    sites.assign(tape->sites->begin(), tape->sites->begin() + ops);
  sameSites = false;
  sameNumbers = false;
  tape = nullptr;
}

Node *Log::replay(OpId op, std::span<Node *const> operands, Site site) {
  const Code &code = *tape->code;
  const uint64_t *word = code.words.data() + at.word, *const end = code.words.data() + code.words.size();
  if (word == end || *word++ != headerOf(op, operands.size(), attrWords.size(), 1))
    return nullptr;
  auto wordOf = [&](size_t i) -> uint64_t { // of a leaf that is new to the segment: one that no op has
    const Node *node = operands[i];
    return node->segment.load(std::memory_order_relaxed) == segment ? node->index : foreign.find(node);
  };
  for (size_t i = 0; i < operands.size(); i += 2)
    if (*word++ != (wordOf(i) | (i + 1 < operands.size() ? wordOf(i + 1) << 32 : 0)))
      return nullptr;
  for (uint64_t each : attrWords)
    if (*word++ != each)
      return nullptr;
  if (!attrIntegers.empty() && !std::equal(attrIntegers.begin(), attrIntegers.end(),
                                           tape->integers.begin() + static_cast<ptrdiff_t>(integers.size())))
    return nullptr;
  const Site &before = (*tape->sites)[ops];
  if (before.line != site.line || before.file != site.file)
    return nullptr;
  const Kind kind = code.values[values];
  const int64_t *dims = tape->dims.data() + at.dim;
  Node *node = make();
  if (kind.rank > Node::inlineRank) {
    setType(node, kind.dtype, {dims, kind.rank});
  } else {
    node->dtype = kind.dtype;
    node->rank = kind.rank;
    std::copy_n(dims, Node::inlineRank, node->few.begin()); // more than needed, and no call
  }
  addValue(node);
  if (!attrIntegers.empty())
    integers.insert(integers.end(), attrIntegers.begin(), attrIntegers.end());
  ++ops, ++moved;
  at.word = static_cast<size_t>(word - code.words.data());
  at.dim += kind.rank;
  return node;
}

Status Log::record(OpId op, std::span<Node *const> operands, Site site, std::span<Handle> results) {
  const size_t known = leaves.size();
  if (operands.size() > mostOperands || results.size() > mostResults)
    return userError(info(op).name, std::to_string(operands.size()) + " operands are more than can be recorded")
        .at(str(site));
  for (int64_t integer : attrIntegers)
    if (integer > largestInteger)
      return userError(info(op).name, "the number " + std::to_string(integer) + " is beyond 2^47").at(str(site));
  if (tape && !follows(op, operands, results.size()))
    leaveTape();
  if (tape && sameNumbers) {
    const int64_t *dims = tape->dims.data() + at.dim;
    const Kind *kind = tape->code->values.data() + values;
    for (Handle &result : results) {
      result = value(kind->dtype, {dims, kind->rank});
      dims += kind++->rank;
    }
    behind.dim = static_cast<size_t>(dims - tape->dims.data());
  } else {
    auto types = shapes.of(op, attrWords, attrIntegers, operands);
    if (!types || types->size() != results.size()) {
      forgetLeaves(known);
      if (!types)
        return types.takeError().at(str(site));
      return internalError(info(op).name, "recorded as an op with " + std::to_string(results.size()) +
                                              " results, has " + std::to_string(types->size()));
    }
    if (tape)
      for (size_t i = 0; i < results.size() && tape; ++i)
        if (tape->code->values[values + i] != Kind{(*types)[i].dtype, (*types)[i].rank})
          leaveTape();
    if (!tape) {
      makeRoom(words, 1 + 2 * operands.size() + attrWords.size());
      words.push_back(headerOf(op, operands.size(), attrWords.size(), results.size()));
      for (size_t i = 0; i < operands.size(); i += 2) {
        uint64_t pair = operandWord(operands[i]);
        if (i + 1 < operands.size())
          pair |= static_cast<uint64_t>(operandWord(operands[i + 1])) << 32;
        words.push_back(pair);
      }
      for (size_t i = known; i < leaves.size(); ++i)
        words.push_back(leafType(leaves[i]->dtype, leaves[i]->rank));
      words.insert(words.end(), attrWords.begin(), attrWords.end());
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const Shapes::Type &type = (*types)[i];
      results[i] = value(type.dtype, {type.dims, type.rank});
    }
  }
  integers.insert(integers.end(), attrIntegers.begin(), attrIntegers.end());
  addSite(site);
  ++ops;
  if (tape) {
    at = behind;
    ++moved;
  }
  return ok();
}

/// f(node) for the segment's values in order. Nodes that users gave up are still there.
template <class F> void Log::eachValue(F f) {
  for (const Range &range : ranges)
    for (size_t place = range.first; place < range.behind; ++place)
      if (Node *node = range.chunk->at(place);
          node->segment.load(std::memory_order_relaxed) == segment && !(node->index & leafBit))
        f(node);
}

void Log::takeNumbers(Tape &to) {
  to.dims.clear();
  to.leafDims.clear();
  to.integers = integers;
  eachValue([&](const Node *node) { to.dims.insert(to.dims.end(), node->dims().begin(), node->dims().end()); });
  to.dims.insert(to.dims.end(), Node::inlineRank, 0); // the last one's may be read as if they were so many
  for (const Handle &leaf : leaves)
    to.leafDims.insert(to.leafDims.end(), leaf->dims().begin(), leaf->dims().end());
}

/// The structure of the segment, on a tape that is `last` from now on.
std::shared_ptr<const Structure> Log::remember(std::vector<uint32_t> results) {
  constexpr size_t mostVariants = 8;
  if (tape && at.word != tape->code->words.size())
    leaveTape();
  if (!tape) {
    const uint64_t hash = hashOf(words);
    tape = tapes.find(words, hash);
    if (!tape) {
      tape = tapes.add(hash, ops);
      if (tapes.size() == 1)
        last = nullptr; // it was forgotten to make room, as the one used last after all others
      auto code = std::make_shared<Code>();
      words.shrink_to_fit();
      code->words = std::move(words);
      code->ops = ops;
      code->values.reserve(values);
      eachValue([&](const Node *node) { code->values.push_back({node->dtype, node->rank}); });
      tape->code = std::move(code);
    }
    takeNumbers(*tape);
    tape->sites = std::make_shared<const Sites>(std::move(sites));
  } else {
    if (!sameNumbers)
      takeNumbers(*tape);
    if (!sameSites)
      tape->sites = std::make_shared<const Sites>(std::move(sites));
  }
  tapes.use(tape);
  if (last)
    last->next = tape;
  last = tape;
  auto &structures = tape->structures;
  auto found = std::find_if(structures.begin(), structures.end(), [&](const auto &s) { return s->results == results; });
  if (found != structures.end()) {
    std::swap(*found, structures.front());
    return structures.front();
  }
  if (structures.size() >= mostVariants)
    structures.pop_back();
  structures.insert(structures.begin(), std::make_shared<const Structure>(tape->code, std::move(results)));
  return structures.front();
}

Segment Log::cut(Cut reason) {
  static const auto &nothing = *new std::shared_ptr<const Structure>( // never destroyed: threads may outlive statics
      std::make_shared<const Structure>(std::make_shared<const Code>(), std::vector<uint32_t>()));
  Segment out;
  if (!ops) {
    out.structure = nothing;
    return out;
  }
  std::vector<uint32_t> indices;
  eachValue([&](Node *node) {
    uint32_t handles = node->handles.load(std::memory_order_acquire);
    // A share of our own, unless the last one goes at this moment.
    while (handles && !node->handles.compare_exchange_weak(handles, handles + 1)) {
    }
    if (!handles)
      return;
    out.results.emplace_back(node);
    indices.push_back(node->index);
  });
  out.structure = remember(std::move(indices));
  out.sites = tape->sites;
  for (const Handle &result : out.results)
    result->slot.store(new Stored, std::memory_order_release);
  out.integers.swap(integers);
  out.leaves.swap(leaves);
  leaves.reserve(std::min<size_t>(out.leaves.size(), 64)); // the next segment is mostly like this one
  for (const Range &range : ranges)
    letGo(range.chunk);
  ranges.clear();
  words.clear();
  sites.clear();
  ops = values = 0;
  leafBytes = sharedBytes = 0;
  ++ended[static_cast<size_t>(reason)];
  at = {};
  tape = tape->next ? tape->next : tape; // what is new mostly comes again
  sameNumbers = sameSites = tape != nullptr;
  segment = ++segments;
  foreign.begin(segment);
  return out;
}

Log::Listing Log::list() {
  Listing out;
  auto code = std::make_shared<Code>();
  const Words &from = tape ? tape->code->words : words;
  code->words.assign(from.begin(), from.begin() + static_cast<ptrdiff_t>(tape ? at.word : words.size()));
  code->ops = ops;
  std::vector<uint32_t> held;
  eachValue([&](const Node *node) {
    code->values.push_back({node->dtype, node->rank});
    out.dims.emplace_back(node->dims().begin(), node->dims().end());
    if (node->handles.load(std::memory_order_relaxed))
      held.push_back(node->index);
  });
  out.segment.structure = std::make_shared<const Structure>(std::move(code), std::move(held));
  out.segment.sites = tape && sameSites ? tape->sites : std::make_shared<const Sites>(sites);
  out.segment.integers = integers;
  out.segment.leaves = leaves;
  return out;
}

} // namespace pliant::trace
