//===- ReplayCase.cpp - Recorded training runs ----------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the replay format. Whatever would make the run another one (an unknown
// optimizer, flag or type) is an error, not a guess.
//
//===----------------------------------------------------------------------===//

#include "amp/Training/ReplayCase.h"
#include "amp/Support/PythonJSON.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Numbers into tensors
//===----------------------------------------------------------------------===//

template <typename T>
static void store(HostTensor &tensor, size_t index, T value) {
  std::memcpy(tensor.data.data() + index * sizeof(T), &value, sizeof(T));
}

/// The bits of `value` rounded to nearest even in a 16-bit or narrower format.
static uint64_t roundTo(const llvm::fltSemantics &semantics, double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

llvm::Expected<HostTensor> ReplayArray::convert(DType dtype) const {
  HostTensor tensor = HostTensor::zeros(dtype, shape);
  for (size_t index = 0; index < data.size(); ++index) {
    double value = data[index];
    bool isInteger = dtype >= DType::I64;
    if (isInteger && value != std::trunc(value))
      return makeError("expects integers, but got " + std::to_string(value));
    switch (dtype) {
    case DType::F64:
      store(tensor, index, value);
      break;
    case DType::F32:
      store(tensor, index, static_cast<float>(value));
      break;
    case DType::F16:
      store<uint16_t>(tensor, index, roundTo(llvm::APFloat::IEEEhalf(), value));
      break;
    case DType::BF16:
      store<uint16_t>(tensor, index, roundTo(llvm::APFloat::BFloat(), value));
      break;
    case DType::F8_E4M3:
      store<uint8_t>(tensor, index,
                     roundTo(llvm::APFloat::Float8E4M3FN(), value));
      break;
    case DType::F8_E5M2:
      store<uint8_t>(tensor, index,
                     roundTo(llvm::APFloat::Float8E5M2(), value));
      break;
    default: {
      int64_t integer = static_cast<int64_t>(value);
      std::memcpy(tensor.data.data() + index * getDTypeSize(dtype), &integer,
                  getDTypeSize(dtype));
    }
    }
  }
  return tensor;
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

namespace {
/// Reads the members of one case; the first error sticks.
class CaseParser {
public:
  explicit CaseParser(const llvm::json::Object &object) : object(object) {}
  llvm::Expected<ReplayCase> parse();

private:
  llvm::Error parseDType();
  llvm::Error parseOptimizer();
  llvm::Error parseScaler();
  llvm::Error parseMicro();
  llvm::Error parseInject();
  llvm::Error parseRows();
  llvm::Error parseTensors(StringRef field,
                           std::map<std::string, ReplayArray> &result);

  /// Whether a member is there and not null.
  bool has(StringRef field) const {
    const llvm::json::Value *value = object.get(field);
    return value && value->kind() != llvm::json::Value::Null;
  }
  void addOption(StringRef name, double value) {
    llvm::raw_string_ostream(result.trainOptions)
        << " " << name << "=" << llvm::format("%.17g", value);
  }

  const llvm::json::Object &object;
  ReplayCase result;
};
} // namespace

static llvm::Expected<double> getNumber(const llvm::json::Object &object,
                                        StringRef key) {
  if (const llvm::json::Value *value = object.get(key))
    if (std::optional<double> number = value->getAsNumber())
      return *number;
  return makeError("expects a number '" + key + "'");
}

static llvm::Expected<ReplayArray> parseArray(const llvm::json::Value *value,
                                              StringRef what) {
  const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
  const llvm::json::Array *shape = object ? object->getArray("shape") : nullptr;
  const llvm::json::Array *data = object ? object->getArray("data") : nullptr;
  if (!shape || !data)
    return makeError("expects '" + what + "' to be {shape, data}");
  ReplayArray array;
  for (const llvm::json::Value &size : *shape) {
    std::optional<int64_t> integer = size.getAsInteger();
    if (!integer || *integer < 0)
      return makeError("expects sizes in the shape of '" + what + "'");
    array.shape.push_back(*integer);
  }
  for (const llvm::json::Value &element : *data) {
    std::optional<double> number = element.getAsNumber();
    if (!number)
      return makeError("expects a flat list of numbers as the data of '" +
                       what + "'");
    array.data.push_back(*number);
  }
  std::optional<int64_t> count = getElementCount(array.shape);
  if (!count || *count != static_cast<int64_t>(array.data.size()))
    return makeError("expects the data of '" + what +
                     "' to fill its shape, but got " +
                     llvm::Twine(array.data.size()) + " numbers");
  return array;
}

llvm::Error CaseParser::parseDType() {
  std::string dtype = "None";
  if (has("dtype")) {
    std::optional<StringRef> text = object.getString("dtype");
    if (!text)
      return makeError("expects a string 'dtype'");
    dtype = text->str();
  }
  result.policy = llvm::StringSwitch<std::string>(dtype)
                      .Case("torch.float16", "cpu-f16")
                      .Case("torch.bfloat16", "cpu-bf16")
                      .Case("None", "f32")
                      .Default("");
  if (result.policy.empty())
    return makeError("unknown 'dtype' '" + dtype +
                     "': expects torch.float16, torch.bfloat16 or None");
  result.isLowPrecision = result.policy != "f32";
  return llvm::Error::success();
}

llvm::Error CaseParser::parseOptimizer() {
  std::optional<StringRef> name = object.getString("optimizer");
  if (!name)
    return makeError("expects a string 'optimizer'");
  StringRef kind = llvm::StringSwitch<StringRef>(*name)
                       .Case("SGD", "sgd")
                       .Case("Adam", "adam")
                       .Case("AdamW", "adamw")
                       .Default("");
  if (kind.empty())
    return makeError("unknown 'optimizer' '" + *name +
                     "': expects SGD, Adam or AdamW");
  const llvm::json::Object *options = object.getObject("opt_defaults");
  if (!options)
    return makeError("expects an object 'opt_defaults'");
  bool isAdam = kind != "sgd";
  if (!options->get("lr"))
    return makeError("expects a number 'lr' in 'opt_defaults'");
  double weightDecay = kind == "adamw" ? 1e-2 : 0.0;
  for (const auto &[key, value] : *options) {
    StringRef option = key;
    if (value.kind() == llvm::json::Value::Null)
      continue;
    if (option == "betas" && isAdam) {
      const llvm::json::Array *betas = value.getAsArray();
      if (!betas || betas->size() != 2 || !(*betas)[0].getAsNumber() ||
          !(*betas)[1].getAsNumber())
        return makeError("expects two numbers as 'betas'");
      addOption("beta1", *(*betas)[0].getAsNumber());
      addOption("beta2", *(*betas)[1].getAsNumber());
      continue;
    }
    if (std::optional<bool> flag = value.getAsBoolean()) {
      if (option == "nesterov" && !isAdam)
        result.trainOptions += *flag ? " nesterov=true" : "";
      else if (option == "decoupled_weight_decay" && isAdam) {
        if (*flag)
          kind = "adamw";
      } else if (*flag && option != "foreach" && option != "fused") {
        // foreach and fused are ways to compute the same update.
        return makeError("the flag '" + option + "' of optimizer '" + *name +
                         "' is not supported");
      }
      continue;
    }
    std::optional<double> number = value.getAsNumber();
    bool isKnown =
        number && (option == "lr" || option == "weight_decay" ||
                   (isAdam ? option == "eps"
                           : option == "momentum" || option == "dampening"));
    if (!isKnown) {
      if (number && *number == 0)
        continue;
      return makeError("the option '" + option + "' of optimizer '" + *name +
                       "' is not supported");
    }
    if (option == "weight_decay")
      weightDecay = *number;
    else
      addOption(option, *number);
  }
  addOption("weight-decay", weightDecay);
  result.trainOptions += (" optimizer=" + kind).str();
  return llvm::Error::success();
}

llvm::Error CaseParser::parseScaler() {
  const llvm::json::Object *scaler = object.getObject("scaler");
  if (has("scaler") && !scaler)
    return makeError("expects 'scaler' to be null or an object");
  if (!scaler || scaler->getBoolean("enabled") == false) {
    result.trainOptions += " loss-scale=none guard=false";
    return llvm::Error::success();
  }
  result.trainOptions += " loss-scale=dynamic";
  std::map<std::string, double> options = {{"init_scale", 65536},
                                           {"growth_factor", 2},
                                           {"backoff_factor", 0.5},
                                           {"growth_interval", 2000}};
  for (const auto &[key, value] : *scaler) {
    StringRef option = key;
    if (option == "enabled" || option == "device")
      continue;
    std::optional<double> number = value.getAsNumber();
    auto known = options.find(option.str());
    if (known == options.end() || !number)
      return makeError("the option '" + option +
                       "' of the scaler is not supported");
    known->second = *number;
  }
  addOption("scale", options["init_scale"]);
  addOption("growth", options["growth_factor"]);
  addOption("backoff", options["backoff_factor"]);
  addOption("interval", options["growth_interval"]);
  return llvm::Error::success();
}

llvm::Error CaseParser::parseMicro() {
  if (!has("micro"))
    return llvm::Error::success();
  const llvm::json::Array *ranges = object.getArray("micro");
  if (!ranges || ranges->empty())
    return makeError("expects 'micro' to be null or a list of row ranges");
  for (const llvm::json::Value &value : *ranges) {
    const llvm::json::Array *range = value.getAsArray();
    std::optional<int64_t> begin, end;
    if (range && range->size() == 2) {
      begin = (*range)[0].getAsInteger();
      end = (*range)[1].getAsInteger();
    }
    if (!begin || !end || *begin < 0 || *end <= *begin ||
        *end > result.x.shape.front())
      return makeError("expects row ranges [begin, end) inside the " +
                       llvm::Twine(result.x.shape.front()) +
                       " rows in 'micro'");
    result.micro.push_back({*begin, *end});
  }
  return llvm::Error::success();
}

llvm::Error CaseParser::parseInject() {
  if (!has("inject"))
    return llvm::Error::success();
  const llvm::json::Object *inject = object.getObject("inject");
  if (!inject)
    return makeError("expects an object 'inject'");
  for (const auto &[key, value] : *inject) {
    int64_t step;
    std::optional<double> number = value.getAsNumber();
    if (StringRef(key).getAsInteger(10, step) || !number)
      return makeError("expects step numbers and values in 'inject'");
    result.inject[step] = *number;
  }
  return llvm::Error::success();
}

llvm::Error CaseParser::parseRows() {
  const llvm::json::Array *rows = object.getArray("rows");
  if (!rows || static_cast<int64_t>(rows->size()) != result.steps)
    return makeError("expects one entry in 'rows' for each of the " +
                     llvm::Twine(result.steps) + " steps");
  for (const llvm::json::Value &value : *rows) {
    const llvm::json::Object *row = value.getAsObject();
    if (!row)
      return makeError("expects objects in 'rows'");
    ReplayRow parsed;
    for (auto [key, target] : {std::pair("loss", &parsed.loss),
                               {"scale", &parsed.scale},
                               {"grad_norm", &parsed.gradNorm},
                               {"max_update", &parsed.maxUpdate}}) {
      llvm::Expected<double> number = getNumber(*row, key);
      if (!number)
        return makeError("row " + llvm::Twine(result.rows.size()) + ": " +
                         llvm::toString(number.takeError()));
      *target = *number;
    }
    std::optional<bool> finite = row->getBoolean("finite");
    std::optional<StringRef> dtype = row->getString("out_dtype");
    if (!finite || !dtype)
      return makeError("row " + llvm::Twine(result.rows.size()) +
                       ": expects a boolean 'finite' and a string 'out_dtype'");
    parsed.finite = *finite;
    parsed.outDType = dtype->str();
    result.rows.push_back(parsed);
  }
  return llvm::Error::success();
}

llvm::Error
CaseParser::parseTensors(StringRef field,
                         std::map<std::string, ReplayArray> &tensors) {
  const llvm::json::Object *members = object.getObject(field);
  if (!members)
    return makeError("expects an object '" + field + "'");
  for (const auto &[key, value] : *members) {
    llvm::Expected<ReplayArray> array =
        parseArray(&value, (field + "." + StringRef(key)).str());
    if (!array)
      return array.takeError();
    tensors[StringRef(key).str()] = std::move(*array);
  }
  return llvm::Error::success();
}

llvm::Expected<ReplayCase> CaseParser::parse() {
  if (std::optional<StringRef> name = object.getString("name"))
    result.name = name->str();
  if (llvm::Error error = parseDType())
    return error;
  if (llvm::Error error = parseOptimizer())
    return error;
  if (llvm::Error error = parseScaler())
    return error;
  if (has("clip")) {
    llvm::Expected<double> clip = getNumber(object, "clip");
    if (!clip)
      return clip.takeError();
    if (!(*clip > 0))
      return makeError("expects 'clip' above 0, but got " +
                       std::to_string(*clip));
    addOption("clip", *clip);
  }
  llvm::Expected<double> steps = getNumber(object, "steps");
  if (!steps)
    return steps.takeError();
  result.steps = static_cast<int64_t>(*steps);
  for (auto [field, target] : {std::pair("x", &result.x), {"y", &result.y}}) {
    llvm::Expected<ReplayArray> array = parseArray(object.get(field), field);
    if (!array)
      return array.takeError();
    if (array->shape.empty())
      return makeError(llvm::Twine("expects rows in '") + field + "'");
    *target = std::move(*array);
  }
  if (result.x.shape.front() != result.y.shape.front())
    return makeError("expects equally many rows in 'x' and 'y', but got " +
                     llvm::Twine(result.x.shape.front()) + " and " +
                     llvm::Twine(result.y.shape.front()));
  if (llvm::Error error = parseMicro())
    return error;
  if (llvm::Error error = parseInject())
    return error;
  if (llvm::Error error = parseTensors("init", result.init))
    return error;
  if (llvm::Error error = parseTensors("final", result.final))
    return error;
  if (llvm::Error error = parseRows())
    return error;
  return result;
}

llvm::Expected<ReplayCase> amp::parseReplayCase(StringRef text,
                                                StringRef path) {
  auto fail = [&](llvm::Error error) {
    return makeError("cannot replay '" + path +
                     "': " + llvm::toString(std::move(error)));
  };
  llvm::Expected<llvm::json::Value> value = parsePythonJSON(text);
  if (!value)
    return fail(value.takeError());
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return fail(makeError("expects an object"));
  llvm::Expected<ReplayCase> result = CaseParser(*object).parse();
  if (!result)
    return fail(result.takeError());
  // As many bits as a JSON number holds.
  result->identity = static_cast<double>(llvm::xxh3_64bits(text) >> 11);
  return result;
}

llvm::Expected<ReplayCase> amp::readReplayCase(StringRef path) {
  llvm::Expected<std::string> text = readFileBytes(path);
  if (!text)
    return text.takeError();
  return parseReplayCase(*text, path);
}
