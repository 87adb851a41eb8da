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
/// questions in its `verdicts.tsv`, whose first columns are file, agent and path; without one, two
/// questions per file. The files come in an order that has nothing to do with their names, so that
/// a part of them stands for all. Nothing beyond 512,000 octets of a file is used.
real_files read_real_files(const std::string& folder);

/// The same questions in an order without pattern, as a crawler has them that goes from host to
/// host: only to be matched.
input shuffled(const input& all);

/// Of an input, every `step`th file with the questions about it.
input sample_of(const input& all, std::size_t step);

/// The first file of each input, with some of the questions about it.
input mixture_of(const std::vector<input>& inputs);

}  // namespace bench
