# What `cmake --install` puts where: programs, examples, desktop entry. Library and headers follow with the engine's
# installable package.
include(GNUInstallDirs)
retracescope_write_layers()

install(TARGETS rscope retracescope-layout RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_BINARY_DIR}/bin/examples DESTINATION ${CMAKE_INSTALL_BINDIR} USE_SOURCE_PERMISSIONS)
if(RETRACESCOPE_VIEWS)
    install(TARGETS retracescope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES packaging/retracescope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES packaging/retracescope.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
endif()
