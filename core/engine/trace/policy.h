#pragma once

#include <retracescope/types/trace_type.h>

namespace retracescope::trace {

/// Where the engine's rules differ from TensorFlow's, which of TensorFlow's a function follows. None by
/// default; all of them is what a program needs that must trace exactly as TensorFlow would.
struct Policy {
    /// Literals are one if Python's == says so (1, True and 1.0; 0.0 and -0.0): the trace of the first serves
    /// the others and computes with the first. Otherwise kind and bits must agree.
    bool sharesEqualLiterals = false;
    /// Structs with equal names and fields are one type. Otherwise they must be one C++ type.
    bool namesStructs = false;
    /// reduceRetracing compares calls of different arity: parameters beyond the shorter are left out, and
    /// where an earlier trace ran out of them the call throws RelaxError. Otherwise such traces take no part.
    bool relaxesAcrossArities = false;
    /// A relaxed trace that fails fails the call. Otherwise the exact signature is tried.
    bool failsWithRelaxedTrace = false;
    /// Where a tensor of some dtype is demanded, host arrays and lists of tensors become it as NumPy would
    /// have it (cut off, wrapped around), whole numbers wrap around, bools become numbers. Otherwise a
    /// conversion that changes a value, or a number's kind, is refused.
    bool convertsLossily = false;
    /// For the warning of frequent retracing, hits before the first traced call count as one traced call.
    /// Otherwise they are no more than hits.
    bool countsLeadingHitsAsTrace = false;

    /// A dict whose keys Python cannot sort (numbers beside text, None beside anything) is refused. Otherwise
    /// they have an order of their own.
    bool refusesMixedKeys = false;

    /// Objects that are equal share the function of a Method. Otherwise each object has its own.
    bool sharesEqualInstances = false;

    /// A concrete function that is called outside of traces compares dtypes alone: values of another shape
    /// go through its ops, and so does one variable in two places or two in the places of one (the first
    /// counts). Otherwise it takes what its signature says.
    bool runsConcreteUnchecked = false;

    /// A trace that used a tensor of another graph is kept, and each call of it fails. Otherwise the trace
    /// fails and leaves no entry.
    bool keepsLeakyTraces = false;

    /// If the second trace of a call that creates variables fails, the first one stays as an entry, and no
    /// later call may create any. Otherwise the function is as it was before the call.
    bool keepsFirstPhase = false;

    static constexpr Policy tensorflow() {
        return {true, true, true, true, true, true, true, true, true, true, true};
    }

    constexpr types::KeyRules keyRules() const { return {sharesEqualLiterals, namesStructs}; }
    bool operator==(const Policy&) const = default;
};

} // namespace retracescope::trace
