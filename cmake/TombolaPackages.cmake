# Debian packages, one a component: `./dev package`, or `cpack` in the build folder.
foreach(party shuffler collector)
  install(FILES deploy/systemd/tombola-${party}.service DESTINATION lib/systemd/system
    COMPONENT ${party})
  foreach(kind sysusers tmpfiles)
    install(FILES deploy/systemd/tombola-${party}.${kind} DESTINATION lib/${kind}.d
      RENAME tombola-${party}.conf COMPONENT ${party})
  endforeach()
  install(FILES deploy/config/${party}.toml DESTINATION ${CMAKE_INSTALL_DATADIR}/tombola/config
    COMPONENT ${party})
  install(FILES deploy/nftables/${party}.nft DESTINATION ${CMAKE_INSTALL_DATADIR}/tombola/nftables
    COMPONENT ${party})
  set(PARTY ${party})
  foreach(script postinst prerm postrm)
    configure_file(deploy/debian/${script}.in ${PROJECT_BINARY_DIR}/debian/${party}/${script} @ONLY
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
      WORLD_EXECUTE)
    string(TOUPPER ${party} upper)
    list(APPEND CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA
      ${PROJECT_BINARY_DIR}/debian/${party}/${script})
  endforeach()
endforeach()
install(FILES deploy/nginx/shuffler.conf DESTINATION ${CMAKE_INSTALL_DATADIR}/tombola/nginx
  COMPONENT shuffler)
install(DIRECTORY deploy/prometheus deploy/grafana DESTINATION ${CMAKE_INSTALL_DATADIR}/tombola
  COMPONENT tools)
# The book, for the configurations refer to it.
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tombola/docs COMPONENT tools
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tombola COMPONENT tools)
foreach(component shuffler collector tools dev)
  set(package tombola-${component})
  if(component STREQUAL "tools")
    set(package tombola)
  elseif(component STREQUAL "dev")
    set(package libtombola-dev)
  endif()
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright
    COMPONENT ${component})
endforeach()
install(PROGRAMS deploy/certificates DESTINATION ${CMAKE_INSTALL_DATADIR}/tombola COMPONENT tools)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tombola)
set(CPACK_PACKAGE_CONTACT "Tombola developers")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL shuffler collector tools dev)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_SHUFFLER_PACKAGE_NAME tombola-shuffler)
# procps has the kill of ExecReload=.
set(CPACK_DEBIAN_SHUFFLER_PACKAGE_DEPENDS "passwd, procps")
set(CPACK_DEBIAN_SHUFFLER_PACKAGE_SUGGESTS "nftables, nginx, tombola")
set(CPACK_DEBIAN_SHUFFLER_DESCRIPTION
  "Tombola's shuffler\n Gathers sealed reports of devices, permutes them and forwards them in batches.")
set(CPACK_DEBIAN_COLLECTOR_PACKAGE_NAME tombola-collector)
set(CPACK_DEBIAN_COLLECTOR_PACKAGE_DEPENDS "passwd, procps")
set(CPACK_DEBIAN_COLLECTOR_PACKAGE_SUGGESTS "nftables, tombola")
set(CPACK_DEBIAN_COLLECTOR_DESCRIPTION
  "Tombola's collector\n Opens batches of sealed reports, aggregates them and answers questions.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME tombola)
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS openssl)
# `tombola up` and `tombola demo` start both daemons.
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "tombola-shuffler, tombola-collector")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION
  "Tombola's command line\n Plans and makes tasks, reports, asks, accounts, audits and simulates.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libtombola-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "libabsl-dev, libgrpc++-dev, libprotobuf-dev, libssl-dev, libutf8proc-dev, pkg-config, protobuf-compiler-grpc")
set(CPACK_DEBIAN_DEV_DESCRIPTION
  "Tombola's SDK for devices\n Headers, static libraries and a CMake package.")
include(CPack)
