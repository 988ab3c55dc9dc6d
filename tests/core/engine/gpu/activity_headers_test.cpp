// Records written through the structures of NVIDIA's headers, read by ours: the field offsets.
#include <cstring>
#include <span>
#include <vector>

#include <cupti_activity.h>
#include <cupti_version.h>

#include <QTest>

#include <retracescope/engine/gpu/activity_decoder.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using gpu::Activity;

namespace {

/// Decodes one record of a structure whose later versions only grew at their end.
template <class Structure>
Activity read(const Structure& structure) {
    constexpr std::uint32_t kApi = CUPTI_API_VERSION;
    std::vector<std::uint8_t> bytes(
        gpu::activityRecordSize(static_cast<std::uint32_t>(structure.kind), kApi));
    std::memcpy(bytes.data(), &structure, std::min(bytes.size(), sizeof structure));
    std::vector<Activity> activities;
    gpu::decodeActivities(bytes, kApi, {}, gpu::nameInThisProcess, activities);
    return activities.empty() ? Activity{} : activities.front();
}

} // namespace

class ActivityHeadersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        if (!gpu::knowsApiVersion(CUPTI_API_VERSION))
            QSKIP("the installed CUPTI headers are of a version whose records are not known");
    }

    void kernel() {
        CUpti_ActivityKernel9 record{};
        record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
        record.start = 11;
        record.end = 12;
        record.deviceId = 1;
        record.contextId = 2;
        record.streamId = 3;
        record.correlationId = 4;
        record.name = "kernel_name";
        record.graphNodeId = 5;
        record.graphId = 6;
        const Activity a = read(record);
        QCOMPARE(a.startNs, 11);
        QCOMPARE(a.endNs, 12);
        QCOMPARE(a.device, 1U);
        QCOMPARE(a.context, 2U);
        QCOMPARE(a.stream, 3U);
        QCOMPARE(a.correlation, 4U);
        QCOMPARE(a.graphNode, 5U);
        QCOMPARE(a.graph, 6U);
        QCOMPARE(a.name, std::string("kernel_name"));
    }

    void copy() {
        CUpti_ActivityMemcpy5 record{};
        record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
        record.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
        record.bytes = 4096;
        record.start = 11;
        record.end = 12;
        record.deviceId = 1;
        record.contextId = 2;
        record.streamId = 3;
        record.correlationId = 4;
        record.graphNodeId = 5;
        const Activity a = read(record);
        QCOMPARE(a.detail, 2U);
        QCOMPARE(a.bytes, 4096U);
        QCOMPARE(a.startNs, 11);
        QCOMPARE(a.endNs, 12);
        QCOMPARE(a.device, 1U);
        QCOMPARE(a.context, 2U);
        QCOMPARE(a.stream, 3U);
        QCOMPARE(a.correlation, 4U);
        QCOMPARE(a.graphNode, 5U);
    }

    void peerCopy() {
        CUpti_ActivityMemcpyPtoP4 record{};
        record.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
        record.bytes = 77;
        record.start = 11;
        record.end = 12;
        record.deviceId = 1;
        record.streamId = 3;
        record.correlationId = 4;
        const Activity a = read(record);
        QCOMPARE(a.bytes, 77U);
        QCOMPARE(a.startNs, 11);
        QCOMPARE(a.device, 1U);
        QCOMPARE(a.stream, 3U);
        QCOMPARE(a.correlation, 4U);
    }

    void set() {
        CUpti_ActivityMemset4 record{};
        record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
        record.bytes = 77;
        record.start = 11;
        record.end = 12;
        record.streamId = 3;
        record.correlationId = 4;
        const Activity a = read(record);
        QCOMPARE(a.bytes, 77U);
        QCOMPARE(a.endNs, 12);
        QCOMPARE(a.stream, 3U);
        QCOMPARE(a.correlation, 4U);
    }

    void call() {
        CUpti_ActivityAPI record{};
        record.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
        record.cbid = 211;
        record.start = 11;
        record.end = 12;
        record.correlationId = 4;
        const Activity a = read(record);
        QCOMPARE(a.detail, 211U);
        QCOMPARE(a.startNs, 11);
        QCOMPARE(a.endNs, 12);
        QCOMPARE(a.correlation, 4U);
    }

    void externalCorrelation() {
        CUpti_ActivityExternalCorrelation record{};
        record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
        record.externalId = 1234567890123ULL;
        record.correlationId = 4;
        const Activity a = read(record);
        QCOMPARE(a.externalId, 1234567890123ULL);
        QCOMPARE(a.correlation, 4U);
    }

    void synchronization() {
        CUpti_ActivitySynchronization record{};
        record.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
        record.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
        record.start = 11;
        record.end = 12;
        record.correlationId = 4;
        record.contextId = 2;
        record.streamId = 3;
        const Activity a = read(record);
        QCOMPARE(a.detail, 3U);
        QCOMPARE(a.startNs, 11);
        QCOMPARE(a.correlation, 4U);
        QCOMPARE(a.context, 2U);
        QCOMPARE(a.stream, 3U);
    }

    void overhead() {
        CUpti_ActivityOverhead record{};
        record.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
        record.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
        record.start = 11;
        record.end = 12;
        const Activity a = read(record);
        QCOMPARE(a.detail, std::uint32_t(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH));
        QCOMPARE(a.startNs, 11);
        QCOMPARE(a.endNs, 12);
    }

    void graphTrace() {
        CUpti_ActivityGraphTrace record{};
        record.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
        record.start = 11;
        record.end = 12;
        record.deviceId = 1;
        record.graphId = 6;
        record.contextId = 2;
        record.streamId = 3;
        record.correlationId = 4;
        const Activity a = read(record);
        QCOMPARE(a.startNs, 11);
        QCOMPARE(a.device, 1U);
        QCOMPARE(a.graph, 6U);
        QCOMPARE(a.context, 2U);
        QCOMPARE(a.stream, 3U);
        QCOMPARE(a.correlation, 4U);
    }

    void memory() {
        CUpti_ActivityMemory3 record{};
        record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
        record.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
        record.correlationId = 4;
        record.bytes = 512;
        record.timestamp = 11;
        record.deviceId = 1;
        record.contextId = 2;
        record.streamId = 3;
        const Activity a = read(record);
        QCOMPARE(a.detail, 1U);
        QCOMPARE(a.bytes, 512U);
        QCOMPARE(a.startNs, 11);
        QCOMPARE(a.device, 1U);
        QCOMPARE(a.context, 2U);
        QCOMPARE(a.stream, 3U);
    }
};

RETRACESCOPE_TEST(ActivityHeadersTest);

#include "activity_headers_test.moc"
