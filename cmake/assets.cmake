# muster_assets(target namespace NAME file…): embeds the files into the program as std::string_view constants of that
# namespace. The next build picks up changed files.
function(muster_assets target namespace)
  set(constants "")
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest name file)
    file(READ ${file} text)
    string(APPEND constants "extern const std::string_view ${name};\n"
           "const std::string_view ${name} = R\"asset-text(${text})asset-text\";\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endwhile()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_assets.cpp)
  set(body "#include <string_view>\nnamespace ${namespace} {\n${constants}}  // namespace ${namespace}\n")
  file(CONFIGURE OUTPUT ${source} CONTENT "@body@" @ONLY)
  target_sources(${target} PRIVATE ${source})
endfunction()
