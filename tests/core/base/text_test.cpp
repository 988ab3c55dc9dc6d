#include <QTest>

#include <retracescope/base/text.h>

#include "tests/support/test_main.h"

using namespace retracescope;

class TextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lettersAreCharactersNotBytes() {
        QCOMPARE(letterCount("größe∑"), std::size_t{6});
        QCOMPARE(letterCount(""), std::size_t{0});
    }

    void longTextIsCut_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("letters");
        QTest::addColumn<QString>("end");
        QTest::addColumn<QString>("inside");
        QTest::newRow("short") << QByteArray("step") << 4 << "step"
                               << "step";
        QTest::newRow("one too many") << QByteArray("steps") << 4 << "ste…"
                                      << "st…s";
        QTest::newRow("odd") << QByteArray("train_step_17") << 7 << "train_…"
                             << "tra…_17";
        QTest::newRow("other than ASCII") << QByteArray("größe∑größe") << 5 << "größ…"
                                          << "gr…ße";
        QTest::newRow("one letter") << QByteArray("step") << 1 << "…"
                                    << "…";
        QTest::newRow("nothing") << QByteArray("step") << 0 << ""
                                 << "";
    }
    void longTextIsCut() {
        QFETCH(const QByteArray, text);
        QFETCH(const int, letters);
        const auto count = static_cast<std::size_t>(letters);
        QTEST(QString::fromStdString(shortened(text.toStdString(), count)), "end");
        QTEST(QString::fromStdString(shortenedInside(text.toStdString(), count)), "inside");
        QVERIFY(letterCount(shortened(text.toStdString(), count)) <= count);
        QVERIFY(letterCount(shortenedInside(text.toStdString(), count)) <= count);
    }
};

RETRACESCOPE_TEST(TextTest);

#include "text_test.moc"
