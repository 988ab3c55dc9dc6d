#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <retracescope/engine/tensor/tensor.h>

/// Datasets: recipes for sequences of elements, and iterators, which are positions in one. Graphs hold both
/// as tensors of dtype Resource.
namespace retracescope::runtime {

/// The tensors of one element of a dataset in the order of flattening.
using Element = std::vector<tensor::Tensor>;

/// One pass over a dataset. Used by one thread at a time.
class Cursor {
public:
    virtual ~Cursor() = default;
    /// Fills in the next element; false at the end, after which it is not asked again.
    virtual bool next(Element& element) = 0;
};

/// A source of elements, or a stage that makes elements of another dataset's. Immutable but for what
/// a shuffle counts; any number of passes may be under way, on any threads.
class Dataset : public tensor::Resource {
public:
    static constexpr std::int64_t kInfinite = -1;
    static constexpr std::int64_t kUnknown = -2;

    virtual std::unique_ptr<Cursor> begin() const = 0;
    /// How many elements a pass has: 0 or more, kInfinite or kUnknown.
    virtual std::int64_t cardinality() const = 0;
    /// As it was written, for messages: "range(10).batch(3)".
    virtual std::string name() const = 0;

    /// What a handle points to; throws UsageError that starts with `user` if it is no dataset's.
    static std::shared_ptr<const Dataset> of(const tensor::Tensor& handle, std::string_view user);
};
using DatasetPointer = std::shared_ptr<const Dataset>;

/// Where a walk over a dataset stands. Several threads may take elements: each is given out once.
class Iterator final : public tensor::Resource {
public:
    explicit Iterator(DatasetPointer dataset) : m_dataset(std::move(dataset)), m_cursor(m_dataset->begin()) {}

    /// As Cursor::next(), but may be asked again at the end.
    bool next(Element& element);
    const Dataset& dataset() const { return *m_dataset; }

    /// What a handle points to; throws UsageError that starts with `user` if it is no iterator's.
    static Iterator& of(const tensor::Tensor& handle, std::string_view user);

private:
    const DatasetPointer m_dataset;
    std::mutex m_mutex;
    std::unique_ptr<Cursor> m_cursor; ///< null at the end
};

} // namespace retracescope::runtime
