// The worst files within 512,000 octets that were found, each asked about the worst long URL.
#pragma once

namespace bench {

/// Registers a row for each; in a trial, to be run once and shortly.
void register_attack_rows(bool trial);

}  // namespace bench
