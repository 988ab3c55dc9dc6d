#include "views/shared/theme.h"

#include <cmath>

namespace retracescope::views {

namespace {

QColor hex(unsigned rgb) {
    return QColor::fromRgb(rgb);
}

Meaning meaning(unsigned fill, unsigned text, unsigned tint) {
    return {hex(fill), hex(text), hex(tint)};
}

/// The light theme.
Theme lightTheme() {
    Theme t;
    t.name = ThemeName::Light;
    t.window = hex(0xF1F3F5), t.view = hex(0xFFFFFF), t.raised = hex(0xFAFBFC);
    t.header = hex(0xE7EAEE), t.alt = hex(0xF6F7F9), t.hover = hex(0xEDF2F8);
    t.line = hex(0xD3D8DF), t.line2 = hex(0xA9B1BD);
    t.text = hex(0x1A1E24), t.muted = hex(0x525A66);
    t.accent = hex(0x0B5CAD), t.onAccent = hex(0xFFFFFF), t.accentTint = hex(0xDCEAF8);
    t.hit = meaning(0x0B7A4B, 0x006B4D, 0xDDF3EB);
    t.miss = meaning(0xB84300, 0xA63F00, 0xFCE8DA);
    t.relaxed = meaning(0xA2569C, 0x84397D, 0xF4E4F2);
    t.error = meaning(0x8A0018, 0xA0001C, 0xFBE0E3);
    t.expected = meaning(0x8B9199, 0x525A66, 0xECEEF1);
    t.execute = meaning(0x1C4F9C, 0x1B5E9E, 0xDFECF8);
    t.kernel = meaning(0x0499CC, 0x0B6B77, 0xDBF1F4);
    t.warning = meaning(0xB98C00, 0x6F5A00, 0xF7F0D2);
    t.optimise = hex(0x6B2700), t.firstRun = hex(0xE2A173);
    t.categories = {hex(0x1B4F72), hex(0xDD7010), hex(0x0A9A5B), hex(0xCC5FC2),
                    hex(0x2A6FE0), hex(0x6B3A17), hex(0x6A4BA8), hex(0x8E9298)};
    return t;
}

/// The dark theme.
Theme darkTheme() {
    Theme t;
    t.name = ThemeName::Dark;
    t.window = hex(0x1B1E23), t.view = hex(0x14171B), t.raised = hex(0x22262C);
    t.header = hex(0x292E36), t.alt = hex(0x181B20), t.hover = hex(0x20262E);
    t.line = hex(0x363C45), t.line2 = hex(0x5C6675);
    t.text = hex(0xE6E9ED), t.muted = hex(0xA3ACB8);
    t.accent = hex(0x6CB2F5), t.onAccent = hex(0x0E1114), t.accentTint = hex(0x1D3A58);
    t.hit = meaning(0x2BC07C, 0x5FD3AE, 0x12332A);
    t.miss = meaning(0xF0812A, 0xFF9D5C, 0x3D2413);
    t.relaxed = meaning(0xC673CC, 0xDDA3D7, 0x38233A);
    t.error = meaning(0xE84A57, 0xFF8C9B, 0x43161E);
    t.expected = meaning(0x767D87, 0xA3ACB8, 0x2A2F36);
    t.execute = meaning(0x4384F2, 0x7DBBF2, 0x17304A);
    t.kernel = meaning(0x74E3EC, 0x63D3E0, 0x10343A);
    t.warning = meaning(0xEFDC72, 0xE6CB57, 0x38310F);
    t.optimise = hex(0xFFC9A3), t.firstRun = hex(0xA8592A);
    t.categories = {hex(0x83A3FA), hex(0xF1CF1E), hex(0x2E8B57), hex(0xD63CB4),
                    hex(0x79ECFE), hex(0xB5852F), hex(0x7D5CF0), hex(0x979797)};
    return t;
}

double luminance(const QColor& color) {
    const auto channel = [](double c) {
        return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) +
           0.0722 * channel(color.blueF());
}

QFont sized(const QString& family, TextSize size, bool bold) {
    QFont font(family);
    font.setPixelSize(static_cast<int>(size));
    font.setBold(bold);
    return font;
}

} // namespace

Theme makeTheme(ThemeName name) {
    return name == ThemeName::Dark ? darkTheme() : lightTheme();
}

double contrast(const QColor& a, const QColor& b) {
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor Theme::textOn(const QColor& fill) const {
    QColor best = Qt::white;
    for (const QColor& candidate : {text, hex(0x0E1114)}) {
        if (contrast(candidate, fill) > contrast(best, fill))
            best = candidate;
    }
    return best;
}

QColor Theme::heat(double share) const {
    const double f = std::sqrt(std::clamp(share, 0.0, 1.0));
    const auto mix = [f](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * f)); };
    const QColor& from = execute.tint;
    const QColor& to = execute.fill;
    return {mix(from.red(), to.red()), mix(from.green(), to.green()), mix(from.blue(), to.blue())};
}

QPalette Theme::palette() const {
    QPalette p;
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, view);
    p.setColor(QPalette::AlternateBase, alt);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::Button, raised);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::ToolTipBase, raised);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::PlaceholderText, muted);
    p.setColor(QPalette::Highlight, accentTint);
    p.setColor(QPalette::HighlightedText, text);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::Light, raised);
    p.setColor(QPalette::Midlight, header);
    p.setColor(QPalette::Mid, line);
    p.setColor(QPalette::Dark, line2);
    p.setColor(QPalette::Shadow, line2);
    p.setColor(QPalette::BrightText, onAccent);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, disabled());
    return p;
}

QColor Theme::disabled() const {
    const auto mix = [](int a, int b) { return (a * 6 + b * 4) / 10; };
    return {mix(muted.red(), view.red()), mix(muted.green(), view.green()), mix(muted.blue(), view.blue())};
}

QFont textFont(TextSize size, bool bold) {
    return sized(QStringLiteral("DejaVu Sans"), size, bold);
}

QFont codeFont(TextSize size, bool bold) {
    return sized(QStringLiteral("DejaVu Sans Mono"), size, bold);
}

} // namespace retracescope::views
