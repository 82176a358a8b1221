#include "harness/catalogue.hpp"
#include "harness/cli/harness_main.hpp"

int main(int argc, char** argv) {
  return stowage::harness::harness_main(argc, argv, stowage::harness::make_catalogue());
}
