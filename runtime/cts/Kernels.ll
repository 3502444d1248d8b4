; The kernels of the conformance suite. Kernels.h holds the PTX that llc-22 makes
; of this file; a test under test/emulator compares the two.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; out[i] = 2 * in[i] + 1, one element a thread.
define ptx_kernel void @cts_double(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %block, %ntid
  %index = add i32 %base, %tid
  %wide = zext i32 %index to i64
  %from = getelementptr float, ptr addrspace(1) %in, i64 %wide
  %value = load float, ptr addrspace(1) %from, align 4
  %twice = fmul float %value, 2.0
  %sum = fadd float %twice, 1.0
  %to = getelementptr float, ptr addrspace(1) %out, i64 %wide
  store float %sum, ptr addrspace(1) %to, align 4
  ret void
}

; state[i] += in[i] where *commit is not 0.
define ptx_kernel void @cts_update(ptr addrspace(1) %state, ptr addrspace(1) %in, ptr addrspace(1) %commit) {
entry:
  %flag = load float, ptr addrspace(1) %commit, align 4
  %update = fcmp une float %flag, 0.0
  br i1 %update, label %then, label %end
then:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %block, %ntid
  %index = add i32 %base, %tid
  %wide = zext i32 %index to i64
  %from = getelementptr float, ptr addrspace(1) %in, i64 %wide
  %value = load float, ptr addrspace(1) %from, align 4
  %to = getelementptr float, ptr addrspace(1) %state, i64 %wide
  %old = load float, ptr addrspace(1) %to, align 4
  %sum = fadd float %old, %value
  store float %sum, ptr addrspace(1) %to, align 4
  br label %end
end:
  ret void
}

; Writes where no memory is, if the number at %where is not 0: the device is
; lost.
define ptx_kernel void @cts_crash(ptr addrspace(1) %where) {
entry:
  %address = load i64, ptr addrspace(1) %where, align 8
  %crash = icmp ne i64 %address, 0
  br i1 %crash, label %then, label %end
then:
  %pointer = inttoptr i64 %address to ptr addrspace(1)
  store volatile i32 7, ptr addrspace(1) %pointer, align 4
  br label %end
end:
  ret void
}
