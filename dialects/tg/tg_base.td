//===- tg_base.td - dialect, types, enumerations ---------*- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_BASE_TD
#define STITCH_TG_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TG_Dialect : Dialect {
  let name = "tg";
  let cppNamespace = "::tg";
  let summary = "Machine-learning graphs of tensor operations with value semantics";
  let description = [{
    Operations on ranked tensors with the meaning of their StableHLO counterparts: value semantics, no implicit
    broadcast, no implicit conversion of types. Element types are f64, f32, f16, bf16, the 8-bit floats, i1 (a
    predicate), i2 to i64 (signed), ui2 to ui64, and complex of f32 or f64. A dimension may be dynamic where an
    operand determines it.
  }];
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class TG_TensorOf<string predicate, string summary>
    : Type<CPred<"::tg::" # predicate # "($_self)">, "ranked tensor of " # summary, "::mlir::RankedTensorType">;

def TG_Tensor : TG_TensorOf<"isTensor", "a supported element type">;
def TG_Number : TG_TensorOf<"isNumberTensor", "integers, floats or complex numbers">;
def TG_Real : TG_TensorOf<"isRealTensor", "integers or floats">;
def TG_Float : TG_TensorOf<"isFloatTensor", "floats">;
def TG_FloatOrComplex : TG_TensorOf<"isFloatOrComplexTensor", "floats or complex numbers">;
def TG_Integer : TG_TensorOf<"isIntegerTensor", "integers">;
def TG_Bits : TG_TensorOf<"isBitsTensor", "integers or predicates">;
def TG_Ordered : TG_TensorOf<"isOrderedTensor", "integers, floats or predicates">;
def TG_Predicate : TG_TensorOf<"isPredicateTensor", "i1">;
def TG_Index : TG_TensorOf<"isIndexTensor", "integers that are indices">;
def TG_ScalarIndex : TG_TensorOf<"isScalarIndexTensor", "one integer (rank 0)">;
def TG_ScalarPredicate : TG_TensorOf<"isScalarPredicateTensor", "one i1 (rank 0)">;

//===----------------------------------------------------------------------===//
// Enumerations: i32 attributes, printed as keywords
//===----------------------------------------------------------------------===//

class TG_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tg";
}

def TG_Direction : TG_Enum<"Direction", "comparison", [
    I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>, I32EnumAttrCase<"le", 3>,
    I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]>;

def TG_Kind : TG_Enum<"Kind", "what combines two elements", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>, I32EnumAttrCase<"min", 2>, I32EnumAttrCase<"max", 3>,
    I32EnumAttrCase<"and_", 4, "and">, I32EnumAttrCase<"or_", 5, "or">, I32EnumAttrCase<"xor_", 6, "xor">]>;

def TG_UpdateKind : TG_Enum<"UpdateKind", "what an update does to an element", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>, I32EnumAttrCase<"min", 2>, I32EnumAttrCase<"max", 3>,
    I32EnumAttrCase<"and_", 4, "and">, I32EnumAttrCase<"or_", 5, "or">, I32EnumAttrCase<"xor_", 6, "xor">,
    I32EnumAttrCase<"replace", 7>]>;

def TG_Distribution : TG_Enum<"Distribution", "distribution of random numbers", [
    I32EnumAttrCase<"uniform", 0>, I32EnumAttrCase<"normal", 1>]>;

def TG_RngAlgorithm : TG_Enum<"RngAlgorithm", "algorithm that makes random bits", [
    I32EnumAttrCase<"any", 0>, I32EnumAttrCase<"three_fry", 1>, I32EnumAttrCase<"philox", 2>]>;

//===----------------------------------------------------------------------===//
// Traits and op classes
//===----------------------------------------------------------------------===//

class TG_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::tg";
}

// Traits of ours whose errors name the difference better than MLIR's; they are listed before the latter, which parsing
// needs.

// All operands (and results) have one type. Dimensions that are dynamic on one side only are refused, so that one printed
// type stands for all.
def TG_SameOperands : TraitList<[TG_Trait<"SameOperandTypes">, SameTypeOperands]>;
def TG_SameType : TraitList<[TG_Trait<"SameTypes">, SameOperandsAndResultType]>;

// The operand and the result have one shape.
def TG_SameShape : TG_Trait<"SameShape">;

// The result types follow from the operands and attributes.
def TG_InferType : TraitList<[TG_Trait<"InferredTypes">, InferTypeOpAdaptor]>;

// Tells the parser that types are equal; the verifier of the operation checks it.
class TG_TypesMatch<list<string> names> : AllTypesMatch<names> {
  let predicate = CPred<"true">;
}

// A list of dimensions or sizes that is empty unless given.
def TG_DimsOrNone : DefaultValuedAttr<DenseI64ArrayAttr, "{}">;

class TG_Op<string mnemonic, list<Trait> traits = []> : Op<TG_Dialect, mnemonic, traits>;

class TG_PureOp<string mnemonic, list<Trait> traits = []> : TG_Op<mnemonic, !listconcat([Pure], traits)>;

#endif // STITCH_TG_BASE_TD
