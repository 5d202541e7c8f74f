// SPDX-License-Identifier: Apache-2.0
// Reading and writing .npy. The header is a Python literal; the reader takes just the form of the specification.
#include "files/npy.h"
#include "runtime/file_map.h"
#include <charconv>

namespace pliant::files {
namespace {

constexpr size_t maxHeader = 65536, maxRank = 64;
constexpr std::string_view magic = "\x93NUMPY";

struct Header {
  DType dtype = DType::F32;
  bool fortran = false;
  std::vector<int64_t> dims;
};

std::string_view descriptor(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return "<f4";
  case DType::F64:
    return "<f8";
  case DType::F16:
    return "<f2";
  case DType::BF16:
    return "<V2";
  case DType::I64:
    return "<i8";
  case DType::I32:
    return "<i4";
  case DType::I16:
    return "<i2";
  case DType::I8:
    return "|i1";
  case DType::U64:
    return "<u8";
  case DType::U32:
    return "<u4";
  case DType::U16:
    return "<u2";
  case DType::U8:
    return "|u1";
  case DType::Bool:
    return "|b1";
  case DType::String:
    break; // texts of one length would be another type for every tensor
  }
  return "";
}

class HeaderParser {
public:
  HeaderParser(std::string_view text, std::string_view path) : text(text), path(path) {}

  Result<Header> parse() {
    Header header;
    bool haveType = false, haveOrder = false, haveShape = false;
    if (!take('{'))
      return bad("a dictionary expected");
    while (!take('}')) {
      PLIANT_TRY(std::string_view key, string());
      if (!take(':'))
        return bad("':' expected after '" + std::string(key) + "'");
      if (key == "descr" && !haveType) {
        PLIANT_TRY(header.dtype, dtype());
        haveType = true;
      } else if (key == "fortran_order" && !haveOrder) {
        header.fortran = word("True");
        if (!header.fortran && !word("False"))
          return bad("fortran_order is neither True nor False");
        haveOrder = true;
      } else if (key == "shape" && !haveShape) {
        PLIANT_TRY(header.dims, shape());
        haveShape = true;
      } else {
        return bad("unexpected key '" + std::string(key.substr(0, 40)) + "'");
      }
      if (!take(',') && peek() != '}')
        return bad("',' or '}' expected");
    }
    if (peek() != '\0')
      return bad("text after the dictionary");
    if (!haveType || !haveOrder || !haveShape)
      return bad("descr, fortran_order and shape are needed");
    return header;
  }

private:
  Error bad(const std::string &why) const { return cannotRead(path, "bad .npy header: " + why); }

  char peek() {
    while (!text.empty() && (text[0] == ' ' || text[0] == '\n' || text[0] == '\t' || text[0] == '\r'))
      text.remove_prefix(1);
    return text.empty() ? '\0' : text[0];
  }
  bool take(char c) {
    if (peek() != c || text.empty())
      return false;
    text.remove_prefix(1);
    return true;
  }
  bool word(std::string_view expected) {
    peek();
    if (!text.starts_with(expected))
      return false;
    text.remove_prefix(expected.size());
    return true;
  }
  Result<std::string_view> string() {
    char quote = peek();
    size_t end = quote == '\'' || quote == '"' ? text.find(quote, 1) : text.npos;
    if (end == text.npos)
      return bad("a quoted name expected");
    std::string_view content = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return content;
  }

  Result<DType> dtype() {
    if (peek() == '[')
      return cannotRead(path, "it holds records, not numbers", "save one field of the array");
    PLIANT_TRY(std::string_view type, string());
    std::string shown(type.substr(0, 40));
    char order = type.empty() ? '\0' : type[0];
    std::string_view code = type;
    if (order == '<' || order == '>' || order == '|' || order == '=')
      code.remove_prefix(1);
    if (code.starts_with('O'))
      return cannotRead(path, "it holds Python objects ('" + shown + "'), which are not read",
                        "save an array of numbers: array.astype('float32')");
    for (uint8_t i = 0; i <= static_cast<uint8_t>(DType::Bool); ++i) {
      DType candidate = static_cast<DType>(i);
      if (descriptor(candidate).substr(1) != code)
        continue;
      if (order == '>' && byteSize(candidate) > 1)
        return cannotRead(path, "it is big-endian ('" + shown + "')",
                          "save it as little-endian: array.astype(array.dtype.newbyteorder('<'))");
      return candidate;
    }
    if (code == "?")
      return DType::Bool;
    return cannotRead(path, "element type '" + shown + "' is not supported",
                      "float16/32/64, int8/16/32/64, uint8/16/32/64 and bool are");
  }

  Result<std::vector<int64_t>> shape() {
    std::vector<int64_t> dims;
    if (!take('('))
      return bad("shape is not a tuple");
    while (!take(')')) {
      peek();
      int64_t extent = 0;
      auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), extent);
      if (failure != std::errc() || extent < 0)
        return bad("shape has an extent that is not a count");
      text.remove_prefix(static_cast<size_t>(end - text.data()));
      word("L"); // Python 2
      dims.push_back(extent);
      if (dims.size() > maxRank)
        return bad("shape has more than " + std::to_string(maxRank) + " extents");
      if (!take(',') && peek() != ')')
        return bad("',' or ')' expected in shape");
    }
    return dims;
  }

  std::string_view text, path;
};

Result<Header> readHeader(Source &source, std::string_view path) {
  char start[8];
  if (source.left() < sizeof start)
    return cannotRead(path, "it is no .npy file: " + std::to_string(source.left()) + " bytes");
  PLIANT_CHECK(source.read(start, sizeof start));
  if (std::string_view(start, magic.size()) != magic)
    return cannotRead(path, "it is no .npy file");
  int major = static_cast<unsigned char>(start[6]);
  if (major < 1 || major > 3)
    return cannotRead(path, ".npy format version " + std::to_string(major) + " is not known");
  unsigned char lengthBytes[4] = {};
  PLIANT_CHECK(source.read(lengthBytes, major == 1 ? 2 : 4));
  size_t length = static_cast<size_t>(lengthBytes[0]) | static_cast<size_t>(lengthBytes[1]) << 8 |
                  static_cast<size_t>(lengthBytes[2]) << 16 | static_cast<size_t>(lengthBytes[3]) << 24;
  if (length > maxHeader)
    return cannotRead(path, "its .npy header has " + std::to_string(length) + " bytes");
  std::string text(length, '\0');
  PLIANT_CHECK(source.read(text.data(), length));
  return HeaderParser(text, path).parse();
}

/// Elements of size bytes in Fortran order at `from` go to C order at `to`.
template <class T> void transpose(const T *from, T *to, const std::vector<int64_t> &dims, int64_t count) {
  size_t rank = dims.size();
  std::vector<int64_t> stride(rank), index(rank, 0);
  for (size_t i = 0, step = 1; i < rank; ++i) {
    stride[i] = static_cast<int64_t>(step);
    step *= static_cast<size_t>(dims[i]);
  }
  int64_t at = 0;
  for (int64_t n = 0; n < count; ++n) {
    to[n] = from[at];
    for (size_t d = rank; d-- > 0;) {
      at += stride[d];
      if (++index[d] < dims[d])
        break;
      at -= stride[d] * dims[d];
      index[d] = 0;
    }
  }
}

} // namespace

Result<DenseTensor> readNpy(Source &source, std::string_view path) {
  PLIANT_TRY(Header header, readHeader(source, path));
  auto count = elementCount(header.dims);
  if (!count)
    return cannotRead(path, count.error().message);
  // Before any allocation: the data must be there, so that a small file cannot ask for much memory.
  size_t bytes = static_cast<size_t>(*count) * byteSize(header.dtype);
  if (bytes != source.left())
    return cannotRead(path, "a " + std::string(name(header.dtype)) + " array of shape " + str(header.dims) + " has " +
                                std::to_string(bytes) + " bytes, but the file holds " + std::to_string(source.left()));
  auto tensor = DenseTensor::allocate(header.dtype, header.dims);
  if (!tensor)
    return cannotRead(path, tensor.error().message, tensor.error().hint);
  PLIANT_CHECK(source.read(tensor->data(), bytes));
  if (header.dtype == DType::Bool)
    for (int64_t i = 0; i < *count; ++i)
      tensor->as<uint8_t>()[i] = tensor->as<uint8_t>()[i] != 0;
  if (!header.fortran || tensor->rank() < 2)
    return tensor;
  auto ordered = DenseTensor::allocate(header.dtype, header.dims);
  if (!ordered)
    return cannotRead(path, ordered.error().message, ordered.error().hint);
  switch (byteSize(header.dtype)) {
  case 1:
    transpose(tensor->as<uint8_t>(), ordered->as<uint8_t>(), header.dims, *count);
    break;
  case 2:
    transpose(tensor->as<uint16_t>(), ordered->as<uint16_t>(), header.dims, *count);
    break;
  case 4:
    transpose(tensor->as<uint32_t>(), ordered->as<uint32_t>(), header.dims, *count);
    break;
  default:
    transpose(tensor->as<uint64_t>(), ordered->as<uint64_t>(), header.dims, *count);
  }
  return ordered;
}

Result<DenseTensor> readNpy(const std::string &path) {
  PLIANT_TRY(FileMap map, FileMap::open(path));
  MemorySource source({map.data(), map.size()}, path);
  return readNpy(source, path);
}

std::string npyBytes(const DenseTensor &tensor) {
  std::string shape = "(";
  for (int64_t extent : tensor.dims())
    shape += std::to_string(extent) + (tensor.rank() == 1 ? "," : ", ");
  if (tensor.rank() > 1)
    shape.resize(shape.size() - 2);
  std::string header =
      "{'descr': '" + std::string(descriptor(tensor.dtype())) + "', 'fortran_order': False, 'shape': " + shape + "), }";
  constexpr size_t before = 10, alignment = 64; // magic, version, length
  size_t length = (before + header.size() + 1 + alignment - 1) / alignment * alignment - before;
  header.resize(length - 1, ' ');
  header += '\n';
  std::string bytes(magic);
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(length & 0xff);
  bytes += static_cast<char>(length >> 8);
  bytes += header;
  bytes.append(static_cast<const char *>(tensor.data()), tensor.bytes());
  return bytes;
}

Status writeNpy(const std::string &path, const DenseTensor &tensor) {
  if (tensor.dtype() == DType::String)
    return cannotWrite(path, "strings are not written as .npy", "write a .pb file");
  return writeFile(path, npyBytes(tensor));
}

} // namespace pliant::files
