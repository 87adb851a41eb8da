// The rows of the gate, by the part of the library that does the work.
#pragma once

namespace bench {

class meter;

/// Reading a file, compiling it for a crawler, and asking the compiled rules.
void measure_rules(meter& to);

/// Hits and cold look-ups of a cache.
void measure_cache(meter& to);

/// Hits of a cache with many rulings, and halts that wait for their ledger.
void measure_rulings(meter& to);

/// Look-ups in a shared store, and the records in it.
void measure_records(meter& to);

/// The calls of a host gate for one request.
void measure_pace(meter& to);

/// Hits whose decision a log or an audit trail writes.
void measure_events(meter& to);

/// Prints the octets of memory that a cache takes for a site.
void print_memory();

/// Makes hits on many sites by two threads. `counts.py` reads the trace of their stores.
void store_by_two_threads();

}  // namespace bench
