//===- stitch.td - the plan: fusions, library calls, plan attributes ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_STITCH_TD
#define STITCH_STITCH_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Stitch_Dialect : Dialect {
  let name = "stitch";
  let cppNamespace = "::stitch";
  let summary = "The plan: which operations share a kernel, and how";
  let description = [{
    A `stitch.fusion` holds the `tg` operations that become one kernel; a `stitch.library_call` holds those that a
    vendor library computes. What the planning passes decide is written as attributes:

    | attribute        | on                     | value              | written by              |
    |------------------|------------------------|--------------------|-------------------------|
    | `stitch.device`  | `builtin.module`       | `#stitch.device`   | the user                |
    | `stitch.group`   | ops in a fusion        | `i64`              | `stitch-dominants`      |
    | `stitch.role`    | ops in a fusion        | `#stitch.role`     | `stitch-dominants`      |
    | `stitch.by_operand` | roots               | unit               | `stitch-dominants`      |
    | `stitch.mapping` | roots                  | `#stitch.mapping`, `#stitch.axes` | `stitch-thread-mapping`, `stitch-tiles`, `stitch-axes` |
    | `stitch.stacked` | roots                  | unit               | `stitch-thread-mapping` |
    | `stitch.transposed` | roots               | unit               | `stitch-tiles`          |
    | `stitch.scheme`  | ops in a fusion        | `#stitch.scheme`   | `stitch-schemes`        |
    | `stitch.schedule`| `stitch.fusion`        | `#stitch.schedule` | `stitch-schedule`      |
    | `stitch.task`    | roots                  | `#stitch.task`     | `stitch-schedule`       |
    | `stitch.buffer`  | regional and global ops| `#stitch.buffer`   | `stitch-buffers`        |
    | `stitch.bf16_parts` | products of a gradient | unit            | `stitch-online-softmax` |
    | `stitch.launch`  | `stitch.fusion`, kernel operations | `#stitch.launch` | `stitch-launch` |
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Whether passes explain their decisions in this context (stitch-opt: --stitch-remarks).
    bool remarksEnabled() const { return remarks; }
    void enableRemarks(bool enable) { remarks = enable; }
    /// Times of kernels that were planned in this context (capi/kernel_times.h).
    KernelTimes &kernelTimes() { return times; }

  private:
    bool remarks = false;
    KernelTimes times;
    void registerAttributes();
  public:
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Stitch_Attr<string name, string attrMnemonic> : AttrDef<Stitch_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Stitch_DeviceAttr : Stitch_Attr<"Device", "device"> {
  let summary = "A GPU, as far as planning needs to know it";
  let description = [{
    A preset with any figure overridden: `#stitch.device<h200>`, `#stitch.device<h200, sms = 66>`. The presets and the
    source of each figure are in `dialects/stitch/devices.def`.
  }];
  let parameters = (ins
    StringRefParameter<"preset that the figures start from">:$preset,
    "int64_t":$arch,               // compute capability times ten: 90 for sm_90
    "int64_t":$sms,                // streaming multiprocessors
    "int64_t":$threads_per_sm,
    "int64_t":$blocks_per_sm,
    "int64_t":$registers_per_sm,   // 32-bit registers
    "int64_t":$shared_per_sm,      // bytes that blocks on an SM can have together
    "int64_t":$shared_per_block,   // bytes, the opt-in limit
    "int64_t":$l2_bytes,
    "int64_t":$bandwidth_gbps,     // DRAM, 1e9 bytes/s
    "int64_t":$launch_ns,          // one kernel as a node of a CUDA graph
    "int64_t":$barrier_ns,         // one grid barrier over one block an SM
    "int64_t":$cluster_blocks,     // most blocks of a cluster; 1: the device has no clusters
    "int64_t":$gpc_sms,            // multiprocessors over which the blocks of a cluster can be spread
    "int64_t":$cluster_barrier_ns, // one barrier over the blocks of a cluster
    "int64_t":$clock_mhz,          // of the multiprocessors
    "int64_t":$product_warps,      // warps that multiply matrices together: 4 with wgmma (code for sm_90a), else 1
    "int64_t":$link_gbps,          // between the GPUs of a machine, each way and for each GPU, 1e9 bytes/s
    "int64_t":$link_ns,            // a step of a call between these
    "int64_t":$machine_gpus,       // GPUs of a machine
    "int64_t":$network_gbps,       // between machines, each way and for each GPU
    "int64_t":$network_ns,         // a step of a call between these
    "int64_t":$call_ns);           // a call between processes, however few they are and however little it moves
  let hasCustomAssemblyFormat = 1;
}

class Stitch_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::stitch";
}

def Stitch_Role : Stitch_Enum<"Role", "what an operation is within its group", [
    I32EnumAttrCase<"member", 0>,
    I32EnumAttrCase<"dominant", 1>,
    I32EnumAttrCase<"sub_dominant", 2>]>;
def Stitch_RoleAttr : EnumAttr<Stitch_Dialect, Stitch_Role, "role"> {
  let assemblyFormat = "`<` $value `>`";
}

def Stitch_Scheme : Stitch_Enum<"Scheme", "how an operation's value reaches its users (AStitch table 1)", [
    I32EnumAttrCase<"independent", 0>,
    I32EnumAttrCase<"local", 1>,
    I32EnumAttrCase<"regional", 2>,
    I32EnumAttrCase<"global", 3>]>;
def Stitch_SchemeAttr : EnumAttr<Stitch_Dialect, Stitch_Scheme, "scheme"> {
  let assemblyFormat = "`<` $value `>`";
}

def Stitch_MappingKind : Stitch_Enum<"MappingKind", "which way threads walk the iteration space", [
    I32EnumAttrCase<"flat", 0>,
    I32EnumAttrCase<"row", 1>,
    I32EnumAttrCase<"column", 2>,
    I32EnumAttrCase<"carried", 3>,
    I32EnumAttrCase<"tile", 4>,
    I32EnumAttrCase<"kept", 5>,
    I32EnumAttrCase<"axes", 6>]>;

def Stitch_MappingAttr : Stitch_Attr<"Mapping", "mapping"> {
  let summary = "Which elements each thread handles";
  let description = [{
    The iteration space of a group is `rows` x `columns`. A *task* is what a block handles at once; blocks loop over
    tasks (vertical packing). A row that is too long for a block is handled by a `cluster` of blocks together. Rows that
    do not begin at places that are aligned to vectors are read by vectors that do, in runs of `run` elements. What
    a carried reduce has so far is in registers, or in shared memory (`sums_in_shared`). The only task of a `replicated`
    row mapping is computed by every block of the grid, which then has all values of its roots.
    `docs/ir.md` says exactly which elements a thread handles for each kind.

    `#stitch.mapping<row, rows = 750000, columns = 32, block_rows = 32, row_threads = 32, vector = 1, unroll = 1,
    split = 1>`
  }];
  let parameters = (ins
    EnumParameter<Stitch_MappingKind>:$kind,
    "int64_t":$rows,
    "int64_t":$columns,
    "int64_t":$block_rows,
    "int64_t":$row_threads,
    "int64_t":$vector,
    "int64_t":$unroll,
    "int64_t":$split,
    DefaultValuedParameter<"int64_t", "1">:$cluster,
    DefaultValuedParameter<"int64_t", "0">:$run,
    DefaultValuedParameter<"bool", "false">:$sums_in_shared,
    DefaultValuedParameter<"bool", "false">:$replicated);
  let assemblyFormat = [{
    `<` $kind `,` `rows` `=` $rows `,` `columns` `=` $columns `,` `block_rows` `=` $block_rows `,`
    `row_threads` `=` $row_threads `,` `vector` `=` $vector `,` `unroll` `=` $unroll `,` `split` `=` $split
    `` custom<MappingParts>($cluster, $run, $sums_in_shared, $replicated) `>`
  }];
  let genVerifyDecl = 1;
}

def Stitch_AxesAttr : Stitch_Attr<"Axes", "axes"> {
  let summary = "Which elements each thread handles, in a task loop of several axes";
  let description = [{
    A task loop has an iteration space of axes. `of` their sizes, each is dealt out to tasks of the grid, to the blocks of
    a `cluster`, to `warps` and `lanes`; of what is left a thread has `unroll` vectors of `vector` elements. A root's
    elements, in row-major order, are made of the axes that come first. A reduce goes through its operand's elements; the
    axes that it reduces are in one task: lanes are combined by shuffles, warps through shared memory, blocks of a
    cluster through distributed shared memory (`docs/ir.md` says which elements a thread
    has).

    `#stitch.axes<[0, 1, 2] of [4096, 32, 128], cluster = [1, 1, 1], unroll = [1, 4, 1], warps = [1, 8, 1],
    lanes = [1, 1, 32], vector = [1, 1, 4]>`
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$dims,
    ArrayRefParameter<"int64_t">:$sizes,
    ArrayRefParameter<"int64_t">:$cluster,
    ArrayRefParameter<"int64_t">:$unroll,
    ArrayRefParameter<"int64_t">:$warps,
    ArrayRefParameter<"int64_t">:$lanes,
    ArrayRefParameter<"int64_t">:$vector);
  let assemblyFormat = [{
    `<` `[` (`]`) : ($dims^ `]`)? ` ` `of` ` ` `[` $sizes `]` `,` `cluster` `=` `[` $cluster `]` `,` `unroll` `=` `[` $unroll `]` `,`
    `warps` `=` `[` $warps `]` `,` `lanes` `=` `[` $lanes `]` `,` `vector` `=` `[` $vector `]` `>`
  }];
  let genVerifyDecl = 1;
}

def Stitch_LoopAttr : Stitch_Attr<"Loop", "loop"> {
  let summary = "A task loop of a kernel";
  let description = [{
    Blocks work off the tasks of the `mapping` (a `#stitch.mapping`, whose name may be left out, or a `#stitch.axes`) in a
    `phase`: its roots are those whose `#stitch.task` names the loop. What threads have read and computed of the tasks of
    loop number `kept_from`, of an earlier phase, is still in registers.
    `#stitch.loop<phase = 0, mapping = <row, rows = 64, columns = 32, block_rows = 8, row_threads = 32, vector = 1,
    unroll = 1, split = 1>>`
  }];
  let parameters = (ins
    "int64_t":$phase,
    "::mlir::Attribute":$mapping,
    DefaultValuedParameter<"int64_t", "-1">:$kept_from);
  let assemblyFormat = [{
    `<` `phase` `=` $phase `,` `mapping` `=` custom<LoopMapping>($mapping) (`,` `kept_from` `=` $kept_from^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Stitch_ScheduleAttr : Stitch_Attr<"Schedule", "schedule"> {
  let summary = "What a kernel does: its task loops, phase by phase";
  let description = [{
    The loops of a phase do not depend on each other; between two phases all blocks wait at a grid barrier. Phases are
    numbered from 0 and in order. `docs/ir.md`, "Schedule", says what belongs to a phase, a loop and a stage.
    `#stitch.schedule<[<phase = 0, mapping = <row, ...>>, <phase = 1, mapping = <flat, ...>>]>`
  }];
  let parameters = (ins ArrayRefParameter<"LoopAttr">:$loops);
  let assemblyFormat = "`<` `[` $loops `]` `>`";
  let genVerifyDecl = 1;
}

def Stitch_TaskAttr : Stitch_Attr<"Task", "task"> {
  let summary = "Where in a kernel's schedule a root is computed";
  let description = [{
    In the tasks of loop number `loop` of the fusion's `#stitch.schedule`, in the pass number `stage` over the task's
    elements. `until` is the last phase in which its value is read (not written: its own, or none), `finished_in` the
    loop that combines and stores its partial results (not written: none).
    `#stitch.task<loop = 0, stage = 0, until = 1, finished_in = 2>`
  }];
  let parameters = (ins
    "int64_t":$loop,
    "int64_t":$stage,
    DefaultValuedParameter<"int64_t", "-1">:$until,
    DefaultValuedParameter<"int64_t", "-1">:$finished_in);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Stitch_BufferSpace : Stitch_Enum<"BufferSpace", "where a buffer lives", [
    I32EnumAttrCase<"shared", 0>,
    I32EnumAttrCase<"scratch", 1>]>;

def Stitch_BufferAttr : Stitch_Attr<"Buffer", "buffer"> {
  let summary = "The memory that holds a value between its group and its users";
  let description = [{
    `offset` and `size` are bytes: from the start of the block's shared memory or of the kernel's scratch memory.
    `#stitch.buffer<shared, offset = 0, size = 512>`
  }];
  let parameters = (ins
    EnumParameter<Stitch_BufferSpace>:$space,
    "int64_t":$offset,
    "int64_t":$size);
  let assemblyFormat = "`<` $space `,` `offset` `=` $offset `,` `size` `=` $size `>`";
  let genVerifyDecl = 1;
}

def Stitch_PrefetchAttr : Stitch_Attr<"Prefetch", "prefetch"> {
  let summary = "What a kernel asks for before it waits";
  let description = [{
    Before the wait in front of a `phase` (a grid barrier; of phase 0, the wait for the kernels before this one) the
    blocks ask for `bytes` bytes of an input, from byte `offset` on, to be brought to the second-level cache: memory
    works while they wait. All are multiples of 16.
    `#stitch.prefetch<phase = 1, input = 0, offset = 0, bytes = 1048576>`
  }];
  let parameters = (ins
    "int64_t":$phase,
    "int64_t":$input,
    "int64_t":$offset,
    "int64_t":$bytes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Stitch_ProductKind : Stitch_Enum<"ProductKind", "how a kernel multiplies matrices", [
    I32EnumAttrCase<"fma", 0>,
    I32EnumAttrCase<"mma", 1>,
    I32EnumAttrCase<"wgmma", 2>]>;

def Stitch_AttentionAttr : Stitch_Attr<"Attention", "attention"> {
  let summary = "How a kernel computes a softmax between two products, or products of a softmax's gradient";
  let description = [{
    A block has `rows` rows of one batch, 16 for each of its warps, and goes through the keys by tiles of `keys`. All
    products are done by multiply-adds of each thread (`fma`), by the tensor cores for each warp (`mma`), or for each
    warpgroup, four warps with 64 rows, which read tiles from shared memory (`wgmma`). With two `buffers` a tile is
    on its way to shared memory while the one before it is computed with. With `gradient` the body is of the second kind
    (docs/ir.md, section 2).
    `#stitch.attention<fma, rows = 64, keys = 32>`
  }];
  let parameters = (ins
    EnumParameter<Stitch_ProductKind>:$product,
    "int64_t":$rows,
    "int64_t":$keys,
    DefaultValuedParameter<"int64_t", "1">:$buffers,
    DefaultValuedParameter<"bool", "false">:$gradient);
  let assemblyFormat = "`<` $product `,` struct($rows, $keys, $buffers, $gradient) `>`";
  let genVerifyDecl = 1;
}

def Stitch_SkinnyAttr : Stitch_Attr<"Skinny", "skinny"> {
  let summary = "How a kernel multiplies a few rows by large matrices on the tensor cores";
  let description = [{
    A block has `8 * columns` columns of the result, of each product in the body, and `warps` warps, which share the
    contracted elements. In a step a lane has `depth` contracted elements in a row of each of its `columns` columns;
    the loads of `unroll` steps are under way together (docs/ir.md, "Skinny products").
    `#stitch.skinny<columns = 8, depth = 4, warps = 8, unroll = 2>`
  }];
  let parameters = (ins
    "int64_t":$columns,
    "int64_t":$depth,
    "int64_t":$warps,
    "int64_t":$unroll);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Stitch_LaunchAttr : Stitch_Attr<"Launch", "launch"> {
  let summary = "How a fusion's kernel is launched";
  let description = [{
    `registers` is the bound for each thread, `shared` and `scratch` are bytes (for a block, for the grid),
    `barriers` the number of grid barriers: more than none makes the launch cooperative. Blocks come in clusters of
    `cluster`, which divides `grid`.
    `#stitch.launch<grid = 132, block = 256, registers = 64, shared = 4096, scratch = 0, barriers = 0>`
  }];
  let parameters = (ins
    "int64_t":$grid,
    "int64_t":$block,
    "int64_t":$registers,
    "int64_t":$shared,
    "int64_t":$scratch,
    "int64_t":$barriers,
    DefaultValuedParameter<"int64_t", "1">:$cluster);
  let assemblyFormat = [{
    `<` `grid` `=` $grid `,` `block` `=` $block `,` `registers` `=` $registers `,` `shared` `=` $shared `,`
    `scratch` `=` $scratch `,` `barriers` `=` $barriers (`,` `cluster` `=` $cluster^)? `>`
  }];
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

class Stitch_Op<string mnemonic, list<Trait> traits = []> : Op<Stitch_Dialect, mnemonic, traits>;

class Stitch_RegionOp<string mnemonic>
    : Stitch_Op<mnemonic, [Pure, IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Stitch_FusionOp : Stitch_RegionOp<"fusion"> {
  let summary = "Operations that become one kernel (AStitch's stitch op)";
  let description = [{
    ```mlir
    %0 = stitch.fusion(%a = %arg0, %b = %arg1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
      %1 = tg.add %a, %b : tensor<8xf32>
      stitch.yield %1 : tensor<8xf32>
    }
    ```
  }];
}

def Stitch_LibraryCallOp : Stitch_RegionOp<"library_call"> {
  let summary = "A dot or convolution, with its epilogue, that a vendor library computes";
  let description = [{
    ```mlir
    %0 = stitch.library_call(%a = %arg0, %b = %arg1) : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32> {
      %1 = tg.dot %a, %b contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
      stitch.yield %1 : tensor<8x2xf32>
    }
    ```
  }];
}

def Stitch_AdaptiveOp : Stitch_Op<"adaptive", [RecursiveMemoryEffects, NoRegionArguments,
                                               SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "One of several versions, which the runtime chooses by measuring them (Astra's adaptive variable)";
  let description = [{
    Each region is a version: it reads values of its surroundings and computes the same results. The first one is what
    runs as long as nothing is known. `variable` names the choice: operations of the same name take the same version.

    ```mlir
    %0:2 = stitch.adaptive "products_0" ["apart", "all"] : tensor<8x2xf32>, tensor<8x2xf32> {
      stitch.yield %x, %y : tensor<8x2xf32>, tensor<8x2xf32>
    }, {
      stitch.yield %z, %w : tensor<8x2xf32>, tensor<8x2xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$variable, StrArrayAttr:$versions);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region VariadicRegion<SizedRegion<1>>:$regions);
  let assemblyFormat = "$variable $versions attr-dict-with-keyword `:` type($outputs) $regions";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stitch_ChooseOp : Stitch_Op<"choose"> {
  let summary = "The version of an adaptive variable that the runtime wants; what differs begins here";
  let description = [{
    In host code: a number of its `stitch.variables`. What is measured ends with `stitch.chosen`.

    ```mlir
    %0 = stitch.choose "products_0"
    stitch.chosen "products_0"
    ```
  }];
  let arguments = (ins StrAttr:$variable);
  let results = (outs Index:$version);
  let assemblyFormat = "$variable attr-dict";
}

def Stitch_ChosenOp : Stitch_Op<"chosen"> {
  let summary = "What differs between the versions of an adaptive variable ends here";
  let description = [{
    ```mlir
    stitch.chosen "products_0"
    ```
  }];
  let arguments = (ins StrAttr:$variable);
  let assemblyFormat = "$variable attr-dict";
}

def Stitch_StepOp : Stitch_Op<"step"> {
  let summary = "A step that may run beside others begins here";
  let description = [{
    In host code: what comes up to the next `stitch.step` or `stitch.join` runs on the stream that `on` has for the
    version of `variable`, or on `stream` (without them on the first one), after the steps `after` and all that was joined before. Steps
    are numbered in their order; those of different `super_epoch`s have a `stitch.join` between them.

    ```mlir
    stitch.step 3 super_epoch 0 on "streams_0" [0, 1] after [0, 2]
    stitch.step 4 super_epoch 0 stream 1 after [3]
    stitch.join
    ```
  }];
  let arguments = (ins I64Attr:$number, I64Attr:$super_epoch, OptionalAttr<StrAttr>:$variable,
                   OptionalAttr<DenseI64ArrayAttr>:$on, OptionalAttr<I64Attr>:$stream, DenseI64ArrayAttr:$after);
  let assemblyFormat =
      "$number `super_epoch` $super_epoch (`on` $variable^ $on)? (`stream` $stream^)? `after` $after attr-dict";
}

def Stitch_JoinOp : Stitch_Op<"join"> {
  let summary = "What follows runs on the first stream, after all steps";
  let description = [{
    ```mlir
    stitch.join
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Stitch_YieldOp : Stitch_Op<"yield", [Pure, Terminator, ParentOneOf<["FusionOp", "LibraryCallOp", "AdaptiveOp"]>]> {
  let summary = "Ends a fusion, a library call or a version, and names its results";
  let description = [{
    ```mlir
    %0 = stitch.fusion(%a = %arg0) : (tensor<8xf32>) -> tensor<8xf32> {
      stitch.yield %a : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
}

def Stitch_GridBarrierOp : Stitch_Op<"grid_barrier"> {
  let summary = "All threads of the grid arrive before any leaves";
  let description = [{
    `counter` is one zero-initialised word of global memory that belongs to the kernel; it is zero or has its sign bit
    alone flipped when the barrier is left, so the kernel can be launched again without clearing it. Memory written
    before the barrier is visible after it in the whole grid. Every thread of every block must reach it.

    `blocks` is there where the grid is one block or one cluster, of so many blocks: the barrier is then that of the
    block, or of the cluster, which makes global memory visible as well.

    ```mlir
    stitch.grid_barrier %counter : memref<1xi32>
    stitch.grid_barrier %counter {blocks = 8 : i64} : memref<1xi32>
    ```
  }];
  let arguments = (ins MemRefRankOf<[I32], [1]>:$counter, OptionalAttr<I64Attr>:$blocks);
  let assemblyFormat = "$counter attr-dict `:` type($counter)";
}

def Stitch_PrefetchOp : Stitch_Op<"prefetch"> {
  let summary = "The blocks of the grid bring a part of global memory to the second-level cache";
  let description = [{
    `bytes` bytes from byte `offset` on, in one piece for each thread of the first warp of each of `grid` blocks. It is
    a hint: nothing waits for it, and nothing depends on it. With `ahead` it comes before the kernel waits for those
    launched before it.

    ```mlir
    stitch.prefetch %weights {offset = 0 : i64, bytes = 1048576 : i64, grid = 132 : i64} : memref<524288xbf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$memory, I64Attr:$offset, I64Attr:$bytes, I64Attr:$grid, UnitAttr:$ahead);
  let assemblyFormat = "$memory attr-dict `:` type($memory)";
}

def Stitch_BlockAnyOp : Stitch_Op<"block_any"> {
  let summary = "A barrier of the block, and whether something holds for any of its threads";
  let description = [{
    All threads of the block arrive before any leaves, as at a `gpu.barrier`. The result is the same in all of them: true
    if `value` is in any.

    ```mlir
    %1 = stitch.block_any %0 : i1
    ```
  }];
  let arguments = (ins I1:$value);
  let results = (outs I1:$any);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Stitch_WarpgroupProductOp : Stitch_Op<"warpgroup_product", [AttrSizedOperandSegments]> {
  let summary = "The product of two matrices by a warpgroup: 64 rows, 16 for each of its four warps";
  let description = [{
    Adds A * B to `sums`, or to zeros if there are none. `sums` and the results are what the thread has of C, one
    `vector<2x2xf32>` for each 8 columns (PTX ISA, "Matrix Fragments for mma.m16n8k16"). `depth` elements are
    contracted. A is in `lhs` in shared memory, from row `lhs_row` on, or in `fragments`: one `vector<4x2xT>` for each 16
    elements of `depth`. B is in `rhs` in shared memory, a row for each column of B, or, with `transposed`, a row for
    each element of `depth`.

    Matrices in shared memory begin at multiples of 1024 bytes and are swizzled: panels of 64 columns one behind the
    other, in a panel rows of 128 bytes, whose 16 bytes number c are at c xor (row mod 8). `lhs_rows` and `rhs_rows` are
    the rows of a panel.

    The four warps of a warpgroup, whose first has a number that is a multiple of 4, reach it together.

    ```mlir
    %0:2 = "stitch.warpgroup_product"(%q, %row, %k) {operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>, depth = 64 : i64,
        lhs_rows = 64 : i64, rhs_rows = 16 : i64} : (memref<4096xbf16, #gpu.address_space<workgroup>>, index,
        memref<1024xbf16, #gpu.address_space<workgroup>>) -> (vector<2x2xf32>, vector<2x2xf32>)
    ```
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$fragments, Variadic<AnyMemRef>:$lhs, Variadic<Index>:$lhs_row,
    AnyMemRef:$rhs, Variadic<AnyVectorOfNonZeroRank>:$sums,
    I64Attr:$depth, I64Attr:$lhs_rows, I64Attr:$rhs_rows, UnitAttr:$transposed);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let hasVerifier = 1;
}

def Stitch_WarpgroupAnyOp : Stitch_Op<"warpgroup_any", [Pure]> {
  let summary = "Whether something holds for any warp that multiplies together with this one";
  let description = [{
    `value` is the same in all threads of a warp. With wgmma the result is true if it is so in any warp of the warpgroup;
    without, it is `value`: then warps multiply alone, and may do so in different branches.

    ```mlir
    %1 = stitch.warpgroup_any %0 : i1
    ```
  }];
  let arguments = (ins I1:$value);
  let results = (outs I1:$any);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Stitch_ClusterBarrierOp : Stitch_Op<"cluster_barrier"> {
  let summary = "All threads of the cluster arrive before any leaves";
  let description = [{
    Shared memory written before the barrier, and what its threads wrote to memory, is visible after it in all blocks of
    the cluster. Every thread of every block of the cluster must reach it.

    ```mlir
    stitch.cluster_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Stitch_ClusterMemoryOp : Stitch_Op<"cluster_memory", [Pure]> {
  let summary = "The dynamic shared memory of another block of the cluster";
  let description = [{
    `shared` is the block's own dynamic shared memory, `block` a block's number in the cluster. The other block must have
    begun and must not end before the memory has been used: a `stitch.cluster_barrier` lies between.

    ```mlir
    %1 = stitch.cluster_memory %shared, %block : memref<?xi8, #gpu.address_space<workgroup>> -> memref<?xi8, 7>
    ```
  }];
  let arguments = (ins MemRefRankOf<[I8], [1]>:$shared, Index:$block);
  let results = (outs MemRefRankOf<[I8], [1]>:$memory);
  let assemblyFormat = "$shared `,` $block attr-dict `:` type($shared) `->` type($memory)";
}

#endif // STITCH_STITCH_TD
