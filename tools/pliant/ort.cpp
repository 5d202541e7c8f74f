// SPDX-License-Identifier: Apache-2.0
// The client of ONNX Runtime. Its library hands out one table of functions whose positions never change; the positions
// used here are those of onnxruntime_c_api.h.
#include "ort.h"
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <unistd.h>

namespace pliant {
namespace {

constexpr uint32_t apiVersion = 16; ///< every position below is older
// Errors come as statuses; the runtime shall not print them too.
constexpr int logFatal = 4, noOptimizations = 0, allOptimizations = 99, arenaAllocator = 1, defaultMemory = 0;

using Object = void *;       ///< any of the runtime's opaque types
using StatusObject = void *; ///< null is success

/// A function of the table: its position and its signature in one.
template <size_t position, class... Parameters> struct Function {
  static StatusObject call(void *const *table, Parameters... parameters) {
    return reinterpret_cast<StatusObject (*)(Parameters...)>(table[position])(parameters...);
  }
};
template <size_t position> struct Release {
  static void call(void *const *table, Object object) {
    if (object)
      reinterpret_cast<void (*)(Object)>(table[position])(object);
  }
};

using CreateEnv = Function<3, int, const char *, Object *>;
using CreateSession = Function<7, Object, const char *, Object, Object *>;
using CreateSessionFromBytes = Function<8, Object, const void *, size_t, Object, Object *>;
using Run =
    Function<9, Object, Object, const char *const *, const Object *, size_t, const char *const *, size_t, Object *>;
using CreateSessionOptions = Function<10, Object *>;
using SetOptimizationLevel = Function<23, Object, int>;
using SetIntraOpThreads = Function<24, Object, int>;
using SetInterOpThreads = Function<25, Object, int>;
using InputCount = Function<30, Object, size_t *>;
using OutputCount = Function<31, Object, size_t *>;
using InputName = Function<36, Object, size_t, Object, char **>;
using OutputName = Function<37, Object, size_t, Object, char **>;
using CreateOwnTensor = Function<48, Object, const int64_t *, size_t, int, Object *>; ///< in memory of the runtime
using CreateTensor = Function<49, Object, void *, size_t, const int64_t *, size_t, int, Object *>;
using IsTensor = Function<50, Object, int *>;
using TensorData = Function<51, Object, void **>;
using FillTexts = Function<52, Object, const char *const *, size_t>;
using TextBytes = Function<53, Object, size_t *>;
using Texts = Function<54, Object, void *, size_t, size_t *, size_t>; ///< one behind the other, and where each begins
using ElementType = Function<60, Object, int *>;
using DimensionCount = Function<61, Object, size_t *>;
using Dimensions = Function<62, Object, int64_t *, size_t>;
using TypeAndShape = Function<65, Object, Object *>;
using CreateCpuMemoryInfo = Function<69, int, int, Object *>;
using AllocatorFree = Function<76, Object, void *>;
using DefaultAllocator = Function<78, Object *>;
using ReleaseEnv = Release<92>;
using ReleaseStatus = Release<93>;
using ReleaseMemoryInfo = Release<94>;
using ReleaseSession = Release<95>;
using ReleaseValue = Release<96>;
using ReleaseTypeAndShape = Release<99>;
using ReleaseSessionOptions = Release<100>;

/// ONNXTensorElementDataType, whose numbers are those of TensorProto.
struct TypeRow {
  int code;
  DType dtype;
};
constexpr TypeRow types[] = {{1, DType::F32},  {2, DType::U8},   {3, DType::I8},     {4, DType::U16},  {5, DType::I16},
                             {6, DType::I32},  {7, DType::I64},  {8, DType::String}, {9, DType::Bool}, {10, DType::F16},
                             {11, DType::F64}, {12, DType::U32}, {13, DType::U64},   {16, DType::BF16}};

Error ortError(std::string why, std::string hint = {}) {
  return userError("onnxruntime", std::move(why), "", std::move(hint));
}

/// Turns the runtime's status into ours and frees it.
Status check(void *const *table, StatusObject status) {
  if (!status)
    return ok();
  auto *message = reinterpret_cast<const char *(*)(Object)>(table[2])(status);
  Error error = ortError(message ? message : "unknown error");
  ReleaseStatus::call(table, status);
  return error;
}

} // namespace

struct OrtSession::State {
  void *const *table = nullptr;
  Object env = nullptr, options = nullptr, session = nullptr, memory = nullptr, allocator = nullptr;
  std::vector<std::string> inputs, outputs;
  std::string version;

  ~State() {
    if (!table)
      return;
    ReleaseMemoryInfo::call(table, memory);
    ReleaseSession::call(table, session);
    ReleaseSessionOptions::call(table, options);
    ReleaseEnv::call(table, env);
  }

  template <class F, class... A> Status call(A... arguments) const {
    return check(table, F::call(table, arguments...));
  }

  template <class Count, class Name> Status readNames(std::vector<std::string> &names) {
    size_t count = 0;
    PLIANT_CHECK(call<Count>(session, &count));
    for (size_t i = 0; i < count; ++i) {
      char *name = nullptr;
      PLIANT_CHECK(call<Name>(session, i, allocator, &name));
      names.emplace_back(name);
      PLIANT_CHECK(call<AllocatorFree>(allocator, static_cast<void *>(name)));
    }
    return ok();
  }

  Result<DenseTensor> copy(Object value) const;
  Status fillTexts(Object value, const DenseTensor &from) const;
  Result<DenseTensor> copyTexts(Object value, std::vector<int64_t> dims) const;
};

struct OrtSession::Call::Bound {
  std::shared_ptr<State> state;
  std::vector<DenseTensor> keep;
  std::vector<const char *> inputNames, outputNames;
  std::vector<Object> inputs, outputs;

  void freeOutputs() {
    for (Object &value : outputs)
      ReleaseValue::call(state->table, std::exchange(value, nullptr));
  }
  ~Bound() {
    freeOutputs();
    for (Object value : inputs)
      ReleaseValue::call(state->table, value);
  }
};

Result<std::string> findOrt(const std::string &repositoryRoot) {
  if (const char *path = std::getenv("PLIANT_ORT"); path && *path) {
    if (access(path, R_OK) == 0)
      return std::string(path);
    return ortError(std::string("PLIANT_ORT is '") + path + "', which cannot be read");
  }
  namespace fs = std::filesystem;
  const char *install = "npm install --ignore-scripts onnxruntime-node@1.30.0 brings it; or set PLIANT_ORT";
  fs::path package = fs::path(repositoryRoot) / "node_modules" / "onnxruntime-node";
  std::error_code failure;
  if (!fs::is_directory(package, failure))
    return ortError("no library found: there is no '" + package.string() + "'", install);
  std::string best;
  int bestVersion = -1;
  for (fs::directory_iterator it(package / "bin", failure), end; !failure && it != end; it.increment(failure)) {
    std::string name = it->path().filename().string();
    std::string library = (it->path() / "linux" / "x64" / "libonnxruntime.so.1").string();
    int version = 0;
    if (!name.starts_with("napi-v") ||
        std::from_chars(name.data() + 6, name.data() + name.size(), version).ec != std::errc() ||
        version <= bestVersion || access(library.c_str(), R_OK) != 0)
      continue;
    bestVersion = version;
    best = library;
  }
  if (best.empty())
    return ortError(
        "no library found: '" + package.string() + "' came without bin/napi-v*/linux/x64/libonnxruntime.so.1", install);
  return best;
}

Result<OrtSession> OrtSession::open(const std::string &libraryPath, const std::string &modelPath, int threads) {
  return start(libraryPath, threads, allOptimizations,
               [&](State &s) { return s.call<CreateSession>(s.env, modelPath.c_str(), s.options, &s.session); });
}

Result<OrtSession> OrtSession::openBytes(const std::string &libraryPath, const std::string &model) {
  return start(libraryPath, 1, noOptimizations, [&](State &s) {
    return s.call<CreateSessionFromBytes>(s.env, static_cast<const void *>(model.data()), model.size(), s.options,
                                          &s.session);
  });
}

/// Never closed: the runtime's threads and thread-locals outlive a session.
static Result<void *> opened(const std::string &libraryPath) {
  if (void *library = dlopen(libraryPath.c_str(), RTLD_NOW | RTLD_LOCAL))
    return library;
  const char *why = dlerror();
  return ortError("cannot open the library: " + std::string(why ? why : libraryPath));
}

Status openOrt(const std::string &libraryPath) {
  PLIANT_TRY([[maybe_unused]] void *library, opened(libraryPath));
  return ok();
}

Result<OrtSession> OrtSession::start(const std::string &libraryPath, int threads, int optimizations, const Open &open) {
  PLIANT_TRY(void *library, opened(libraryPath));
  struct Base {
    void *const *(*api)(uint32_t version);
    const char *(*version)();
  };
  auto *base = reinterpret_cast<const Base *(*)()>(dlsym(library, "OrtGetApiBase"));
  if (!base)
    return ortError("'" + libraryPath + "' is no ONNX Runtime: it has no OrtGetApiBase");
  auto state = std::make_shared<State>();
  state->version = base()->version();
  state->table = base()->api(apiVersion);
  if (!state->table)
    return ortError("version " + state->version + " is too old: its C interface must be " + std::to_string(apiVersion) +
                    " or newer");
  State &s = *state;
  PLIANT_CHECK(s.call<CreateEnv>(logFatal, "pliant", &s.env));
  PLIANT_CHECK(s.call<CreateSessionOptions>(&s.options));
  PLIANT_CHECK(s.call<SetOptimizationLevel>(s.options, optimizations));
  PLIANT_CHECK(s.call<SetIntraOpThreads>(s.options, threads));
  PLIANT_CHECK(s.call<SetInterOpThreads>(s.options, 1));
  PLIANT_CHECK(open(s));
  PLIANT_CHECK(s.call<CreateCpuMemoryInfo>(arenaAllocator, defaultMemory, &s.memory));
  PLIANT_CHECK(s.call<DefaultAllocator>(&s.allocator));
  PLIANT_CHECK((s.readNames<InputCount, InputName>(s.inputs)));
  PLIANT_CHECK((s.readNames<OutputCount, OutputName>(s.outputs)));
  return OrtSession(std::move(state));
}

Result<OrtSession::Call> OrtSession::prepare(const std::vector<std::pair<std::string, DenseTensor>> &inputs) const {
  auto bound = std::make_unique<Call::Bound>();
  bound->state = state;
  for (const auto &[name, tensor] : inputs) {
    auto known = std::find(state->inputs.begin(), state->inputs.end(), name);
    if (known == state->inputs.end())
      return ortError("the model has no input '" + name + "'");
    int code = 0;
    for (const TypeRow &row : types)
      if (row.dtype == tensor.dtype())
        code = row.code;
    const std::vector<int64_t> &dims = tensor.dims();
    const bool texts = tensor.dtype() == DType::String;
    Object value = nullptr;
    PLIANT_CHECK(texts ? state->call<CreateOwnTensor>(state->allocator, dims.data(), dims.size(), code, &value)
                       : state->call<CreateTensor>(state->memory, tensor.data(), tensor.bytes(), dims.data(),
                                                   dims.size(), code, &value));
    bound->inputs.push_back(value);
    if (texts)
      PLIANT_CHECK(state->fillTexts(value, tensor));
    bound->inputNames.push_back(known->c_str());
    bound->keep.push_back(tensor);
  }
  for (const std::string &name : state->outputs)
    bound->outputNames.push_back(name.c_str());
  bound->outputs.resize(state->outputs.size());
  return Call(std::move(bound));
}

Result<std::vector<DenseTensor>> OrtSession::run(const std::vector<std::pair<std::string, DenseTensor>> &inputs) const {
  PLIANT_TRY(Call call, prepare(inputs));
  PLIANT_CHECK(call.run());
  return call.outputs();
}

Status OrtSession::Call::run() {
  Bound &b = *bound;
  b.freeOutputs();
  return b.state->call<Run>(b.state->session, Object(nullptr), b.inputNames.data(), b.inputs.data(), b.inputs.size(),
                            b.outputNames.data(), b.outputs.size(), b.outputs.data());
}

void OrtSession::Call::reset() { bound->freeOutputs(); }

Status OrtSession::State::fillTexts(Object value, const DenseTensor &from) const {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < from.size(); ++i)
    texts.emplace_back(from.text(i));
  std::vector<const char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(text.c_str());
  return call<FillTexts>(value, pointers.data(), pointers.size());
}

Result<DenseTensor> OrtSession::State::copyTexts(Object value, std::vector<int64_t> dims) const {
  PLIANT_TRY(int64_t count, elementCount(dims));
  size_t bytes = 0;
  PLIANT_CHECK(call<TextBytes>(value, &bytes));
  std::string all(bytes, '\0');
  std::vector<size_t> starts(static_cast<size_t>(count));
  if (count)
    PLIANT_CHECK(call<Texts>(value, static_cast<void *>(all.data()), bytes, starts.data(), starts.size()));
  std::vector<std::string> texts;
  for (size_t i = 0; i < starts.size(); ++i)
    texts.push_back(all.substr(starts[i], (i + 1 < starts.size() ? starts[i + 1] : bytes) - starts[i]));
  return DenseTensor::ofStrings(std::move(dims), std::move(texts));
}

Result<DenseTensor> OrtSession::State::copy(Object value) const {
  int tensor = 0;
  if (value)
    PLIANT_CHECK(call<IsTensor>(value, &tensor));
  if (!tensor)
    return ortError("an output is not a tensor, or there was no run");
  Object shape = nullptr;
  PLIANT_CHECK(call<TypeAndShape>(value, &shape));
  struct Guard {
    void *const *table;
    Object shape;
    ~Guard() { ReleaseTypeAndShape::call(table, shape); }
  } guard{table, shape};
  int code = 0;
  size_t rank = 0;
  PLIANT_CHECK(call<ElementType>(shape, &code));
  PLIANT_CHECK(call<DimensionCount>(shape, &rank));
  std::vector<int64_t> dims(rank);
  PLIANT_CHECK(call<Dimensions>(shape, dims.data(), rank));
  auto row = std::find_if(std::begin(types), std::end(types), [&](const TypeRow &r) { return r.code == code; });
  if (row == std::end(types))
    return ortError("an output has element type " + std::to_string(code) + ", which is not supported");
  if (row->dtype == DType::String)
    return copyTexts(value, std::move(dims));
  void *data = nullptr;
  PLIANT_CHECK(call<TensorData>(value, &data));
  PLIANT_TRY(DenseTensor result, DenseTensor::allocate(row->dtype, std::move(dims)));
  if (result.bytes())
    std::memcpy(result.data(), data, result.bytes());
  return result;
}

Result<std::vector<DenseTensor>> OrtSession::Call::outputs() const {
  std::vector<DenseTensor> tensors;
  for (size_t i = 0; i < bound->outputs.size(); ++i) {
    auto tensor = bound->state->copy(bound->outputs[i]);
    if (!tensor)
      return tensor.takeError().at("output '" + bound->state->outputs[i] + "'");
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

OrtSession::OrtSession(std::shared_ptr<State> state) : state(std::move(state)) {}
OrtSession::OrtSession(OrtSession &&) noexcept = default;
OrtSession &OrtSession::operator=(OrtSession &&) noexcept = default;
OrtSession::~OrtSession() = default;
OrtSession::Call::Call(std::unique_ptr<Bound> bound) : bound(std::move(bound)) {}
OrtSession::Call::Call(Call &&) noexcept = default;
OrtSession::Call &OrtSession::Call::operator=(Call &&) noexcept = default;
OrtSession::Call::~Call() = default;

const std::vector<std::string> &OrtSession::inputNames() const { return state->inputs; }
const std::vector<std::string> &OrtSession::outputNames() const { return state->outputs; }
const std::string &OrtSession::version() const { return state->version; }

} // namespace pliant
