#include <retracescope/engine/runtime/dataset.h>

#include <fmt/format.h>

#include <retracescope/base/check.h>

namespace retracescope::runtime {

using tensor::Tensor;

namespace {

template <class Wanted>
std::shared_ptr<Wanted> targetOf(const Tensor& handle, std::string_view user, std::string_view expected) {
    std::shared_ptr<Wanted> target;
    if (handle.isEager() && handle.dtype() == types::DType::Resource)
        target = std::dynamic_pointer_cast<Wanted>(handle.target());
    if (target == nullptr)
        throw UsageError(fmt::format("{}expected {}, got {}", user, expected,
                                     handle.isEmpty() ? "nothing" : types::toText(handle.type())));
    return target;
}

} // namespace

DatasetPointer Dataset::of(const Tensor& handle, std::string_view user) {
    return targetOf<const Dataset>(handle, user, "a dataset");
}

Iterator& Iterator::of(const Tensor& handle, std::string_view user) {
    return *targetOf<Iterator>(handle, user, "an iterator");
}

bool Iterator::next(Element& element) {
    const std::lock_guard lock(m_mutex);
    element.clear();
    if (m_cursor != nullptr && m_cursor->next(element))
        return true;
    m_cursor.reset();
    element.clear();
    return false;
}

} // namespace retracescope::runtime
