#include <retracescope/engine/runtime/dataset_stages.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/runtime/kernels/philox.h>
#include <retracescope/engine/runtime/kernels/rows.h>

namespace retracescope::runtime {

using tensor::Tensor;

namespace {

void requireAtLeast(std::int64_t least, std::int64_t number, std::string_view user, std::string_view what) {
    if (number < least)
        throw UsageError(fmt::format("[{}] expected {} of {} or more, got {}", user, what, least, number));
}

/// What a cursor of one source has in common with others of its kind.
class SourceCursor : public Cursor {
protected:
    explicit SourceCursor(const Dataset& source) : m_source(source.begin()) {}
    bool pull(Element& element) {
        element.clear();
        return m_source->next(element);
    }

private:
    const std::unique_ptr<Cursor> m_source;
};

// Batches.

class BatchCursor final : public SourceCursor {
public:
    BatchCursor(const Dataset& source, std::int64_t size, bool dropRemainder)
        : SourceCursor(source), m_size(size), m_dropRemainder(dropRemainder) {}

    bool next(Element& element) override {
        std::vector<Element> rows;
        for (Element row; std::ssize(rows) < m_size && pull(row);)
            rows.push_back(std::move(row));
        if (rows.empty() || (m_dropRemainder && std::ssize(rows) < m_size))
            return false;
        for (std::size_t leaf = 0; leaf < rows[0].size(); ++leaf)
            element.push_back(joined(rows, leaf));
        return true;
    }

private:
    static Tensor joined(const std::vector<Element>& rows, std::size_t leaf) {
        const types::TensorTypeId type = rows[0][leaf].type();
        Tensor result = Tensor::uninitialized(stackType(type, std::ssize(rows)));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Tensor& row = rows[i][leaf];
            if (row.type() != type)
                throw UsageError(
                    fmt::format("[batch] expected elements of one shape, got {} as the first of a "
                                "batch and {} as its element {}; make them alike with map, or "
                                "batch by 1",
                                types::toText(type), types::toText(row.type()), i));
            copyElements(row, 0, result, static_cast<std::int64_t>(i) * row.elements(), row.elements());
        }
        return result;
    }

    const std::int64_t m_size;
    const bool m_dropRemainder;
};

class Batch final : public Dataset {
public:
    Batch(DatasetPointer source, std::int64_t size, bool dropRemainder)
        : m_source(std::move(source)), m_size(size), m_dropRemainder(dropRemainder) {
        requireAtLeast(1, size, "batch", "a size");
    }
    std::unique_ptr<Cursor> begin() const override {
        return std::make_unique<BatchCursor>(*m_source, m_size, m_dropRemainder);
    }
    std::int64_t cardinality() const override {
        const std::int64_t all = m_source->cardinality();
        return all < 0 ? all : all / m_size + (!m_dropRemainder && all % m_size > 0 ? 1 : 0);
    }
    std::string name() const override {
        return fmt::format("{}.batch({}{})", m_source->name(), m_size, m_dropRemainder ? ", true" : "");
    }

private:
    const DatasetPointer m_source;
    const std::int64_t m_size;
    const bool m_dropRemainder;
};

// Shuffles.

class ShuffleCursor final : public SourceCursor {
public:
    ShuffleCursor(const Dataset& source, std::int64_t size, std::int64_t seed, std::uint64_t pass)
        : SourceCursor(source), m_size(size), m_seed(static_cast<std::uint64_t>(seed)), m_pass(pass) {}

    bool next(Element& element) override {
        for (Element more; !m_hasAll && std::ssize(m_buffer) < m_size;) {
            m_hasAll = !pull(more);
            if (!m_hasAll)
                m_buffer.push_back(std::move(more));
        }
        if (m_buffer.empty())
            return false;
        std::swap(m_buffer[random() % m_buffer.size()], m_buffer.back());
        element = std::move(m_buffer.back());
        m_buffer.pop_back();
        return true;
    }

private:
    std::uint64_t random() {
        const std::uint64_t draw = m_draws++;
        const PhiloxBlock block =
            philox({static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32),
                    static_cast<std::uint32_t>(m_pass), static_cast<std::uint32_t>(m_pass >> 32)},
                   m_seed);
        return (std::uint64_t{block[0]} << 32) | block[1];
    }

    const std::int64_t m_size;
    const std::uint64_t m_seed;
    const std::uint64_t m_pass;
    std::uint64_t m_draws = 0;
    std::vector<Element> m_buffer;
    bool m_hasAll = false; ///< the source has ended
};

class Shuffle final : public Dataset {
public:
    Shuffle(DatasetPointer source, std::int64_t size, std::int64_t seed, bool reshuffles)
        : m_source(std::move(source)), m_size(size), m_seed(seed), m_reshuffles(reshuffles) {
        requireAtLeast(1, size, "shuffle", "a buffer size");
    }
    std::unique_ptr<Cursor> begin() const override {
        return std::make_unique<ShuffleCursor>(*m_source, m_size, m_seed,
                                               m_reshuffles ? m_passes.fetch_add(1) : 0);
    }
    std::int64_t cardinality() const override { return m_source->cardinality(); }
    std::string name() const override {
        return fmt::format("{}.shuffle({}, {}{})", m_source->name(), m_size, m_seed,
                           m_reshuffles ? "" : ", false");
    }

private:
    const DatasetPointer m_source;
    const std::int64_t m_size;
    const std::int64_t m_seed;
    const bool m_reshuffles;
    mutable std::atomic<std::uint64_t> m_passes{0};
};

// Repetitions.

class RepeatCursor final : public Cursor {
public:
    RepeatCursor(DatasetPointer source, std::int64_t count) : m_source(std::move(source)), m_left(count) {}

    bool next(Element& element) override {
        while (m_pass != nullptr || m_left != 0) {
            if (m_pass == nullptr) {
                m_pass = m_source->begin();
                m_left -= m_left > 0 ? 1 : 0;
                m_isFresh = true;
            }
            element.clear();
            if (m_pass->next(element)) {
                m_isFresh = false;
                return true;
            }
            m_pass.reset();
            if (m_isFresh)
                return false;
        }
        return false;
    }

private:
    const DatasetPointer m_source;
    std::int64_t m_left; ///< passes that have not begun; negative: for ever
    std::unique_ptr<Cursor> m_pass;
    bool m_isFresh = false; ///< the pass has not given an element
};

class Repeat final : public Dataset {
public:
    Repeat(DatasetPointer source, std::int64_t count) : m_source(std::move(source)), m_count(count) {}
    std::unique_ptr<Cursor> begin() const override {
        return std::make_unique<RepeatCursor>(m_source, m_count);
    }
    std::int64_t cardinality() const override {
        const std::int64_t one = m_source->cardinality();
        if (m_count == 0 || one == 0)
            return 0;
        if (one < 0)
            return one;
        constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
        return m_count < 0 ? kInfinite : one > kMost / m_count ? kMost : one * m_count;
    }
    std::string name() const override {
        return fmt::format("{}.repeat({})", m_source->name(), m_count < 0 ? "" : std::to_string(m_count));
    }

private:
    const DatasetPointer m_source;
    const std::int64_t m_count;
};

// Beginnings and ends.

class TakeCursor final : public Cursor {
public:
    TakeCursor(const Dataset& source, std::int64_t count)
        : m_source(count > 0 ? source.begin() : nullptr), m_left(count) {}
    bool next(Element& element) override { return m_left > 0 && m_left-- > 0 && m_source->next(element); }

private:
    const std::unique_ptr<Cursor> m_source;
    std::int64_t m_left;
};

class Take final : public Dataset {
public:
    Take(DatasetPointer source, std::int64_t count) : m_source(std::move(source)), m_count(count) {
        requireAtLeast(0, count, "take", "a number of elements");
    }
    std::unique_ptr<Cursor> begin() const override {
        return std::make_unique<TakeCursor>(*m_source, m_count);
    }
    std::int64_t cardinality() const override {
        const std::int64_t all = m_source->cardinality();
        return all == kInfinite ? m_count : all == kUnknown ? kUnknown : std::min(all, m_count);
    }
    std::string name() const override { return fmt::format("{}.take({})", m_source->name(), m_count); }

private:
    const DatasetPointer m_source;
    const std::int64_t m_count;
};

class SkipCursor final : public SourceCursor {
public:
    SkipCursor(const Dataset& source, std::int64_t count) : SourceCursor(source), m_left(count) {}
    bool next(Element& element) override {
        for (; m_left > 0; --m_left)
            if (!pull(element))
                return false;
        return pull(element);
    }

private:
    std::int64_t m_left;
};

class Skip final : public Dataset {
public:
    Skip(DatasetPointer source, std::int64_t count) : m_source(std::move(source)), m_count(count) {
        requireAtLeast(0, count, "skip", "a number of elements");
    }
    std::unique_ptr<Cursor> begin() const override {
        return std::make_unique<SkipCursor>(*m_source, m_count);
    }
    std::int64_t cardinality() const override {
        const std::int64_t all = m_source->cardinality();
        return all < 0 ? all : std::max<std::int64_t>(0, all - m_count);
    }
    std::string name() const override { return fmt::format("{}.skip({})", m_source->name(), m_count); }

private:
    const DatasetPointer m_source;
    const std::int64_t m_count;
};

// Several side by side.

class ZipCursor final : public Cursor {
public:
    explicit ZipCursor(const std::vector<DatasetPointer>& sources) {
        for (const DatasetPointer& source : sources)
            m_cursors.push_back(source->begin());
    }
    bool next(Element& element) override {
        for (const auto& cursor : m_cursors) {
            Element part;
            if (!cursor->next(part))
                return false;
            std::ranges::move(part, std::back_inserter(element));
        }
        return true;
    }

private:
    std::vector<std::unique_ptr<Cursor>> m_cursors;
};

class Zip final : public Dataset {
public:
    explicit Zip(std::vector<DatasetPointer> sources) : m_sources(std::move(sources)) {}
    std::unique_ptr<Cursor> begin() const override { return std::make_unique<ZipCursor>(m_sources); }
    std::int64_t cardinality() const override {
        std::int64_t least = kInfinite;
        for (const DatasetPointer& source : m_sources) {
            const std::int64_t all = source->cardinality();
            if (all == 0 || all == kUnknown)
                return all;
            least = least == kInfinite ? all : all == kInfinite ? least : std::min(least, all);
        }
        return least;
    }
    std::string name() const override {
        std::string text;
        for (const DatasetPointer& source : m_sources)
            text += (text.empty() ? "" : ", ") + source->name();
        return fmt::format("zip({})", text);
    }

private:
    const std::vector<DatasetPointer> m_sources;
};

} // namespace

DatasetPointer batchDataset(DatasetPointer source, std::int64_t size, bool dropRemainder) {
    return std::make_shared<const Batch>(std::move(source), size, dropRemainder);
}

DatasetPointer shuffleDataset(DatasetPointer source, std::int64_t size, std::int64_t seed, bool reshuffles) {
    return std::make_shared<const Shuffle>(std::move(source), size, seed, reshuffles);
}

DatasetPointer repeatDataset(DatasetPointer source, std::int64_t count) {
    return std::make_shared<const Repeat>(std::move(source), count);
}

DatasetPointer takeDataset(DatasetPointer source, std::int64_t count) {
    return std::make_shared<const Take>(std::move(source), count);
}

DatasetPointer skipDataset(DatasetPointer source, std::int64_t count) {
    return std::make_shared<const Skip>(std::move(source), count);
}

DatasetPointer zipDataset(std::vector<DatasetPointer> sources) {
    return std::make_shared<const Zip>(std::move(sources));
}

} // namespace retracescope::runtime
