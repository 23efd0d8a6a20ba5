#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/beast/http/message.hpp>

#include "prescope/dashboard.h"
#include "serve/http/handler.h"

namespace prescope::serve {

/// An IPv6 address, or an IPv4 one as ::ffff:a.b.c.d.
using IpAddress = boost::asio::ip::address_v6;

[[nodiscard]] IpAddress to_v6(const boost::asio::ip::address& address);

struct Refused {
  Refusal why = Refusal::kMalformed;
  unsigned status = 400;
  std::string_view sentence{};  ///< for the client
};

/// Rules of access. They refuse pages of other sites, which could read through a visitor's browser
/// (names that a stranger's DNS server resolves to this address, requests across origins), and
/// clients without the token.
class AccessRules {
 public:
  using RequestHeader = boost::beast::http::request_header<>;

  /// Checked options, and the largest size of a request's path and query.
  AccessRules(const DashboardOptions& options, std::size_t longest_target);

  /// What is known of a request's body before it is read.
  struct Body {
    bool is_there = false;
    std::uint64_t bytes = 0;  ///< 0 if it comes in chunks
    std::size_t longest = 0;  ///< that the path takes; 0: none
  };
  /// Returns the first reason for a refusal, if any. The page itself, "/", holds no data and needs
  /// no token, because a browser sends none for a typed address.
  [[nodiscard]] std::optional<Refused> refuse(const RequestHeader& request, const Body& body,
                                              const IpAddress& reached) const;

 private:
  /// Returns true if a request's Host is the address that was reached or listened at, a loopback
  /// address, localhost, or one of DashboardOptions::hosts; with any port, because tunnels change
  /// it.
  [[nodiscard]] bool admits_host(std::string_view host, const IpAddress& reached) const;
  /// Checks "Bearer TOKEN". Takes the same time for every wrong token of a length.
  [[nodiscard]] bool admits(std::string_view authorization) const noexcept;
  [[nodiscard]] bool may_read(const RequestHeader& request) const;

  std::string token_;
  std::size_t longest_target_;
  std::vector<std::string> names_;  // in lower case
  std::vector<IpAddress> addresses_;
};

}  // namespace prescope::serve
