# Writes OUTPUT, a C++ table of the policy files of POLICY_DIR (name, source).
# Run as a script: cmake -DPOLICY_DIR=... -DOUTPUT=... -P AMPEmbedPolicies.cmake
file(GLOB files "${POLICY_DIR}/*.mlir")
list(SORT files)
set(text "// Generated from share/policies.\n\nstatic constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kBuiltinPolicies[] = {\n")
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} source)
  string(APPEND text "    {\"${name}\", R\"policy(${source})policy\"},\n")
endforeach()
string(APPEND text "};\n")
file(WRITE "${OUTPUT}" "${text}")
