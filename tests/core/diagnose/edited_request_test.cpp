#include <QTest>

#include <retracescope/diagnose/edited_request.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using diagnose::EditedRequest;
using test::request;
using types::Component;
using types::MissKind;

namespace {

/// "x.dtype=float32 x.shape[0]=None"; None is open.
QString textOf(const EditedRequest::Components& components) {
    QStringList parts;
    for (const Component& component : components)
        parts += QString::fromStdString(component.path + "=" + component.value);
    return parts.join(' ');
}

diagnose::Edit edit(const QString& kind) {
    diagnose::Edit result;
    result.kind = kind.toStdString();
    return result;
}

} // namespace

class EditedRequestTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksWhatTheEditLeaves_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("difference");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("others"); // requests of the function, "|" between them
        QTest::addColumn<QString>("asked");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* kind, MissKind difference, const char* path,
                            const char* before, const char* others, const char* asked, const char* expected) {
            QTest::newRow(name) << QString(kind) << static_cast<int>(difference) << QString(path)
                                << QString(before) << QString(others) << QString(asked) << QString(expected);
        };
        row("a padded axis is the next power of two", "pad_or_bucket", MissKind::Shape, "x.shape[0]", "2", "",
            "x=tensor:float32[5,6]", "x.type=tensor x.dtype=float32 x.rank=2 x.shape[0]=8 x.shape[1]=6");
        row("an open axis stays open", "pad_or_bucket", MissKind::Shape, "x.shape[0]", "2", "",
            "x=tensor:float32[None]", "x.type=tensor x.dtype=float32 x.rank=1 x.shape[0]=None");
        row("numbers cast to one dtype", "cast_dtype", MissKind::Dtype, "x.dtype", "float32", "",
            "x=tensor:int32[]", "x.type=tensor x.dtype=number x.rank=0");
        row("texts do not", "cast_dtype", MissKind::Dtype, "x.dtype", "float32", "", "x=tensor:string[]",
            "x.type=tensor x.dtype=string x.rank=0");
        row("axes of size one go", "reshape_input", MissKind::Rank, "x.rank", "1", "",
            "x=tensor:float32[1,3,1]", "x.type=tensor x.dtype=float32 x.shape[0]=3 x.rank=1");
        row("equal items are one tensor", "stack_list", MissKind::Structure, "xs.len", "2", "",
            "xs=[float32[2];float32[2];float32[2]]",
            "xs[].type=tensor xs[].dtype=float32 xs[].rank=1 xs[].shape[0]=2");
        row("a host number is a scalar of the dtype seen there", "pass_array", MissKind::Type, "n.type",
            "tensor", "n=tensor:float64[]|n=int:3", "n=int:4", "n.type=tensor n.dtype=float64 n.rank=0");
        row("a text is none", "pass_array", MissKind::Type, "n.type", "tensor", "n=tensor:float64[]",
            "n=str:a", "n.type=str n.value=a");
        row("a value that becomes a tensor counts no more", "pass_array", MissKind::Value, "n.value", "3", "",
            "n=int:4", "n.type=int");
        row("keys that a dict lacks come from another", "normalise_structure", MissKind::Structure, "d.keys",
            "a, b", "d={a:float32[2];b:int32[]}", "d={a:float32[3]}",
            "d.type=dict d['a'].type=tensor d['a'].dtype=float32 d['a'].rank=1 d['a'].shape[0]=3 "
            "d['b'].type=tensor d['b'].dtype=int32 d['b'].rank=0");
        row("a value of another type is as the others", "normalise_structure", MissKind::Type, "n.type",
            "int", "n=int:3", "n=none:None", "n.type=int n.value=3");
        row("what is accepted stays", "accept", MissKind::Value, "n.value", "3", "", "n=int:4",
            "n.type=int n.value=4");
        row("an edit of the cache changes no request", "remove_clear", MissKind::Cleared, "n.value", "3", "",
            "n=int:4", "n.type=int n.value=4");
        row("nor does relaxing", "relax", MissKind::Shape, "x.shape[0]", "2", "", "x=tensor:float32[5]",
            "x.type=tensor x.dtype=float32 x.rank=1 x.shape[0]=5");
        row("other arguments stay", "pad_or_bucket", MissKind::Shape, "y.shape[0]", "2", "",
            "x=tensor:float32[5]", "x.type=tensor x.dtype=float32 x.rank=1 x.shape[0]=5");
    }
    void asksWhatTheEditLeaves() {
        QFETCH(const QString, kind);
        QFETCH(const int, difference);
        QFETCH(const QString, path);
        QFETCH(const QString, before);
        QFETCH(const QString, others);
        QFETCH(const QString, asked);
        EditedRequest edited;
        edited.add(edit(kind),
                   {static_cast<MissKind>(difference), path.toStdString(), before.toStdString(), ""});
        for (const QString& other : others.split('|', Qt::SkipEmptyParts))
            edited.learn(request(other));
        QTEST(textOf(edited.of(request(asked))), "expected");
    }

    void itemsThatDifferAreNotStacked() {
        EditedRequest edited;
        edited.add(edit("stack_list"), {MissKind::Structure, "xs.len", "1", "2"});
        const auto both = request("xs=[float32[2];float32[3]]");
        QCOMPARE(textOf(edited.of(both)), textOf(both));
    }

    void editsAddUp() {
        EditedRequest edited;
        edited.add(edit("pad_or_bucket"), {MissKind::Shape, "x.shape[0]", "2", "3"});
        edited.add(edit("pass_array"), {MissKind::Value, "n.value", "1", "2"});
        QCOMPARE(textOf(edited.of(request("x=tensor:float32[3] n=int:2"))),
                 textOf(edited.of(request("x=tensor:float32[4] n=int:7"))));
    }
};

RETRACESCOPE_TEST(EditedRequestTest);

#include "edited_request_test.moc"
