#pragma once

#include <unordered_map>
#include <vector>

#include <retracescope/diagnose/history.h>

namespace retracescope::diagnose {

/// How far apart two keys are: the weights of all components in which they differ. Unlike a blocking set it
/// counts what lies below another type, structure or rank too, so that a dict with other keys is not nearer
/// than one whose tensors have another dtype. A component that one side lacks weighs as one that changes
/// every other time: how often it comes and goes is told by the structure above it. Each key is taken apart
/// once.
class KeyDistance {
public:
    explicit KeyDistance(const session::Session& session)
        : m_session(session), m_keys(session.signatures.size()) {}

    /// Open components of `stored` differ from nothing. Weights are those of `history`, remembered until
    /// forgetWeights().
    double between(session::SignatureId request, session::SignatureId stored, const History& history);

    /// Before another function's history is asked.
    void forgetWeights() { m_weights.clear(); }

private:
    /// A component with numbers for its texts.
    struct Cell {
        std::uint32_t path = 0;
        std::uint32_t value = 0;
        std::uint32_t rank = 0; ///< of an axis: the path that holds its tensor's number of axes
        bool open = false;
        bool isName = false; ///< who does not give one matches any
    };
    struct Key {
        std::vector<Cell> cells;              ///< by path
        std::vector<std::uint32_t> openRanks; ///< paths
        bool isTakenApart = false;
    };

    const Key& keyOf(session::SignatureId signature);
    std::uint32_t numberOf(std::string_view text);
    double weightOf(std::uint32_t path, const History& history);

    const session::Session& m_session;
    std::vector<Key> m_keys; ///< by SignatureId
    std::unordered_map<std::string, std::uint32_t> m_numbers;
    std::vector<std::string_view> m_texts; ///< by number, into m_numbers
    std::vector<double> m_weights;         ///< by path; negative infinity = not asked yet
};

} // namespace retracescope::diagnose
