#include <QTest>

#include <filesystem>

#include <unistd.h>

#include <retracescope/retracescope.h>
#include <retracescope/session/file.h>

#include "tests/support/test_main.h"

using namespace retracescope;

namespace {

/// The steps of the example training_loop, with the step's number as a tensor, so that they run a trace that
/// is there: the last batch of every epoch is smaller.
void train(int epochs) {
    const Variable weights(filled(0.1f, {4, 1}), {"weights"});
    const Variable bias(zeros({1}), {"bias"});
    const Function step("train_step", {"x", "y", "rate"}, [&](Tensor x, Tensor y, Tensor rate) {
        const Tensor error = relu(matmul(x, weights.read()) + bias.read()) - y;
        const Tensor slope =
            select(error + y > 0.0f, error * (2.0f / static_cast<float>(x.shape()[0])), zerosLike(error));
        weights.assignSub(matmul(x, slope, true) * rate);
        bias.assignSub(reduceSum(slope, {0}) * rate);
        return reduceMean(square(error));
    });
    const std::array batches{ones({8, 4}), ones({8, 4}), ones({8, 4}), ones({6, 4})};
    const std::array targets{ones({8, 1}), ones({8, 1}), ones({8, 1}), ones({6, 1})};
    for (int epoch = 0; epoch < epochs; ++epoch)
        for (std::size_t i = 0; i < batches.size(); ++i)
            step(batches[i], targets[i], constant(0.02f));
}

struct Size {
    double bytes = 0;
    double nodeEvents = 0;
};

Size sizeOf(int epochs) {
    const auto path =
        std::filesystem::temp_directory_path() / ("session_bytes_" + std::to_string(getpid()) + ".retrace");
    {
        const Recorder recorder(path, {.nodeTimes = true});
        train(epochs);
    }
    const auto session = session::readSession(path);
    const Size size{static_cast<double>(std::filesystem::file_size(path)),
                    session ? static_cast<double>((*session)->kernels.size()) : 0};
    std::filesystem::remove(path);
    return size;
}

} // namespace

class SessionBytesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aNodeEventTakesFourBytesAtMost() {
        const Size small = sizeOf(10);
        const Size large = sizeOf(2000);
        QVERIFY(small.nodeEvents >= 10 * 4 * 10);
        const double further = (large.bytes - small.bytes) / (large.nodeEvents - small.nodeEvents);
        const double all = large.bytes / large.nodeEvents;
        qInfo("%.2f bytes per further node event, %.2f with all that is written once", further, all);
        QVERIFY2(all <= 4.0, qPrintable(QString("%1 bytes per node event").arg(all)));
    }
};

RETRACESCOPE_TEST(SessionBytesTest);
#include "session_bytes_test.moc"
