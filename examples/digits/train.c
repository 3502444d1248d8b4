/*===- train.c - The digits classifier trained from C ----------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A training loop around an object file of amp-compile. It needs libamp-rt, no
// compiler, and is the same for a CPU and a CUDA device:
//
//   amp-compile mlp.mlir --amp-compile="policy=cpu-f16 optimizer=adamw" \
//     -o digits.o
//   cc -I runtime/include train.c digits.o -lamp-rt -lm -o train
//   ./train digits.safetensors parameters.safetensors SEED STEPS
//
// Parameters come from a safetensors file, such as the state of a checkpoint of
// amp-train; every other state starts as the manifest says. Rows are visited in
// the order of amp-train with that seed. Prints a line a step:
//
//   STEP LOSS SCALE
//
//===----------------------------------------------------------------------===*/

#include "digits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *why) {
  fprintf(stderr, "train: error: %s: %s\n", what, why);
  exit(1);
}

static void check(amp_rt_context *ctx, int32_t status, const char *what) {
  if (status != AMP_RT_OK)
    fail(what, amp_rt_last_error(ctx));
}

/* For a failure before there is a context to ask. */
static void report(void *user, int32_t status, const char *message) {
  (void)user;
  fprintf(stderr, "train: %s: %s\n", amp_rt_status_name(status), message);
}

/*===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===*/

/* A safetensors file: the length of a JSON header, the header, the data. */
typedef struct {
  char *header;
  const char *data;
} tensor_file;

static tensor_file read_tensors(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    fail(path, "cannot open");
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(size);
  if (!bytes || size < 8 || fread(bytes, 1, size, file) != size)
    fail(path, "cannot read");
  fclose(file);
  uint64_t length;
  memcpy(&length, bytes, 8);
  if (length > size - 8)
    fail(path, "is no safetensors file");
  tensor_file tensors = {malloc(length + 1), bytes + 8 + length};
  memcpy(tensors.header, bytes + 8, length);
  tensors.header[length] = 0;
  return tensors;
}

/* The bytes of a tensor and their number. */
static const char *find_tensor(tensor_file file, const char *name,
                               uint64_t *bytes) {
  char key[256];
  snprintf(key, sizeof(key), "\"%s\":", name);
  const char *entry = strstr(file.header, key);
  if (!entry)
    fail(name, "is not in the file");
  const char *offsets = strstr(entry, "\"data_offsets\":");
  unsigned long long begin, end;
  if (!offsets || sscanf(offsets, "\"data_offsets\":[%llu,%llu]", &begin,
                         &end) != 2)
    fail(name, "has no data");
  *bytes = end - begin;
  return file.data + begin;
}

/*===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===*/

/* Writes the initial values of a state to where it lies in its buffer. */
static void fill_state(const amp_rt_state_info *state, char *buffer,
                       tensor_file parameters) {
  size_t size = amp_rt_dtype_size(state->dtype);
  uint64_t count = 1, bytes;
  for (int64_t i = 0; i < state->rank; ++i)
    count *= (uint64_t)state->shape[i];
  char *to = buffer + (size_t)state->offset * size;
  if (state->supplied) {
    const char *from = find_tensor(parameters, state->name, &bytes);
    if (bytes != count * size)
      fail(state->name, "has another size than in the model");
    memcpy(to, from, bytes);
    return;
  }
  for (uint64_t i = 0; i < count; ++i) {
    float number = (float)state->init;
    if (state->dtype == AMP_RT_DTYPE_F32)
      memcpy(to + i * size, &number, size);
    else if (state->dtype == AMP_RT_DTYPE_I64)
      memcpy(to + i * size, &state->init_integer, size);
    else
      fail(state->name, "is neither f32 nor i64");
  }
}

/* Memory for every pointer of `function`; state buffers hold initial values. */
static void **create_arguments(amp_rt_context *ctx,
                               const amp_rt_function_info *function,
                               tensor_file parameters) {
  void **args = calloc(function->num_arguments, sizeof(void *));
  for (uint64_t i = 0; i < function->num_arguments; ++i) {
    const amp_rt_argument_info *argument = &function->arguments[i];
    args[i] = amp_rt_alloc(ctx, argument->bytes);
    if (!args[i])
      fail(argument->name, amp_rt_last_error(ctx));
    if (argument->kind != AMP_RT_ARGUMENT_STATE)
      continue;
    char *buffer = calloc(1, argument->bytes);
    for (uint64_t s = 0; s < digits_program.num_states; ++s)
      if (digits_program.states[s].buffer == (int64_t)i)
        fill_state(&digits_program.states[s], buffer, parameters);
    check(ctx, amp_rt_upload(ctx, args[i], buffer, argument->bytes),
          argument->name);
    free(buffer);
  }
  return args;
}

/*===----------------------------------------------------------------------===//
// Order of the data
//===----------------------------------------------------------------------===*/

static const uint64_t golden = 0x9e3779b97f4a7c15u;

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* The permutation of an epoch, as docs/training.md says. */
static void shuffle(int64_t *order, int64_t rows, uint64_t seed,
                    uint64_t epoch) {
  uint64_t key = mix(seed) ^ mix(epoch + golden), draws = 0;
  for (int64_t i = 0; i < rows; ++i)
    order[i] = i;
  for (int64_t i = rows - 1; i > 0; --i) {
    uint64_t bound = (uint64_t)i + 1;
    unsigned __int128 product;
    do
      product = (unsigned __int128)mix(key + ++draws * golden) * bound;
    while ((uint64_t)product < -bound % bound);
    int64_t j = (int64_t)(product >> 64), kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}

/* Copies the rows of a batch from a tensor of the data to the device. */
static void upload_rows(amp_rt_context *ctx, void *to, const char *data,
                        const int64_t *order, const amp_rt_argument_info *info) {
  uint64_t rows = (uint64_t)info->shape[0], size = info->bytes / rows;
  char *batch = malloc(info->bytes);
  for (uint64_t i = 0; i < rows; ++i)
    memcpy(batch + i * size, data + (uint64_t)order[i] * size, size);
  check(ctx, amp_rt_upload(ctx, to, batch, info->bytes), info->name);
  free(batch);
}

int main(int argc, char **argv) {
  if (argc != 5)
    fail("usage", "train DATA.safetensors PARAMETERS.safetensors SEED STEPS");
  tensor_file data = read_tensors(argv[1]), parameters = read_tensors(argv[2]);
  uint64_t seed = strtoull(argv[3], NULL, 10);
  int64_t steps = strtoll(argv[4], NULL, 10);

  amp_rt_context_options options = {0};
  options.struct_size = sizeof(options);
  options.on_error = report;
  if (strcmp(digits_program.target, "cuda") == 0)
    options.backend = AMP_RT_BACKEND_CUDA;
  amp_rt_context *ctx;
  if (amp_rt_context_create(&options, &ctx) != AMP_RT_OK)
    return 1;
  const amp_rt_function_info *function = NULL;
  for (uint64_t i = 0; i < digits_program.num_functions; ++i)
    if (strcmp(digits_program.functions[i].kind, "train") == 0)
      function = &digits_program.functions[i];
  if (!function)
    fail(digits_program.name, "has no training step");
  check(ctx, function->prepare(ctx), "prepare");
  void **args = create_arguments(ctx, function, parameters);

  const amp_rt_argument_info *x = &function->arguments[DIGITS_TRAIN_ARG_X];
  const amp_rt_argument_info *y = &function->arguments[DIGITS_TRAIN_ARG_Y];
  uint64_t bytes;
  const char *images = find_tensor(data, "train.x", &bytes);
  int64_t rows = (int64_t)(bytes / (x->bytes / (uint64_t)x->shape[0]));
  const char *labels = find_tensor(data, "train.y", &bytes);
  int64_t perEpoch = rows / x->shape[0];
  int64_t *order = malloc((size_t)rows * sizeof(int64_t));
  for (int64_t step = 0; step < steps; ++step) {
    if (step % perEpoch == 0)
      shuffle(order, rows, seed, (uint64_t)(step / perEpoch));
    const int64_t *batch = order + step % perEpoch * x->shape[0];
    upload_rows(ctx, args[DIGITS_TRAIN_ARG_X], images, batch, x);
    upload_rows(ctx, args[DIGITS_TRAIN_ARG_Y], labels, batch, y);
    check(ctx, function->function(ctx, args), "step");
    float loss, scale;
    amp_rt_download(ctx, &loss, args[DIGITS_TRAIN_ARG_LOSS], sizeof(loss));
    amp_rt_download(ctx, &scale, args[DIGITS_TRAIN_ARG_LOSS_SCALE],
                    sizeof(scale));
    check(ctx, amp_rt_synchronize(ctx), "step");
    printf("%lld %.17g %.17g\n", (long long)step, loss, scale);
  }
  for (uint64_t i = 0; i < function->num_arguments; ++i)
    amp_rt_free(ctx, args[i]);
  amp_rt_context_destroy(ctx);
  free(args);
  free(order);
  return 0;
}
