#include "app/cli/nearest_word.h"

#include <QTest>

#include "tests/support/test_main.h"

using namespace retracescope;

class NearestWordTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTheWordThatWasMeant_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("meant");
        QTest::newRow("swapped letters") << "exmaple"
                                         << "example";
        QTest::newRow("missing letter") << "signatres"
                                        << "signatures";
        QTest::newRow("one letter more") << "graphs"
                                         << "graph";
        QTest::newRow("other case") << "INFO"
                                    << "info";
        QTest::newRow("nothing like it") << "zzzzzz"
                                         << "";
    }
    void findsTheWordThatWasMeant() {
        QFETCH(const QString, typed);
        QFETCH(const QString, meant);
        const std::vector<std::string> words{"example", "info", "functions", "signatures", "graph"};
        QCOMPARE(QString::fromStdString(cli::nearestWord(typed.toStdString(), words)), meant);
    }

    void asksOnlyWhenItHasAGuess() {
        QCOMPARE(cli::didYouMean("grap", {"graph"}), std::string("; did you mean graph?"));
        QCOMPARE(cli::didYouMean("grap", {}), std::string());
    }
};

RETRACESCOPE_TEST(NearestWordTest);

#include "nearest_word_test.moc"
