#include <retracescope/engine/runtime/plain_trips.h>

#include <algorithm>
#include <array>

namespace retracescope::runtime {

using tensor::Tensor;

PlainTrips::PlainTrips(RunSeries& condition, RunSeries& body, std::span<Tensor> values,
                       std::span<Tensor> spare)
    : m_condition(condition), m_body(body), m_values(values), m_spare(spare) {}

bool PlainTrips::arePossible() const {
    return m_condition.isPlain() && m_body.isPlain() && m_values.size() <= kMostValues &&
           std::ranges::all_of(m_values.first(m_spare.size()), &Tensor::isUnique);
}

void PlainTrips::run(Tensor& decision) {
    std::array<std::byte*, kMostValues> here;
    std::array<std::byte*, kMostValues> there;
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        const bool isCarried = i < m_spare.size();
        if (isCarried && !(m_spare[i].isUnique() && m_spare[i].type() == m_values[i].type()))
            m_spare[i] = Tensor::uninitialized(m_values[i].type());
        here[i] = m_values[i].mutableBytes();
        there[i] = isCarried ? m_spare[i].mutableBytes() : here[i];
    }
    std::span<std::byte*> from = std::span(here).first(m_values.size());
    std::span<std::byte*> to = std::span(there).first(m_values.size());
    std::byte* const decided = decision.mutableBytes();
    bool isSwapped = false;
    while (m_condition.runPlaced(from, std::span(&decided, 1)), *decided != std::byte{0}) {
        m_body.runPlaced(from, to.first(m_spare.size()));
        std::swap(from, to);
        isSwapped = !isSwapped;
    }
    if (isSwapped)
        std::ranges::swap_ranges(m_values.first(m_spare.size()), m_spare);
}

} // namespace retracescope::runtime
