#include "platform/device/accelerator.hpp"
#include "platform/device/ptx.hpp"

namespace baton::platform::cuda {

static_assert(sizeof(KernelPlane) == 64);

// Which words it copies is the same for all threads of a block, so the three instructions that are
// left out cost little.
constexpr const char planes_kernel_text[] = R"(.version 6.0
.target sm_70
.address_size 64
.visible .entry baton_copy_planes(.param .u64 planes)
{
.reg .pred %p<5>;
.reg .b32 %r<4>;
.reg .b64 %plane, %to, %from, %words, %rows, %to_step, %from_step, %word;
.reg .b64 %row, %rows_step, %lane, %lanes, %step, %i, %a, %b, %d, %x;
ld.param.u64 %plane, [planes];
cvta.to.global.u64 %plane, %plane;
mov.u32 %r0, %ctaid.y;
mul.wide.u32 %x, %r0, 64;
add.u64 %plane, %plane, %x;
ld.global.u64 %to, [%plane+0];
ld.global.u64 %from, [%plane+8];
ld.global.u64 %words, [%plane+16];
ld.global.u64 %rows, [%plane+24];
ld.global.u64 %to_step, [%plane+32];
ld.global.u64 %from_step, [%plane+40];
ld.global.u64 %word, [%plane+48];
cvta.to.global.u64 %to, %to;
cvta.to.global.u64 %from, %from;
setp.eq.u64 %p1, %word, 1;
setp.eq.u64 %p2, %word, 2;
setp.eq.u64 %p3, %word, 4;
setp.eq.u64 %p4, %word, 8;
mov.u32 %r0, %ctaid.x;
mov.u32 %r1, %ntid.y;
mov.u32 %r2, %tid.y;
mov.u32 %r3, %nctaid.x;
mul.wide.u32 %row, %r0, %r1;
cvt.u64.u32 %x, %r2;
add.u64 %row, %row, %x;
mul.wide.u32 %rows_step, %r3, %r1;
mov.u32 %r0, %tid.x;
mov.u32 %r1, %ntid.x;
cvt.u64.u32 %lane, %r0;
cvt.u64.u32 %lanes, %r1;
mul.lo.u64 %step, %lanes, %word;
mul.lo.u64 %x, %lane, %word;
add.u64 %to, %to, %x;
add.u64 %from, %from, %x;
mul.lo.u64 %x, %row, %to_step;
add.u64 %to, %to, %x;
mul.lo.u64 %x, %row, %from_step;
add.u64 %from, %from, %x;
mul.lo.u64 %to_step, %to_step, %rows_step;
mul.lo.u64 %from_step, %from_step, %rows_step;
NEXT_ROW:
setp.ge.u64 %p0, %row, %rows;
@%p0 bra END;
mov.u64 %i, %lane;
mov.u64 %a, %from;
mov.u64 %b, %to;
NEXT_WORD:
setp.ge.u64 %p0, %i, %words;
@%p0 bra END_OF_ROW;
@%p1 ld.global.u8 %d, [%a+0];
@%p2 ld.global.u16 %d, [%a+0];
@%p3 ld.global.u32 %d, [%a+0];
@%p4 ld.global.u64 %d, [%a+0];
@%p1 st.global.u8 [%b+0], %d;
@%p2 st.global.u16 [%b+0], %d;
@%p3 st.global.u32 [%b+0], %d;
@%p4 st.global.u64 [%b+0], %d;
add.u64 %i, %i, %lanes;
add.u64 %a, %a, %step;
add.u64 %b, %b, %step;
bra NEXT_WORD;
END_OF_ROW:
add.u64 %row, %row, %rows_step;
add.u64 %to, %to, %to_step;
add.u64 %from, %from, %from_step;
bra NEXT_ROW;
END:
ret;
}
)";

}  // namespace baton::platform::cuda
