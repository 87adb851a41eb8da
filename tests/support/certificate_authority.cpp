#include "certificate_authority.hpp"

#include "temporary_folder.hpp"

#include <arpa/inet.h>
#include <openssl/asn1.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace robots::test {
namespace {

template <auto Free>
struct deleter {
  template <class T>
  void operator()(T* pointer) const noexcept {
    Free(pointer);
  }
};

using key_pair = std::unique_ptr<EVP_PKEY, deleter<EVP_PKEY_free>>;
using x509 = std::unique_ptr<X509, deleter<X509_free>>;
using extension = std::unique_ptr<X509_EXTENSION, deleter<X509_EXTENSION_free>>;
using file = std::unique_ptr<std::FILE, deleter<std::fclose>>;

void check(bool good, std::string_view kind) {
  if (!good) {
    throw std::runtime_error("OpenSSL failed to " + std::string(kind));
  }
}

key_pair make_key() {
  key_pair key(EVP_EC_gen("P-256"));
  check(key != nullptr, "make a key");
  return key;
}

void name(X509& certificate, const std::string& common_name) {
  X509_NAME* const subject = X509_get_subject_name(&certificate);
  const auto* const text = reinterpret_cast<const unsigned char*>(common_name.c_str());
  check(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1, "name");
}

void extend(X509& certificate, X509& issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  const extension result(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  check(result != nullptr, "make the extension " + value);
  check(X509_add_ext(&certificate, result.get(), -1) == 1, "add the extension " + value);
}

x509 make_certificate(const std::string& common_name, long serial, EVP_PKEY* key, validity when) {
  x509 result(X509_new());
  check(result != nullptr, "make a certificate");
  constexpr long version_3 = 2;
  check(X509_set_version(result.get(), version_3) == 1, "set the version");
  check(ASN1_INTEGER_set(X509_get_serialNumber(result.get()), serial) == 1, "set the serial");
  check(X509_gmtime_adj(X509_getm_notBefore(result.get()), when.from) != nullptr, "set the start");
  check(X509_gmtime_adj(X509_getm_notAfter(result.get()), when.until) != nullptr, "set the end");
  check(X509_set_pubkey(result.get(), key) == 1, "set the key");
  name(*result, common_name);
  return result;
}

void sign(X509& certificate, const X509& issuer, EVP_PKEY* key) {
  check(X509_set_issuer_name(&certificate, X509_get_subject_name(&issuer)) == 1, "set the issuer");
  check(X509_sign(&certificate, key, EVP_sha256()) > 0, "sign");
}

file open_for_writing(const std::string& path) {
  file opened(std::fopen(path.c_str(), "wb"));
  if (!opened) {
    throw std::runtime_error("cannot write " + path);
  }
  return opened;
}

void write(const std::string& path, X509* certificate) {
  check(PEM_write_X509(open_for_writing(path).get(), certificate) == 1, "write " + path);
}

void write(const std::string& path, EVP_PKEY* key) {
  check(PEM_write_PrivateKey(open_for_writing(path).get(), key, nullptr, nullptr, 0, nullptr,
                             nullptr) == 1,
        "write " + path);
}

bool is_address(const std::string& text) {
  in6_addr ignored{};
  return inet_pton(AF_INET, text.c_str(), &ignored) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &ignored) == 1;
}

std::string alternative_names(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& entry : names) {
    if (!list.empty()) {
      list += ',';
    }
    list += (is_address(entry) ? "IP:" : "DNS:") + entry;
  }
  return list;
}

}  // namespace

struct certificate_authority::state {
  [[nodiscard]] certificate write_out(X509* certificate_, EVP_PKEY* its_key) const {
    const std::string stem = (folder.path() / std::to_string(serial)).string();
    certificate paths{.certificate_file = stem + ".pem", .key_file = stem + ".key"};
    write(paths.certificate_file, certificate_);
    write(paths.key_file, its_key);
    return paths;
  }

  temporary_folder folder;
  key_pair key = make_key();
  x509 own;
  std::string own_file = (folder.path() / "ca.pem").string();
  long serial = 1;
};

certificate_authority::certificate_authority() : state_(std::make_unique<state>()) {
  x509 own = make_certificate("robots test authority", 1, state_->key.get(), validity{});
  extend(*own, *own, NID_basic_constraints, "critical,CA:TRUE");
  extend(*own, *own, NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(*own, *own, NID_subject_key_identifier, "hash");
  sign(*own, *own, state_->key.get());
  write(state_->own_file, own.get());
  state_->own = std::move(own);
}

certificate_authority::certificate_authority(certificate_authority&&) noexcept = default;
certificate_authority& certificate_authority::operator=(certificate_authority&&) noexcept = default;
certificate_authority::~certificate_authority() = default;

const std::string& certificate_authority::ca_file() const noexcept { return state_->own_file; }

certificate certificate_authority::issue(const std::vector<std::string>& names, validity when) {
  const key_pair key = make_key();
  const x509 result = make_certificate("robots test server", ++state_->serial, key.get(), when);
  extend(*result, *state_->own, NID_basic_constraints, "critical,CA:FALSE");
  extend(*result, *state_->own, NID_ext_key_usage, "serverAuth,clientAuth");
  extend(*result, *state_->own, NID_authority_key_identifier, "keyid");
  extend(*result, *state_->own, NID_subject_alt_name, alternative_names(names));
  sign(*result, *state_->own, state_->key.get());
  return state_->write_out(result.get(), key.get());
}

certificate certificate_authority::self_signed(const std::vector<std::string>& names) {
  const key_pair key = make_key();
  const x509 result = make_certificate("robots test server", ++state_->serial, key.get(), {});
  extend(*result, *result, NID_subject_alt_name, alternative_names(names));
  sign(*result, *result, key.get());
  return state_->write_out(result.get(), key.get());
}

}  // namespace robots::test
