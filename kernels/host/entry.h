// What registers the entry points of a kernel file: entries.awk writes a call
// of it behind the preprocessed source.
#pragma once

namespace host {

struct Entry;

template <class... P> struct Signature {
  using Function = void (*)(P...);

  template <class P1> static P1 parameter(void** parameters, unsigned& i) {
    static_assert(sizeof(P1) == 8, "a parameter of an entry is an address or a uint64_t");
    P1 value;
    __builtin_memcpy(&value, parameters[i++], sizeof value);
    return value;
  }

  static void call(void (*function)(), void** parameters) {
    unsigned i = 0;
    Bound bound{(Function)function, parameter<P>(parameters, i)...}; // braces: from left to right
  }

  struct Bound {
    Bound(Function function, P... values) { function(values...); }
  };
};

void add_entry(const char* name, void (*call)(void (*)(), void**), void (*function)(), unsigned parameters,
               unsigned max_threads);

struct Registration {
  template <class... P> Registration(const char* name, void (*function)(P...), unsigned max_threads = 0, unsigned = 0) {
    add_entry(name, Signature<P...>::call, (void (*)())function, sizeof...(P), max_threads);
  }
};

} // namespace host
