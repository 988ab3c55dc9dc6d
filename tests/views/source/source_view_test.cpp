#include <QTemporaryFile>
#include <QTest>

#include "tests/support/open_state.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"
#include "views/source/source_view.h"

namespace retracescope::test {

using namespace views;

namespace {

session::SessionPtr withSource() {
    SessionBuilder builder;
    const auto f = builder.function("f", "x", "train.py", 2);
    builder.call(f, tensorArgument("x", "float32", {2}));
    session::Session& session = builder.session();
    session.sources.push_back(
        {session.strings.intern("train.py"),
         session.strings.intern("import tf\ndef f(x):\n    return x\n\nfor x in data:\n    f(x)\n")});
    session.stacks.push_back({{{session.strings.intern("main"), session.strings.intern("train.py"), 6},
                               {session.strings.intern("run"), session.strings.intern("other.py"), 3}}});
    session.misses[0].stack = session::StackId(std::uint32_t{0});
    return builder.finish();
}

} // namespace

class SourceViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theLineOfTheInnermostFrameIsMarked() {
        OpenState open(withSource());
        SourceView view(open.state);
        view.resize(1200, 700);
        view.show();
        QCOMPARE(view.code().markedLine(), 2U); // nothing selected: where it is defined
        open.state.selectCall(session::CallId(std::uint32_t{0}));
        QCOMPARE(view.code().markedLine(), 6U);
        QCOMPARE(view.code().lineText(6), QStringLiteral("    f(x)"));
    }

    void theMarksAreReadInAJobBehindTheText() {
        OpenState open(withSource());
        SourceView view(open.state);
        view.resize(1200, 700);
        view.show();
        QCOMPARE(view.code().lineText(6), QStringLiteral("    f(x)"));
        QVERIFY(view.code().facts().empty());
        QVERIFY(!view.isSettled());
        QTRY_VERIFY(view.isSettled());
        QCOMPARE(view.code().facts().at(6).traces, std::int64_t{1});
        QVERIFY(view.code().facts().at(2).definesFunction);
    }

    void aFrameOfAFileThatWasNotKeptSaysSo() {
        OpenState open(withSource());
        SourceView view(open.state);
        view.resize(1200, 700);
        view.show();
        open.state.selectCall(session::CallId(std::uint32_t{0}));
        auto* stack = view.findChild<QListWidget*>();
        QCOMPARE(stack->count(), 3);
        QTest::mouseClick(stack->viewport(), Qt::LeftButton, {},
                          stack->visualItemRect(stack->item(1)).center());
        bool said = false;
        for (const MessagePanel* panel : view.findChildren<MessagePanel*>())
            said = said || (panel->isVisible() && panel->sentence() == QStringLiteral("Source not kept."));
        QVERIFY(said);
    }

    void aFileThatWasNotKeptIsReadFromDiskWhenAsked() {
        QTemporaryFile file;
        QVERIFY(file.open());
        file.write("first\nsecond\n");
        file.close();
        SessionBuilder builder;
        const auto f = builder.function("f", "x", file.fileName().toStdString(), 2);
        builder.call(f, tensorArgument("x", "float32", {2}));
        OpenState open(builder.finish());
        SourceView view(open.state);
        view.resize(1200, 700);
        view.show();
        for (QPushButton* button : view.findChildren<QPushButton*>()) {
            if (button->isVisible())
                QTest::mouseClick(button, Qt::LeftButton);
        }
        QCOMPARE(view.code().lineText(2), QStringLiteral("second"));
        QCOMPARE(view.code().markedLine(), 2U);
    }

    void aClickMarksItsLine() {
        OpenState open(withSource());
        SourceView view(open.state);
        view.resize(1200, 700);
        view.show();
        auto* code = view.findChild<CodeView*>();
        QTest::mouseClick(code->viewport(), Qt::LeftButton, {}, QPoint(400, 19 * 3 + 8));
        QCOMPARE(code->markedLine(), 3U);
        QTest::keyClick(code, Qt::Key_Down);
        QCOMPARE(code->markedLine(), 4U);
    }
};

RETRACESCOPE_TEST(SourceViewTest);

} // namespace retracescope::test

#include "source_view_test.moc"
