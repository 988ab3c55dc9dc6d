# How every part is compiled, and the one helper that declares a library with its allowed dependencies.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

find_program(RETRACESCOPE_CCACHE ccache)
if(RETRACESCOPE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${RETRACESCOPE_CCACHE})
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Werror -Wnon-virtual-dtor -Woverloaded-virtual -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wshadow=local -fpch-preprocess)
    # GCC 12 reports false positives from inlined standard containers with these three.
    add_compile_options(-Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds -Wno-restrict
                        -Wno-dangling-pointer)
endif()
if(RETRACESCOPE_SANITIZE)
    string(REPLACE ";" "," sanitizers "${RETRACESCOPE_SANITIZE}")
    add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${sanitizers})
    if(sanitizers MATCHES "undefined")
        add_compile_options(-fno-sanitize=vptr,null,alignment)
    endif()
endif()
if(RETRACESCOPE_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link) # counts the branches that an input takes
endif()

# One spelling of core's headers in the tree and once installed: <retracescope/...>.
set(RETRACESCOPE_INCLUDE_ROOT ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${RETRACESCOPE_INCLUDE_ROOT})
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/core ${RETRACESCOPE_INCLUDE_ROOT}/retracescope SYMBOLIC)

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)

# retracescope_library(core_session FOLDER core/session DEPENDS core_types PRIVATE SQLite::SQLite3
#                      SOURCES a.cpp b.cpp [PUBLIC fmt::fmt] [QT])
# DEPENDS are the project's own libraries whose headers this one may include; tests/tools/check_layers.py reads the
# declarations (written to build/<preset>/layers.txt) and checks every #include against them.
set_property(GLOBAL PROPERTY RETRACESCOPE_LAYERS "")
function(retracescope_library name)
    cmake_parse_arguments(arg "QT" "FOLDER" "SOURCES;DEPENDS;PUBLIC;PRIVATE" ${ARGN})
    add_library(${name} STATIC ${arg_SOURCES})
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${RETRACESCOPE_INCLUDE_ROOT}>
                               $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
    target_compile_features(${name} PUBLIC cxx_std_20) # whoever includes an installed header needs it too
    target_link_libraries(${name} PUBLIC ${arg_DEPENDS} ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    if(arg_QT)
        set_target_properties(${name} PROPERTIES AUTOMOC ON)
        target_compile_definitions(${name} PUBLIC QT_NO_KEYWORDS QT_NO_CAST_FROM_BYTEARRAY)
        retracescope_qt_pch(${name})
    else()
        retracescope_std_pch(${name})
    endif()
    string(REPLACE ";" " " allowed "${arg_DEPENDS}")
    set_property(GLOBAL APPEND PROPERTY RETRACESCOPE_LAYERS "${name} ${arg_FOLDER} ${allowed}")
    set_property(GLOBAL APPEND PROPERTY RETRACESCOPE_LIBRARIES ${name})
endfunction()

function(retracescope_write_layers)
    get_property(layers GLOBAL PROPERTY RETRACESCOPE_LAYERS)
    set(text "")
    foreach(layer IN LISTS layers)
        string(APPEND text "${layer}\n")
    endforeach()
    file(WRITE ${CMAKE_BINARY_DIR}/layers.txt "${text}")
endfunction()

# Precompiled headers, shared by reuse: one of the standard library for core, one of QtWidgets for views and app.
function(retracescope_std_pch name)
    if(NOT TARGET retracescope_std_pch)
        file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/pch_anchor.cpp CONTENT "// holds the shared precompiled header\n")
        add_library(retracescope_std_pch STATIC ${CMAKE_BINARY_DIR}/pch_anchor.cpp)
        target_link_libraries(retracescope_std_pch PRIVATE fmt::fmt Threads::Threads)
        target_precompile_headers(retracescope_std_pch PRIVATE
            <algorithm> <array> <atomic> <chrono> <cstdint> <cstring> <functional> <map> <memory> <mutex>
            <optional> <span> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <variant> <vector>
            <fmt/format.h>)
    endif()
    target_link_libraries(${name} PUBLIC fmt::fmt Threads::Threads)
    target_precompile_headers(${name} REUSE_FROM retracescope_std_pch)
endfunction()

function(retracescope_qt_pch name)
    target_link_libraries(${name} PUBLIC fmt::fmt Qt6::Widgets)
    if(NOT TARGET retracescope_qt_pch)
        file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/qt_pch_anchor.cpp CONTENT "// holds the shared precompiled header\n")
        add_library(retracescope_qt_pch STATIC ${CMAKE_BINARY_DIR}/qt_pch_anchor.cpp)
        target_link_libraries(retracescope_qt_pch PRIVATE fmt::fmt Threads::Threads Qt6::Widgets)
        target_compile_definitions(retracescope_qt_pch PUBLIC QT_NO_KEYWORDS QT_NO_CAST_FROM_BYTEARRAY)
        target_precompile_headers(retracescope_qt_pch PRIVATE
            <algorithm> <cstdint> <functional> <map> <memory> <optional> <span> <string> <string_view>
            <unordered_map> <vector> <fmt/format.h> <QtWidgets>)
    endif()
    target_precompile_headers(${name} REUSE_FROM retracescope_qt_pch)
endfunction()

# retracescope_program(rscope SOURCES main.cpp DEPENDS core_session [PRIVATE CLI11::CLI11] [QT])
function(retracescope_program name)
    cmake_parse_arguments(arg "QT" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    target_include_directories(${name} PRIVATE ${RETRACESCOPE_INCLUDE_ROOT} ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE ${arg_DEPENDS} ${arg_PRIVATE} fmt::fmt Threads::Threads)
    if(arg_QT)
        set_target_properties(${name} PROPERTIES AUTOMOC ON AUTORCC ON)
        target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS QT_NO_CAST_FROM_BYTEARRAY)
    endif()
endfunction()
