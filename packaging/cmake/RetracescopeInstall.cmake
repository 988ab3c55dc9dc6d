# What `cmake --install` puts where: programs, examples, desktop entry, and the engine as a CMake package
# (find_package(Retracescope), target Retracescope::retracescope). COMPONENT Engine holds the package alone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
retracescope_write_layers()

install(TARGETS rscope retracescope-layout RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Programs)
install(DIRECTORY ${CMAKE_BINARY_DIR}/bin/examples DESTINATION ${CMAKE_INSTALL_BINDIR} USE_SOURCE_PERMISSIONS
        COMPONENT Programs)
if(RETRACESCOPE_VIEWS)
    install(TARGETS retracescope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Programs)
    install(FILES packaging/retracescope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT Programs)
    install(FILES packaging/retracescope.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages COMPONENT Programs)
endif()

# The engine and what it stands on: every library that core_retracescope reaches, with all their headers.
set(engine_libraries core_retracescope)
set(waiting core_retracescope)
while(waiting)
    list(POP_FRONT waiting library)
    get_target_property(below ${library} LINK_LIBRARIES)
    foreach(other IN LISTS below)
        if(other MATCHES "^core_" AND NOT other IN_LIST engine_libraries)
            list(APPEND engine_libraries ${other})
            list(APPEND waiting ${other})
        endif()
    endforeach()
endwhile()
set_target_properties(core_retracescope PROPERTIES EXPORT_NAME retracescope)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Retracescope)
install(TARGETS ${engine_libraries} EXPORT RetracescopeTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/retracescope COMPONENT Engine)
install(EXPORT RetracescopeTargets NAMESPACE Retracescope:: DESTINATION ${package_dir} COMPONENT Engine)
foreach(library IN LISTS engine_libraries)
    get_target_property(folder ${library} SOURCE_DIR)
    file(RELATIVE_PATH below_core ${CMAKE_SOURCE_DIR}/core ${folder})
    if(below_core STREQUAL "")
        install(FILES core/retracescope.h core/eigen.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/retracescope COMPONENT Engine)
    else()
        install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/retracescope/${below_core}
                COMPONENT Engine FILES_MATCHING PATTERN "*.h" PATTERN "proto" EXCLUDE)
    endif()
endforeach()

configure_package_config_file(packaging/cmake/RetracescopeConfig.cmake.in ${CMAKE_BINARY_DIR}/RetracescopeConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/RetracescopeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/RetracescopeConfig.cmake ${CMAKE_BINARY_DIR}/RetracescopeConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT Engine)
