#include <QComboBox>
#include <QFile>
#include <QTest>

#include "app/gui/export_dialog.h"
#include "tests/app/gui/gui_test.h"
#include "tests/support/open_state.h"
#include "tests/support/test_main.h"

namespace retracescope::test {

using namespace gui;

class ExportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFormIsWrittenWithTheScreensNumbers() {
        const CleanSettings settings;
        OpenState open(processDataSession());
        ExportDialog dialog(open.state, QStringLiteral("a.retrace"), nullptr);
        dialog.show();
        auto* form = dialog.findChild<QComboBox*>();
        for (int i = 0; i < form->count(); ++i) {
            form->setCurrentIndex(i);
            QTRY_VERIFY(!dialog.text().isEmpty());
            const QString path = settings.folder.filePath(QStringLiteral("report.%1").arg(i));
            QVERIFY(dialog.saveTo(path).ok());
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString written = QString::fromUtf8(file.readAll());
            QCOMPARE(written, dialog.text());
            QVERIFY(written.contains(QStringLiteral("process_data")));
        }
    }

    void aFolderThatIsNotThereIsAnError() {
        const CleanSettings settings;
        OpenState open(processDataSession());
        ExportDialog dialog(open.state, QStringLiteral("a.retrace"), nullptr);
        QTRY_VERIFY(!dialog.text().isEmpty());
        QVERIFY(!dialog.saveTo(settings.folder.filePath(QStringLiteral("no/such/report.md"))).ok());
    }

    void aViewIsSavedAsPngAndSvg() {
        const CleanSettings settings;
        MainWindow window(opensProcessData());
        QVERIFY(openIn(window));
        for (const QString& ending : {QStringLiteral("png"), QStringLiteral("svg")}) {
            const QString path = settings.folder.filePath(QStringLiteral("picture.") + ending);
            QVERIFY(savePicture(*window.view(QStringLiteral("summary")), path));
            QVERIFY(QFile(path).size() > 1000);
        }
        QVERIFY(!savePicture(*window.view(QStringLiteral("summary")),
                             settings.folder.filePath(QStringLiteral("no/such/picture.svg"))));
    }
};

RETRACESCOPE_TEST(ExportTest);

} // namespace retracescope::test

#include "export_test.moc"
