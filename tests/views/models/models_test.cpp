#include <QTest>

#include <retracescope/diagnose/overview.h>

#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"
#include "views/models/comparison.h"
#include "views/models/entries_model.h"
#include "views/models/findings_model.h"
#include "views/models/functions_model.h"
#include "views/models/short_key.h"
#include "views/models/signatures_model.h"
#include "views/models/source_lines.h"

namespace retracescope::test {

using namespace views;

namespace {

SignatureRowsPtr rowsOf(const diagnose::DiagnosisPtr& diagnosis, const SignatureRequest& request) {
    return std::make_shared<const SignatureRows>(diagnosis, request, Job{});
}

/// Rows as text: cells apart by " | ", a differing cell as "new<old".
QString table(const SignaturesModel& model, const QModelIndex& parent = {}) {
    QString text;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        QStringList cells;
        for (int column = 0; column <= model.content()->traceColumn(); ++column) {
            const KeyComponent* component = model.content()->component(column);
            if (component != nullptr && component->isConstant())
                continue;
            const QModelIndex index = model.index(row, column, parent);
            QString cell = index.data().toString();
            if (index.data(SignaturesModel::DiffersRole).toBool())
                cell += QLatin1Char('<') + index.data(SignaturesModel::WasRole).toString();
            cells += cell;
        }
        text += cells.join(QStringLiteral(" | ")) + QLatin1Char('\n');
    }
    return text;
}

} // namespace

class ModelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFilterLeavesOutCallsAndCountsThem() {
        const auto diagnosis = diagnose::diagnose(processDataSession());
        SignatureRequest request;
        request.function = session::FunctionId(std::uint32_t{0});
        request.grouping = SignatureGrouping::Calls;
        request.outcome = diagnose::FilterOutcome::Traced;
        QCOMPARE(rowsOf(diagnosis, request)->rows().size(), std::size_t{4});
        QCOMPARE(rowsOf(diagnosis, request)->hidden(), std::int64_t{1});
        request.outcome = diagnose::FilterOutcome::Failed;
        QVERIFY(rowsOf(diagnosis, request)->rows().empty());
        QCOMPARE(rowsOf(diagnosis, request)->hidden(), std::int64_t{5});
        request.grouping = SignatureGrouping::Entries;
        QCOMPARE(rowsOf(diagnosis, request)->hidden(), std::int64_t{4});
        request.outcome = diagnose::FilterOutcome::Any;
        QCOMPARE(rowsOf(diagnosis, request)->rows().size(), std::size_t{4});
    }

    void functionTotalsEqualTheSumsOfTheirColumns() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        const auto g = builder.function("g", "x");
        builder.call(f, tensorArgument("x", "float32", {1}));
        builder.call(f, tensorArgument("x", "float32", {2}));
        builder.call(g, tensorArgument("x", "float32", {2}));
        builder.call(g, tensorArgument("x", "float32", {2}));
        FunctionsModel model;
        model.setDiagnosis(diagnose::diagnose(builder.finish()));
        QCOMPARE(model.rowCount(), 2);
        const auto totals = model.totals();
        for (const auto column :
             {FunctionsModel::Calls, FunctionsModel::Hits, FunctionsModel::Traces, FunctionsModel::Tracing}) {
            qlonglong sum = 0;
            for (int row = 0; row < model.rowCount(); ++row)
                sum += model.index(row, column).data().toLongLong();
            QCOMPARE(totals[column].toLongLong(), sum);
        }
        QCOMPARE(totals[FunctionsModel::Calls].toLongLong(), 4);
        QCOMPARE(totals[FunctionsModel::Hits].toLongLong(), 1);
        QVERIFY(!totals[FunctionsModel::MedianCall].isValid());
    }

    void entriesShowWhatDiffersFromTheNearestEarlierOne() {
        const auto diagnosis = diagnose::diagnose(processDataSession());
        SignaturesModel model;
        model.setContent(rowsOf(diagnosis, {session::FunctionId(0u)}));
        QCOMPARE(table(model), QStringLiteral("1 | 1 | 2 | 1 | float32 | 2 | False | 2000000\n"
                                              "2 | 2 | 1 | 0 | float32 | 2 | True<False | 2000000\n"
                                              "3 | 4 | 1 | 0 | float32 | 3<2 | False | 2000000\n"
                                              "4 | 5 | 1 | 0 | int32<float32 | 2 | False | 2000000\n"));
        QCOMPARE(model.content()->retraces(), 3);
        QCOMPARE(model.rowCount(model.index(0, 0)), 2);
    }

    void callsInTimeOrderShowTheKeyThatServedAHit() {
        SignaturesModel model;
        model.setContent(rowsOf(diagnose::diagnose(processDataSession()),
                                {session::FunctionId(0u), SignatureGrouping::Calls}));
        QCOMPARE(model.rowCount(), 5);
        QCOMPARE(model.index(2, SignatureRows::Third).data().toInt(), 1);
        QVERIFY(!model.row(model.index(2, 0)).miss.isValid());
        model.setContent(rowsOf(diagnose::diagnose(processDataSession()),
                                {session::FunctionId(0u), SignatureGrouping::Calls, true}));
        QCOMPARE(model.rowCount(), 4);
    }

    void hitsOfAllEntriesAddUpToTheFunctionsHits() {
        const auto diagnosis = diagnose::diagnose(processDataSession());
        SignaturesModel model;
        model.setContent(rowsOf(diagnosis, {session::FunctionId(0u)}));
        qlonglong hits = 0;
        for (int row = 0; row < model.rowCount(); ++row)
            hits += model.index(row, SignatureRows::Fourth).data().toLongLong();
        QCOMPARE(hits, diagnosis->functions.front().hits);
    }

    void aFailedTraceIsARowOfItsOwn() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        const auto call = builder.call(f, tensorArgument("x", "float32", {1}));
        session::Session& session = builder.session();
        session.misses[0].entry = {};
        session.misses[0].exception = session.strings.intern("variable made twice");
        session.calls.entry[call.value] = {};
        session.calls.outcome[call.value] = session::Outcome::Error;
        session.entries.clear();
        SignaturesModel model;
        model.setContent(rowsOf(diagnose::diagnose(builder.finish()), {f}));
        QCOMPARE(model.rowCount(), 1);
        QVERIFY(!model.row(model.index(0, 0)).entry.isValid());
        QVERIFY(model.row(model.index(0, 0)).miss.isValid());
        QCOMPARE(model.indexOfCall(call), model.index(0, 0));
    }

    void everyValueOfAComponentIsCountedByCalls() {
        SignaturesModel model;
        model.setContent(rowsOf(diagnose::diagnose(processDataSession()), {session::FunctionId(0u)}));
        QStringList texts;
        for (const KeyComponent& column : model.content()->components()) {
            QStringList values;
            for (const auto& [value, calls] : column.values)
                values += QStringLiteral("%1=%2").arg(value).arg(calls);
            texts += column.label + QStringLiteral(": ") + values.join(QLatin1Char(' '));
        }
        QCOMPARE(texts, (QStringList{QStringLiteral("x type: tensor=5"),
                                     QStringLiteral("x dtype: float32=4 int32=1"),
                                     QStringLiteral("x rank: 1=5"), QStringLiteral("x axis 0: 2=4 3=1"),
                                     QStringLiteral("use_extra_feature type: bool=5"),
                                     QStringLiteral("use_extra_feature: False=4 True=1")}));
    }

    void pathsBecomeWords_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("label");
        QTest::newRow("axis") << "x.shape[0]"
                              << "x axis 0";
        QTest::newRow("dtype") << "args[1]['k'].dtype"
                               << "args[1]['k'] dtype";
        QTest::newRow("value") << "step.value"
                               << "step";
        QTest::newRow("length") << "items.len"
                                << "items length";
        QTest::newRow("context") << "ambient.mode"
                                 << "ambient mode";
        QTest::newRow("other") << "callable identity"
                               << "callable identity";
    }

    void pathsBecomeWords() {
        QFETCH(QString, path);
        QFETCH(QString, label);
        QCOMPARE(argumentLabel(path.toStdString()), label);
    }

    void comparedKeysMarkOnlyWhatBlocks() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        builder.call(f, tensorArgument("x", "float32", {-1, 3}));
        builder.call(f, tensorArgument("x", "float32", {7, 4}));
        const auto session = builder.finish();
        QStringList rows;
        for (const ComparedComponent& row :
             compareKeys(*session, session->misses[1].request, session->entries[0].signature))
            rows += QStringLiteral("%1 %2 %3%4")
                        .arg(QString::fromStdString(row.path), row.request, row.stored,
                             row.differs ? QStringLiteral(" !") : QString());
        QCOMPARE(rows,
                 (QStringList{QStringLiteral("x.type tensor tensor"),
                              QStringLiteral("x.dtype float32 float32"), QStringLiteral("x.rank 2 2"),
                              QStringLiteral("x.shape[0] 7 open"), QStringLiteral("x.shape[1] 4 3 !")}));
    }

    void entryKeysNameOnlyTheArgumentsThatTellThemApart() {
        EntriesModel model;
        const auto diagnosis = diagnose::diagnose(processDataSession());
        model.setContent(EntriesModel::read(diagnosis, session::FunctionId(0u), {}));
        QCOMPARE(model.index(0, EntriesModel::Key).data().toString(), QStringLiteral("f32[2]  False"));
        QCOMPARE(model.index(3, EntriesModel::Key).data().toString(), QStringLiteral("i32[2]  False"));
        QCOMPARE(model.headerData(EntriesModel::Key, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("x, use_extra_feature"));
        QVERIFY(model.index(0, EntriesModel::Key)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("float32")));
        SessionBuilder builder;
        const auto f = builder.function("f", "x, step");
        builder.call(f, tensorArgument("x", "float32", {2}) + literalArgument("step", "int", "1"));
        builder.call(f, tensorArgument("x", "float32", {2}) + literalArgument("step", "int", "2"));
        model.setContent(EntriesModel::read(diagnose::diagnose(builder.finish()), f, {}));
        QCOMPARE(model.index(1, EntriesModel::Key).data().toString(), QStringLiteral("2"));
    }

    void entryKeysLeaveOutEqualDtypesAndBeginWithWhatHasMostValues() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x, y, step");
        for (int step = 1; step <= 3; ++step)
            builder.call(f, tensorArgument("x", "float32", {step == 3 ? 6 : 8, 4}) +
                                tensorArgument("y", "bfloat16", {1}) +
                                literalArgument("step", "int", std::to_string(step)));
        const auto session = builder.finish();
        const ShortKeys keys(*session, diagnose::diagnose(session)->index.entriesOfFunction[f.value]);
        QCOMPARE(keys.arguments(), QStringList{QStringLiteral("step")}); // x tells nothing more
        QCOMPARE(keys.of(session->entries[2].signature), QStringLiteral("3"));
        SessionBuilder shapes;
        const auto g = shapes.function("g", "x, y");
        for (const int rows : {8, 6})
            shapes.call(g, tensorArgument("x", "float32", {rows, 4}) + tensorArgument("y", "int64", {1}));
        const auto other = shapes.finish();
        const ShortKeys lengths(*other, diagnose::diagnose(other)->index.entriesOfFunction[g.value]);
        QCOMPARE(lengths.of(other->entries[1].signature), QStringLiteral("[6,4]"));
        const ShortKeys one(*session, {session::EntryId(std::uint32_t{0})});
        QCOMPARE(one.of(session->entries[0].signature), QStringLiteral("f32[8,4]  bf16[1]  1"));
    }

    void signaturesSortByAnyColumnAndBack() {
        SessionBuilder builder;
        const auto f = builder.function("f", "n");
        for (const char* n : {"10", "9", "2"})
            builder.call(f, literalArgument("n", "int", n));
        SignaturesModel model;
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const auto sort = [&](int column, Qt::SortOrder order) {
            model.setContent(rowsOf(diagnosis, {f, SignatureGrouping::Entries, false, column, order}));
        };
        sort(-1, Qt::AscendingOrder);
        int column = 0;
        while (model.content()->component(column) == nullptr ||
               model.content()->component(column)->path != "n.value")
            ++column;
        const auto order = [&] {
            QStringList texts;
            for (int row = 0; row < model.rowCount(); ++row)
                texts += model.index(row, column).data().toString();
            return texts.join(QLatin1Char(' '));
        };
        sort(column, Qt::AscendingOrder);
        QCOMPARE(order(), QStringLiteral("2 9 10")); // as numbers
        sort(column, Qt::DescendingOrder);
        QCOMPARE(order(), QStringLiteral("10 9 2"));
        sort(SignatureRows::First, Qt::DescendingOrder);
        QCOMPARE(order(), QStringLiteral("2 9 10"));
        sort(-1, Qt::AscendingOrder);
        QCOMPARE(order(), QStringLiteral("10 9 2"));
    }

    void findingsFilterByFunctionTitleAndCause() {
        FindingsModel model;
        model.setDiagnosis(diagnose::diagnose(processDataSession()));
        const int all = model.rowCount();
        model.setFilter(QStringLiteral("dtype"));
        QVERIFY(model.rowCount() >= 1 && model.rowCount() < all);
        QCOMPARE(model.hiddenByFilter(), all - model.rowCount());
        QCOMPARE(model.finding(0).cause, types::MissKind::Dtype);
    }

    void linesOfAFileKnowTheirTracesAndNodes() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x", "example.cpp", 10);
        builder.call(f, tensorArgument("x", "float32", {2}), 3'000'000);
        session::Session& session = builder.session();
        session.stacks.push_back(
            {{{session.strings.intern("main"), session.strings.intern("example.cpp"), 30}}});
        session.misses[0].stack = session::StackId(std::uint32_t{0});
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const auto facts = factsOfFile(*diagnosis, "example.cpp", f, session::EntryId(std::uint32_t{0}));
        QVERIFY(facts.at(10).definesFunction);
        QCOMPARE(facts.at(30).traces, 1);
        QCOMPARE(facts.at(30).traceNs, 3'000'000);
        QCOMPARE(facts.at(12).nodes, 4);
    }
};

RETRACESCOPE_TEST(ModelsTest);

} // namespace retracescope::test

#include "models_test.moc"
