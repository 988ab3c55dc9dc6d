#pragma once

#include <vector>

#include <QString>

#include <retracescope/base/cancel.h>
#include <retracescope/diagnose/overview.h>

#include "views/shared/selection.h"

namespace retracescope::gui {

struct SearchQuery {
    QString text;
    bool caseSensitive = false;
    bool regularExpression = false;
};

/// Where a hit leads to.
struct SearchHit {
    QString title;
    QString detail;
    QString viewId;
    views::Selection selection;
    std::string argument;   ///< component of the function's key to look at
    QString file;           ///< of a source line
    std::uint32_t line = 0; ///< of `file`
};

/// Hits of one kind, the first of `total`.
struct SearchGroup {
    QString name;
    std::vector<SearchHit> hits;
    std::int64_t total = 0;
};

struct SearchResult {
    std::vector<SearchGroup> groups; ///< without empty ones
    QString error;                   ///< of a regular expression: what is wrong and where
};

/// Functions, findings, arguments, graph nodes, events by name and source lines that hold the text. A
/// cancelled job finds less.
SearchResult searchSession(const diagnose::Diagnosis& diagnosis, const SearchQuery& query, const Job& job);

} // namespace retracescope::gui
