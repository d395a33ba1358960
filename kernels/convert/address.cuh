// IP addresses and UUIDs, 16 bytes each. No options. The twin is
// internal/convert/address.go, and netip.ParseAddr for IPv6.
#pragma once

#include "hex.cuh"
#include "moment.cuh"

namespace dfaparse {

// ---- UUIDs ----

// The form of RFC 9562, or the same without hyphens.
template <class F>
__device__ bool convert_uuid(const F& field, Value* value) {
  uint32_t bad = 0, w[9];
  if (field.n == 36) {
    field.load(0, w);
    // Of words 2 to 5 a byte each is a hyphen: the first to the fourth.
    bad = ((w[2] ^ '-') & 0xff) | ((w[3] ^ '-' << 8) & 0xff00) | ((w[4] ^ '-' << 16) & 0xff0000) | (w[5] >> 24 ^ '-');
    w[2] = __byte_perm(w[2], w[3], 0x4321);
    w[3] = __byte_perm(w[3], w[4], 0x5432);
    w[4] = __byte_perm(w[4], w[5], 0x6543);
    w[5] = w[6], w[6] = w[7], w[7] = w[8];
  } else if (field.n == 32) {
    uint32_t all[8];
    field.load(0, all);
#pragma unroll
    for (uint32_t i = 0; i < 8; i++) w[i] = all[i];
  } else {
    return false;
  }
  value->lo = (uint64_t)hex_bytes(w[2], w[3], &bad) << 32 | hex_bytes(w[0], w[1], &bad);
  value->hi = (uint64_t)hex_bytes(w[6], w[7], &bad) << 32 | hex_bytes(w[4], w[5], &bad);
  return bad == 0;
}

// ---- IP ----

// Takes four octets, each without leading zeros, the first into the lowest byte.
template <class F>
__device__ __forceinline__ bool read_ipv4(Reader<F>& r, uint32_t* address) {
  uint32_t v4 = 0;
#pragma unroll
  for (uint32_t part = 0; part < 4; part++) {
    uint32_t w = r.next4(), x = w ^ (uint32_t)kZeros, other = not_digits4(x);
    if (other == 0) return false;
    uint32_t n = ((uint32_t)__ffs((int)other) - 1) >> 3;
    if (n == 0 || (n > 1 && (x & 0xff) == 0)) return false;
    uint32_t octet = __dp4a(x << (24 - 8 * n), 0x00010a64u, 0u);
    r.at += n + (part < 3);
    if (octet > 255 || (part < 3 && (w >> 8 * n & 0xff) != '.')) return false;
    v4 |= octet << 8 * part;
  }
  *address = v4;
  return true;
}

// The whole field as four octets: like read_ipv4, from a window of 16 symbols
// that is moved along.
template <class F>
__device__ __forceinline__ bool whole_ipv4(const F& field, uint32_t* address) {
  uint32_t n = field.n;
  if (n - 7 > 8) return false; // 7 to 15
  uint32_t w[4];
  if (n > 12) {
    field.load(0, w);
  } else {
    uint64_t x = field.load8(0);
    w[0] = (uint32_t)x, w[1] = (uint32_t)(x >> 32), w[2] = n > 8 ? field.load4(8) : 0, w[3] = 0;
  }
  // What comes after the field becomes no digit.
  if (n < 8) w[1] &= 0xffffff;
  if (n > 8 && n < 12) w[2] &= (1u << 8 * (n - 8)) - 1;
  if (n > 12) w[3] &= (1u << 8 * (n - 12)) - 1;
  uint32_t v4 = 0, used = 3, ok = 1;
#pragma unroll
  for (uint32_t part = 0; part < 4; part++) {
    uint32_t x = w[0] ^ (uint32_t)kZeros, other = not_digits4(x);
    uint32_t digits = ((uint32_t)__ffs((int)other) - 1) >> 3; // none: far too many
    uint32_t octet = __dp4a(x << (24 - 8 * digits & 31), 0x00010a64u, 0u);
    ok &= digits - 1 < 3 && octet < 256 && !(digits > 1 && (x & 0xff) == 0);
    if (part < 3) {
      uint32_t shift = 8 * digits & 31;
      ok &= (w[0] >> shift & 0xff) == '.';
      // digits <= 3, or it is not ok
      uint32_t move = shift + 8 & 31;
      bool all = digits == 3;
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        uint32_t next = i < 3 ? w[i + 1] : 0;
        w[i] = all ? next : __funnelshift_r(w[i], next, move);
      }
    }
    used += digits;
    v4 |= octet << 8 * part;
  }
  *address = v4;
  return ok != 0 && used == n;
}

// 128 bits, by groups of 16, the last lowest.
struct Groups {
  uint64_t low = 0, high = 0;
  uint32_t n = 0;

  __device__ __forceinline__ void add(uint32_t bits, uint32_t ngroups) {
    uint32_t shift = 16 * ngroups;
    high = high << shift | low >> (64 - shift);
    low = low << shift | bits;
    n += ngroups;
  }
};

__device__ __forceinline__ uint32_t swapped(uint32_t x) { return __byte_perm(x, 0, 0x0123); }

// As they are stored, the first group in the lowest bytes.
__device__ __forceinline__ uint64_t bytes_of(uint64_t x) { return (uint64_t)swapped((uint32_t)x) << 32 | swapped((uint32_t)(x >> 32)); }

struct MaybeIP {
  bool is;
  Value value;
};

// Groups of up to four hexadecimal digits, of which :: stands for one or more
// that are 0 (RFC 4291, 2.2), the last two perhaps as IPv4. It has no zone.
template <class F>
__device__ __noinline__ MaybeIP read_ipv6(F field) {
  Reader<F> r{field, 0};
  MaybeIP none{false, {0, 0}};
  Groups before, g; // what comes before ::, and then after it; or all
  bool gap = false;
  if ((r.next4() & 0xffff) == two(':', ':')) {
    gap = true;
    r.at += 2;
  }
  while (!r.ended()) {
    uint32_t other = 0, v = hex_values(r.next4(), &other);
    uint32_t n = other != 0 ? ((uint32_t)__ffs((int)other) - 1) >> 3 : 4;
    if (n == 0) return none;
    v <<= 32 - 8 * n;
    uint32_t group = __byte_perm(v << 4 | v >> 8, 0, 0x4402) & 0xffff;
    r.at += n;
    if (!r.ended() && r.field[r.at] == '.') {
      r.at -= n;
      uint32_t v4;
      if (!read_ipv4(r, &v4) || !r.ended()) return none;
      g.add(swapped(v4), 2);
      break;
    }
    g.add(group, 1);
    if (before.n + g.n > 8) return none;
    if (r.ended()) break;
    if (!r.symbol(':') || r.ended()) return none;
    if (!gap && r.symbol(':')) {
      gap = true;
      before = g;
      g = Groups();
    }
  }
  if (gap ? before.n + g.n > 7 : g.n != 8) return none;
  for (uint32_t i = gap ? before.n : 8; i < 8; i++) before.add(0, 1);
  g.low |= before.low;
  g.high |= before.high;
  return MaybeIP{true, {bytes_of(g.high), bytes_of(g.low)}};
}

// An IPv4 address is mapped into IPv6.
template <class F>
__device__ bool convert_ip(const F& field, Value* value) {
  uint32_t v4;
  if (whole_ipv4(field, &v4)) {
    value->lo = 0;
    value->hi = (uint64_t)v4 << 32 | 0xffff0000u;
    return true;
  }
  if (field.n > 45) return false;
  MaybeIP v6 = read_ipv6(field);
  *value = v6.value;
  return v6.is;
}

} // namespace dfaparse
