#pragma once

/// Declares the types of `http/`. A type needs its own header before it is used.
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
