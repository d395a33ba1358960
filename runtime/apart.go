package runtime

import (
	goruntime "runtime"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Apart says how Readers of several inputs, all with the same options, may read them.
type Apart struct {
	// OK reports whether they may read at the same time. They may not where what is read of
	// one depends on those before it (a limit, records to pass over, a number of rejects), or
	// they share what they have: an allocator, a bound of memory, progress, a device.
	OK      bool
	Threads int
	Rejects func(*Reject) error // WithRejectHandler's
}

// ApartOf says it of some options. It is for those who read several inputs side by side.
func ApartOf(opts ...Option) Apart {
	o := &options{limit: -1, maxReject: -1, threads: goruntime.GOMAXPROCS(0), mem: memory.DefaultAllocator}
	for _, f := range opts {
		f(o)
	}
	_, device := o.engine.(Sizer)
	return Apart{
		OK: o.limit < 0 && o.skip <= 0 && o.maxReject < 0 && !o.named && !o.bounded && o.memory == 0 &&
			o.progress == nil && o.engine != nil && !device && o.threads > 1,
		Threads: o.threads, Rejects: o.onReject,
	}
}
