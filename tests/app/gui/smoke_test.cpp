#include <QAbstractScrollArea>
#include <QTest>

#include "tests/app/gui/gui_test.h"
#include "tests/support/test_main.h"

namespace retracescope::test {

using namespace gui;

namespace {

/// Names and argument lists as large programs have them.
session::SessionPtr longSession() {
    SessionBuilder builder;
    const std::string name =
        "encoder_decoder_with_relative_position_bias_and_rotary_embedding_train_step_distributed";
    QStringList parameters;
    for (int i = 0; i < 12; ++i)
        parameters += QStringLiteral("a_rather_descriptive_argument_name_%1").arg(i);
    const auto f =
        builder.function(name, parameters.join(QStringLiteral(", ")).toStdString(),
                         "src/models/very/deep/folder/encoder_decoder_with_relative_position.cpp", 1234);
    for (int call = 0; call < 6; ++call) {
        std::vector<types::Component> request;
        for (int i = 0; i < 12; ++i) {
            const std::string argument = parameters[i].toStdString();
            request = request +
                      (i % 3 == 2
                           ? literalArgument(argument, "str", "a_configuration_value_" + std::to_string(call))
                           : tensorArgument(argument, "float32", {32, 128 + call * i, 768, 4}));
        }
        builder.call(f, request);
    }
    return builder.finish();
}

/// RETRACESCOPE_PICTURES keeps the pictures for the eye.
QString pictureFolder(const CleanSettings& settings, const QString& name) {
    return qEnvironmentVariable("RETRACESCOPE_PICTURES", settings.folder.path()) + QLatin1Char('/') + name;
}

} // namespace

/// One walk through the whole program with a session made in memory: what the sanitizers run. It needs no
/// other program and no file.
class SmokeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyViewInBothThemesIsPicturedAndTheSessionClosed() {
        const CleanSettings settings;
        MainWindow window(opensProcessData());
        window.resize(1280, 720);
        QVERIFY(openIn(window));
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            window.chooseTheme(theme);
            window.state().clearSelection();
            const QStringList empty =
                takeScreenshots(window, pictureFolder(settings, QStringLiteral("plain")));
            QCOMPARE(empty.size(), viewIds().size());
            window.state().selectCall(session::CallId(std::uint32_t{3}));
            const QStringList written =
                takeScreenshots(window, pictureFolder(settings, QStringLiteral("selected")));
            QCOMPARE(written.size(), viewIds().size());
            const QColor expected = window.state().theme().window;
            for (const QString& path : written) {
                const QImage picture(path);
                QCOMPARE(picture.size(), QSize(1280, 720));
                QCOMPARE(picture.pixelColor(3, 300), expected);
            }
        }
        window.action(QStringLiteral("close"))->trigger();
        QVERIFY(window.state().session() == nullptr);
        QVERIFY(waitUntilSettled(window, 5000));
        QVERIFY(openIn(window)); // and again
        window.close();
    }

    void longNamesAndTwelveArgumentsFitASmallWindow() {
        const CleanSettings settings;
        MainWindow window([](const std::filesystem::path&, const Job&) -> Result<session::SessionPtr> {
            return longSession();
        });
        window.chooseTheme(ThemeChoice::Dark);
        window.chooseTheme(ThemeChoice::Light);
        window.resize(1280, 720);
        QVERIFY(openIn(window));
        window.state().selectCall(session::CallId(std::uint32_t{3}));
        const QStringList written = takeScreenshots(window, pictureFolder(settings, QStringLiteral("long")));
        QCOMPARE(written.size(), viewIds().size());
        QCOMPARE(window.size(), QSize(1280, 720)); // nothing pushed it wider
        for (const QString& id : viewIds()) {
            window.showView(id);
            QVERIFY(waitUntilSettled(window, 10'000));
            for (const QWidget* child : window.findChildren<QWidget*>()) {
                if (!child->isVisible() || child->visibleRegion().isEmpty() || child->isWindow())
                    continue;
                const int right = child->mapTo(&window, QPoint(child->width(), 0)).x();
                const bool scrolled =
                    qobject_cast<const QAbstractScrollArea*>(child->parentWidget()->parentWidget());
                QVERIFY2(
                    right <= window.width() || scrolled,
                    qPrintable(id + QStringLiteral(": ") + QLatin1String(child->metaObject()->className())));
            }
        }
    }
};

RETRACESCOPE_TEST(SmokeTest);

} // namespace retracescope::test

#include "smoke_test.moc"
