#pragma once

// Every loop over rows: which rows it visits, how it calls the function, and the loop statements themselves.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/query.hpp>

namespace stowage::parts {

// ---- slices. A loop goes through stretches of rows: a pool, a section, the rows that drive a join. It asks one of the
// types below what to visit of each, stretch after stretch, so that the whole of a loop, a part of it, and its length
// have one body. The rows of all stretches, one after the other, are the steps of the loop.

struct RowRange {
  std::size_t first = 0;
  std::size_t end = 0;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return end - first; }
  [[nodiscard]] constexpr bool empty() const noexcept { return first >= end; }
};

/// All there is: each() and each_block().
struct WholeLoop {
  static constexpr bool is_whole = true;

  [[nodiscard]] static constexpr RowRange take(std::size_t rows) noexcept { return {0, rows}; }
};

/// The steps from `first` to `end`: one of several threads' share.
class LoopSlice {
 public:
  static constexpr bool is_whole = false;

  constexpr LoopSlice(std::size_t first, std::size_t end) noexcept : first_(first), end_(end) {}

  /// What to visit of the next stretch, which has so many rows.
  [[nodiscard]] constexpr RowRange take(std::size_t rows) noexcept {
    const RowRange range{(std::min)(first_, rows), (std::min)(end_, rows)};
    first_ -= range.first;
    end_ -= range.end;
    return range;
  }

 private:
  std::size_t first_;  // both count from the next stretch on
  std::size_t end_;
};

/// Visits nothing, but counts the steps.
class StepCount {
 public:
  static constexpr bool is_whole = false;

  [[nodiscard]] constexpr RowRange take(std::size_t rows) noexcept {
    steps_ += rows;
    return {};
  }
  [[nodiscard]] constexpr std::size_t steps() const noexcept { return steps_; }

 private:
  std::size_t steps_ = 0;
};

// ---- calling: a function takes the components, or the handle and the components

/// If a function accepts the first form, the second is not tried: the body of a generic lambda may not compile for
/// it.
template <class Fn, class Handle, class... References>
inline constexpr bool takes =
    std::disjunction_v<std::is_invocable<Fn&, References...>, std::is_invocable<Fn&, Handle, References...>>;

/// What a function is told that takes neither form of call. `Shown` is how many things the loop shows.
template <class Fn, std::size_t Shown>
constexpr void refuse_function() {
  constexpr bool fits = sizeof(Fn) == 0;
  if constexpr (Shown == 1) {
    static_assert(fits,
                  "a loop over 1 component takes a function of 1 parameter, (component&), or of 2, "
                  "(Entity, component&); blocks are (span) or (BlockEntities, span)");
  } else if constexpr (Shown == 2) {
    static_assert(fits,
                  "a loop over 2 components takes a function of 2 parameters, (components&...), or of 3, "
                  "(Entity, components&...); blocks are (spans...) or (BlockEntities, spans...)");
  } else if constexpr (Shown == 3) {
    static_assert(fits,
                  "a loop over 3 components takes a function of 3 parameters, (components&...), or of 4, "
                  "(Entity, components&...); blocks are (spans...) or (BlockEntities, spans...)");
  } else {
    static_assert(fits,
                  "a loop takes a function with one parameter for each component, (components&...), or one more, "
                  "(Entity, components&...); blocks are (spans...) or (BlockEntities, spans...)");
  }
}

/// Calls `fn(references...)`, or `fn(entity(), references...)` if it takes the entity, too. The handle is made only in
/// the second case.
template <class Fn, class MakeEntity, class... References>
constexpr void call_plainly(Fn& fn, MakeEntity&& entity, References&&... references) {
  if constexpr (std::is_invocable_v<Fn&, References...>) {
    fn(std::forward<References>(references)...);
  } else if constexpr (takes<Fn, std::invoke_result_t<MakeEntity>, References...>) {
    fn(std::forward<MakeEntity>(entity)(), std::forward<References>(references)...);
  } else {
    refuse_function<Fn, sizeof...(References)>();
  }
}

/// True for what stands for a component that does not lie in memory as a whole (see layout/spread.hpp). lend()
/// returns an object that holds a real `C&`, its component().
template <class Reference>
inline constexpr bool can_lend = stowage::detail::stands_for_component<std::remove_cvref_t<Reference>>;
template <class Loan>
inline constexpr bool is_loan = false;

template <class Reference>
[[nodiscard]] constexpr decltype(auto) lent(Reference&& reference) noexcept {
  if constexpr (can_lend<Reference>) {
    return reference.lend();
  } else {
    return std::forward<Reference>(reference);
  }
}
template <class Loan>
[[nodiscard]] constexpr decltype(auto) in_hands(Loan&& loan) noexcept {
  if constexpr (is_loan<std::remove_reference_t<Loan>>) {
    return loan.component();
  } else {
    return std::forward<Loan>(loan);
  }
}

/// What a function is shown of a component: a reference to it, wherever it is.
template <class Reference>
using Shown = decltype(in_hands(lent(std::declval<Reference>())));

/// Calls with loans, or with references if no loan is needed. Loans end when the function has returned.
template <class Fn, class MakeEntity, class... Loans>
constexpr void call_with_loans(Fn& fn, MakeEntity&& entity, Loans&&... loans) {
  call_plainly(fn, std::forward<MakeEntity>(entity), in_hands(std::forward<Loans>(loans))...);
}

/// Calls `fn`, which may take every component as a reference, as for any other storage, or as what stands for it.
template <class Fn, class MakeEntity, class... References>
constexpr void call(Fn& fn, MakeEntity&& entity, References&&... references) {
  if constexpr ((can_lend<References> || ...)) {
    if constexpr (takes<Fn, std::invoke_result_t<MakeEntity>, Shown<References>...>) {
      call_with_loans(fn, std::forward<MakeEntity>(entity), lent(std::forward<References>(references))...);
    } else {
      call_plainly(fn, std::forward<MakeEntity>(entity), std::forward<References>(references)...);
    }
  } else {
    call_plainly(fn, std::forward<MakeEntity>(entity), std::forward<References>(references)...);
  }
}

/// A function that takes the index of a row's owner in place of its handle, which costs a read of the registry: for a
/// storage that looks more of the entity up before the function of its user sees it.
template <class Fn>
struct ByIndex : Fn {
  static constexpr bool takes_index = true;
};
template <class Fn>
ByIndex(Fn) -> ByIndex<Fn>;

/// What `Fn` takes of the living entity at `owner`: its handle, but for ByIndex.
template <class Fn, class Registry>
[[nodiscard]] constexpr auto owner_for(const Registry& registry, EntityIndex owner) noexcept {
  if constexpr (requires { requires Fn::takes_index; }) {
    return owner;
  } else {
    return registry.entity_at(owner);
  }
}

// ---- filters: what was found of a term, by a pointer that may be null

/// Whether the term admits an entity with this component, which is null if the entity has none.
template <class Q, class Pointer>
[[nodiscard]] constexpr bool admits(const Pointer& found) noexcept {
  using Term = stowage::detail::Term<Q>;
  return Term::is_required ? found != nullptr : !Term::is_absent || found == nullptr;
}

/// Calls `fn` for an entity that all terms admit. `found` are pointers to its components, one for each term.
template <class... Qs, class Fn, class MakeEntity, class... Pointers>
constexpr void call_with_found(Fn& fn, MakeEntity&& entity, Pointers... found) {
  if constexpr (!stowage::detail::has_filters<Qs...>) {
    call(fn, std::forward<MakeEntity>(entity), *found...);
  } else {
    const auto shown = []<class Q, class Pointer>(TypeList<Q>, Pointer pointer) {
      using Term = stowage::detail::Term<Q>;
      if constexpr (!Term::is_shown) {
        return std::tuple<>{};
      } else if constexpr (Term::is_required) {
        return std::tuple<decltype(*pointer)>(*pointer);
      } else {
        return std::tuple<Pointer>(pointer);
      }
    };
    std::apply(
        [&]<class... References>(References&&... references) {
          call(fn, std::forward<MakeEntity>(entity), std::forward<References>(references)...);
        },
        std::tuple_cat(shown(TypeList<Qs>{}, found)...));
  }
}

/// Marks what looks a component up by the owner of a row: see join_rows().
template <class Fn>
struct ByLookup : Fn {};
template <class Fn>
ByLookup(Fn) -> ByLookup<Fn>;
template <class Resolver>
inline constexpr bool looks_up = false;
template <class Fn>
inline constexpr bool looks_up<ByLookup<Fn>> = true;

/// Visits every row that all of Qs admit. `resolve(row, owner)` finds the component of one; all are values, so that the
/// loop keeps what they read in registers.
///
/// The next row to visit is looked up before the function sees the one before it, so that no lookup has to wait for
/// what that writes. A processor that once took one for a read of something just written lets all of them wait, which
/// takes twice the time.
template <class... Qs, class OnRow, class... Resolvers>
void join_rows(RowRange rows, const EntityIndex* owners, OnRow& on_row, Resolvers... resolve) {
  using Found = std::tuple<decltype(resolve(std::size_t{}, EntityIndex{}))...>;
  constexpr std::index_sequence_for<Resolvers...> each_term;
  const auto look_up = [&]<std::size_t... Is>(std::size_t row, Found& found, std::index_sequence<Is...>) {
    const EntityIndex owner = owners[row];
    return (admits<Qs>(std::get<Is>(found) = resolve(row, owner)) && ...);
  };
  const auto visit = [&]<std::size_t... Is>(std::size_t row, Found found, std::index_sequence<Is...>) {
    const EntityIndex owner = owners[row];
    ((looks_up<Resolvers> ? void() : void(std::get<Is>(found) = resolve(row, owner))), ...);
    on_row(owner, std::get<Is>(found)...);
  };
  std::size_t row = rows.first;
  Found found{};
  while (row < rows.end && !look_up(row, found, each_term)) ++row;
  if (row >= rows.end) return;
  for (std::size_t ahead = row + 1;; ++ahead) {
    const bool is_last = ahead == rows.end;
    Found next{};
    if (!is_last && !look_up(ahead, next, each_term)) continue;
    visit(row, found, each_term);
    if (is_last) return;
    row = ahead;
    found = next;
  }
}

// ---- loops over rows side by side

/// True for a layout, or a function, whose rows are better visited one at a time: it says so with a static member
/// `scalar_loop`. A function does that if it reads a part of wide components. If these lie whole, g++ 12 collects the
/// parts of several rows by permutations, in fewer instructions and a third more time. If a component is an array for
/// each of its scalars, there is nothing to collect, and nothing changes.
template <class Chooser>
inline constexpr bool wants_scalar_loop = requires { requires Chooser::scalar_loop; };

/// Keeps the loop that it is called in from being vectorised. It names no variable, so that the compiler counts as it
/// likes: nothing is executed for it.
inline void keep_scalar() noexcept {
#if defined(__GNUC__)
  asm volatile("");
#endif
}

/// Walks a column. A pointer is incremented: in a loop with an `asm`, g++ 12 would compute every address anew from the
/// number of the row.
template <class Cursor>
class Walker {
 public:
  Walker(const Cursor& cursor, std::size_t row) noexcept : cursor_(cursor), row_(row) {}
  [[nodiscard]] decltype(auto) operator*() const noexcept { return cursor_[row_]; }
  void operator++() noexcept { ++row_; }

 private:
  Cursor cursor_;
  std::size_t row_;
};
template <class C>
class Walker<C*> {
 public:
  Walker(C* column, std::size_t row) noexcept : component_(column + row) {}
  [[nodiscard]] C& operator*() const noexcept { return *component_; }
  void operator++() noexcept { ++component_; }

 private:
  C* component_;
};

/// The loop over rows of which some components do not lie in memory as a whole: see layout/lanes.hpp.
template <class... Cursors>
struct LaneLoop;

// What clang 19 needs to vectorise loops over structs of three floats. clang 14 and 16 make more instructions of it.
#if defined(__clang__) && __clang_major__ >= 19
/// The rows that one step of the loop visits: 8 if the function writes structs of a size that is no power of two. Of
/// rows one at a time clang collects the x of several by permutations, in four times the instructions of g++; of 8 rows
/// in one body it sees that they lie one behind the other. Not if the function may hold a reference: what it refers to
/// would be read anew for each row.
template <class Fn, class... Cursors>
inline constexpr std::size_t rows_at_a_time = 1;
template <class Fn, class... Cs>
  requires(alignof(Fn) < alignof(void*) && ((!std::is_const_v<Cs> && !std::has_single_bit(sizeof(Cs))) || ...))
inline constexpr std::size_t rows_at_a_time<Fn, Cs*...> = 8;

/// Says of each two columns that they do not overlap, which clang forgets of rows that it has put into vectors. They
/// may share an allocation, so it must not see where they come from.
template <class C, class... Others>
STOWAGE_INLINE inline void declare_apart(C*& column, Others*&... others) noexcept {
  asm("" : "+r"(column));
  if constexpr (sizeof...(Others) != 0) parts::declare_apart(others...);
  (__builtin_assume_separate_storage(column, others), ...);
}
#endif

/// The one loop over contiguous rows: calls `fn` for each row of the range. `cursors` are fixed before it and passed by
/// value, so that the compiler sees plain pointers that nothing in the loop can change. `Scalar` keeps it from being
/// vectorised.
template <bool Scalar, class Fn, class MakeEntity, class... Cursors>
void visit_rows(RowRange rows, Fn& fn, MakeEntity entity_of, Cursors... cursors) {
  if constexpr ((can_lend<decltype(cursors[0])> || ...)) {
    LaneLoop<Cursors...>::run(rows, fn, entity_of, cursors...);
  } else if constexpr (Scalar || wants_scalar_loop<Fn>) {
    [&](auto... walkers) {
      for (std::size_t left = rows.empty() ? 0 : rows.size(); left != 0; --left, (++walkers, ...)) {
        keep_scalar();
        call(fn, [&] { return entity_of(rows.end - left); }, *walkers...);
      }
    }(Walker<Cursors>(cursors, rows.first)...);
  } else {
    std::size_t row = rows.first;
#if defined(__clang__) && __clang_major__ >= 19
    if constexpr (constexpr std::size_t block = rows_at_a_time<Fn, Cursors...>; block != 1) {
      parts::declare_apart(cursors...);
      for (const std::size_t end = row + (rows.empty() ? 0 : rows.size() / block * block); row != end; row += block)
        for (std::size_t next = 0; next < block; ++next)
          call(fn, [&] { return entity_of(row + next); }, cursors[row + next]...);
    }
#endif
    for (; row < rows.end; ++row) call(fn, [&] { return entity_of(row); }, cursors[row]...);
  }
}

// ---- loops over rows with holes, of which a bit each says whether they are there

/// 64 rows, each there or not.
using PresenceWord = std::uint64_t;
inline constexpr std::size_t rows_per_word = 64;

/// Words that have a bit for each of so many rows.
[[nodiscard]] constexpr std::size_t presence_words(std::size_t rows) noexcept {
  return (rows + rows_per_word - 1) / rows_per_word;
}
[[nodiscard]] constexpr PresenceWord presence_bit(std::size_t row) noexcept {
  return PresenceWord{1} << row % rows_per_word;
}

/// Says of `count` rows from `first` on that they are there. `word_of(row)` is the word with the row's bit.
template <class WordOf>
void mark_rows(std::size_t first, std::size_t count, WordOf&& word_of) noexcept {
  const std::size_t end = first + count;
  for (; first < end && first % rows_per_word != 0; ++first) word_of(first) |= presence_bit(first);
  for (; end - first >= rows_per_word; first += rows_per_word) word_of(first) = ~PresenceWord{0};
  for (; first < end; ++first) word_of(first) |= presence_bit(first);
}

/// The bits of a block's word whose rows are in the range, which must overlap the block.
[[nodiscard]] constexpr PresenceWord within(RowRange rows, std::size_t block, PresenceWord word) noexcept {
  const std::size_t begin = block * rows_per_word;
  if (begin < rows.first) word &= ~PresenceWord{0} << (rows.first - begin);
  if (begin + rows_per_word > rows.end) word &= ~PresenceWord{0} >> (begin + rows_per_word - rows.end);
  return word;
}

/// Calls `visit_run(range)` for rows that fill whole words, neighbours joined, and `visit_row(row)` for the others: a
/// loop that can be vectorised pays only if rows are dense. `word_of_block(block)` says which of 64 rows are there. A
/// whole loop visits all of these, also behind the end of `rows`; only a slice cuts the words at the ends of its range.
/// If word_of_block has `next(block)`, the first block from there on that may have rows, the blocks before it are
/// skipped. Each function is called in one place, which is why a run that reaches the end has an empty word behind it:
/// the compiler may inline neither of two calls, and then what the function adds to stays in memory.
template <class Slice, class WordOf, class VisitRun, class VisitRow>
STOWAGE_INLINE inline void for_each_present_run(RowRange rows, WordOf&& word_of_block, VisitRun&& visit_run,
                                                VisitRow&& visit_row) {
  if (!Slice::is_whole && rows.empty()) return;
  const auto word_of = [&](std::size_t block) {
    return Slice::is_whole ? word_of_block(block) : within(rows, block, word_of_block(block));
  };
  constexpr PresenceWord all = ~PresenceWord{0};
  const std::size_t end = presence_words(rows.end);
  for (std::size_t block = rows.first / rows_per_word; block < end; ++block) {
    if constexpr (requires { word_of_block.next(block); }) {
      block = word_of_block.next(block);
      if (block >= end) return;
    }
    const std::size_t first = block;
    PresenceWord word = word_of(block);
    if (word == 0) continue;
    while (word == all) {
      while (block + 4 < end &&
             (word_of(block + 1) & word_of(block + 2) & word_of(block + 3) & word_of(block + 4)) == all)
        block += 4;
      word = ++block < end ? word_of(block) : 0;
    }
    if (block != first) visit_run(RowRange{first * rows_per_word, block * rows_per_word});
    for (; word != 0; word &= word - 1) {
      visit_row(block * rows_per_word + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }
}

}  // namespace stowage::parts
