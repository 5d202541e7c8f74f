// SPDX-License-Identifier: Apache-2.0
// lld registers every target of the LLVM it was built with; ours writes x86-64 objects only. The others' entry points
// do nothing here, which keeps 60 MB of code generators out of the library. (Link-time optimisation is never used.)
#include "llvm/Passes/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {}; }

#define NOTHING(target)                                                                                                \
  extern "C" void LLVMInitialize##target##TargetInfo() {}                                                              \
  extern "C" void LLVMInitialize##target##Target() {}                                                                  \
  extern "C" void LLVMInitialize##target##TargetMC() {}                                                                \
  extern "C" void LLVMInitialize##target##AsmPrinter() {}                                                              \
  extern "C" void LLVMInitialize##target##AsmParser() {}

#pragma clang diagnostic ignored "-Wmissing-prototypes"
NOTHING(AArch64)
NOTHING(AMDGPU)
NOTHING(ARC)
NOTHING(ARM)
NOTHING(AVR)
NOTHING(BPF)
NOTHING(CSKY)
NOTHING(DirectX)
NOTHING(Hexagon)
NOTHING(Lanai)
NOTHING(LoongArch)
NOTHING(M68k)
NOTHING(MSP430)
NOTHING(Mips)
NOTHING(NVPTX)
NOTHING(PowerPC)
NOTHING(RISCV)
NOTHING(SPIRV)
NOTHING(Sparc)
NOTHING(SystemZ)
NOTHING(VE)
NOTHING(WebAssembly)
NOTHING(XCore)
NOTHING(Xtensa)
