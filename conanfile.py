import os
import re

from conan import ConanFile
from conan.tools.build import can_run, check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class RobotsConan(ConanFile):
    name = "robots-cpp"
    description = "robots.txt for crawlers: parse, fetch, cache, decide, and say why"
    license = "BSL-1.0"
    topics = ("robots-txt", "crawler", "rfc9309", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "with_asio": [True, False], "with_audit": [True, False], "with_curl": [True, False],
        "with_cpr": [True, False], "with_opentelemetry": [True, False],
        "with_prometheus": [True, False], "with_redis": [True, False],
        "with_redis_tls": [True, False], "with_sqlite": [True, False],
    }
    default_options = {
        "with_asio": False, "with_audit": False, "with_curl": False, "with_cpr": False,
        "with_opentelemetry": False, "with_prometheus": False, "with_redis": False,
        "with_redis_tls": False, "with_sqlite": False,
    }
    exports = "include/robots/version.hpp"
    exports_sources = (
        "CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md",
        ".cmake/*", "include/*", "tests/*", "benchmarks/*",
    )
    no_copy_source = True

    # CprFetcher and AsioCurlFetcher stand on the same headers as CurlFetcher.
    @property
    def _has_curl(self):
        return self.options.with_curl or self.options.with_cpr or self.options.with_asio

    @property
    def _has_redis(self):
        return self.options.with_redis or self.options.with_redis_tls

    @property
    def _has_openssl(self):
        return self.options.with_redis_tls or self.options.with_audit

    @property
    def _runs_tests(self):
        return not self.conf.get("tools.build:skip_test", default=False, check_type=bool)

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include/robots/version.hpp"))
        self.version = re.search(r'string_view version = "([0-9.]+)"', header).group(1)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("boost/[>=1.81 <2]", options={"header_only": True})
        if self._has_curl:
            self.requires("libcurl/[>=7.86 <9]")
        if self.options.with_cpr:
            self.requires("cpr/[>=1.10 <2]")
        if self.options.with_opentelemetry:
            self.requires("opentelemetry-cpp/[>=1.19 <2]")
        if self.options.with_prometheus:
            self.requires("prometheus-cpp/[>=1.0 <2]")
        if self._has_redis:
            self.requires("hiredis/[>=1.0 <2]",
                          options={"with_ssl": bool(self.options.with_redis_tls)})
        if self.options.with_sqlite:
            self.requires("sqlite3/[>=3.37 <4]")
        if self._has_openssl:
            self.requires("openssl/[>=1.1.1 <4]")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")
        if self._runs_tests:
            self.test_requires("cli11/[>=2.1 <3]")
            self.test_requires("cpp-httplib/[>=0.11 <1]", options={"with_openssl": True})
            self.test_requires("doctest/[>=2.4.9 <3]")
            self.test_requires("nlohmann_json/[>=3.11 <4]")
            if not self._has_openssl:
                self.test_requires("openssl/[>=3 <4]")
            self.test_requires("zlib/[>=1.2 <2]")

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["ROBOTS_BUILD_TESTS"] = self._runs_tests
        toolchain.cache_variables["ROBOTS_INSTALL_TOOLS"] = False
        toolchain.cache_variables["ROBOTS_CURL"] = "ON" if self._has_curl else "OFF"
        toolchain.cache_variables["ROBOTS_CPR"] = "ON" if self.options.with_cpr else "OFF"
        toolchain.cache_variables["ROBOTS_ASIO"] = "ON" if self.options.with_asio else "OFF"
        toolchain.cache_variables["ROBOTS_AUDIT"] = "ON" if self.options.with_audit else "OFF"
        toolchain.cache_variables["ROBOTS_OPENTELEMETRY"] = (
            "ON" if self.options.with_opentelemetry else "OFF")
        toolchain.cache_variables["ROBOTS_PROMETHEUS"] = (
            "ON" if self.options.with_prometheus else "OFF")
        toolchain.cache_variables["ROBOTS_REDIS"] = "ON" if self._has_redis else "OFF"
        toolchain.cache_variables["ROBOTS_REDIS_TLS"] = (
            "ON" if self.options.with_redis_tls else "OFF")
        toolchain.cache_variables["ROBOTS_SQLITE"] = "ON" if self.options.with_sqlite else "OFF"
        toolchain.generate()

    def build(self):
        if not self._runs_tests:
            return
        cmake = CMake(self)
        cmake.configure()
        cmake.build()
        if can_run(self):
            cmake.test()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*.?pp", os.path.join(self.source_folder, "include"),
             os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "robots")
        core = self.cpp_info.components["robots"]
        core.set_property("cmake_target_name", "robots::robots")
        core.requires = ["boost::headers"]
        if self.settings.os in ("Linux", "FreeBSD"):
            core.system_libs = ["pthread"]
        if self._has_curl:
            self._adapter("curl", "robots::curl", ["libcurl::libcurl"])
        if self.options.with_cpr:
            self._adapter("cpr", "robots::cpr", ["curl", "cpr::cpr"])
        if self.options.with_asio:
            self._adapter("asio", "robots::asio", ["curl", "boost::headers"])
        if self.options.with_audit:
            self._adapter("audit", "robots::audit", ["openssl::crypto"])
        if self.options.with_opentelemetry:
            self._adapter("opentelemetry", "robots::opentelemetry",
                          ["opentelemetry-cpp::opentelemetry-cpp"])
        if self.options.with_prometheus:
            self._adapter("prometheus", "robots::prometheus", ["prometheus-cpp::prometheus-cpp"])
        if self._has_redis:
            self._adapter("redis", "robots::redis", ["hiredis::hiredis"])
        if self.options.with_redis_tls:
            self._adapter("redis_tls", "robots::redis_tls",
                          ["redis", "hiredis::hiredis_ssl", "openssl::openssl"])
        if self.options.with_sqlite:
            self._adapter("sqlite", "robots::sqlite", ["sqlite3::sqlite3"])
        for component in self.cpp_info.components.values():
            component.bindirs = []
            component.libdirs = []

    def _adapter(self, name, target, requirements):
        adapter = self.cpp_info.components[name]
        adapter.set_property("cmake_target_name", target)
        adapter.requires = ["robots", *requirements]
