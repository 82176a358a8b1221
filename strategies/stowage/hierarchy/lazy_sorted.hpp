#pragma once

// The default hierarchy: a linear one whose rows are put in order once, before an update that needs it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>
#include <stowage/hierarchy/linked_rows.hpp>
#include <stowage/parts/on_failure.hpp>

namespace stowage {

namespace hierarchy {

/// An order with parents before children that is good for the cache and for the processor: breadth first among up to
/// `batch` nodes, depth first from batch to batch.
///
/// Breadth-first order comes back to a parent a whole level later, when its line has left the cache: up to one more
/// line a node. Depth-first order does so at once, when its world is not computed yet: in a chain every product waits
/// for the one before. Here up to `batch` products are independent, and parents are `batch` nodes back or (the last of
/// many children) as far as the tree below the batch is large.
class BatchedOrder {
 public:
  static constexpr std::size_t batch = 32;

  /// Room for `nodes` more in order().
  void reserve(std::size_t nodes) {
    order_.make_room(order_.size() + nodes);
    waiting_.reserve(nodes);
    runs_.reserve(nodes);
  }
  void clear() noexcept { order_.clear(); }

  /// Appends all below `row`, without itself, until `most` nodes are in the order; false if there are more.
  bool append_below(const SiblingLinks& links, Row row, std::size_t most) {
    waiting_.clear();
    runs_.clear();
    push_children(links, row);
    close_run(0);
    while (runs_.size() != 0) {
      if (order_.size() > most) return false;
      const std::size_t taken = take_batch();
      const std::size_t first_child = waiting_.size();
      for (std::size_t i = 0; i < taken; ++i) push_children(links, order_[order_.size() - 1 - i]);
      close_run(first_child);
    }
    return order_.size() <= most;
  }
  void append(Row row) { order_.append(row); }
  /// Sorts the order; equal rows stay as they are. O(rows x log(runs)); a run is sorted already.
  template <class Before>
  void sort(Before&& before) {
    Row* const first = order_.data();
    const auto rows = static_cast<Row>(order_.size());
    runs_.clear();  // where they end
    for (Row i = 1; i <= rows; ++i) {
      if (i == rows || before(first[i], first[i - 1])) runs_.append(i);
    }
    while (runs_.size() > 1) {
      std::size_t merged = 0;
      for (std::size_t run = 0; run < runs_.size(); run += 2) {
        const Row start = merged == 0 ? 0 : runs_[merged - 1];
        const Row end = runs_[(std::min)(run + 1, runs_.size() - 1)];
        std::inplace_merge(first + start, first + runs_[run], first + end, before);
        runs_[merged++] = end;
      }
      runs_.shrink(merged);
    }
  }

  [[nodiscard]] const parts::GrowingArray<Row>& order() const noexcept { return order_; }

  [[nodiscard]] MemoryBreakdown memory() const noexcept { return memory_of(0, order_, waiting_, runs_); }

 private:
  void push_children(const SiblingLinks& links, Row row) {
    const std::size_t first = waiting_.size();
    for (Row child = links.first[row]; child != origin; child = links.next[child]) waiting_.append(child);
    std::reverse(waiting_.data() + first, waiting_.data() + waiting_.size());
  }
  /// Closes a run: what was pushed since `first` is taken before anything that waited then.
  void close_run(std::size_t first) {
    if (waiting_.size() != first) runs_.append(static_cast<Row>(waiting_.size() - first));
  }
  std::size_t take_batch() {
    Row& left = runs_[runs_.size() - 1];
    const std::size_t batches = (left + batch - 1) / batch;  // of equal size: in a small one products would wait
    const std::size_t taken = (left + batches - 1) / batches;
    for (std::size_t i = 0; i < taken; ++i) order_.append(waiting_[waiting_.size() - 1 - i]);
    waiting_.shrink(waiting_.size() - taken);
    left -= static_cast<Row>(taken);
    if (left == 0) runs_.shrink(runs_.size() - 1);
    return taken;
  }

  parts::GrowingArray<Row> order_;
  parts::GrowingArray<Row> waiting_;  ///< to be taken from the end
  parts::GrowingArray<Row> runs_;     ///< how many of those that wait are children of one batch
};

///     parents  [ 0 ] [ 1 ] [ 1 ] [hole] [ 2 ] ...      row -> row of the parent, a smaller one after settle()
///     first, next, prev                                sibling links between rows: what is to be put in order
///
/// attach(), detach(): O(1) beside the look for a cycle. settle(): subtrees whose parents are behind them move to the
/// end, in a BatchedOrder, and leave holes; if holes, or nodes attached since, are more than an eighth, all rows are
/// put in that order instead, unless they lie by breadth already. So a subtree costs its own nodes, amortised, however
/// large the rest is, and rows are never far from the best order. remove(): O(nodes removed).
///
/// If transforms cannot follow the rows, the rows follow the transforms (order_by_place()), and only holes count.
///
/// Pick it by default: updates are a loop over arrays that fetches every line once, whatever the shape. `Matrices` says
/// where the transforms are (matrices.hpp).
/// Source: the linear order is Wicked Engine's (2019); sorting late and in batches is ours.
template <class Matrices>
class LazySorted : public LinkedRows<LazySorted<Matrices>, Matrices> {
  using Base = LinkedRows<LazySorted, Matrices>;
  friend class Operations<LazySorted, Row>;
  using Base::links_, Base::rows_;

 public:
  using Given = typename Matrices::Given;

  /// O(1) amortised. `given` is its local transform, or where both transforms are; of forms with matrices of their own
  /// the identity if nothing is given.
  void add(Entity entity, const Given& given) {
    const Given kept = given;
    this->make_room_for(entity);
    rows_.make_spare(entity, kept);
    this->add_row(entity, kept);
  }
  void add(Entity entity)
    requires(!Matrices::are_placed)
  {
    add(entity, identity());
  }

  /// Whole subtrees, parents first: the i-th of `entities` goes below that of number `parents[i]`, which is smaller,
  /// or, if this is its own number, below `top`, or is a root if `top` is the null handle. `given_of(i)` as in add().
  /// No entity is in the list twice. Rows are put at the end as they are listed, which is in order: update() has
  /// nothing to move. O(entities), amortised. Throws NodeExists, UnknownNode.
  template <class GivenOf>
  void add(std::span<const Entity> entities, std::span<const std::uint32_t> parents, Entity top, GivenOf&& given_of) {
    STOWAGE_ASSERT(parents.size() == entities.size(), "every entity has a parent");
    const Row above = top.is_null() ? origin : this->node(top);
    rows_.make_room(entities);
    links_.make_room(entities.size());
    const Row first = rows_.end();
    Row done = 0;
    parts::OnFailure undo([&] {
      while (done != 0) rows_.matrices.end_spare(entities[--done]);
    });
    for (; done < entities.size(); ++done) {
      const Given given = given_of(done);
      rows_.make_spare(entities[done], given);
      rows_.matrices.hold(first + done, rows_.matrices.held_of(entities[done], given));  // in room
    }
    undo.release();
    this->add_rows(entities, [&](Row i) {
      STOWAGE_ASSERT(parents[i] <= i, "parents come first");
      return parents[i] == i ? above : first + parents[i];
    });
  }

  /// Puts nodes in order that attach() left out of order. Throws std::bad_alloc; then they wait.
  void settle() {
    if (moved_.size() == 0 && (!is_worn() || stay_by_breadth())) return;
    if (find_tops() && order_tops()) {
      move_to_end();
    } else {
      order_all();
    }
    moved_.clear();
  }
  /// O(nodes): each is looked at, those that changed are computed; and settle().
  void update() {
    settle();
    rows_.update_forwards();
  }

  void reserve(std::size_t nodes) { this->reserve_rows(nodes); }
  void clear() noexcept {
    this->clear_rows();
    moved_.clear();
    holes_ = attached_ = 0;
  }
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    return this->rows_memory() + order_.memory() + memory_of(0, moved_, tops_, to_);
  }

 private:
  /// Whether a new order pays: holes are read in vain, and rows that were attached one by one lie anywhere behind their
  /// parents.
  [[nodiscard]] bool is_worn() const noexcept {
    return (std::max)(holes_, rows_.matrices.follow_rows() ? attached_ : 0) > rows_.end() / 8;
  }

  /// Whether rows lie by breadth, three children or more to a parent, with few holes between them. Parents are then
  /// read again as a stream, which costs a third of a line more per node: no reason to move the rows. O(rows); if the
  /// answer is yes, not asked again before another eighth of the nodes was attached.
  [[nodiscard]] bool stay_by_breadth() noexcept {
    if (holes_ > rows_.end() / 8) return false;
    Row before = origin;
    std::size_t parents = 0;
    std::size_t waiting = 0;  // for a world that is not computed much earlier
    for (Row row = 1; row < rows_.end(); ++row) {
      if (rows_.is_hole(row)) continue;
      const Row parent = rows_.parents[row];
      if (parent < before) return false;
      parents += parent != before ? 1U : 0U;
      waiting += row - parent < BatchedOrder::batch ? 1U : 0U;
      before = parent;
    }
    if (parents > rows_.size() / 3 || waiting > rows_.size() / 8) return false;
    attached_ = 0;
    return true;
  }

  void link(Row row, Row parent) {
    if (parent > row) moved_.append(row);
    Base::link(row, parent);
    ++attached_;
  }
  void erase(std::span<const Row> nodes) noexcept {
    this->end_rows(nodes);
    holes_ += nodes.size();
  }

  /// The highest rows with a parent behind them: what is below each of them moves together, and no other row's
  /// parent is among them. False if looking for them would take more than looking at all rows.
  bool find_tops() {
    if (is_worn()) return false;
    tops_.clear();
    std::size_t steps = 0;
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      Row top = origin;
      for (Row row = moved_[i]; row != origin; row = rows_.parents[row]) {
        if (rows_.parents[row] > row) top = row;
        if (++steps > rows_.end()) return false;
      }
      if (top != origin) tops_.append(top);
    }
    Row* const end = tops_.data() + tops_.size();
    std::sort(tops_.data(), end);
    tops_.shrink(static_cast<std::size_t>(std::unique(tops_.data(), end) - tops_.data()));
    return true;
  }

  /// False if the holes would be too many.
  bool order_tops() {
    const std::size_t most = rows_.end() / 8 - holes_;
    order_.clear();
    for (std::size_t i = 0; i < tops_.size(); ++i) {
      order_.append(tops_[i]);
      if (!order_.append_below(links_, tops_[i], most)) return false;
    }
    rows_.make_room_for_rows(order_.order().size());
    links_.make_room(order_.order().size());
    return true;
  }

  /// A row that has moved keeps its new number in `parents` until all have moved.
  void move_to_end() noexcept {
    const auto& order = order_.order();
    const Row first = rows_.end();
    const auto count = static_cast<Row>(order.size());
    links_.grow(first + count);
    for (Row i = 0; i < count; ++i) {
      const Row row = order[i];
      rows_.move_to_end(row);
      rows_.parents[row] = first + i;
      links_.first[first + i] = links_.first[row];
      links_.next[first + i] = links_.next[row];
      links_.prev[first + i] = links_.prev[row];
    }
    const auto moved = [&](Row row) { return row != origin && rows_.is_hole(row) ? rows_.parents[row] : row; };
    for (Row row = first; row < first + count; ++row) {
      rows_.parents[row] = moved(rows_.parents[row]);
      links_.first[row] = moved(links_.first[row]);
      links_.next[row] = moved(links_.next[row]);
      links_.prev[row] = moved(links_.prev[row]);
    }
    for (Row i = 0; i < count; ++i) links_.join(first + i, rows_.parents[first + i], order[i]);
    for (Row i = 0; i < count; ++i) rows_.parents[order[i]] = origin;
    holes_ += count;
  }

  /// An order for several passes over the transforms, each forwards: a node is computed in the pass of its parent, or
  /// in the next one if its transforms do not lie behind those of the parent. Rows are nearly in such an order already.
  void order_by_place() {
    constexpr Row unknown = parts::no_row;
    const Row end = rows_.end();
    const Row* const parents = rows_.parents.data();
    Row* const pass = to_.data();
    std::fill_n(pass, end, unknown);
    const auto place_of = [this](Row row) { return reinterpret_cast<std::uintptr_t>(rows_.matrices.held(row).local); };
    const auto find_pass = [&](Row row) {
      const Row parent = parents[row];
      pass[row] = parent == origin ? 0 : pass[parent] + (place_of(row) <= place_of(parent) ? 1 : 0);
    };
    for (Row row = 1; row < end; ++row) {
      if (rows_.is_hole(row)) continue;
      order_.append(row);
      if (pass[row] != unknown) continue;
      tops_.clear();
      for (Row at = parents[row]; at != origin && pass[at] == unknown; at = parents[at]) tops_.append(at);
      for (std::size_t i = tops_.size(); i-- > 0;) find_pass(tops_[i]);
      find_pass(row);
    }
    order_.sort([&](Row row, Row other) {
      return pass[row] != pass[other] ? pass[row] < pass[other] : place_of(row) < place_of(other);
    });
  }

  /// Puts all rows in a BatchedOrder or by place, and gives up the holes.
  void order_all() {
    const Row end = rows_.end();
    order_.clear();
    order_.reserve(rows_.size());
    to_.extend_unwritten(end);
    if (rows_.matrices.follow_rows()) {
      order_.append_below(links_, origin, rows_.size());
    } else if constexpr (Matrices::are_placed) {
      order_by_place();
    }
    const std::span order(order_.order().data(), order_.order().size());
    Row* const to = to_.data();
    to[origin] = origin;
    for (Row i = 0; i < order.size(); ++i) to[order[i]] = i + 1;
    rows_.put_in_order(order, to);
    links_.link_all(rows_.parents.data(), rows_.end());
    holes_ = attached_ = 0;
  }

  parts::GrowingArray<Row> moved_;  ///< rows that were attached to a row behind them, and perhaps moved on or ended
  parts::GrowingArray<Row> tops_;
  parts::GrowingArray<Row> to_;
  BatchedOrder order_;
  std::size_t holes_ = 0;
  std::size_t attached_ = 0;  ///< nodes that got another parent since all rows were put in order
};

}  // namespace hierarchy

using LazySortedHierarchy = hierarchy::LazySorted<hierarchy::OwnMatrices>;
static_assert(HierarchyForm<LazySortedHierarchy>);

}  // namespace stowage
