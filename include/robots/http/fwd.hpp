#pragma once

/// Declares the types of `http/`. To use a type, include its own header.
namespace robots {

class address_guard;
enum class fetch_error;
struct fetch_request;
struct fetch_response;
struct http_header;
struct origin;
struct site;
enum class url_scheme;

}  // namespace robots
