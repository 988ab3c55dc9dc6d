#include <QTest>

#include <retracescope/record/device_activities.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using gpu::Activity;
using gpu::ActivityKind;

class DeviceActivitiesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void workOfADeviceBecomesKernelsOnTheLaneOfItsStream() {
        session::Session session;
        Activity kernel;
        kernel.startNs = 1'000;
        kernel.endNs = 1'250;
        kernel.device = 1;
        kernel.stream = 7;
        kernel.name = "_Z4reluPfi";
        Activity copy = kernel;
        copy.kind = ActivityKind::Memcpy;
        copy.detail = 2;
        copy.stream = 8;
        Activity call = kernel;
        call.kind = ActivityKind::RuntimeApi;
        const std::array activities = {kernel, copy, call, kernel};
        QCOMPARE(record::addDeviceActivities(session, activities, -900), 3U);

        QCOMPARE(session.lanes.size(), 2U);
        QCOMPARE(session.text(session.lanes[0].name), std::string_view("GPU 1 stream 7"));
        QCOMPARE(session.text(session.lanes[1].name), std::string_view("GPU 1 stream 8"));
        QVERIFY(session.lanes[0].kind == session::LaneKind::Stream);
        const session::KernelTable& t = session.kernels;
        QCOMPARE(t.size(), 3U);
        QCOMPARE(t.startNs[0], 100);
        QCOMPARE(t.durationNs[0], 250);
        QCOMPARE(session.text(t.name[0]), std::string_view("relu(float*, int)"));
        QCOMPARE(session.text(t.name[1]), std::string_view("copy device to host"));
        QCOMPARE(t.lane[1].value, 1U);
        QCOMPARE(t.lane[2].value, 0U);
    }

    void aSecondBufferGoesOnTheSameLanes() {
        session::Session session;
        Activity set;
        set.kind = ActivityKind::Memset;
        set.startNs = 5;
        set.endNs = 6;
        record::addDeviceActivities(session, std::array{set}, 0);
        record::addDeviceActivities(session, std::array{set, set}, 0);
        QCOMPARE(session.lanes.size(), 1U);
        QCOMPARE(session.kernels.size(), 3U);
    }
};

RETRACESCOPE_TEST(DeviceActivitiesTest);

#include "device_activities_test.moc"
