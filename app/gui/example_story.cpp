#include "app/gui/example_story.h"

#include <array>

#include <QPainter>

#include "views/shared/glyphs.h"

namespace retracescope::gui {

namespace {

constexpr int kCodeLine = 19;
constexpr int kCallHeight = 62;

/// The function of the lesson, as its program writes it.
constexpr std::array<const char*, 6> kCode{
    "rs::Function processData(\"process_data\", {\"x\", \"use_extra_feature\"},",
    "    [](rs::Tensor x, bool useExtraFeature) {",
    "        rs::Tensor y = x * 2.0f;",
    "        return useExtraFeature ? y + 10.0f : y;",
    "    });",
    ""};

struct Step {
    const char* call;
    const char* why;
    views::Glyph glyph;
};

constexpr std::array<Step, 5> kSteps{{
    {"processData(constant({1, 2}), false)",
     QT_TRANSLATE_NOOP("ExampleStory", "First call: there is nothing in the cache yet."),
     views::Glyph::Expected},
    {"processData(constant({3, 4}), true)",
     QT_TRANSLATE_NOOP("ExampleStory", "The flag was false, is true: a host value is part of the key."),
     views::Glyph::Trace},
    {"processData(constant({5, 6}), false)",
     QT_TRANSLATE_NOOP("ExampleStory", "Same dtype, shape and flag as call 1: its graph is used again."),
     views::Glyph::Hit},
    {"processData(constant({7, 8, 9}), false)",
     QT_TRANSLATE_NOOP("ExampleStory", "x axis 0 was 2, is 3: a new shape is a new graph."),
     views::Glyph::Trace},
    {"processData(constant<int>({1, 2}), false)",
     QT_TRANSLATE_NOOP("ExampleStory", "x was float32, is int32: a new dtype is a new graph."),
     views::Glyph::Trace},
}};

constexpr int kCodeHeight = static_cast<int>(kCode.size() - 1) * kCodeLine + 20;
constexpr int kGapBelowCode = 18;

} // namespace

ExampleStory::ExampleStory(views::ViewState& state, QWidget* parent) : QWidget(parent), m_state(state) {
    setFixedHeight(kCodeHeight + kGapBelowCode + static_cast<int>(kSteps.size()) * kCallHeight + 1);
    setMinimumWidth(320);
    setAccessibleName(tr("The example: five calls, four traces"));
    connect(&state, &views::ViewState::themeChanged, this, [this] { update(); });
}

void ExampleStory::paintEvent(QPaintEvent*) {
    const views::Theme& theme = m_state.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto frame = [&](QRect area, const QColor& fill, int radius) {
        painter.setPen(theme.line);
        painter.setBrush(fill);
        painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    };
    const auto text = [&](QRect area, int flags, const QString& what) {
        painter.drawText(area, flags | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(what, Qt::ElideRight, area.width()));
    };
    frame(QRect(0, 0, width(), kCodeHeight), theme.alt, 4);
    painter.setFont(views::codeFont(views::TextSize::Caption));
    painter.setPen(theme.muted);
    for (std::size_t line = 0; line < kCode.size(); ++line)
        text(QRect(16, 10 + static_cast<int>(line) * kCodeLine, width() - 24, kCodeLine), Qt::AlignLeft,
             QLatin1String(kCode[line]));

    const int top = kCodeHeight + kGapBelowCode;
    frame(QRect(0, top, width(), static_cast<int>(kSteps.size()) * kCallHeight), theme.raised, 6);
    for (std::size_t i = 0; i < kSteps.size(); ++i) {
        const Step& step = kSteps[i];
        const int y = top + static_cast<int>(i) * kCallHeight;
        if (i > 0) {
            painter.setPen(theme.line);
            painter.drawLine(1, y, width() - 2, y);
        }
        painter.setPen(theme.muted);
        painter.setFont(views::textFont(views::TextSize::Strong, true));
        painter.drawText(QRect(0, y, 38, kCallHeight), Qt::AlignCenter, QString::number(i + 1));
        views::paintGlyph(painter, step.glyph, QPointF(48, y + kCallHeight / 2.0), 15, theme);
        const QString word = step.glyph == views::Glyph::Hit ? tr("hit") : tr("traced");
        painter.setFont(views::textFont(views::TextSize::Body, true));
        painter.setPen(glyphTextColor(step.glyph, theme));
        painter.drawText(QRect(70, y + 11, width() - 84, 20), Qt::AlignRight | Qt::AlignVCenter, word);
        painter.setFont(views::codeFont(views::TextSize::Body));
        painter.setPen(theme.text);
        text(QRect(70, y + 11, width() - 140, 20), Qt::AlignLeft, QLatin1String(step.call));
        painter.setFont(views::textFont(views::TextSize::Caption));
        painter.setPen(theme.muted);
        text(QRect(70, y + 32, width() - 84, 18), Qt::AlignLeft, tr(step.why));
    }
}

} // namespace retracescope::gui
