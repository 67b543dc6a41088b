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
  set(DATA_DIR share)
  set(HEADERS header)
  set(LIBRARIES -lmpi_abi)
  set(MAY_LINK -lmpifort_abi)
  set(FIND_MODULES "")
  set(find_modules ${CMAKE_SOURCE_DIR}/fortran/find_modules.sh)
  if(language STREQUAL Fortran)
    set(HEADERS "modules, mpif.h")
    set(LIBRARIES "-lmpifort_abi -lmpi_abi")
    set(MAY_LINK "")
    file(READ ${find_modules} FIND_MODULES)
    string(CONFIGURE "${FIND_MODULES}" FIND_MODULES @ONLY)
  endif()
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/mpicc.in ${CMAKE_BINARY_DIR}/bin/${name} @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                 WORLD_READ WORLD_EXECUTE)
  file(RELATIVE_PATH BIN_TO_PREFIX ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_PREFIX})
  set(INCLUDE_DIR ${CMAKE_INSTALL_INCLUDEDIR})
  set(LIB_DIR ${CMAKE_INSTALL_LIBDIR})
  if(language STREQUAL Fortran)
    set(DATA_DIR ${CMAKE_INSTALL_DATADIR})
    file(READ ${find_modules} FIND_MODULES)
    string(CONFIGURE "${FIND_MODULES}" FIND_MODULES @ONLY)
  endif()
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/mpicc.in
                 ${CMAKE_CURRENT_BINARY_DIR}/installed/${name} @ONLY)
  install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/installed/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

get_filename_component(c_name ${CMAKE_C_COMPILER} NAME)
get_filename_component(cxx_name ${CMAKE_CXX_COMPILER} NAME)
baton_wrapper(mpicc C ${c_name})
baton_wrapper(mpicxx C++ ${cxx_name})
baton_wrapper(mpic++ C++ ${cxx_name})

foreach(header mpi.h mpi-ext.h)
  configure_file(${CMAKE_SOURCE_DIR}/include/${header} ${CMAKE_BINARY_DIR}/include/${header} COPYONLY)
  install(FILES ${CMAKE_SOURCE_DIR}/include/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()
file(RELATIVE_PATH PKGCONFIG_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/baton.pc.in ${CMAKE_CURRENT_BINARY_DIR}/baton.pc @ONLY)
configure_file(${CMAKE_SOURCE_DIR}/fortran/baton-fortran.pc.in ${CMAKE_CURRENT_BINARY_DIR}/baton-fortran.pc @ONLY)

install(TARGETS mpi_abi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/baton.pc ${CMAKE_CURRENT_BINARY_DIR}/baton-fortran.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Pages and completions: those of mpiexec are made by itself, of its table of options.
set(shared ${CMAKE_BINARY_DIR}/share)
set(bash_folder share/bash-completion/completions)
set(zsh_folder share/zsh/site-functions)
set(fish_folder share/fish/vendor_completions.d)
file(MAKE_DIRECTORY ${shared}/man/man1 ${CMAKE_BINARY_DIR}/${bash_folder} ${CMAKE_BINARY_DIR}/${zsh_folder}
     ${CMAKE_BINARY_DIR}/${fish_folder})
add_custom_command(TARGET mpiexec POST_BUILD WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
  COMMAND $<TARGET_FILE:mpiexec> --help=man > share/man/man1/mpiexec.1
  COMMAND $<TARGET_FILE:mpiexec> --help=bash > ${bash_folder}/mpiexec
  COMMAND $<TARGET_FILE:mpiexec> --help=zsh > ${zsh_folder}/_mpiexec
  COMMAND $<TARGET_FILE:mpiexec> --help=fish > ${fish_folder}/mpiexec.fish VERBATIM)
install(FILES ${shared}/man/man1/mpiexec.1 ${CMAKE_CURRENT_LIST_DIR}/mpicc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
foreach(names "mpiexec mpirun" "mpicc mpicxx" "mpicc mpic++" "mpicc mpifort" "mpicc mpif90" "mpicc mpif77"
        "mpicc mpifc")
  separate_arguments(names)
  list(GET names 0 page)
  list(GET names 1 alias)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/man/${alias}.1 ".so man1/${page}.1\n")
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/man/${alias}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endforeach()
# Shells look for the file by the command's name.
foreach(name mpiexec mpirun)
  install(FILES ${CMAKE_BINARY_DIR}/${bash_folder}/mpiexec DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME ${name})
  install(FILES ${CMAKE_BINARY_DIR}/${fish_folder}/mpiexec.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME ${name}.fish)
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/${zsh_folder}/_mpiexec DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
