#include <retracescope/importers/proto_kind.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <vector>

#include <retracescope/importers/wire.h>

namespace retracescope::importers {

namespace {

/// The fields of one message by number; the first occurrences only, since telling needs no more.
class Look {
public:
    explicit Look(std::string_view message) {
        WireReader reader(message);
        WireField field;
        while (reader.next(field)) {
            constexpr std::size_t kMostOfOne = 20;
            auto& fields = m_fields[field.number];
            if (fields.size() < kMostOfOne)
                fields.push_back(field);
        }
        m_problem = reader.problem();
    }

    bool breaks() const { return !m_problem.empty(); }
    const std::string& problem() const { return m_problem; }
    bool has(std::uint32_t number) const { return m_fields.contains(number); }

    bool hasOnly(std::initializer_list<std::uint32_t> numbers) const {
        return std::ranges::all_of(m_fields, [&](const auto& field) {
            return std::ranges::find(numbers, field.first) != numbers.end();
        });
    }

    std::vector<std::string_view> all(std::uint32_t number) const {
        std::vector<std::string_view> result;
        const auto found = m_fields.find(number);
        if (found == m_fields.end())
            return result;
        for (const WireField& field : found->second) {
            if (field.type == WireField::Bytes)
                result.push_back(field.bytes);
        }
        return result;
    }

    std::string_view bytes(std::uint32_t number) const {
        const auto found = all(number);
        return found.empty() ? std::string_view() : found.back();
    }

    std::uint64_t varint(std::uint32_t number) const {
        const auto found = m_fields.find(number);
        return found == m_fields.end() || found->second.back().type != WireField::Varint
                   ? 0
                   : found->second.back().value;
    }

    bool allAreBytes(std::uint32_t number) const {
        const auto found = m_fields.find(number);
        return found == m_fields.end() || std::ranges::all_of(found->second, [](const WireField& f) {
                   return f.type == WireField::Bytes;
               });
    }

private:
    std::map<std::uint32_t, std::vector<WireField>> m_fields;
    std::string m_problem;
};

std::uint32_t crc32c(std::string_view bytes) {
    std::uint32_t crc = 0xFFFFFFFF;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78 : 0);
    }
    return ~crc;
}

/// The first record's length carries its own masked checksum.
bool isEventFile(std::string_view bytes) {
    constexpr std::size_t kLengthBytes = 8;
    if (bytes.size() < kLengthBytes + 4)
        return false;
    const std::uint32_t crc = crc32c(bytes.substr(0, kLengthBytes));
    const std::uint32_t masked = ((crc >> 15) | (crc << 17)) + 0xA282EAD8;
    std::uint32_t stored = 0;
    for (std::size_t i = 4; i-- > 0;)
        stored = stored << 8 | static_cast<unsigned char>(bytes[kLengthBytes + i]);
    return masked == stored;
}

bool isXSpace(const Look& look) {
    if (!look.hasOnly({1, 2, 3, 4}))
        return false;
    return std::ranges::any_of(look.all(1), [](std::string_view bytes) {
        const Look plane(bytes);
        const std::string_view name = plane.bytes(2);
        const bool named = name.starts_with('/') || name.starts_with("Task Environment") ||
                           name.starts_with("Host CPUs") || name.starts_with('#');
        return !plane.breaks() && named && (plane.has(3) || plane.has(4) || plane.has(5) || plane.has(6));
    });
}

bool isSavedModel(const Look& look) {
    if (!look.hasOnly({1, 2}))
        return false;
    return std::ranges::any_of(look.all(2), [](std::string_view bytes) {
        const Look meta(bytes);
        return !meta.breaks() && !meta.bytes(2).empty() && meta.has(1);
    });
}

bool isOnnx(const Look& look) {
    constexpr std::uint64_t kLatestIrVersion = 32;
    return look.varint(1) > 0 && look.varint(1) <= kLatestIrVersion && look.has(8) && look.allAreBytes(8);
}

bool isHloModule(const Look& look) {
    if (look.breaks() || look.bytes(1).empty() || look.bytes(2).empty() || look.all(3).empty())
        return false;
    const Look computation(look.all(3).front());
    return !computation.breaks() && !computation.bytes(1).empty() && computation.has(2);
}

bool looksLikeAnOp(std::string_view op) {
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    if (op.empty() || (!isLetter(op[0]) && op[0] != '>'))
        return false;
    return std::ranges::all_of(op, [&](char c) {
        return isLetter(c) || (c >= '0' && c <= '9') ||
               std::string_view(".:>/-").find(c) != std::string_view::npos;
    });
}

bool isGraphDef(const Look& look) {
    if (!look.hasOnly({1, 2, 3, 4, 5}) || (!look.has(1) && !look.has(2)) || !look.allAreBytes(1) ||
        !look.allAreBytes(2))
        return false;
    const bool nodesFit = std::ranges::all_of(look.all(1), [](std::string_view bytes) {
        const Look node(bytes);
        return !node.breaks() && !node.bytes(1).empty() && looksLikeAnOp(node.bytes(2)) &&
               node.hasOnly({1, 2, 3, 4, 5, 6, 7});
    });
    if (!nodesFit || look.has(1))
        return nodesFit;
    // A library alone: functions with a signature that has a name.
    const Look library(look.bytes(2));
    const auto functions = library.all(1);
    return !library.breaks() && !functions.empty() &&
           std::ranges::all_of(functions, [](std::string_view bytes) {
               const Look function(bytes);
               return !function.breaks() && !Look(function.bytes(1)).bytes(1).empty();
           });
}

/// Trace: devices by number (1), events with a start in picoseconds (4).
bool isProfilerTrace(const Look& look) {
    if (!look.hasOnly({1, 4}) || look.all(4).empty())
        return false;
    const Look event(look.all(4).front());
    return !event.breaks() && event.varint(9) > 0 && !event.bytes(3).empty();
}

} // namespace

ProtoKind protoKind(std::string_view bytes, std::string& problem) {
    if (isEventFile(bytes))
        return ProtoKind::EventFile;
    const Look look(bytes);
    if (look.breaks()) {
        problem = look.problem();
        return ProtoKind::None;
    }
    if (isXSpace(look))
        return ProtoKind::XSpace;
    if (isSavedModel(look))
        return ProtoKind::SavedModel;
    if (isOnnx(look))
        return look.bytes(7).empty() ? ProtoKind::OnnxWithoutGraph : ProtoKind::Onnx;
    if (isHloModule(look) || isHloModule(Look(look.bytes(1))))
        return ProtoKind::Hlo;
    if (isProfilerTrace(look))
        return ProtoKind::ProfilerTrace;
    return isGraphDef(look) ? ProtoKind::GraphDef : ProtoKind::Unknown;
}

} // namespace retracescope::importers
