# What `cpack -G DEB` makes of the release build: see scripts/package.
set(CPACK_PACKAGE_NAME stowage)
set(CPACK_PACKAGE_VENDOR stowage)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_CONTACT "the stowage developers <stowage@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# What compiles a game or a storage of the user, simulates caches and writes the report.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "g++, ninja-build, libboost1.${Boost_MINOR_VERSION}-dev | libboost-dev (>= 1.81), libglm-dev, \
libtbb-dev, valgrind, python3, python3-matplotlib, python3-numpy, python3-jinja2")
if(CMAKE_CROSSCOMPILING)  # the preset arm64; dpkg-shlibdeps knows only libraries that are installed
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libc6 (>= 2.36), libstdc++6 (>= 12), libbenchmark1debian, libfmt9, libtbb12, \
libtomlplusplus3")
else()
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, catch2, librapidcheck-dev")
include(CPack)
