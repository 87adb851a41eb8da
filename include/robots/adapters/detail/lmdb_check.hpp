// Whether a file of LMDB is whole. LMDB itself believes what it reads, and crashes on a damaged
// page.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// Reads a file of LMDB 0.9 (data version 1) page by page, and looks for what LMDB could not bear:
/// pages that are not where and what they should be, nodes that leave their page, a page in two
/// places, keys out of order.
class lmdb_check {
 public:
  explicit lmdb_check(int fd) : fd_{fd} {}

  /// What LMDB reads when it opens the file: the two pages that lead to all others. `most` is how
  /// many octets the file could have; empty when LMDB may open it.
  [[nodiscard]] std::string first_pages(std::uint64_t most) {
    for (std::uint64_t which = 0; which < 2; ++which) {
      const std::optional<root_page> read = root(which);
      if (!read || header_at(which).flags != first_page || read->magic != magic_number) {
        return "it is no file of LMDB";
      }
      if (read->version != 1) {
        return {};  // LMDB says what is wrong with it
      }
      page_size_ = read->trees[0].pad;
      if (page_size_ < 512 || page_size_ > 65'536 || (page_size_ & (page_size_ - 1)) != 0 ||
          (read->trees[0].flags & fixed_address) != 0 || read->last_page > most / page_size_) {
        return "its first pages make no sense";
      }
    }
    return {};
  }

  /// Walks all that one state of the file leads to, which nobody may overwrite meanwhile. `size` is
  /// how many octets the file has, read after that state was: it may grow. `names` are the entries
  /// that its main tree may have. Returns what is wrong; nothing if the first pages do not know
  /// that state any more. Linear.
  [[nodiscard]] std::optional<std::string> walk(std::uint64_t transaction, std::uint64_t size,
                                                std::span<const std::string_view> names) {
    const std::optional<root_page> read = root(transaction % 2);
    const std::optional<root_page> again = root(transaction % 2);  // not while it is written
    if (!read || !again || std::memcmp(&*read, &*again, sizeof *read) != 0 ||
        read->transaction != transaction) {
      return std::nullopt;
    }
    size_ = size;
    used_.assign(read->last_page + 1, false);
    names_ = names;
    fault_.clear();
    walk_tree(read->trees[0], tree_kind::free);
    walk_tree(read->trees[1], tree_kind::main);
    return fault_;
  }

 private:
  using page_number = std::size_t;  // of a page; as wide as LMDB has it

  static constexpr std::uint32_t magic_number = 0xBEEFC0DE;
  static constexpr std::uint16_t fixed_address = 1;
  static constexpr std::uint16_t branch_page = 1;
  static constexpr std::uint16_t leaf_page = 2;
  static constexpr std::uint16_t overflow_page = 4;
  static constexpr std::uint16_t first_page = 8;
  static constexpr std::uint16_t in_overflow = 1;
  static constexpr std::uint16_t is_tree = 2;

  enum class tree_kind { free, main, named };

  // As they lie in the file.
  struct page_header {
    page_number number;
    std::uint16_t pad;
    std::uint16_t flags;
    std::uint16_t lower;  // with the next one, of overflow pages: how many
    std::uint16_t upper;
  };
  struct node_header {
    std::uint16_t low;  // of the size of the data, or of a number of a page
    std::uint16_t high;
    std::uint16_t flags;
    std::uint16_t key_size;
  };
  struct tree {
    std::uint32_t pad;
    std::uint16_t flags;
    std::uint16_t depth;
    page_number branch_pages;
    page_number leaf_pages;
    page_number overflow_pages;
    page_number entries;
    page_number root;
  };
  struct root_page {
    std::uint32_t magic;
    std::uint32_t version;
    page_number address;
    page_number map_size;
    std::array<tree, 2> trees;
    page_number last_page;
    page_number transaction;
  };

  struct walked {
    tree_kind kind;
    page_number branch_pages = 0;
    page_number leaf_pages = 0;
    page_number overflow_pages = 0;
    page_number entries = 0;
    std::string last_key{};
  };

  /// What lies there; zeros behind the end of the page.
  template <class T>
  [[nodiscard]] static T at(std::string_view page, std::size_t offset) {
    T value{};
    if (offset <= page.size() && sizeof value <= page.size() - offset) {
      std::memcpy(&value, page.data() + offset, sizeof value);
    }
    return value;
  }

  [[nodiscard]] std::string read(std::uint64_t offset, std::size_t length) const {
    std::string octets(length, '\0');
    std::size_t done = 0;
    while (done < length) {
      const ssize_t got =
          ::pread(fd_, octets.data() + done, length - done, static_cast<off_t>(offset + done));
      if (got <= 0) {
        return {};
      }
      done += static_cast<std::size_t>(got);
    }
    return octets;
  }

  [[nodiscard]] std::optional<root_page> root(std::uint64_t which) const {
    const std::string octets = read(which * page_size_, sizeof(page_header) + sizeof(root_page));
    return octets.empty() ? std::nullopt
                          : std::optional{at<root_page>(octets, sizeof(page_header))};
  }

  /// The header of a page; zeros for one behind the end of the file.
  [[nodiscard]] page_header header_at(std::uint64_t page) const {
    return at<page_header>(read(page * page_size_, sizeof(page_header)), 0);
  }

  bool fail(std::string_view what, page_number page) {
    if (fault_.empty()) {
      fault_ = std::string{what} + " (page " + std::to_string(page) + ")";
    }
    return false;
  }

  /// Notes that pages are used, which they may be once.
  bool use(page_number first, page_number count) {
    if (first < 2 || first >= used_.size() || count > used_.size() - first) {
      return fail("a page lies outside of the file", first);
    }
    for (page_number page = first; page < first + count; ++page) {
      if (used_[page]) {
        return fail("a page is used twice", page);
      }
      used_[page] = true;
    }
    return true;
  }

  void walk_tree(const tree& said, tree_kind kind) {
    walked found{.kind = kind};
    const std::uint16_t flags = kind == tree_kind::free ? 8 : 0;
    constexpr std::uint16_t of_trees = 0x7E;
    if ((said.flags & of_trees) != flags || said.depth > 32 ||
        (said.depth == 0) != (said.root == ~page_number{0})) {
      fail("a tree makes no sense", said.root);
    } else if (said.depth > 0) {
      walk_page(said.root, said.depth, found);
    }
    if (fault_.empty() &&
        (found.branch_pages != said.branch_pages || found.leaf_pages != said.leaf_pages ||
         found.overflow_pages != said.overflow_pages || found.entries != said.entries)) {
      fail("a tree is not as large as it says", said.root);
    }
  }

  /// `levels` from here down to the leaves, this one included.
  bool walk_page(page_number page, unsigned levels, walked& found) {
    if (!use(page, 1)) {
      return false;
    }
    const std::string octets = read(std::uint64_t{page} * page_size_, page_size_);
    const auto header = at<page_header>(octets, 0);
    const bool is_leaf = levels == 1;
    if (octets.empty() || header.number != page ||
        header.flags != (is_leaf ? leaf_page : branch_page)) {
      return fail("a page is not what it should be", page);
    }
    const std::size_t lower = header.lower;
    const std::size_t upper = header.upper;
    if (lower <= sizeof header || lower % 2 != 0 || lower > upper || upper > page_size_) {
      return fail("a page makes no sense", page);
    }
    ++(is_leaf ? found.leaf_pages : found.branch_pages);
    std::vector<std::pair<std::size_t, std::size_t>> nodes;  // where each begins and ends
    for (std::size_t slot = sizeof header; slot < lower; slot += 2) {
      const std::size_t start = at<std::uint16_t>(octets, slot);
      if (start < upper || start % 2 != 0 || start + sizeof(node_header) > page_size_) {
        return fail("a node leaves its page", page);
      }
      const auto node = at<node_header>(octets, start);
      const std::size_t data_size = node.low | std::size_t{node.high} << 16U;
      const std::size_t data = start + sizeof node + node.key_size;
      const std::size_t in_page = !is_leaf                          ? 0
                                  : (node.flags & in_overflow) != 0 ? sizeof(page_number)
                                                                    : data_size;
      if (data > page_size_ || in_page > page_size_ - data) {
        return fail("a node leaves its page", page);
      }
      nodes.emplace_back(start, (data + in_page + 1) & ~std::size_t{1});
      if (!is_leaf) {
        page_number child = data_size;
        if constexpr (sizeof(page_number) > 4) {
          child |= page_number{node.flags} << 32U;
        }
        if (!walk_page(child, levels - 1, found)) {
          return false;
        }
        continue;
      }
      const std::string_view key =
          std::string_view{octets}.substr(start + sizeof node, node.key_size);
      ++found.entries;
      if (!check_leaf(key, octets, data, data_size, node.flags, found)) {
        return fail("an entry makes no sense", page);
      }
    }
    std::ranges::sort(nodes);
    std::size_t end = upper;
    for (const auto& [start, node_end] : nodes) {
      if (start != end) {
        return fail("the nodes of a page overlap", page);
      }
      end = node_end;
    }
    return end == page_size_ || fail("a page has gaps", page);
  }

  bool check_leaf(std::string_view key, std::string_view page, std::size_t data,
                  std::size_t data_size, std::uint16_t flags, walked& found) {
    const bool is_free = found.kind == tree_kind::free;
    if (key.empty() || key.size() > 511 || (is_free && key.size() != sizeof(page_number))) {
      return false;
    }
    const bool in_order = found.last_key.empty() ||
                          (is_free ? at<page_number>(found.last_key, 0) < at<page_number>(key, 0)
                                   : found.last_key < key);
    found.last_key = key;
    if (!in_order) {
      return false;
    }
    std::string apart;
    std::string_view value;
    if ((flags & in_overflow) != 0) {
      const auto first = at<page_number>(page, data);
      const page_header header = first < used_.size() ? header_at(first) : page_header{};
      if (header.number != first || header.flags != overflow_page) {
        return false;
      }
      const page_number count =
          std::bit_cast<std::uint32_t>(std::array{header.lower, header.upper});
      const std::uint64_t start = std::uint64_t{first} * page_size_ + sizeof header;
      if (count < (sizeof header - 1 + data_size) / page_size_ + 1 || !use(first, count) ||
          start + data_size > size_) {
        return false;
      }
      found.overflow_pages += count;
      if (is_free) {
        apart = read(start, data_size);
        value = apart;
      }
    } else {
      value = page.substr(data, data_size);
    }
    if (is_free) {
      return flags <= in_overflow && check_free(value);
    }
    if (found.kind == tree_kind::main && std::ranges::find(names_, key) == names_.end()) {
      return fail("it belongs to another program", 0);
    }
    if (flags == is_tree && found.kind == tree_kind::main && value.size() == sizeof(tree)) {
      walk_tree(at<tree>(value, 0), tree_kind::named);
      return fault_.empty();
    }
    return flags <= in_overflow;
  }

  /// A list of free pages: how many, and which.
  bool check_free(std::string_view list) {
    if (list.size() < sizeof(page_number) || list.size() % sizeof(page_number) != 0 ||
        at<page_number>(list, 0) > list.size() / sizeof(page_number) - 1) {
      return false;
    }
    const page_number count = at<page_number>(list, 0);
    for (page_number i = 1; i <= count; ++i) {
      const auto page = at<page_number>(list, i * sizeof(page_number));
      if ((i > 1 && page >= at<page_number>(list, (i - 1) * sizeof(page_number))) ||
          !use(page, 1)) {
        return false;
      }
    }
    return true;
  }

  int fd_;
  std::uint64_t size_ = 0;
  std::size_t page_size_ = 0;
  std::span<const std::string_view> names_;
  std::vector<bool> used_;
  std::string fault_;
};

}  // namespace robots::adapters_detail
