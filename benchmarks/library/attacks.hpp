// The slowest known files of 512,000 octets, each with the slowest long URL.
#pragma once

namespace bench {

/// Registers a row for each file. In a trial, each row runs once and briefly.
void register_attack_rows(bool trial);

}  // namespace bench
