#include <QTest>
#include <fmt/format.h>

#include <retracescope/diagnose/overview.h>

#include "tests/support/golden_text.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using diagnose::Diagnosis;
using diagnose::DiagnosisPtr;
using diagnose::EditLine;
using diagnose::Explanation;
using diagnose::Finding;

namespace {

std::string printed(const Diagnosis& diagnosis) {
    std::string text = diagnosis.headline + "\n" + diagnosis.subline + "\n";
    for (const Explanation& e : diagnosis.explanations) {
        text += fmt::format("call {} {} [{}]: {}", e.callNumber, types::missKindName(e.cause), e.edit.kind,
                            e.sentence);
        for (const auto& d : e.differences)
            text += fmt::format(" | {}: {} -> {}", d.path, d.before, d.after);
        text += "\n";
    }
    for (const Finding& f : diagnosis.findings) {
        text += fmt::format("{}{} avoidable {} of {}, {} values. {} {}\n", f.expected ? "expected: " : "",
                            f.title, f.avoidable.size(), f.misses.size(), f.distinctValues, f.edit.sentence,
                            f.detail);
        for (const EditLine& line : f.edit.lines)
            text += fmt::format("    {}{}\n", line.sign, line.text);
    }
    return text;
}

} // namespace

class DiagnosisTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tellsTheLessonsStory() {
        const DiagnosisPtr diagnosis = diagnose::diagnose(test::processDataSession());
        QCOMPARE(
            QString::fromStdString(test::goldenMismatch(printed(*diagnosis), "diagnose/process_data.txt")),
            QString());
    }
};

RETRACESCOPE_TEST(DiagnosisTest);

#include "diagnosis_test.moc"
