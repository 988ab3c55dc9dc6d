#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace retracescope::importers {

/// One field of a protobuf message as it lies on the wire.
struct WireField {
    enum Type : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

    std::uint32_t number = 0;
    Type type = Varint;
    std::uint64_t value = 0; ///< of the fixed and variable numbers
    std::string_view bytes;  ///< of strings and messages
    std::size_t at = 0;      ///< byte of the message where the field starts
};

/// Walks the fields of a message without a schema; allocates nothing, trusts nothing.
class WireReader {
public:
    explicit WireReader(std::string_view message) : m_message(message) {}

    /// False at the end and where the message breaks.
    bool next(WireField& field);

    /// Where and how it breaks; empty if it does not.
    const std::string& problem() const { return m_problem; }

private:
    std::string_view m_message;
    std::size_t m_at = 0;
    std::string m_problem;
};

} // namespace retracescope::importers
