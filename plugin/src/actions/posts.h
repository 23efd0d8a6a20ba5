#pragma once

#include <map>
#include <memory>

#include "actions/journal.h"
#include "actions/retry.h"

namespace prescope {

/// Returns whether the text begins as "http://host" or "https://host".
[[nodiscard]] bool is_web_url(std::string_view url) noexcept;

/// Posts each event that is due to a URL until it is answered with 2xx, or its time has passed. Of
/// several processes with the journal, one posts an event at a time. An answer that is lost makes
/// it be posted again, with the same Idempotency-Key. Not thread-safe.
class Posts {
 public:
  static constexpr std::chrono::seconds kGivenUp = std::chrono::hours(24);

  /// Throws Error(kIo) without libcurl.
  Posts(const std::filesystem::path& journal, const std::string& url, ActionWarning warn);
  ~Posts();

  /// Posts what is due and was not tried just before. On a thread that is asked to stop
  /// (`start_steps`) it ends within two seconds.
  void look();
  /// Posts once what was never tried here, for up to five seconds each.
  void finish();

 private:
  class Client;
  void post(const std::string& event, std::chrono::seconds patience);

  Journal journal_;
  std::unique_ptr<Client> client_;
  const ActionWarning warn_;
  std::map<std::string, Retry> tries_;  // by event
};

}  // namespace prescope
