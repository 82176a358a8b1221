// What `stowage build-cost` and scripts/checks/budget measure compile times by: nothing of this project, so that it
// does not change with it.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

template <int N>
struct Record {
  int key;
  std::string text[N];
  std::variant<int, double, std::string> value;
  friend bool operator<(const Record& left, const Record& right) { return left.text[0] < right.text[0]; }
};

template <int N>
std::size_t work(const std::vector<std::string>& lines) {
  std::map<std::string, std::vector<Record<N>>> sorted;
  std::unordered_map<int, std::function<std::string(const Record<N>&)>> by_key;
  for (const std::string& line : lines) {
    Record<N> record{N, {}, line};
    for (std::string& text : record.text) text = std::regex_replace(line, std::regex("a+b"), "c");
    by_key[record.key] = [line](const Record<N>& other) { return line + other.text[0]; };
    sorted[line].push_back(record);
  }
  std::size_t sum = 0;
  for (auto& [line, records] : sorted) {
    std::sort(records.begin(), records.end());
    std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    sum += std::visit([](const auto& value) { return sizeof value; }, records[0].value) + by_key[N](records[0]).size();
  }
  return sum;
}

int main() {
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
  std::cout << work<1>(lines) + work<2>(lines) << "\n";
}
