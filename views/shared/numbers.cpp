#include "views/shared/numbers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <QCoreApplication>

#include <retracescope/base/units.h>

namespace retracescope::views {

QString toQString(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString durationText(std::int64_t ns) {
    if (ns == session::kNotRecorded)
        return QCoreApplication::translate("Numbers", "not recorded");
    return toQString(formatDuration(ns));
}

QString countText(std::int64_t count) {
    return toQString(formatCount(count));
}

QString shareText(std::int64_t part, std::int64_t whole) {
    return toQString(formatShare(part, whole));
}

QString pluralText(std::int64_t count, const QString& singular, const QString& plural) {
    return countText(count) + QLatin1Char(' ') + (count == 1 ? singular : plural);
}

QString countsSentence(std::int64_t calls, std::int64_t hits, std::int64_t traces) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("Numbers", text); };
    QStringList parts{pluralText(calls, tr("call"), tr("calls"))};
    if (traces != session::kNotRecorded)
        parts += pluralText(traces, tr("trace"), tr("traces"));
    parts += pluralText(hits, tr("hit"), tr("hits"));
    return parts.join(QStringLiteral(" · "));
}

QString TimeUnit::number(std::int64_t value) const {
    return toQString(retracescope::TimeUnit{ns, decimals, {}}.number(value));
}

QString TimeUnit::text(std::int64_t value) const {
    return number(value) + QLatin1Char(' ') + name;
}

TimeUnit timeUnitFor(std::int64_t largestNs) {
    const retracescope::TimeUnit unit = retracescope::timeUnitFor(largestNs);
    return {unit.ns, unit.decimals, toQString(unit.name)};
}

TimeUnit timeUnitOfParts(std::int64_t totalNs) {
    TimeUnit unit = timeUnitFor(totalNs);
    if (unit.ns > 1) // no time has a part of a nanosecond
        unit.decimals = std::min(unit.decimals + 1, 3);
    return unit;
}

std::vector<QString> partsThatAddUp(std::span<const std::int64_t> parts, const TimeUnit& unit) {
    const double step = unit.ns / std::pow(10.0, unit.decimals);
    const double total = static_cast<double>(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}));
    std::vector<std::int64_t> steps;
    std::vector<std::pair<double, std::size_t>> remainders;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const double exact = static_cast<double>(parts[i]) / step;
        steps.push_back(static_cast<std::int64_t>(std::floor(exact)));
        remainders.emplace_back(exact - std::floor(exact), i);
    }
    std::ranges::stable_sort(remainders, std::greater{}, &std::pair<double, std::size_t>::first);
    const std::int64_t missing =
        std::llround(total / step) - std::accumulate(steps.begin(), steps.end(), std::int64_t{0});
    for (std::int64_t i = 0; i < missing && i < static_cast<std::int64_t>(remainders.size()); ++i)
        ++steps[remainders[static_cast<std::size_t>(i)].second];
    std::vector<QString> texts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        // As TimeUnit writes it: "0" is nothing, "< 0.001" little.
        const bool isLittle = steps[i] == 0 && parts[i] > 0;
        texts.push_back(unit.text(isLittle ? 1 : std::llround(static_cast<double>(steps[i]) * step)));
    }
    return texts;
}

QString placeText(std::string_view file, std::uint32_t line) {
    if (file.empty())
        return {};
    const std::size_t slash = file.find_last_of("/\\");
    const QString name = toQString(slash == std::string_view::npos ? file : file.substr(slash + 1));
    return line == 0 ? name : QStringLiteral("%1:%2").arg(name).arg(line);
}

} // namespace retracescope::views
