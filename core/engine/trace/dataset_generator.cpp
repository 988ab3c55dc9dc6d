#include <retracescope/base/check.h>
#include <retracescope/engine/runtime/dataset.h>
#include <retracescope/engine/trace/cast.h>
#include <retracescope/engine/trace/dataset.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

using Generator = std::function<std::optional<Value>()>;

class GeneratorCursor final : public runtime::Cursor {
public:
    GeneratorCursor(Generator generator, types::TypeId element)
        : m_generator(std::move(generator)), m_element(element) {}

    bool next(runtime::Element& element) override {
        const EagerScope outside; // whoever asks may be tracing, or under a tape
        const std::optional<Value> made = m_generator();
        if (!made)
            return false;
        element =
            leavesOf(withoutHostArrays(castTo(*made, m_element, "[fromGenerator] element: ", Policy{})));
        return true;
    }

private:
    const Generator m_generator;
    const types::TypeId m_element;
};

class GeneratorDataset final : public runtime::Dataset {
public:
    GeneratorDataset(std::function<Generator()> begin, types::TypeId element)
        : m_begin(std::move(begin)), m_element(element) {}

    std::unique_ptr<runtime::Cursor> begin() const override {
        const EagerScope outside;
        return std::make_unique<GeneratorCursor>(m_begin(), m_element);
    }
    std::int64_t cardinality() const override { return kUnknown; }
    std::string name() const override { return "fromGenerator()"; }

private:
    const std::function<Generator()> m_begin;
    const types::TypeId m_element;
};

} // namespace

Dataset Dataset::fromGenerator(std::function<Generator()> begin, const Value& element, Where where) {
    const types::TypeId type = typeOfValue(element);
    for (const types::TypeId leaf : types::leavesOf(type))
        if (types::typeOf(leaf).kind != types::TypeKind::Tensor)
            refuse("fromGenerator", "expected TensorSpecs of an element, got " + types::toText(leaf), where);
    if (begin == nullptr || types::leafCount(type) == 0)
        refuse("fromGenerator",
               "expected a callable and TensorSpecs of an element, got " + types::toText(type), where);
    return {Tensor::resource(std::make_shared<GeneratorDataset>(std::move(begin), type)), type};
}

} // namespace retracescope::trace
