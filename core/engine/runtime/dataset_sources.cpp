#include <retracescope/engine/runtime/dataset_sources.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/runtime/kernels/rows.h>
#include <retracescope/engine/tensor/constant.h>

namespace retracescope::runtime {

using tensor::Tensor;

namespace {

/// A source whose elements are known by number.
class Indexed : public Dataset, public std::enable_shared_from_this<Indexed> {
public:
    virtual std::uint64_t size() const = 0;
    virtual void at(std::uint64_t index, Element& element) const = 0;

    std::unique_ptr<Cursor> begin() const override;
    std::int64_t cardinality() const override {
        constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
        return static_cast<std::int64_t>(std::min(size(), static_cast<std::uint64_t>(kMost)));
    }
};

class IndexedCursor final : public Cursor {
public:
    explicit IndexedCursor(std::shared_ptr<const Indexed> source) : m_source(std::move(source)) {}
    bool next(Element& element) override {
        if (m_next == m_source->size())
            return false;
        m_source->at(m_next++, element);
        return true;
    }

private:
    const std::shared_ptr<const Indexed> m_source;
    std::uint64_t m_next = 0;
};

std::unique_ptr<Cursor> Indexed::begin() const {
    return std::make_unique<IndexedCursor>(shared_from_this());
}

class Range final : public Indexed {
public:
    Range(std::int64_t start, std::int64_t stop, std::int64_t step)
        : m_start(start), m_stop(stop), m_step(step) {
        // In unsigned numbers, where no distance overflows.
        const auto distance = step > 0 ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                                       : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
        const auto stride =
            step > 0 ? static_cast<std::uint64_t>(step) : std::uint64_t{0} - static_cast<std::uint64_t>(step);
        const bool isEmpty = step > 0 ? stop <= start : stop >= start;
        m_size = isEmpty ? 0 : (distance - 1) / stride + 1;
    }
    std::uint64_t size() const override { return m_size; }
    void at(std::uint64_t index, Element& element) const override {
        const std::uint64_t value =
            static_cast<std::uint64_t>(m_start) + index * static_cast<std::uint64_t>(m_step);
        element.push_back(tensor::constant(static_cast<std::int64_t>(value)));
    }
    std::string name() const override {
        return m_start == 0 && m_step == 1 ? fmt::format("range({})", m_stop)
                                           : fmt::format("range({}, {}, {})", m_start, m_stop, m_step);
    }

private:
    const std::int64_t m_start, m_stop, m_step;
    std::uint64_t m_size = 0;
};

std::string typesText(const Element& element) {
    std::string text;
    for (const Tensor& tensor : element)
        text += (text.empty() ? "" : ", ") + types::toText(tensor.type());
    return text;
}

class Tensors final : public Indexed {
public:
    explicit Tensors(Element element) : m_element(std::move(element)) {}
    std::uint64_t size() const override { return 1; }
    void at(std::uint64_t /*index*/, Element& element) const override { element = m_element; }
    std::string name() const override { return fmt::format("fromTensors({})", typesText(m_element)); }

private:
    const Element m_element;
};

class Slices final : public Indexed {
public:
    explicit Slices(Element wholes) : m_wholes(std::move(wholes)) {
        for (const Tensor& whole : m_wholes) {
            if (whole.shape().rank() == 0 || whole.shape()[0] != m_wholes[0].shape()[0])
                throw UsageError(fmt::format("[fromTensorSlices] expected tensors with a leading axis of one "
                                             "size, got {}",
                                             typesText(m_wholes)));
            m_rowTypes.push_back(rowType(whole));
        }
    }
    std::uint64_t size() const override { return static_cast<std::uint64_t>(m_wholes[0].shape()[0]); }
    void at(std::uint64_t index, Element& element) const override {
        for (std::size_t i = 0; i < m_wholes.size(); ++i)
            element.push_back(rowOf(m_wholes[i], static_cast<std::int64_t>(index), m_rowTypes[i]));
    }
    std::string name() const override { return fmt::format("fromTensorSlices({})", typesText(m_wholes)); }

private:
    const Element m_wholes;
    std::vector<types::TensorTypeId> m_rowTypes;
};

} // namespace

DatasetPointer rangeDataset(std::int64_t start, std::int64_t stop, std::int64_t step) {
    if (step == 0)
        throw UsageError("[range] expected a step other than 0, got 0");
    return std::make_shared<const Range>(start, stop, step);
}

DatasetPointer tensorsDataset(Element element) {
    return std::make_shared<const Tensors>(std::move(element));
}

DatasetPointer slicesDataset(Element wholes) {
    RETRACESCOPE_CHECK(!wholes.empty());
    return std::make_shared<const Slices>(std::move(wholes));
}

} // namespace retracescope::runtime
