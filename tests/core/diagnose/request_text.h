#pragma once

#include <vector>

#include <QString>

#include "tests/support/session_builder.h"

namespace retracescope::test {

/// A request from text, one argument after the other:
///     x=tensor:float32[2,3]  step=int:4  xs=list:2  c=Point@7  g=ambient:main  v=alias:0  x=device:cpu
///     d=dict:{a,b} (its keys alone)  d={a:float32[2];b:int32[]} (a dict of tensors)
///     xs=[float32[2];float32[3]] (a list of tensors)
/// "None" is an open axis.
std::vector<types::Component> request(const QString& text);

/// Calls one function "f" of train.cpp, line 12, with each request; "|" separates them.
session::SessionPtr callsOf(const QString& calls, SessionBuilder& builder);

} // namespace retracescope::test
