// The inputs of a run.
#pragma once

#include "inputs/input.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bench {

/// Returns all generated inputs, or only the small ones for a trial run.
std::vector<input> generated_inputs(bool trial);

/// The real files, or the reason why they are missing.
struct real_files {
  std::optional<input> found;
  std::string folder;
  std::string note;  ///< the source of the files, or the reason why they are missing
};

/// Returns the folder in the environment variable `ROBOTS_CORPUS_DIR`, or else `configured`.
std::string corpus_folder(std::string configured);

/// Reads the files of a folder: robots.txt bodies in it or in its subfolder `files`, and the
/// questions in its `verdicts.tsv`, whose first columns are file, agent and path. Without that
/// file, there are two questions for each robots.txt. The order of the files does not depend on
/// their names, so that a part of the files represents all. Uses at most 512,000 octets of a file.
real_files read_real_files(const std::string& folder);

/// Returns the same questions in a random order, as a crawler that goes from host to host asks
/// them. Use the result only for `operation::match`.
input shuffled(const input& all);

/// Returns every `step`th file of an input, with the questions about it.
input sample_of(const input& all, std::size_t step);

/// Returns the first file of each input, with some of the questions about it.
input mixture_of(const std::vector<input>& inputs);

}  // namespace bench
