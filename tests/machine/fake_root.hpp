// A folder that looks like / to who reads the system's files; gone at the end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

struct FakeRoot {
  std::string path;
  FakeRoot() {
    char pattern[] = "/tmp/fake_root.XXXXXX";
    path = ::mkdtemp(pattern);
  }
  ~FakeRoot() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::path file = path + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
};
