// SPDX-License-Identifier: Apache-2.0
#include "assemble.h"

#include <doctest/doctest.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#define TRAPLINE_TARGET(name)                         \
  extern "C" void LLVMInitialize##name##TargetInfo(); \
  extern "C" void LLVMInitialize##name##TargetMC();   \
  extern "C" void LLVMInitialize##name##AsmParser();
TRAPLINE_TARGET(LoongArch)
TRAPLINE_TARGET(ARM)
TRAPLINE_TARGET(PowerPC)
#undef TRAPLINE_TARGET

namespace trapline::test {
namespace {

struct Spec {
  const char* triple;
  const char* cpu;
  const char* features;
};

// LoongArch without relaxation: branches to local labels are resolved by the assembler.
Spec spec_of(Target target) {
  switch (target) {
    case Target::loongarch64:
      return {"loongarch64-unknown-linux-gnu", "generic-la64", "-relax"};
    case Target::loongarch32:
      return {"loongarch32-unknown-linux-gnu", "generic-la32", "-relax"};
    case Target::arm:
      return {"armv7-unknown-linux-gnueabi", "generic", "+virtualization,+trustzone"};
    case Target::powerpc64le:
      return {"powerpc64le-unknown-linux-gnu", "pwr10", ""};
    case Target::powerpc64:
      return {"powerpc64-unknown-linux-gnu", "pwr10", ""};
    case Target::powerpc:
      return {"powerpc-unknown-linux-gnu", "ppc32", ""};
  }
  return {};
}

void initialize(Target target) {
  switch (target) {
    case Target::loongarch64:
    case Target::loongarch32:
      LLVMInitializeLoongArchTargetInfo();
      LLVMInitializeLoongArchTargetMC();
      LLVMInitializeLoongArchAsmParser();
      break;
    case Target::arm:
      LLVMInitializeARMTargetInfo();
      LLVMInitializeARMTargetMC();
      LLVMInitializeARMAsmParser();
      break;
    default:
      LLVMInitializePowerPCTargetInfo();
      LLVMInitializePowerPCTargetMC();
      LLVMInitializePowerPCAsmParser();
      break;
  }
}

// The ELF file that LLVM makes of the text; messages of the assembler go to `messages`.
bool emit(Target target, std::string_view text, llvm::SmallVectorImpl<char>& object, std::string& messages) {
  initialize(target);
  const Spec spec = spec_of(target);
  const llvm::Triple triple(spec.triple);
  std::string why;
  const llvm::Target* machine = llvm::TargetRegistry::lookupTarget(triple, why);
  if (machine == nullptr) {
    messages = why;
    return false;
  }
  const llvm::MCTargetOptions options;
  const std::unique_ptr<llvm::MCRegisterInfo> registers(machine->createMCRegInfo(triple));
  const std::unique_ptr<llvm::MCAsmInfo> info(machine->createMCAsmInfo(*registers, triple, options));
  const std::unique_ptr<llvm::MCInstrInfo> instructions(machine->createMCInstrInfo());
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      machine->createMCSubtargetInfo(triple, spec.cpu, spec.features));
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size())), {});
  source.setDiagHandler(
      [](const llvm::SMDiagnostic& d, void* out) {
        *static_cast<std::string*>(out) += (d.getMessage() + ": " + d.getLineContents() + "\n").str();
      },
      &messages);
  llvm::MCContext context(triple, info.get(), registers.get(), subtarget.get(), &source);
  const std::unique_ptr<llvm::MCObjectFileInfo> sections(machine->createMCObjectFileInfo(context, /*PIC=*/false));
  context.setObjectFileInfo(sections.get());
  llvm::raw_svector_ostream out(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(machine->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(out);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(machine->createMCCodeEmitter(*instructions, context));
  const std::unique_ptr<llvm::MCStreamer> streamer(machine->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  const std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(source, context, *streamer, *info));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      machine->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*target_parser);
  return !parser->Run(/*NoInitialTextSection=*/false) && messages.empty();
}

}  // namespace

std::unique_ptr<Image> assemble(Target target, std::string_view text) {
  llvm::SmallString<0> object;
  std::string messages;
  const bool done = emit(target, text, object, messages);
  INFO(messages);
  REQUIRE(done);
  return Image::from_bytes("test.o", {reinterpret_cast<const std::uint8_t*>(object.data()), object.size()});
}

std::uint64_t address_of(const Image& image, std::string_view name) {
  const Symbol* symbol = image.find_symbol(name);
  INFO(name);
  REQUIRE(symbol != nullptr);
  return symbol->address;
}

}  // namespace trapline::test
