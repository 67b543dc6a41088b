# mpicc and mpicxx (in the build folder and installed), the header's copy in the build folder, and what
# cmake --install puts where.
include(GNUInstallDirs)

function(baton_wrapper name language compiler)
  set(NAME ${name})
  set(LANGUAGE ${language})
  set(COMPILER ${compiler})
  set(BIN_TO_PREFIX ..)
  set(INCLUDE_DIR include)
  set(LIB_DIR lib)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/mpicc.in ${CMAKE_BINARY_DIR}/bin/${name} @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                 WORLD_READ WORLD_EXECUTE)
  file(RELATIVE_PATH BIN_TO_PREFIX ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_PREFIX})
  set(INCLUDE_DIR ${CMAKE_INSTALL_INCLUDEDIR})
  set(LIB_DIR ${CMAKE_INSTALL_LIBDIR})
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/mpicc.in
                 ${CMAKE_CURRENT_BINARY_DIR}/installed/${name} @ONLY)
  install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/installed/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

get_filename_component(c_name ${CMAKE_C_COMPILER} NAME)
get_filename_component(cxx_name ${CMAKE_CXX_COMPILER} NAME)
baton_wrapper(mpicc C ${c_name})
baton_wrapper(mpicxx C++ ${cxx_name})
baton_wrapper(mpic++ C++ ${cxx_name})

configure_file(${CMAKE_SOURCE_DIR}/include/mpi.h ${CMAKE_BINARY_DIR}/include/mpi.h COPYONLY)
file(RELATIVE_PATH PKGCONFIG_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/baton.pc.in ${CMAKE_CURRENT_BINARY_DIR}/baton.pc @ONLY)

install(TARGETS mpi_abi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_SOURCE_DIR}/include/mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/baton.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
