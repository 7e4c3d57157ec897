# `cmake --install`: binaries, the SDK's headers and libraries, and find_package(tombola).
include(CMakePackageConfigHelpers)

install(DIRECTORY client/public/tombola DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.h")
install(DIRECTORY proto/tombola DESTINATION ${CMAKE_INSTALL_DATADIR}/tombola/proto
  COMPONENT dev
  FILES_MATCHING PATTERN "*.proto")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tombola)
install(EXPORT tombola NAMESPACE tombola:: FILE tombolaTargets.cmake
  DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/tombolaConfig.cmake.in
  ${PROJECT_BINARY_DIR}/tombolaConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tombolaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tombolaConfig.cmake
  ${PROJECT_BINARY_DIR}/tombolaConfigVersion.cmake DESTINATION ${package_dir}
  COMPONENT dev)
