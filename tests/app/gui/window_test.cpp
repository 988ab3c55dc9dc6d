#include <QAction>
#include <QLabel>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <retracescope/session/file.h>

#include "app/gui/main_window.h"
#include "app/gui/recent_sessions.h"
#include "app/gui/screenshot.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"

namespace retracescope::test {

using namespace gui;

class WindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QSettings().clear(); }

    void opensASessionAndShowsItsFirstView() {
        MainWindow window(
            [](const auto&, const Job&) -> Result<session::SessionPtr> { return processDataSession(); });
        window.show();
        window.openFile(QStringLiteral("process_data.retrace"));
        QVERIFY(waitUntilSettled(window, 5000));
        QCOMPARE(window.currentViewId(), viewIds().front());
        QCOMPARE(window.contextBar().crumbs(),
                 (QStringList{QStringLiteral("process_data.retrace"), QStringLiteral("Whole session")}));
    }

    void saysWhyAFileIsNotReadAndKeepsTheOpenOne() {
        MainWindow window([](const std::filesystem::path& path, const Job&) -> Result<session::SessionPtr> {
            if (path.filename() == "broken.json")
                return Error{"not a session: the first bytes are a PNG picture; open a .retrace file"};
            return processDataSession();
        });
        window.show();
        window.openFile(QStringLiteral("good.retrace"));
        QVERIFY(waitUntilSettled(window, 5000));
        window.openFile(QStringLiteral("broken.json"));
        QVERIFY(waitUntilSettled(window, 5000));
        QVERIFY(window.banner().isVisible());
        QCOMPARE(window.banner().sentence(),
                 QStringLiteral("Not a session: the first bytes are a PNG picture; open a .retrace file."));
        QCOMPARE(window.document().name(), QStringLiteral("good.retrace"));
        QVERIFY(window.state().session() != nullptr);
    }

    void cancelOfLoadingKeepsWhatWasThere() {
        std::atomic<bool> started = false;
        MainWindow window([&](const auto&, const Job& job) -> Result<session::SessionPtr> {
            started = true;
            job.report(0.5, "calls");
            while (!job.cancel.requested())
                QThread::msleep(1);
            return Error{std::string(kCancelled)};
        });
        window.show();
        window.openFile(QStringLiteral("large.retrace"));
        QTRY_VERIFY(started);
        auto* text = window.findChild<QLabel*>(QStringLiteral("jobText"));
        QTRY_COMPARE(text->text(), QStringLiteral("Opening large.retrace: 40 % · calls"));
        auto* cancel = window.findChild<QToolButton*>(QStringLiteral("cancelJob"));
        QVERIFY(cancel->isVisible());
        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY(!window.document().isOpening());
        QVERIFY(window.currentViewId().isEmpty());
        QVERIFY(!window.banner().isVisible());
        QCOMPARE(text->text(), QStringLiteral("Ready · no work running"));
    }
};

RETRACESCOPE_TEST(WindowTest);

} // namespace retracescope::test

#include "window_test.moc"
