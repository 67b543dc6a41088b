#include "file/explain.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "transport/node.hpp"

namespace baton::file {

namespace {

// Returns the end of a name that is as long as there is space for.
const char* short_name(const char* name) {
  const std::size_t length = std::strlen(name), space = sizeof FileRecord::name - 1;
  return length > space ? name + length - space : name;
}

// Returns the record of a file; null where there is no space for one.
FileRecord* find_record(FileRecords& records, const File& file) {
  const char* name = short_name(file.name);
  FileRecord* end = records.files + records.known;
  FileRecord* found = std::find_if(records.files, end, [&](const FileRecord& each) {
    return each.ranks == file.ranks() && std::strcmp(each.name, name) == 0;
  });
  if (found != end) return found;
  if (records.known == file_records_max) return nullptr;
  ++records.known;
  std::snprintf(found->name, sizeof found->name, "%s", name);
  found->ranks = file.ranks();
  return found;
}

}  // namespace

void explain(const File& file) {
  if (transport::job().explain == 0) return;
  FileRecords& records = transport::Slot(transport::own_rank()).record().files;
  FileRecord* record = find_record(records, file);
  if (!record) {
    ++records.more;
    return;
  }
  ++record->openings;
  record->counts.add(file.counts);
}

}  // namespace baton::file
