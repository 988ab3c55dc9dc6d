#include <retracescope/importers/wire.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

namespace retracescope::importers {

using google::protobuf::io::CodedInputStream;

bool WireReader::next(WireField& field) {
    if (m_at >= m_message.size() || !m_problem.empty())
        return false;
    const std::string_view rest = m_message.substr(m_at);
    // A field's head takes at most 20 bytes and a number behind it 8; the stream takes an int.
    constexpr std::size_t kHead = 32;
    CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(rest.data()),
                            static_cast<int>(std::min(rest.size(), kHead)));
    field = WireField();
    field.at = m_at;
    std::uint64_t tag = 0;
    if (!stream.ReadVarint64(&tag) || tag >> 3 == 0 || tag >> 3 > (1u << 29) - 1) {
        m_problem = fmt::format("no field starts at byte {}", m_at);
        return false;
    }
    field.number = static_cast<std::uint32_t>(tag >> 3);
    const auto type = static_cast<int>(tag & 7);
    std::uint32_t small = 0;
    bool read = false;
    switch (type) {
    case WireField::Varint:
    case WireField::Bytes:
        read = stream.ReadVarint64(&field.value);
        break;
    case WireField::Fixed64:
        read = stream.ReadLittleEndian64(&field.value);
        break;
    case WireField::Fixed32:
        read = stream.ReadLittleEndian32(&small);
        field.value = small;
        break;
    default:
        m_problem = fmt::format("field {} at byte {} has wire type {}, which no current message uses",
                                field.number, m_at, type);
        return false;
    }
    if (!read) {
        m_problem = fmt::format("field {} at byte {} is cut", field.number, m_at);
        return false;
    }
    field.type = static_cast<WireField::Type>(type);
    const auto head = static_cast<std::size_t>(stream.CurrentPosition());
    if (type != WireField::Bytes) {
        m_at += head;
        return true;
    }
    if (field.value > rest.size() - head) {
        m_problem = fmt::format("field {} at byte {} says {} bytes, {} are there", field.number, m_at,
                                field.value, rest.size() - head);
        return false;
    }
    field.bytes = rest.substr(head, static_cast<std::size_t>(field.value));
    m_at += head + field.bytes.size();
    return true;
}

} // namespace retracescope::importers
