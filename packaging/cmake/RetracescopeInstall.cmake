# What `cmake --install` puts where.
include(GNUInstallDirs)
retracescope_write_layers()
