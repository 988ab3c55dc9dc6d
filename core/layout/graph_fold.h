#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <retracescope/layout/graph_layout.h>
#include <retracescope/layout/scope_tree.h>

namespace retracescope::layout {

/// A value that more than this many boxes read is shown as pills, not as lines across the picture.
inline constexpr std::size_t kManyReaders = 6;

/// A graph over this many boxes opens folded.
inline constexpr std::size_t kMostBoxes = 300;

enum class PillKind : std::uint8_t {
    Weights,
    Constants,
    Values,   ///< read here, made in a box too popular for lines
    External, ///< names of values from outside the graph
    Readers,  ///< on the maker's right: how many boxes read its value
};

/// A small label beside a box that stands for lines not drawn.
struct Pill {
    PillKind kind = PillKind::Constants;
    std::string text;                 ///< "2 weights"
    std::vector<std::uint32_t> nodes; ///< rows it stands for; empty for External
};

enum class BoxKind : std::uint8_t { Node, Scope, Output };

struct FoldedBox {
    BoxKind kind = BoxKind::Node;
    std::uint32_t id = 0; ///< node row; scope; first output's place
    std::int32_t cluster = kNoCluster;
    std::uint32_t nodeCount = 0; ///< nodes of the graph that this box stands for; 0 for outputs
    bool isRun = false;          ///< a scope that stands for several of equal structure
    bool isInput = false;        ///< a node that hands in an argument: round, as results are
    std::string title;
    std::string subtitle; ///< op and type; "61 nodes"
    std::vector<Pill> left, right;
};

/// All lines between two boxes in one direction. Control edges merge with control edges only.
struct FoldedEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t count = 0; ///< edges of the graph in it
    bool control = false;
    session::StringId type; ///< of the value; empty if the merged ones differ or it is not known
};

/// An open scope around its boxes.
struct FoldedCluster {
    std::uint32_t scope = 0;
    std::int32_t parent = kNoCluster;
    std::string title;    ///< "block_1"
    std::string subtitle; ///< "61 nodes"
};

/// What is to be drawn of a graph with some scopes open: sum of the boxes' nodeCount + side nodes = all
/// nodes.
struct FoldedGraph {
    std::vector<FoldedBox> boxes;
    std::vector<FoldedEdge> edges;
    std::vector<FoldedCluster> clusters;  ///< parents before their children
    std::vector<std::uint32_t> sideNodes; ///< constants and weights in open scopes: only in pills
    std::vector<std::uint32_t> boxOfNode; ///< by row; kNoBox for side nodes
};

inline constexpr std::uint32_t kNoBox = session::GraphEdge().from;

/// One flag per scope of the tree; the root is always open.
using OpenScopes = std::vector<bool>;

/// All scopes open if that makes at most `mostBoxes` boxes; otherwise the largest ones that leave a picture
/// of a few dozen boxes.
OpenScopes initiallyOpen(const session::Session& session, const session::Graph& graph, const ScopeTree& tree,
                         std::size_t mostBoxes = kMostBoxes);

/// True if the graph has more boxes than it opens with: then it opens folded.
bool opensFolded(const session::Session& session, const session::Graph& graph,
                 std::size_t mostBoxes = kMostBoxes);

/// `foldSides`: constants and weights become pills beside their readers.
FoldedGraph foldGraph(const session::Session& session, const session::Graph& graph, const ScopeTree& tree,
                      const OpenScopes& open, bool foldSides = true);

enum class TextRole : std::uint8_t { Title, Subtitle, Pill };

/// Width of a text in pixels.
using TextWidth = std::function<double(std::string_view text, TextRole role)>;

/// By the average letter of DejaVu Sans, for where no fonts can be asked.
double estimatedTextWidth(std::string_view text, TextRole role);

/// Sizes for the layout. A scope's box has room for its `+`, a box with pills for these.
BoxGraph sizeBoxes(const FoldedGraph& folded, const TextWidth& width);

inline constexpr double kPillHeight = 18;
inline constexpr double kPillStep = 21;
inline constexpr double kPillGap = 22; ///< between a box and its pills, crossed by the dashed line
inline constexpr double kBoxHeight = 38;
inline constexpr double kExpanderWidth = 20;
inline constexpr double kClusterHeader = 22;

double pillWidth(const Pill& pill, const TextWidth& width);

} // namespace retracescope::layout
