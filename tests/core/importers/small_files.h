#pragma once

#include <string>
#include <vector>

/// Small files made by this program, one feature of a format each, with what an importer must answer: the
/// tests' own samples, and the seeds of the fuzz targets.
namespace retracescope::test {

struct SmallFile {
    std::string name;
    std::string bytes;
    std::string
        answer; ///< JSON of what `rscope info --json` must say (parts may be left out); empty = refused
    std::string message; ///< part of the refusal, or of a warning
};

std::vector<SmallFile> smallChromeFiles();
std::vector<SmallFile> smallGraphDefs();
std::vector<SmallFile> smallWrappedFiles();
/// Beginnings of other formats, each to be refused by its name.
std::vector<SmallFile> smallForeignFiles();
std::vector<SmallFile> allSmallFiles();

/// gzip of `bytes`, one member.
std::string gzipped(const std::string& bytes);

/// A zip archive of deflated entries.
std::string zipped(const std::vector<std::pair<std::string, std::string>>& entries);

/// Protobuf fields, written by hand: a varint, a string or message.
std::string protoField(int number, std::uint64_t value);
std::string protoField(int number, const std::string& bytes);

/// A NodeDef with inputs.
std::string graphNode(const std::string& name, const std::string& op,
                      const std::vector<std::string>& inputs = {}, const std::string& attributes = {});

} // namespace retracescope::test
