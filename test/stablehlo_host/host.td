//===- host.td - StableHLO as a compiler that has it registers it --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations are classes with properties, attributes classes with parameters, and their text is that which jaxlib's
// StableHLO prints in generic form. It has nothing of the dialect's reader (dialects/stablehlo) and no semantics.
//
//===----------------------------------------------------------------------===//

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Host : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::stablehlo_host";
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Host_Enum<string cpp, list<string> names>
    : I32EnumAttr<cpp # "Kind", "", !foreach(i, !range(0, !size(names)), I32EnumAttrCase<names[i], i>)> {
  let cppNamespace = "::stablehlo_host";
  let genSpecializedAttr = 0;
}
class Host_EnumAttr<EnumAttrInfo kind, string text> : EnumAttr<Host, kind, text> { let assemblyFormat = "$value"; }

def DirectionKind : Host_Enum<"Direction", ["EQ", "NE", "GE", "GT", "LE", "LT"]>;
def Direction : Host_EnumAttr<DirectionKind, "comparison_direction">;
def ComparisonKind : Host_Enum<"Comparison", ["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"]>;
def Comparison : Host_EnumAttr<ComparisonKind, "comparison_type">;
def PrecisionKind : Host_Enum<"Precision", ["DEFAULT", "HIGH", "HIGHEST"]>;
def Precision : Host_EnumAttr<PrecisionKind, "precision">;
def FftKind : Host_Enum<"Fft", ["FFT", "IFFT", "RFFT", "IRFFT"]>;
def Fft : Host_EnumAttr<FftKind, "fft_type">;

/// `<first = [0, 1], second = [], last = 1>`: lists, of which empty ones are not printed, and a number.
class Host_Lists<string cpp, string text, list<string> lists, list<string> numbers> : AttrDef<Host, cpp> {
  let mnemonic = text;
  let parameters = !con((ins ),
      !foldl((ins ), lists, all, name, !con(all, !dag(ins, [ArrayRefParameter<"int64_t">], [name]))),
      !foldl((ins ), numbers, all, name, !con(all, !dag(ins, ["int64_t"], [name]))));
  let hasCustomAssemblyFormat = 1;
}
def Dot : Host_Lists<"Dot", "dot", ["lhsBatch", "rhsBatch", "lhsContract", "rhsContract"], []>;
def Gather : Host_Lists<"Gather", "gather", ["offset", "collapsed", "operandBatching", "indicesBatching", "startIndexMap"], ["indexVectorDim"]>;
def Scatter : Host_Lists<"Scatter", "scatter", ["window", "inserted", "inputBatching", "indicesBatching", "toOperand"], ["indexVectorDim"]>;
def Alias : Host_Lists<"Alias", "output_operand_alias", ["outputs", "operands"], ["operand"]>;
def Conv : AttrDef<Host, "Conv"> {
  let mnemonic = "conv";
  let parameters = (ins StringRefParameter<>:$lhs, StringRefParameter<>:$rhs, StringRefParameter<>:$result);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

class Host_Op<string name, dag attributes = (ins ), int numRegions = 0, list<Trait> traits = []>
    : Op<Host, name, traits> {
  let arguments = !con((ins Variadic<AnyType>:$inputs), attributes);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = !cond(!eq(numRegions, 0): (region ), !eq(numRegions, 1): (region AnyRegion:$body),
                      true: (region AnyRegion:$first, AnyRegion:$second));
}

def AddOp : Host_Op<"add">;
def AndOp : Host_Op<"and">;
def BitcastConvertOp : Host_Op<"bitcast_convert">;
def ClampOp : Host_Op<"clamp">;
def ConvertOp : Host_Op<"convert">;
def DivideOp : Host_Op<"divide">;
def ExponentialOp : Host_Op<"exponential">;
def IsFiniteOp : Host_Op<"is_finite">;
def MaximumOp : Host_Op<"maximum">;
def MultiplyOp : Host_Op<"multiply">;
def OrOp : Host_Op<"or">;
def ReshapeOp : Host_Op<"reshape">;
def SelectOp : Host_Op<"select">;
def ShiftLeftOp : Host_Op<"shift_left">;
def ShiftRightLogicalOp : Host_Op<"shift_right_logical">;
def SubtractOp : Host_Op<"subtract">;
def XorOp : Host_Op<"xor">;
def ReturnOp : Host_Op<"return", (ins ), 0, [Terminator]>;

def BroadcastInDimOp : Host_Op<"broadcast_in_dim", (ins DenseI64ArrayAttr:$broadcast_dimensions)>;
def CompareOp : Host_Op<"compare", (ins Direction:$comparison_direction, OptionalAttr<Comparison>:$compare_type)>;
def ConcatenateOp : Host_Op<"concatenate", (ins I64Attr:$dimension)>;
def ConstantOp : Host_Op<"constant", (ins ElementsAttr:$value)>;
def ConvolutionOp : Host_Op<"convolution", (ins OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation, OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal, Conv:$dimension_numbers, I64Attr:$feature_group_count, I64Attr:$batch_group_count,
    OptionalAttr<TypedArrayAttrBase<Precision, "">>:$precision_config)>;
def CustomCallOp : Host_Op<"custom_call", (ins StrAttr:$call_target_name, OptionalAttr<BoolAttr>:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config, OptionalAttr<I32Attr>:$api_version,
    OptionalAttr<ArrayAttr>:$called_computations, OptionalAttr<ArrayAttr>:$operand_layouts, OptionalAttr<ArrayAttr>:$result_layouts,
    OptionalAttr<TypedArrayAttrBase<Alias, "">>:$output_operand_aliases)>;
def DotGeneralOp : Host_Op<"dot_general", (ins Dot:$dot_dimension_numbers, OptionalAttr<TypedArrayAttrBase<Precision, "">>:$precision_config)>;
def DynamicSliceOp : Host_Op<"dynamic_slice", (ins DenseI64ArrayAttr:$slice_sizes)>;
def FftOp : Host_Op<"fft", (ins Fft:$fft_type, DenseI64ArrayAttr:$fft_length)>;
def GatherOp : Host_Op<"gather", (ins Gather:$dimension_numbers, DenseI64ArrayAttr:$slice_sizes, OptionalAttr<BoolAttr>:$indices_are_sorted)>;
def IotaOp : Host_Op<"iota", (ins I64Attr:$iota_dimension)>;
def PadOp : Host_Op<"pad", (ins DenseI64ArrayAttr:$edge_padding_low, DenseI64ArrayAttr:$edge_padding_high, DenseI64ArrayAttr:$interior_padding)>;
def ReduceOp : Host_Op<"reduce", (ins DenseI64ArrayAttr:$dimensions), 1>;
def ReducePrecisionOp : Host_Op<"reduce_precision", (ins I32Attr:$exponent_bits, I32Attr:$mantissa_bits)>;
def ReduceWindowOp : Host_Op<"reduce_window", (ins DenseI64ArrayAttr:$window_dimensions, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$base_dilations, OptionalAttr<DenseI64ArrayAttr>:$window_dilations, OptionalAttr<I64ElementsAttr>:$padding), 1>;
def ReverseOp : Host_Op<"reverse", (ins DenseI64ArrayAttr:$dimensions)>;
def ScatterOp : Host_Op<"scatter", (ins Scatter:$scatter_dimension_numbers, OptionalAttr<BoolAttr>:$indices_are_sorted,
    OptionalAttr<BoolAttr>:$unique_indices), 1>;
def SliceOp : Host_Op<"slice", (ins DenseI64ArrayAttr:$start_indices, DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides)>;
def SortOp : Host_Op<"sort", (ins OptionalAttr<I64Attr>:$dimension, OptionalAttr<BoolAttr>:$is_stable), 1>;
def TransposeOp : Host_Op<"transpose", (ins DenseI64ArrayAttr:$permutation)>;
def WhileOp : Host_Op<"while", (ins ), 2>;
