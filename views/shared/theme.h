#pragma once

#include <array>

#include <QColor>
#include <QFont>
#include <QPalette>

namespace retracescope::views {

enum class ThemeName { Light, Dark };

/// Colours of one meaning: `fill` for bars and glyphs, `text` on the view or on `tint`.
struct Meaning {
    QColor fill;
    QColor text;
    QColor tint;
};

/// Every colour and font of the program. Views use these names only; shape or sign always repeats the colour.
struct Theme {
    ThemeName name = ThemeName::Light;

    QColor window, view, raised;
    QColor header, alt, hover;
    QColor line, line2;
    QColor text, muted;
    QColor accent, onAccent, accentTint;

    Meaning hit;      ///< upright tick
    Meaning miss;     ///< trace: filled triangle down
    Meaning relaxed;  ///< diamond
    Meaning error;    ///< cross
    Meaning expected; ///< harmless: hollow triangle
    Meaning execute;  ///< bar; eager: ring
    Meaning kernel;   ///< bar
    Meaning warning;  ///< also copies and search matches
    QColor optimise, firstRun;
    std::array<QColor, 8> categories;

    bool isDark() const { return name == ThemeName::Dark; }

    /// White, `text` or near-black: whichever reads best on `fill`.
    QColor textOn(const QColor& fill) const;

    /// From the execute tint (0) to the execute fill (1), by square root.
    QColor heat(double share) const;

    /// Text of what cannot be used now: `muted` faded towards `view`.
    QColor disabled() const;

    QPalette palette() const;
    QString styleSheet() const; ///< for the whole application, on top of FlatStyle
};

Theme makeTheme(ThemeName name);

/// Type sizes in pixels at 100 %.
enum class TextSize { Axis = 10, Caption = 11, Body = 12, Strong = 13, Title = 16, Headline = 22 };

QFont textFont(TextSize size, bool bold = false);
QFont codeFont(TextSize size, bool bold = false); ///< DejaVu Sans Mono: code, names, shapes

/// Contrast ratio of WCAG 2, 1 to 21.
double contrast(const QColor& a, const QColor& b);

/// Spacing in pixels: grid 4, margins 16, gaps 8, rows and buttons 26.
inline constexpr int kGrid = 4;
inline constexpr int kMargin = 16;
inline constexpr int kGap = 8;
inline constexpr int kRowHeight = 26;

} // namespace retracescope::views
