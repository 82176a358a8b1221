#include "workloads/support/hierarchies.hpp"

#include "workloads/floors/matrix.hpp"

namespace stowage::workloads {

void PrecompiledForm::find_in(const hierarchy::TransformSource& source) noexcept { form_.find_in(source); }
void PrecompiledForm::add(Entity node, const hierarchy::Transforms& transforms) { form_.add(node, transforms); }
void PrecompiledForm::attach(Entity child, Entity parent, Keep keep) { form_.attach(child, parent, keep); }
void PrecompiledForm::detach(Entity node) { form_.detach(node); }
void PrecompiledForm::remove(Entity node, Children children) { form_.remove(node, children); }
void PrecompiledForm::touch(Entity node) { form_.touch(node); }
void PrecompiledForm::touch_all() noexcept { form_.touch_all(); }
void PrecompiledForm::update() { form_.update(); }
void PrecompiledForm::settle() { form_.settle(); }
std::size_t PrecompiledForm::jumps() const noexcept { return form_.jumps(); }
bool PrecompiledForm::take_order_is_new() noexcept { return form_.take_order_is_new(); }
std::span<const Entity> PrecompiledForm::in_order() const noexcept { return form_.in_order(); }
void PrecompiledForm::append_subtree(Entity node, std::vector<Entity>& out) const { form_.append_subtree(node, out); }
Entity PrecompiledForm::parent(Entity node) const { return form_.parent(node); }
bool PrecompiledForm::contains(Entity node) const noexcept { return form_.contains(node); }
std::size_t PrecompiledForm::size() const noexcept { return form_.size(); }
MemoryBreakdown PrecompiledForm::memory() const noexcept { return form_.memory(); }
void PrecompiledForm::reserve(std::size_t nodes) { form_.reserve(nodes); }
void PrecompiledForm::clear() noexcept { form_.clear(); }

NodeArrays::NodeArrays(const TreePlan& plan, std::uint64_t seed) : seed_(seed) {
  const std::size_t rows = plan.size() + 1;
  Array<std::uint32_t> row_of(plan.size()), by_breadth(rows, 0);  // the identity, and the root below it
  for (std::size_t node = 1; node < plan.size(); ++node) by_breadth[node + 1] = plan.parents[node] + 1;
  const bool is_far = parents_are_far(by_breadth);
  const StoredArray<std::uint32_t> near = is_far ? order_with_near_parents(by_breadth) : StoredArray<std::uint32_t>();
  for (std::uint32_t row = 0; row < rows; ++row) node_of_.push_back((is_far ? near[row] : row) - 1);
  for (std::uint32_t row = 1; row < rows; ++row) row_of[node_of_[row]] = row;
  parents_.resize(rows, 0);
  for (std::size_t node = 1; node < plan.size(); ++node) parents_[row_of[node]] = row_of[plan.parents[node]];
  for (auto* const matrices : {&locals_, &worlds_}) matrices->resize(rows, hierarchy::identity());
  for (auto* const flags : {&dirty_, &changed_}) flags->resize(rows, 0);
  for (const std::uint32_t node : plan.dirty) touched_.push_back(row_of[node]);
  for (std::size_t row = 1; row < rows; ++row) locals_[row] = local_transform(seed_, node_of_[row], 0);
  update_all();
}

void NodeArrays::prepare() {
  set_locals(0);
  update_all();
  set_locals(1);
}

void NodeArrays::run() {
  if (touched_.empty()) {
    update_all();
  } else {
    for (const std::uint32_t row : touched_) dirty_[row] = 1;
    update_dirty();
  }
  keep(worlds_);
}

void NodeArrays::set_locals(unsigned which) {
  for (const std::uint32_t row : touched_) locals_[row] = local_transform(seed_, node_of_[row], which);
  for (std::size_t row = 1; touched_.empty() && row < locals_.size(); ++row) {
    locals_[row] = local_transform(seed_, node_of_[row], which);
  }
}

void NodeArrays::update_all() {
  multiply_all(worlds_.size(), parents_.data(), worlds_.data(), std::as_const(locals_).data());
}

void NodeArrays::update_dirty() {
  multiply_dirty(worlds_.size(), parents_.data(), dirty_.data(), changed_.data(), worlds_.data(),
                 std::as_const(locals_).data());
  for (const std::uint32_t row : touched_) dirty_[row] = 0;
}

std::uint64_t NodeArrays::checksum() const {
  Checksum sum;
  for (std::size_t row = 1; row < worlds_.size(); ++row) sum.add(node_of_[row], matrix_bits(worlds_[row]));
  return sum.value();
}

MemoryBreakdown NodeArrays::memory() const {
  const std::size_t rows = worlds_.size();
  return {
      .payload_bytes = 2 * rows * sizeof(Matrix), .index_bytes = rows * (sizeof(std::uint32_t) + 2), .allocations = 5};
}

}  // namespace stowage::workloads
