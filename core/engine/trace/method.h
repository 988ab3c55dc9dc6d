#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <retracescope/engine/trace/function.h>

namespace retracescope::trace {

template <class Signature>
class Method;

/// A traced member function. Every object has a function, and so a cache, of its own, which goes with it:
///
///     struct Layer {
///         Tensor apply(Tensor x) { return x * weight; }
///         Variable weight;
///     };
///     Method apply("apply", {"x"}, &Layer::apply);
///     apply(layer, x); // layer is a std::shared_ptr<Layer>
template <class Object, class R, class... A>
class Method<R(Object&, A...)> {
public:
    /// The object of a call, and the line of it.
    struct Receiver {
        template <class T>
            requires std::is_convertible_v<const T&, std::shared_ptr<Object>>
        Receiver(const T& object, Where itsPlace = Where::current()) : pointer(object), where(itsPlace) {}

        std::shared_ptr<Object> pointer;
        Where where;
    };

    template <class Member>
    Method(std::string name, std::vector<ParameterName> parameters, Member member,
           FunctionOptions options = {}, Where definedAt = Where::current())
        : m_shared(std::make_shared<Shared>(
              std::move(name), std::move(parameters),
              [member](Object& object, const A&... arguments) -> R { return (object.*member)(arguments...); },
              std::move(options), definedAt)) {}

    /// The function of that object; made when first asked for.
    Function<R(A...)> of(const std::shared_ptr<Object>& object, Where where = Where::current()) const {
        if (object == nullptr)
            throw UsageError("[" + m_shared->name + "] expected an object, got a null pointer" +
                             placeText(where));
        const std::uint64_t wanted = types::identityOf(object, detail::objectClass<Object>());
        const std::lock_guard lock(m_shared->mutex);
        auto& functions = m_shared->functions;
        std::erase_if(functions, [](const auto& one) { return !types::isAlive(one.first); });
        const bool sharesEqual = m_shared->options.policy.sharesEqualInstances;
        const auto known = std::ranges::find_if(functions, [&](const auto& one) {
            return one.first == wanted || (sharesEqual && types::areEqual(one.first, wanted));
        });
        if (known != functions.end())
            return known->second;
        return functions.emplace_back(wanted, made(object)).second;
    }

    /// Calls it as Function::operator() does.
    template <class... Given>
    auto operator()(const Receiver& object, const Given&... given) const {
        return of(object.pointer, object.where).callFrom(object.where, given...);
    }

private:
    using Body = std::function<R(Object&, const A&...)>;

    struct Shared {
        Shared(std::string itsName, std::vector<ParameterName> itsParameters, Body itsBody,
               FunctionOptions itsOptions, Where itsPlace)
            : name(std::move(itsName)), parameters(std::move(itsParameters)), body(std::move(itsBody)),
              options(std::move(itsOptions)), definedAt(itsPlace) {}

        const std::string name;
        const std::vector<ParameterName> parameters;
        const Body body;
        const FunctionOptions options;
        const Where definedAt;
        std::mutex mutex;
        std::vector<std::pair<std::uint64_t, Function<R(A...)>>> functions; ///< by number of the object
    };

    Function<R(A...)> made(const std::shared_ptr<Object>& object) const {
        const auto body = [weak = std::weak_ptr(object), body = m_shared->body,
                           name = m_shared->name](const A&... arguments) -> R {
            const std::shared_ptr<Object> self = weak.lock();
            if (self == nullptr)
                throw UsageError("[" + name + "] expected the object of this method to live, it is gone");
            return body(*self, arguments...);
        };
        return Function<R(A...)>(m_shared->name, m_shared->parameters, body, m_shared->options,
                                 m_shared->definedAt);
    }

    std::shared_ptr<Shared> m_shared;
};

template <class Object, class R, class... A>
Method(std::string, std::vector<ParameterName>, R (Object::*)(A...), FunctionOptions = {},
       Where = Where::current()) -> Method<R(Object&, std::decay_t<A>...)>;
template <class Object, class R, class... A>
Method(std::string, std::vector<ParameterName>, R (Object::*)(A...) const, FunctionOptions = {},
       Where = Where::current()) -> Method<R(Object&, std::decay_t<A>...)>;

} // namespace retracescope::trace
