import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import can_run, valid_min_cppstd
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
        "compiled": [True, False],
        "with_asio": [True, False], "with_audit": [True, False], "with_curl": [True, False],
        "with_cpr": [True, False], "with_html": [True, False],
        "with_idn": [True, False], "with_opentelemetry": [True, False],
        "with_prometheus": [True, False], "with_redis": [True, False],
        "with_redis_tls": [True, False], "with_signature": [True, False],
        "with_sqlite": [True, False],
    }
    default_options = {
        "compiled": False,
        "with_asio": False, "with_audit": False, "with_curl": False, "with_cpr": False,
        "with_html": False, "with_idn": False,
        "with_opentelemetry": False, "with_prometheus": False, "with_redis": False,
        "with_redis_tls": False, "with_signature": False, "with_sqlite": False,
    }
    exports = "include/robots/version.hpp"
    exports_sources = (
        "CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md",
        ".cmake/*", "include/*", "tests/*", "benchmarks/*",
    )
    no_copy_source = True
    test_package_folder = "tests/packaging/test_package"

    # CprFetcher and AsioCurlFetcher use the same headers as CurlFetcher.
    @property
    def _has_curl(self):
        return self.options.with_curl or self.options.with_cpr or self.options.with_asio

    @property
    def _has_redis(self):
        return self.options.with_redis or self.options.with_redis_tls

    @property
    def _has_zlib(self):
        return self._has_curl or self._has_redis or self.options.with_sqlite

    @property
    def _has_openssl(self):
        return (self.options.with_redis_tls or self.options.with_audit
                or self.options.with_signature)

    # The tests need more packages, so they do not run by default. -c tools.build:skip_test=False runs them.
    @property
    def _runs_tests(self):
        return not self.conf.get("tools.build:skip_test", default=True, check_type=bool)

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include/robots/version.hpp"))
        self.version = re.search(r'string_view version = "([0-9.]+)"', header).group(1)

    def configure(self):
        if self.options.compiled:
            self.package_type = "static-library"

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self._requires("boost/[>=1.81 <2]", header_only=True)
        if self._has_curl:
            self._requires("libcurl/[>=7.86 <9]")
        if self._has_zlib:
            self._requires("zlib/[>=1.2.11 <2]")
        if self.options.with_cpr:
            self._requires("cpr/[>=1.10 <2]")
        if self.options.with_html:
            self._requires("gumbo-parser/[>=0.10 <1]")
        if self.options.with_idn:
            self._requires("libidn2/[>=2.2 <3]")
        if self.options.with_opentelemetry:
            self._requires("opentelemetry-cpp/[>=1.19 <2]")
        if self.options.with_prometheus:
            self._requires("prometheus-cpp/[>=1.0 <2]")
        if self._has_redis:
            self._requires("hiredis/[>=1.0 <2]", with_ssl=bool(self.options.with_redis_tls))
        if self.options.with_sqlite:
            self._requires("sqlite3/[>=3.37 <4]")
        if self._has_openssl:
            self._requires("openssl/[>=1.1.1 <4]")

    # The headers of robots-cpp include those of the packages that it requires.
    def _requires(self, reference, **options):
        self.requires(reference, transitive_headers=True, options=options)

    def build_requirements(self):
        if self._runs_tests:
            self.tool_requires("cmake/[>=3.25]")
            self.test_requires("cli11/[>=2.1 <3]")
            self.test_requires("cpp-httplib/[>=0.11 <1]", options={"with_openssl": True})
            self.test_requires("doctest/[>=2.4.9 <3]")
            self.test_requires("nlohmann_json/[>=3.11 <4]")
            if not self._has_openssl:
                self.test_requires("openssl/[>=3 <4]")
            if not self._has_zlib:
                self.test_requires("zlib/[>=1.2.11 <2]")

    def validate(self):
        if not valid_min_cppstd(self, 20):
            raise ConanInvalidConfiguration(
                f"robots-cpp needs C++20, and compiler.cppstd is {self.settings.get_safe('compiler.cppstd')}. "
                "Add -s compiler.cppstd=20 to the command, or compiler.cppstd=20 to the profile.")

    def package_id(self):
        if not self.info.options.compiled:
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
        toolchain.cache_variables["ROBOTS_HTML"] = "ON" if self.options.with_html else "OFF"
        toolchain.cache_variables["ROBOTS_IDN"] = "ON" if self.options.with_idn else "OFF"
        toolchain.cache_variables["ROBOTS_OPENTELEMETRY"] = (
            "ON" if self.options.with_opentelemetry else "OFF")
        toolchain.cache_variables["ROBOTS_PROMETHEUS"] = (
            "ON" if self.options.with_prometheus else "OFF")
        toolchain.cache_variables["ROBOTS_REDIS"] = "ON" if self._has_redis else "OFF"
        toolchain.cache_variables["ROBOTS_REDIS_TLS"] = (
            "ON" if self.options.with_redis_tls else "OFF")
        toolchain.cache_variables["ROBOTS_SIGNATURE"] = (
            "ON" if self.options.with_signature else "OFF")
        toolchain.cache_variables["ROBOTS_SQLITE"] = "ON" if self.options.with_sqlite else "OFF"
        toolchain.generate()

    def build(self):
        if not (self._runs_tests or self.options.compiled):
            return
        cmake = CMake(self)
        cmake.configure()
        if self.options.compiled:
            cmake.build(target="robots_compiled")
        if self._runs_tests:
            cmake.build()
            if can_run(self):
                cmake.test()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*.?pp", os.path.join(self.source_folder, "include"),
             os.path.join(self.package_folder, "include"))
        for library in ("*.a", "*.lib") if self.options.compiled else ():
            copy(self, library, self.build_folder, os.path.join(self.package_folder, "lib"),
                 keep_path=False)

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "robots")
        core = self.cpp_info.components["robots"]
        core.set_property("cmake_target_name", "robots::robots")
        core.requires = ["boost::headers"]
        if self.settings.os in ("Linux", "FreeBSD"):
            core.system_libs = ["pthread"]
        if self._has_curl:
            self._adapter("curl", "robots::curl", ["libcurl::libcurl", "zlib::zlib"])
        if self.options.with_cpr:
            self._adapter("cpr", "robots::cpr", ["curl", "cpr::cpr"])
        if self.options.with_asio:
            self._adapter("asio", "robots::asio", ["curl", "boost::headers"])
        if self.options.with_audit:
            self._adapter("audit", "robots::audit", ["openssl::crypto"])
        if self.options.with_html:
            self._adapter("html", "robots::html", ["gumbo-parser::gumbo-parser"])
        if self.options.with_idn:
            self._adapter("idn", "robots::idn", ["libidn2::libidn2"])
        if self.options.with_opentelemetry:
            self._adapter("opentelemetry", "robots::opentelemetry",
                          ["opentelemetry-cpp::opentelemetry-cpp"])
        if self.options.with_prometheus:
            self._adapter("prometheus", "robots::prometheus", ["prometheus-cpp::prometheus-cpp"])
        if self._has_redis:
            self._adapter("redis", "robots::redis", ["hiredis::hiredis", "zlib::zlib"])
        if self.options.with_redis_tls:
            self._adapter("redis_tls", "robots::redis_tls",
                          ["redis", "hiredis::hiredis_ssl", "openssl::openssl"])
        if self.options.with_signature:
            self._adapter("signature", "robots::signature", ["openssl::crypto"])
        if self.options.with_sqlite:
            self._adapter("sqlite", "robots::sqlite", ["sqlite3::sqlite3", "zlib::zlib"])
        for component in self.cpp_info.components.values():
            component.bindirs = []
            component.libdirs = []
        if self.options.compiled:
            compiled = self._adapter("compiled", "robots::compiled", [])
            compiled.libs = ["robots_compiled"]
            compiled.defines = ["ROBOTS_COMPILED"]

    def _adapter(self, name, target, requirements):
        adapter = self.cpp_info.components[name]
        adapter.set_property("cmake_target_name", target)
        adapter.requires = ["robots", *requirements]
        return adapter
