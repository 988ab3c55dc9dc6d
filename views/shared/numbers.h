#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <QString>

#include <retracescope/session/session.h>

/// Numbers as the program writes them: core's formats as QString, and columns with one unit.
namespace retracescope::views {

QString durationText(std::int64_t ns); ///< "not recorded" for session::kNotRecorded
QString countText(std::int64_t count);
QString shareText(std::int64_t part, std::int64_t whole);
QString pluralText(std::int64_t count, const QString& singular, const QString& plural);

/// "5 calls · 4 traces · 1 hit"; without traces where they are not recorded.
QString countsSentence(std::int64_t calls, std::int64_t hits, std::int64_t traces);

/// One unit and fixed decimals for all times of a column or a total with its parts.
struct TimeUnit {
    double ns = 1e9;
    int decimals = 2;
    QString name = QStringLiteral("s");

    QString number(std::int64_t value) const; ///< "11.52", without the unit
    QString text(std::int64_t value) const;   ///< "11.52 s"
};

/// The unit that suits the largest value.
TimeUnit timeUnitFor(std::int64_t largestNs);

/// The unit of a total that stands beside its parts: one digit more than timeUnitFor() has, so that what
/// rounding moves to make the parts add up stays out of the digits that a table or a lone time shows of the
/// same part.
TimeUnit timeUnitOfParts(std::int64_t totalNs);

/// The parts in `unit`, rounded so that the printed parts add up to the printed total (largest remainder).
std::vector<QString> partsThatAddUp(std::span<const std::int64_t> parts, const TimeUnit& unit);

/// "train.py:41"; only the file's name; empty if it is not recorded.
QString placeText(std::string_view file, std::uint32_t line);

QString toQString(std::string_view text);

} // namespace retracescope::views
