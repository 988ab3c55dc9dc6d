#include "tests/app/cli/program_run.h"

#include <QProcess>
#include <QTemporaryDir>

#include <retracescope/session/file.h>

#include "tests/support/session_builder.h"

namespace retracescope::test {

using namespace session;
using types::Component;
using types::ComponentKind;

namespace {

using Components = std::vector<Component>;

Components listOfTensors(const std::string& name, int length, int width) {
    Components result{{name + ".type", ComponentKind::Type, "list"},
                      {name + ".len", ComponentKind::Length, std::to_string(length)}};
    for (int i = 0; i < length; ++i)
        result = result + tensorArgument(name + "[" + std::to_string(i) + "]", "float64", {width});
    return result;
}

Components dictOf(const std::string& name, const std::string& keys) {
    return {{name + ".type", ComponentKind::Type, "dict"}, {name + ".keys", ComponentKind::Keys, keys}};
}

Components object(const std::string& name, const std::string& type, const std::string& identity) {
    return {{name + ".type", ComponentKind::Type, type},
            {name + ".identity", ComponentKind::Identity, identity}};
}

/// The same trace fails at each call of the function.
SessionPtr failingSession() {
    SessionBuilder builder;
    const FunctionId f = builder.function("load_weights", "path", "model.cpp", 21);
    Session& session = builder.session();
    session.functions[f.value].bodyRuns = 4;
    for (int i = 0; i < 2; ++i)
        builder.call(f, literalArgument("path", "str", "'a.bin'"), 1'000'000, 0);
    session.entries.clear();
    session.misses.push_back(session.misses.front());
    for (std::uint32_t row = 0; row < 2; ++row) {
        Miss& miss = session.misses[row];
        miss.call = CallId(row);
        miss.callNumber = row + 1;
        miss.entry = {};
        miss.timeNs = session.calls.startNs[row];
        miss.traceNs = 1'000'000;
        miss.otherKinds = {row == 0 ? types::MissKind::FirstCall : types::MissKind::FailedBefore};
        miss.exception = session.strings.intern("variables may only be made on the first call\nin model.cpp");
        session.calls.entry[row] = {};
        session.calls.outcome[row] = Outcome::Error;
        session.calls.durationNs[row] = 1'000'000;
        session.calls.traceNs[row] = 1'000'000;
    }
    session.calls.startNs[1] = session.misses[1].timeNs = session.calls.startNs[0] + 1'500'000;
    return builder.finish();
}

void write(const QString& folder, const char* name, const SessionPtr& session) {
    const Status status = writeSession(*session, (folder + "/" + name).toStdString());
    if (!status)
        qFatal("%s", status.error().message.c_str());
}

} // namespace

SessionPtr renderSession() {
    SessionBuilder builder;
    const FunctionId shade = builder.function("shade", "lights, material, samples", "render.cpp", 48);
    const FunctionId blur = builder.function("blur", "image, kernel", "post.cpp", 7);
    for (int frame = 1; frame <= 5; ++frame) {
        builder.call(shade,
                     listOfTensors("lights", frame < 4 ? 2 : 3, 3) + dictOf("material", "'albedo', 'gloss'") +
                         literalArgument("samples", "int", std::to_string(frame * 16)),
                     7'000'000, 900'000);
        builder.call(blur,
                     tensorArgument("image", frame == 2 ? "uint8" : "float32", {480, 640}) +
                         object("kernel", "Kernel", "Kernel object " + std::to_string(frame)),
                     3'000'000, 400'000);
        builder.wait(1'000'000);
    }
    builder.call(blur,
                 tensorArgument("image", "float32", {480, 640, 3}) +
                     object("kernel", "Kernel", "Kernel object 5"),
                 3'000'000, 400'000);
    return builder.finish();
}

const QString& sessionFolder() {
    static const QTemporaryDir directory;
    static const QString path = [] {
        write(directory.path(), "lesson.retrace", processDataSession());
        write(directory.path(), "render.retrace", renderSession());
        write(directory.path(), "failing.retrace", failingSession());
        write(directory.path(), "empty.retrace", std::make_shared<const Session>());
        return directory.path();
    }();
    return path;
}

ProgramRun runRscope(const QString& folder, const QStringList& arguments) {
    QProcess process;
    process.setWorkingDirectory(folder);
    process.start(QStringLiteral(RETRACESCOPE_BIN_DIR "/rscope"), arguments);
    if (!process.waitForFinished(60'000))
        return {};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace retracescope::test
