// SPDX-License-Identifier: Apache-2.0
// The bounded walk over the protobuf wire format that separates large tensor payloads from the rest of a model.
#include "onnx/file_wire.h"
#include <algorithm>

namespace pliant::onnx_file {
namespace {

enum class Msg : uint8_t {
  Leaf, // holds only numbers and strings
  Model,
  Training,
  Function,
  Graph,
  Node,
  Attribute,
  Sparse,
  DenseTensor,
  Annotation,
  ValueInfo,
  Type,
  ElementType, // Sequence, Map and Optional: one field that is a type again
  TensorType,
  Shape
};

struct Child {
  Msg msg;
  bool repeated;
  uint8_t field; // where the type stands, for ElementType
};

constexpr unsigned key(Msg msg, uint64_t field) {
  return static_cast<unsigned>(msg) << 8 | static_cast<unsigned>(field);
}

/// The message inside a length-delimited field, by ONNX's schema. Every message is walked, not only those on the way
/// to tensors, so that the items are counted before the protobuf library allocates them.
std::optional<Child> childOf(Msg msg, uint64_t field) {
  if (field > 255)
    return std::nullopt;
  switch (key(msg, field)) {
  case key(Msg::Model, 7):
    return Child{Msg::Graph, false, 0};
  case key(Msg::Model, 8):
  case key(Msg::Model, 14):
    return Child{Msg::Leaf, true, 0};
  case key(Msg::Model, 20):
    return Child{Msg::Training, true, 0};
  case key(Msg::Model, 25):
    return Child{Msg::Function, true, 0};
  case key(Msg::Training, 1):
  case key(Msg::Training, 2):
    return Child{Msg::Graph, false, 0};
  case key(Msg::Training, 3):
  case key(Msg::Training, 4):
    return Child{Msg::Leaf, true, 0};
  case key(Msg::Function, 7):
    return Child{Msg::Node, true, 0};
  case key(Msg::Function, 9):
    return Child{Msg::Leaf, true, 0};
  case key(Msg::Function, 11): // attribute_proto, newer than the library's schema; inlining reads it
    return Child{Msg::Attribute, true, 0};
  case key(Msg::Graph, 1):
    return Child{Msg::Node, true, 0};
  case key(Msg::Graph, 5):
    return Child{Msg::DenseTensor, true, 0};
  case key(Msg::Graph, 15):
    return Child{Msg::Sparse, true, 0};
  case key(Msg::Graph, 11):
  case key(Msg::Graph, 12):
  case key(Msg::Graph, 13):
    return Child{Msg::ValueInfo, true, 0};
  case key(Msg::Graph, 14):
    return Child{Msg::Annotation, true, 0};
  case key(Msg::Node, 5):
    return Child{Msg::Attribute, true, 0};
  case key(Msg::Attribute, 5):
    return Child{Msg::DenseTensor, false, 0};
  case key(Msg::Attribute, 6):
    return Child{Msg::Graph, false, 0};
  case key(Msg::Attribute, 10):
    return Child{Msg::DenseTensor, true, 0};
  case key(Msg::Attribute, 11):
    return Child{Msg::Graph, true, 0};
  case key(Msg::Attribute, 14):
    return Child{Msg::Type, false, 0};
  case key(Msg::Attribute, 15):
    return Child{Msg::Type, true, 0};
  case key(Msg::Attribute, 22):
    return Child{Msg::Sparse, false, 0};
  case key(Msg::Attribute, 23):
    return Child{Msg::Sparse, true, 0};
  case key(Msg::Sparse, 1):
  case key(Msg::Sparse, 2):
    return Child{Msg::DenseTensor, false, 0};
  case key(Msg::DenseTensor, 13):
  case key(Msg::Annotation, 2):
    return Child{Msg::Leaf, true, 0};
  case key(Msg::ValueInfo, 2):
    return Child{Msg::Type, false, 0};
  case key(Msg::Type, 1):
  case key(Msg::Type, 8):
    return Child{Msg::TensorType, false, 0};
  case key(Msg::Type, 4):
  case key(Msg::Type, 9):
    return Child{Msg::ElementType, false, 1};
  case key(Msg::Type, 5):
    return Child{Msg::ElementType, false, 2};
  case key(Msg::TensorType, 2):
    return Child{Msg::Shape, false, 0};
  case key(Msg::Shape, 1):
    return Child{Msg::Leaf, true, 0};
  default:
    return std::nullopt;
  }
}

std::optional<Encoding> payloadOf(uint64_t field) {
  switch (field) {
  case 4:
    return Encoding::Float;
  case 5:
    return Encoding::Int32;
  case 7:
    return Encoding::Int64;
  case 9:
    return Encoding::Raw;
  case 10:
    return Encoding::Double;
  case 11:
    return Encoding::UInt64;
  default:
    return std::nullopt;
  }
}

struct Frame {
  Msg msg;
  uint8_t typeField;
  uint32_t graphDepth, typeDepth;
  uint64_t end;
  uint64_t lengthAt; // where the length stands in `rest`; npos for the root
  uint32_t seen = 0; // singular message fields met so far
  uint32_t payloads = 0;
  bool hasBlob = false;
  uint64_t blob = 0;
};

constexpr unsigned lengthBytes = 5;
constexpr unsigned wireVarint = 0, wireFixed64 = 1, wireBytes = 2, wireFixed32 = 5;

class Scanner {
public:
  Scanner(std::span<const std::byte> file, const Limits &limits) : file(file), limits(limits) {}

  Result<Scan> run(Root root) {
    Msg first = root == Root::Model ? Msg::Model : Msg::DenseTensor;
    stack.push_back({first, 0, 0, 0, file.size(), std::string::npos});
    while (!stack.empty()) {
      if (at == stack.back().end) {
        PLIANT_CHECK(leave());
        continue;
      }
      PLIANT_CHECK(field());
    }
    return std::move(out);
  }

private:
  Error fail(const std::string &what) const {
    return userError("onnx", "the file is damaged or no ONNX model: byte " + std::to_string(at) + " " + what);
  }

  Error refuse(const std::string &what) const {
    return userError("onnx", "the model " + what + " (byte " + std::to_string(at) + " of the file)");
  }

  // The length is always written with five bytes (a varint may be padded), so it can be filled in afterwards and
  // nothing is ever copied twice.
  void patchLength(uint64_t position, uint64_t length) {
    for (unsigned i = 0; i < lengthBytes; ++i)
      out.rest[position + i] = static_cast<char>((length >> (7 * i) & 127) | (i + 1 < lengthBytes ? 128 : 0));
  }
  void putVarint(uint64_t value) {
    for (; value > 127; value >>= 7)
      out.rest.push_back(static_cast<char>((value & 127) | 128));
    out.rest.push_back(static_cast<char>(value));
  }
  // Checked before the bytes are copied: a sparse file costs nothing to make large.
  Status copy(uint64_t from, uint64_t to) {
    uint64_t most = std::min<uint64_t>(limits.restBytes, INT32_MAX);
    if (out.rest.size() + lengthBytes + (to - from) > most)
      return refuse("holds more than " + std::to_string(most) + " bytes besides its weights");
    out.rest.append(reinterpret_cast<const char *>(file.data()) + from, to - from);
    return ok();
  }

  Status leave() {
    Frame frame = stack.back();
    stack.pop_back();
    if (frame.hasBlob) {
      if (frame.payloads != 1)
        return refuse("has a tensor whose data comes in more than one piece");
      std::string marker;
      std::swap(marker, out.rest);
      putVarint(1 << 3 | wireVarint);
      putVarint(frame.blob);
      std::swap(marker, out.rest);
      putVarint(3 << 3 | wireBytes);
      putVarint(marker.size());
      out.rest += marker;
    }
    if (frame.lengthAt != std::string::npos)
      patchLength(frame.lengthAt, out.rest.size() - frame.lengthAt - lengthBytes);
    return ok();
  }

  Status skip(uint64_t count) {
    if (count > stack.back().end - at)
      return fail("announces " + std::to_string(count) + " bytes where " + std::to_string(stack.back().end - at) +
                  " are left");
    at += count;
    return ok();
  }

  Status field() {
    Frame &frame = stack.back();
    uint64_t start = at, tag = 0, value = 0;
    auto window = file.first(frame.end);
    if (!readVarint(window, at, tag) || tag > UINT32_MAX || tag >> 3 == 0)
      return fail("is no field tag");
    uint64_t number = tag >> 3;
    switch (tag & 7) {
    case wireVarint:
      if (!readVarint(window, at, value))
        return fail("begins a number that does not end");
      break;
    case wireFixed64:
      PLIANT_CHECK(skip(8));
      break;
    case wireFixed32:
      PLIANT_CHECK(skip(4));
      break;
    case wireBytes:
      return bytes(start, number);
    default: // groups: ONNX has none, and they would nest outside our stack
      return fail("has wire type " + std::to_string(tag & 7));
    }
    return copy(start, at);
  }

  Status bytes(uint64_t start, uint64_t number) {
    Frame &frame = stack.back();
    uint64_t length = 0, tagEnd = at;
    if (!readVarint(file.first(frame.end), at, length))
      return fail("begins a length that does not end");
    if (++items > limits.items)
      return refuse("is past the limit of " + std::to_string(limits.items) + " messages and strings");
    uint64_t content = at;
    PLIANT_CHECK(skip(length));
    if (frame.msg == Msg::DenseTensor) {
      if (number == 3)
        return refuse("has a tensor in segments, which is not supported");
      if (auto encoding = payloadOf(number)) {
        ++frame.payloads;
        if (length > blobThreshold) {
          frame.hasBlob = true;
          frame.blob = out.blobs.size();
          out.blobs.push_back({content, length, *encoding});
          return ok();
        }
      }
    }
    auto child = frame.msg == Msg::ElementType && number == frame.typeField ? std::optional(Child{Msg::Type, false, 0})
                                                                            : childOf(frame.msg, number);
    if (!child) {
      return copy(start, at);
    }
    if (!child->repeated && number < 32) {
      // The library would merge the two, and a blob of one could meet the shape of the other.
      if (frame.seen >> number & 1)
        return fail("ends a second field " + std::to_string(number) + " where there may be one");
      frame.seen |= uint32_t(1) << number;
    }
    Frame inner{child->msg, child->field, frame.graphDepth, frame.typeDepth, at, 0};
    if (child->msg == Msg::Graph && ++inner.graphDepth > limits.graphDepth + 1)
      return refuse("has a subgraph more than " + std::to_string(limits.graphDepth) + " levels deep");
    if (child->msg == Msg::Type && ++inner.typeDepth > maxTypeDepth)
      return refuse("has a type more than " + std::to_string(maxTypeDepth) + " levels deep");
    PLIANT_CHECK(copy(start, tagEnd));
    inner.lengthAt = out.rest.size();
    out.rest.append(lengthBytes, '\0');
    at = content;
    stack.push_back(inner);
    return ok();
  }

  std::span<const std::byte> file;
  const Limits &limits;
  Scan out;
  uint64_t at = 0, items = 0;
  std::vector<Frame> stack;
};

} // namespace

bool readVarint(std::span<const std::byte> bytes, uint64_t &at, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at >= bytes.size())
      return false;
    auto byte = std::to_integer<uint64_t>(bytes[at++]);
    value |= (byte & 127) << shift;
    if (byte < 128)
      return true;
  }
  return false;
}

DigestBytes Scan::digest() const {
  Digest digest;
  digest.add(rest);
  for (const ScannedBlob &blob : blobs)
    digest.add(blob.length).add(static_cast<uint64_t>(blob.encoding));
  return digest.finish();
}

Result<Scan> scanWire(std::span<const std::byte> file, Root root, const Limits &limits) {
  return Scanner(file, limits).run(root);
}

} // namespace pliant::onnx_file
