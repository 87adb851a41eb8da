# robots.spdx.json: a list of the library and its dependencies in SPDX 2.3. The library contains no code of others, so
# the versions are the oldest that work. SOURCE_DATE_EPOCH sets the date.
string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)
string(UUID uuid NAMESPACE 6ba7b811-9dad-11d1-80b4-00c04fd430c8 NAME
       "robots-cpp ${PROJECT_VERSION} ${created}" TYPE SHA1)

# robots_sbom_package(<id> <name> <version> <license>)
function(robots_sbom_package id name version license)
  set(packages "${packages},
    {
      \"SPDXID\": \"SPDXRef-${id}\",
      \"name\": \"${name}\",
      \"versionInfo\": \"${version}\",
      \"downloadLocation\": \"NOASSERTION\",
      \"filesAnalyzed\": false,
      \"licenseConcluded\": \"${license}\",
      \"licenseDeclared\": \"${license}\",
      \"copyrightText\": \"NOASSERTION\"
    }" PARENT_SCOPE)
endfunction()

set(packages "")
robots_sbom_package(robots-cpp robots-cpp "${PROJECT_VERSION}" BSL-1.0)
robots_sbom_package(Boost Boost ">=${ROBOTS_BOOST_VERSION}" BSL-1.0)
set(relationships "
    {
      \"spdxElementId\": \"SPDXRef-DOCUMENT\",
      \"relationshipType\": \"DESCRIBES\",
      \"relatedSpdxElement\": \"SPDXRef-robots-cpp\"
    },
    {
      \"spdxElementId\": \"SPDXRef-robots-cpp\",
      \"relationshipType\": \"DEPENDS_ON\",
      \"relatedSpdxElement\": \"SPDXRef-Boost\"
    }")
get_property(adapters GLOBAL PROPERTY ROBOTS_ADAPTERS)
foreach(adapter IN LISTS adapters)
  string(REGEX MATCHALL "[A-Za-z0-9_-]+/[0-9.]+" needed "${adapter}")
  string(REGEX MATCH "^[a-z_]+" adapter "${adapter}")
  list(REMOVE_DUPLICATES needed)
  foreach(package IN LISTS needed)
    string(REPLACE "/" ";" package "${package}")
    list(POP_FRONT package name version)
    string(REPLACE "_" "-" id "${adapter}-${name}")
    robots_sbom_package(${id} ${name} ">=${version}" NOASSERTION)
    string(APPEND relationships ",
    {
      \"spdxElementId\": \"SPDXRef-${id}\",
      \"relationshipType\": \"OPTIONAL_DEPENDENCY_OF\",
      \"relatedSpdxElement\": \"SPDXRef-robots-cpp\",
      \"comment\": \"robots::${adapter}\"
    }")
  endforeach()
endforeach()
string(SUBSTRING "${packages}" 1 -1 packages)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/robots.spdx.json" @ONLY CONTENT [[{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "robots-cpp-@PROJECT_VERSION@",
  "documentNamespace": "urn:uuid:@uuid@",
  "creationInfo": {
    "created": "@created@",
    "creators": ["Tool: robots-cpp-@PROJECT_VERSION@"]
  },
  "packages": [@packages@
  ],
  "relationships": [@relationships@
  ]
}
]])
install(FILES "${PROJECT_BINARY_DIR}/robots.spdx.json" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
