#include <robots/rep/extensions/content_usage.hpp>

#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"

#include <optional>
#include <string>

void fuzz::fuzz_content_usage(octets input) {
  reader in{input};
  const std::string label = in.line();
  const std::string value = in.rest();
  const robots::content_usage usage = robots::content_usage::parse(value);
  require(lies_in(usage.path, value) && lies_in(usage.statement, value),
          "path and statement are parts of the value");
  require(usage.path.empty() || usage.path.front() == '/', "a path begins with a slash");
  require(usage.path.find_first_of(" \t") == std::string::npos, "a path ends before a blank");

  const std::string dictionary{usage.statement};
  const std::optional<bool> stated = robots::usage_preference(dictionary, "train-ai");
  require(usage.preference("train-ai") == stated, "a line and a header have one reader");
  require(!stated || dictionary.find("train-ai") != std::string::npos, "no label is invented");
  require(!usage.preference(label) || (!label.empty() && dictionary.find(label) != label.npos),
          "no label is invented for any question");

  // A Dictionary that ends in a good member is valid exactly if what stands before it is.
  if (dictionary.find_first_not_of(' ') == std::string::npos) {
    return;
  }
  const std::optional<bool> last =
      robots::usage_preference(dictionary + ", train-ai=n", "train-ai");
  require(!last || !*last, "the last value of a label counts");
  require(!stated || last, "a further member keeps a Dictionary valid");
  const std::optional<bool> other = robots::usage_preference(dictionary + ", zz=y", "zz");
  require(other.has_value() == last.has_value(), "a Dictionary is valid for all labels or none");
  require(!last || robots::usage_preference(dictionary + ", zz=y", "train-ai") == stated,
          "a further label changes no other label");
  require(!robots::usage_preference(dictionary + ", Zz=y", "train-ai"),
          "one key in upper case spoils a Dictionary");
}
