// SPDX-License-Identifier: Apache-2.0
// How the importer's fuzz target changes a model: mostly as a message (a number, a name, a part repeated, dropped,
// swapped or taken from another model), since changed bytes seldom get past the file's reader; sometimes as bytes.
#include <algorithm>
#include <cmath>
#include <onnx/onnx_pb.h>
#include <random>

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

class Mutation {
public:
  Mutation(unsigned seed, Message &model) : random(seed), root(model) {
    names = {"", "axis", "axes", "n", "to", "keepdims", "perm"};
    for (Message *m : messages(root))
      for (const FieldDescriptor *f : fieldsOf(*m))
        if (f->type() == FieldDescriptor::TYPE_STRING)
          for (int k = 0; k < count(*m, f); ++k)
            names.push_back(f->is_repeated() ? m->GetReflection()->GetRepeatedString(*m, f, k)
                                             : m->GetReflection()->GetString(*m, f));
  }

  /// Changes one field somewhere; parts may come from `other`.
  void change(Message &other) {
    const std::vector<Message *> places = messages(root), parts = messages(other);
    for (int tries = 0; tries < 20; ++tries)
      if (change(*one(places), parts))
        return;
  }

private:
  std::minstd_rand random;
  Message &root;
  std::vector<std::string> names;

  size_t below(size_t n) { return static_cast<size_t>(random()) % n; }
  template <class T> const T &one(const std::vector<T> &list) { return list[below(list.size())]; }

  static std::vector<const FieldDescriptor *> fieldsOf(const Message &m) {
    std::vector<const FieldDescriptor *> fields;
    m.GetReflection()->ListFields(m, &fields);
    return fields;
  }
  static int count(const Message &m, const FieldDescriptor *f) {
    return f->is_repeated() ? m.GetReflection()->FieldSize(m, f) : 1;
  }

  /// Every message below `top`, itself too.
  static std::vector<Message *> messages(Message &top) {
    std::vector<Message *> out{&top};
    for (size_t i = 0; i < out.size(); ++i) {
      Message *m = out[i];
      for (const FieldDescriptor *f : fieldsOf(*m))
        if (f->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
          for (int k = 0; k < count(*m, f); ++k)
            out.push_back(f->is_repeated() ? m->GetReflection()->MutableRepeatedMessage(m, f, k)
                                           : m->GetReflection()->MutableMessage(m, f));
    }
    return out;
  }

  int64_t number(int64_t old) {
    static const std::vector<int64_t> far = {INT64_MAX, INT64_MIN,        INT32_MAX,
                                             INT32_MIN, int64_t(1) << 31, int64_t(1) << 47};
    switch (below(8)) {
    case 0:
      return one(far);
    case 1:
    case 2:
      return static_cast<int64_t>(static_cast<uint64_t>(old) + (below(2) ? 1 : ~uint64_t(0)));
    case 3:
      return static_cast<int64_t>(random());
    default:
      return static_cast<int64_t>(below(24)) - 4;
    }
  }
  std::string bytes(std::string old) {
    if (old.empty() || below(3) == 0)
      return std::string(below(40), static_cast<char>(below(256)));
    old[below(old.size())] = static_cast<char>(below(256));
    return old;
  }

  /// Sets a scalar; with `index` below 0 one is appended to a repeated field.
  bool scalar(Message &m, const FieldDescriptor *f, int index) {
    static const std::vector<float> reals = {0, -0.0f, 1, -1, 0.5f, 2, 1e30f, -1e30f, 1e-40f, NAN, INFINITY};
    const Reflection *r = m.GetReflection();
    const bool repeated = f->is_repeated(), append = repeated && index < 0;
    auto put = [&](auto value, auto get, auto set, auto setAt, auto add) {
      append     ? (r->*add)(&m, f, value(0))
      : repeated ? (r->*setAt)(&m, f, index, value(0))
                 : (r->*set)(&m, f, value((r->*get)(m, f)));
      return true;
    };
    switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
      return put([&](int64_t old) { return number(old); }, &Reflection::GetInt64, &Reflection::SetInt64,
                 &Reflection::SetRepeatedInt64, &Reflection::AddInt64);
    case FieldDescriptor::CPPTYPE_INT32: // an element type as a rule
      return put([&](int32_t) { return static_cast<int32_t>(below(24)); }, &Reflection::GetInt32, &Reflection::SetInt32,
                 &Reflection::SetRepeatedInt32, &Reflection::AddInt32);
    case FieldDescriptor::CPPTYPE_ENUM:
      return put([&](int) { return static_cast<int>(below(16)); }, &Reflection::GetEnumValue, &Reflection::SetEnumValue,
                 &Reflection::SetRepeatedEnumValue, &Reflection::AddEnumValue);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return put([&](float) { return one(reals); }, &Reflection::GetFloat, &Reflection::SetFloat,
                 &Reflection::SetRepeatedFloat, &Reflection::AddFloat);
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string value =
          f->type() == FieldDescriptor::TYPE_BYTES && !repeated ? bytes(r->GetString(m, f)) : one(names);
      append     ? r->AddString(&m, f, value)
      : repeated ? r->SetRepeatedString(&m, f, index, value)
                 : r->SetString(&m, f, value);
      return true;
    }
    default:
      return false;
    }
  }

  bool change(Message &m, const std::vector<Message *> &parts) {
    const Reflection *r = m.GetReflection();
    const FieldDescriptor *f = m.GetDescriptor()->field(static_cast<int>(below(m.GetDescriptor()->field_count())));
    const std::vector<const FieldDescriptor *> present = fieldsOf(m);
    if (!present.empty() && below(8)) // what is there matters more
      f = one(present);
    const int n = f->is_repeated() ? r->FieldSize(m, f) : 0;
    const int at = n ? static_cast<int>(below(n)) : -1;
    if (n && below(4) == 0) {
      if (n > 1 && below(2))
        r->SwapElements(&m, f, at, static_cast<int>(below(n)));
      else {
        r->SwapElements(&m, f, at, n - 1);
        r->RemoveLast(&m, f);
      }
      return true;
    }
    if (f->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
      return scalar(m, f, below(3) ? at : -1);
    // A part of the same kind from anywhere, in place of this one or beside it.
    std::vector<const Message *> same;
    for (const Message *part : parts)
      if (part->GetDescriptor() == f->message_type() && part->ByteSizeLong() < 500)
        same.push_back(part);
    if (same.empty())
      return false;
    const Message *from = one(same);
    const std::unique_ptr<Message> copy(from->New()); // it may hold `m`
    copy->CopyFrom(*from);
    Message *to = !f->is_repeated()     ? r->MutableMessage(&m, f)
                  : at >= 0 && below(2) ? r->MutableRepeatedMessage(&m, f, at)
                                        : r->AddMessage(&m, f);
    to->CopyFrom(*copy);
    return true;
  }
};

size_t write(const onnx::ModelProto &model, uint8_t *data, size_t most) {
  const std::string bytes = model.SerializeAsString();
  if (bytes.empty() || bytes.size() > most)
    return 0;
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  onnx::ModelProto model;
  if (seed % 5 == 0 || !model.ParseFromArray(data, static_cast<int>(size)))
    return LLVMFuzzerMutate(data, size, most);
  const onnx::ModelProto before = model;
  for (unsigned i = seed / 5 % 3 + 1; i > 0; --i) {
    onnx::ModelProto other = before;
    Mutation(seed + i, model).change(other);
  }
  const size_t written = write(model, data, most);
  return written ? written : LLVMFuzzerMutate(data, size, most);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize, const uint8_t *second,
                                            size_t secondSize, uint8_t *out, size_t most, unsigned seed) {
  onnx::ModelProto model, other;
  if (!model.ParseFromArray(first, static_cast<int>(firstSize)) ||
      !other.ParseFromArray(second, static_cast<int>(secondSize)))
    return 0;
  Mutation(seed, model).change(other);
  return write(model, out, most);
}
