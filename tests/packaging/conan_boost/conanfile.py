# Replaces Conan's package of Boost by the headers of this machine, for the test of conanfile.py.
from conan import ConanFile


class Boost(ConanFile):
    name = "boost"
    version = "1.81.0"
    package_type = "header-library"
    options = {"header_only": [True, False]}
    default_options = {"header_only": True}

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "Boost")
        headers = self.cpp_info.components["headers"]
        headers.set_property("cmake_target_name", "Boost::headers")
        headers.includedirs = []
