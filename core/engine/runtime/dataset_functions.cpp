#include <retracescope/engine/runtime/dataset_functions.h>

#include <fmt/format.h>

#include <retracescope/base/check.h>

namespace retracescope::runtime {

using tensor::Tensor;

namespace {

/// A function with what it uses from outside.
struct Bound {
    std::shared_ptr<const ElementFunction> function;
    Element captured;

    Element operator()(const Element& element) const {
        Element inputs = element;
        inputs.insert(inputs.end(), captured.begin(), captured.end());
        return function->executable().run(inputs);
    }
};

class MapCursor final : public Cursor {
public:
    MapCursor(const Dataset& source, const Bound& function)
        : m_source(source.begin()), m_function(function) {}
    bool next(Element& element) override {
        if (!m_source->next(element))
            return false;
        element = m_function(element);
        return true;
    }

private:
    const std::unique_ptr<Cursor> m_source;
    const Bound m_function;
};

class Map final : public Dataset {
public:
    Map(DatasetPointer source, Bound function)
        : m_source(std::move(source)), m_function(std::move(function)) {}
    std::unique_ptr<Cursor> begin() const override {
        return std::make_unique<MapCursor>(*m_source, m_function);
    }
    std::int64_t cardinality() const override { return m_source->cardinality(); }
    std::string name() const override { return m_source->name() + ".map()"; }

private:
    const DatasetPointer m_source;
    const Bound m_function;
};

class FilterCursor final : public Cursor {
public:
    FilterCursor(const Dataset& source, const Bound& predicate)
        : m_source(source.begin()), m_predicate(predicate) {}
    bool next(Element& element) override {
        for (; m_source->next(element); element.clear())
            if (m_predicate(element)[0].scalar<bool>())
                return true;
        return false;
    }

private:
    const std::unique_ptr<Cursor> m_source;
    const Bound m_predicate;
};

class Filter final : public Dataset {
public:
    Filter(DatasetPointer source, Bound predicate)
        : m_source(std::move(source)), m_predicate(std::move(predicate)) {}
    std::unique_ptr<Cursor> begin() const override {
        return std::make_unique<FilterCursor>(*m_source, m_predicate);
    }
    std::int64_t cardinality() const override { return m_source->cardinality() == 0 ? 0 : kUnknown; }
    std::string name() const override { return m_source->name() + ".filter()"; }

private:
    const DatasetPointer m_source;
    const Bound m_predicate;
};

} // namespace

std::shared_ptr<const ElementFunction> ElementFunction::of(const Tensor& handle, std::string_view user) {
    std::shared_ptr<const ElementFunction> function;
    if (handle.isEager() && handle.dtype() == types::DType::Resource)
        function = std::dynamic_pointer_cast<const ElementFunction>(handle.target());
    if (function == nullptr)
        throw UsageError(fmt::format("{}expected a function of elements, got {}", user,
                                     handle.isEmpty() ? "nothing" : types::toText(handle.type())));
    return function;
}

DatasetPointer mapDataset(DatasetPointer source, std::shared_ptr<const ElementFunction> function,
                          Element captured) {
    return std::make_shared<const Map>(std::move(source), Bound{std::move(function), std::move(captured)});
}

DatasetPointer filterDataset(DatasetPointer source, std::shared_ptr<const ElementFunction> function,
                             Element captured) {
    return std::make_shared<const Filter>(std::move(source), Bound{std::move(function), std::move(captured)});
}

} // namespace retracescope::runtime
