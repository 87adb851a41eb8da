// The inputs of a run.
#pragma once

#include "inputs/input.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bench {

/// All generated inputs; the small ones only for a trial run.
std::vector<input> generated_inputs(bool trial);

/// The real files, or the reason why they are missing.
struct real_files {
  std::optional<input> found;
  std::string folder;
  std::string note;  ///< where they are from, or why they are left out
};

/// Reads the files of a folder: robots.txt bodies in it or in its subfolder `files`, and the
/// questions in its `verdicts.tsv`, whose first columns are file, agent and path. Without that, two
/// questions per file. The order of the files does not depend on their names, so that a part of
/// them stands for all. Uses at most 512,000 octets of a file.
real_files read_real_files(const std::string& folder);

/// The same questions in a random order, as a crawler has them that goes from host to host: only
/// for matching.
input shuffled(const input& all);

/// Returns every `step`th file of an input, with the questions about it.
input sample_of(const input& all, std::size_t step);

/// Returns the first file of each input, with some of the questions about it.
input mixture_of(const std::vector<input>& inputs);

}  // namespace bench
