//===- fixed_costs.cu - fixed costs of a GPU ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints one JSON object: the cost of a launch, of a kernel node in a CUDA graph, of a barrier over all blocks (the one
// that lowering/ptx/lower_grid_barrier.c makes) by number and size of blocks. Further costs are a block barrier's, and
// the bandwidth that reading and copying reach. Each figure is the least of several tries, but for the medians that are
// called so.
//
//   nvcc -O3 -arch=sm_90 fixed_costs.cu -o fixed_costs && ./fixed_costs [quick]
//
//===----------------------------------------------------------------------===//

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void check(cudaError_t result, const char *call, int line) {
  if (result == cudaSuccess)
    return;
  fprintf(stderr, "fixed_costs.cu:%d: %s: %s\n", line, call, cudaGetErrorString(result));
  exit(1);
}
#define CHECK(call) check((call), #call, __LINE__)

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

__global__ void emptyKernel() {}

__device__ void gridBarrier(unsigned *counter) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned amount = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u;
    __threadfence();
    unsigned before;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(amount) : "memory");
    unsigned pause = 32;
    for (;;) {
      unsigned now;
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
      if ((int)(before ^ now) < 0)
        break;
      __nanosleep(pause);
      pause = pause < 256 ? pause * 2 : 256;
    }
    __threadfence();
  }
  __syncthreads();
}

__global__ void gridBarriers(unsigned *counter, int count) {
  for (int i = 0; i < count; ++i)
    gridBarrier(counter);
}

__global__ void blockBarriers(int count) {
  for (int i = 0; i < count; ++i)
    __syncthreads();
}

/// The two halves of lowering/ptx/lower_cluster.c.
__global__ void clusterBarriers(int count) {
  for (int i = 0; i < count; ++i) {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  }
}

/// As kernels combine the partial sums of a block's threads. These are shuffles, a word of shared memory for each warp,
/// in turns in one of two places, a barrier, and every warp adds up the words.
__global__ void exchanges(int count, float *sink) {
  __shared__ float partial[2][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  float value = (float)threadIdx.x;
  for (int i = 0; i < count; ++i) {
    for (int distance = 16; distance > 0; distance /= 2)
      value += __shfl_xor_sync(~0u, value, distance);
    if (lane == 0)
      partial[i % 2][warp] = value;
    __syncthreads();
    value = lane < warps ? partial[i % 2][lane] : 0.0f;
    for (int distance = 16; distance > 0; distance /= 2)
      value += __shfl_xor_sync(~0u, value, distance);
    value *= 1e-3f;
  }
  if (value == 1.5f)
    *sink = value;
}

enum { LINE_WORDS = 32 };

/// Each line of 128 bytes names the next one: a permutation of all of them, `lines` being a power of two.
__global__ void makeChain(unsigned *chain, unsigned lines) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x)
    chain[(size_t)i * LINE_WORDS] = (i * 1664525u + 1013904223u) & (lines - 1);
}

/// Goes on from `*place`, so that no try finds the lines of the try before in the cache.
__global__ void followChain(const unsigned *chain, int steps, unsigned *place) {
  unsigned at = *place;
  for (int i = 0; i < steps; ++i)
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(&chain[(size_t)at * LINE_WORDS]) : "memory");
  *place = at;
}

/// Memory may treat a constant pattern in its own way: this has none.
__global__ void scramble(uint4 *data, size_t count) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
    unsigned x = (unsigned)i * 2654435761u + 12345u;
    data[i] = make_uint4(x ^ x >> 15, x * 2246822519u, (x ^ x >> 13) * 3266489917u, ~x * 668265263u);
  }
}

/// Four independent 16-byte loads a thread before the first use; consecutive blocks read consecutive memory. Of the
/// second-level cache, if `STAYS`; else of bytes that are not read again.
template <bool STAYS> static __device__ unsigned readTiles(const uint4 *data, size_t count) {
  unsigned sum = 0;
  size_t tile = (size_t)blockDim.x * 4;
  for (size_t base = blockIdx.x * tile; base + tile <= count; base += gridDim.x * tile) {
    uint4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const uint4 *place = &data[base + k * blockDim.x + threadIdx.x];
      v[k] = STAYS ? __ldcg(place) : __ldcs(place);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
      sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  }
  return sum;
}

__global__ void __launch_bounds__(512) readAll(const uint4 *data, size_t count, unsigned *sink) {
  unsigned sum = readTiles<false>(data, count);
  if (sum == 0x12345678u)
    *sink = sum;
}

/// The same bytes `passes` times: from the second-level cache, if they fit.
__global__ void __launch_bounds__(512) readAgain(const uint4 *data, size_t count, int passes, unsigned *sink) {
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass)
    sum += readTiles<true>(data, count);
  if (sum == 0x12345678u)
    *sink = sum;
}

__global__ void __launch_bounds__(512) copyAll(const uint4 *from, uint4 *to, size_t count) {
  size_t tile = (size_t)blockDim.x * 4;
  for (size_t base = blockIdx.x * tile; base + tile <= count; base += gridDim.x * tile) {
    uint4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      v[k] = __ldcs(&from[base + k * blockDim.x + threadIdx.x]);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      __stcs(&to[base + k * blockDim.x + threadIdx.x], v[k]);
  }
}

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

static cudaStream_t stream;
static cudaEvent_t begin, end;

/// Microseconds between two events around the work that `enqueue` puts on the stream: the least, or the median, of the
/// tries.
template <typename F> static double measure(F enqueue, int tries = 15, bool wantMedian = false) {
  std::vector<double> times;
  for (int i = 0; i < tries + 2; ++i) {
    CHECK(cudaEventRecord(begin, stream));
    enqueue();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (i >= 2) // the first ones load code
      times.push_back(ms * 1e3);
  }
  std::sort(times.begin(), times.end());
  return wantMedian ? times[times.size() / 2] : times[0];
}

/// A chain of `nodes` empty kernels; microseconds for a launch of the whole graph.
static double graphTime(int nodes) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < nodes; ++i)
    emptyKernel<<<132, 256, 0, stream>>>();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  double time = measure([&] { CHECK(cudaGraphLaunch(executable, stream)); });
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  return time;
}

static void launchCooperatively(const void *kernel, int blocks, int threads, void **arguments) {
  CHECK(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), arguments, 0, stream));
}

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

static void printLaunches() {
  enum { FEW = 100, MANY = 1100 };
  auto launches = [](int count) {
    return [count] {
      for (int i = 0; i < count; ++i)
        emptyKernel<<<132, 256, 0, stream>>>();
    };
  };
  auto cooperative = [](int count) {
    return [count] {
      for (int i = 0; i < count; ++i)
        launchCooperatively((const void *)emptyKernel, 132, 256, nullptr);
    };
  };
  printf("  \"launch_us\": %.4f,\n", (measure(launches(MANY), 7) - measure(launches(FEW), 7)) / (MANY - FEW));
  printf("  \"cooperative_launch_us\": %.4f,\n",
         (measure(cooperative(MANY), 7) - measure(cooperative(FEW), 7)) / (MANY - FEW));
  printf("  \"graph_node_us\": %.4f,\n", (graphTime(MANY) - graphTime(FEW)) / (MANY - FEW));
  printf("  \"graph_of_one_us\": %.4f,\n", graphTime(1));
  printf("  \"single_launch_us\": %.4f,\n", measure(launches(1), 50, true));
}

static void printBarriers(const cudaDeviceProp &device, bool quick) {
  enum { COUNT = 200 };
  unsigned *counter = nullptr;
  CHECK(cudaMalloc(&counter, sizeof(*counter)));
  CHECK(cudaMemset(counter, 0, sizeof(*counter)));
  printf("  \"grid_barrier_us\": [");
  bool first = true;
  for (int threads : {128, 256, 512, 1024}) {
    int perSM = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSM, gridBarriers, threads, 0));
    int sms = device.multiProcessorCount;
    std::vector<int> grids = {1, 2, 8, 32, sms / 2, sms, 2 * sms, 4 * sms, 8 * sms, 16 * sms};
    if (quick)
      grids = {1, sms, 2 * sms};
    for (int blocks : grids) {
      if (blocks < 1 || blocks > perSM * sms)
        continue;
      int counts[2] = {0, COUNT};
      double times[2];
      for (int i = 0; i < 2; ++i) {
        void *arguments[] = {&counter, &counts[i]};
        times[i] = measure([&] { launchCooperatively((const void *)gridBarriers, blocks, threads, arguments); });
      }
      printf("%s\n    {\"blocks\": %d, \"threads\": %d, \"us\": %.4f}", first ? "" : ",", blocks, threads,
             (times[1] - times[0]) / COUNT);
      first = false;
    }
  }
  printf("],\n");
  CHECK(cudaFree(counter));
}

/// Microseconds of one operation, of which `enqueue(n)` puts n into one kernel.
template <typename F> static double timeOfOne(F enqueue, int count) {
  double none = measure([&] { enqueue(0); });
  double many = measure([&] { enqueue(count); });
  return (many - none) / count;
}

static void printBlockBarriers() {
  float *sink = nullptr;
  CHECK(cudaMalloc(&sink, sizeof(*sink)));
  for (const char *figure : {"block_barrier_us", "block_exchange_us"}) {
    bool exchange = strcmp(figure, "block_exchange_us") == 0;
    printf("  \"%s\": {", figure);
    for (int threads : {128, 256, 512, 1024})
      printf("%s\"%d\": %.5f", threads == 128 ? "" : ", ", threads,
             timeOfOne(
                 [&](int count) {
                   if (exchange)
                     exchanges<<<1, threads, 0, stream>>>(count, sink);
                   else
                     blockBarriers<<<1, threads, 0, stream>>>(count);
                 },
                 10000));
    printf("},\n");
  }
  CHECK(cudaFree(sink));
}

static void launchClusters(int cluster, int blocks, int threads, int count) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, clusterBarriers, count));
}

/// Clusters that the device holds at once, of blocks that fill a multiprocessor each.
static void printClusterCapacity() {
  enum { HALF_AND_MORE = 120 << 10 };
  CHECK(cudaFuncSetAttribute(clusterBarriers, cudaFuncAttributeMaxDynamicSharedMemorySize, HALF_AND_MORE));
  CHECK(cudaFuncSetAttribute(clusterBarriers, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  printf("  \"clusters_at_once\": {");
  for (int cluster : {2, 4, 8, 16}) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(cluster);
    config.blockDim = dim3(512);
    config.dynamicSmemBytes = HALF_AND_MORE;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0;
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, clusterBarriers, &config));
    printf("%s\"%d\": %d", cluster == 2 ? "" : ", ", cluster, clusters);
  }
  printf("},\n");
}

/// Of one cluster alone, and of as many as have a block on about every multiprocessor.
static void printClusterBarriers(const cudaDeviceProp &device) {
  printf("  \"cluster_barrier_us\": [");
  bool first = true;
  for (int threads : {128, 256, 512, 1024})
    for (int cluster : {2, 4, 8})
      for (int clusters : {1, device.multiProcessorCount / cluster}) {
        double time = timeOfOne([&](int count) { launchClusters(cluster, cluster * clusters, threads, count); }, 1000);
        printf("%s\n    {\"cluster\": %d, \"clusters\": %d, \"threads\": %d, \"us\": %.4f}", first ? "" : ",", cluster,
               clusters, threads, time);
        first = false;
      }
  printf("],\n");
}

/// Of one load behind the other, nothing else being under way: from so many bytes, which are in the cache but for the
/// last.
static void printLatencies() {
  unsigned *chain = nullptr, *place = nullptr;
  size_t most = (size_t)512 << 20;
  CHECK(cudaMalloc(&chain, most));
  CHECK(cudaMalloc(&place, sizeof(*place)));
  printf("  \"load_us\": [");
  for (size_t bytes : {(size_t)1 << 20, (size_t)8 << 20, (size_t)16 << 20, (size_t)32 << 20, most}) {
    unsigned lines = (unsigned)(bytes / (LINE_WORDS * sizeof(*chain)));
    CHECK(cudaMemsetAsync(place, 0, sizeof(*place), stream));
    makeChain<<<1024, 256, 0, stream>>>(chain, lines);
    int steps = bytes == most ? 8000 : (int)std::min(lines, 40000u);
    double time = timeOfOne([&](int count) { followChain<<<1, 1, 0, stream>>>(chain, count, place); }, steps);
    printf("%s\n    {\"mib\": %zu, \"us\": %.4f}", bytes == (size_t)1 << 20 ? "" : ",", bytes >> 20, time);
  }
  printf("],\n");
  CHECK(cudaFree(place));
  CHECK(cudaFree(chain));
}

static void printBandwidth(const cudaDeviceProp &device, bool quick) {
  size_t bytes = (quick ? (size_t)1 : (size_t)4) << 30, count = bytes / sizeof(uint4);
  uint4 *from = nullptr, *to = nullptr;
  unsigned *sink = nullptr;
  CHECK(cudaMalloc(&from, bytes));
  CHECK(cudaMalloc(&to, bytes));
  CHECK(cudaMalloc(&sink, sizeof(*sink)));
  scramble<<<1024, 256, 0, stream>>>(from, count);
  scramble<<<1024, 256, 0, stream>>>(to, count);
  CHECK(cudaStreamSynchronize(stream));
  double read = 1e30, copy = 1e30;
  for (int perSM : {1, 2, 4, 8, 16, 64}) {
    int grid = perSM * device.multiProcessorCount;
    read = std::min(read, measure([&] { readAll<<<grid, 512, 0, stream>>>(from, count, sink); }, 8));
    copy = std::min(copy, measure([&] { copyAll<<<grid, 512, 0, stream>>>(from, to, count); }, 8));
  }
  double driver = measure([&] { CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream)); }, 8);
  printf("  \"cache_bytes_per_second\": {");
  for (int mib : {4, 8, 16, 24, 32, 40, 48}) {
    size_t part = ((size_t)mib << 20) / sizeof(uint4);
    int grid = 2 * device.multiProcessorCount;
    double again = timeOfOne([&](int passes) { readAgain<<<grid, 512, 0, stream>>>(from, part, passes, sink); }, 20);
    printf("%s\"%d\": %.6g", mib == 4 ? "" : ", ", mib, (double)part * sizeof(uint4) / (again * 1e-6));
  }
  // Each try reads another part of the data, so that nothing of it is cached.
  printf("},\n  \"read_us\": {");
  size_t place = 0;
  for (int kib = 256; kib <= 256 << 10; kib *= 2) {
    size_t part = ((size_t)kib << 10) / sizeof(uint4), tile = 512 * 4;
    int grid = (int)std::min<size_t>(4 * device.multiProcessorCount, (part + tile - 1) / tile);
    double time = measure(
        [&] {
          place =
              place + 2 * part + (64 << 20) / sizeof(uint4) <= count ? place + part + (64 << 20) / sizeof(uint4) : 0;
          readAll<<<grid, 512, 0, stream>>>(from + place, part, sink);
        },
        15, true);
    printf("%s\"%d\": %.4f", kib == 256 ? "" : ", ", kib, time);
  }
  printf("},\n  \"read_bytes_per_second\": %.6g,\n", bytes / (read * 1e-6));
  printf("  \"copy_bytes_per_second\": %.6g,\n", 2.0 * bytes / (std::min(copy, driver) * 1e-6));
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  CHECK(cudaFree(sink));
}

int main(int argc, char **argv) {
  bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  printf("{\n  \"name\": \"%s\", \"sms\": %d, \"l2_bytes\": %d,\n", device.name, device.multiProcessorCount,
         device.l2CacheSize);
  printf("  \"threads_per_sm\": %d, \"registers_per_sm\": %d, \"shared_per_sm\": %zu, \"shared_per_block\": %zu,\n",
         device.maxThreadsPerMultiProcessor, device.regsPerMultiprocessor, device.sharedMemPerMultiprocessor,
         device.sharedMemPerBlockOptin);
  printLaunches();
  printBarriers(device, quick);
  printBlockBarriers();
  if (device.major >= 9) {
    printClusterCapacity();
    printClusterBarriers(device);
  }
  printLatencies();
  printBandwidth(device, quick);
  printf("  \"arch\": %d\n}\n", device.major * 10 + device.minor);
  return 0;
}
