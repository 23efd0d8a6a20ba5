#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace prescope {

/// Returns a port of this machine that nothing listened at just now.
[[nodiscard]] std::uint16_t free_port();

/// The answer to one request.
struct HttpAnswer {
  unsigned status = 0;                        ///< 0: no answer, or one that is not HTTP
  std::map<std::string, std::string> fields;  ///< names in lower case
  std::string body;
};

/// One connection to a server on this machine, byte by byte, also for invalid requests. Gives up
/// after half a minute.
class HttpClient {
 public:
  /// Connects to a URL such as "http://127.0.0.1:8080/". Throws std::system_error if nobody
  /// listens. With a `receive_buffer` the kernel holds little more than so many unread bytes.
  explicit HttpClient(const std::string& url, int receive_buffer = 0);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Returns false if the server has closed the connection.
  bool send(std::string_view bytes);
  /// Closes the sending side; the server's answers are still read.
  void end_sending();

  /// Reads up to and including `mark`, or to the end.
  std::string read_to(std::string_view mark);
  /// Reads to the end of the connection.
  std::string read_to_end();
  /// One answer; its body as long as it says, or to the end of the connection; none after HEAD.
  HttpAnswer read_answer(std::string_view method = "GET");

 private:
  bool read_more();

  int socket_ = -1;
  std::string read_;  // and not yet given
};

/// "GET TARGET HTTP/1.1", a Host that is right, and these further lines.
[[nodiscard]] std::string get_request(std::string_view target,
                                      const std::vector<std::string>& lines = {});

/// Asks once, on a connection of its own.
[[nodiscard]] HttpAnswer get(const std::string& url, std::string_view target,
                             const std::vector<std::string>& lines = {});

/// Sends these bytes on a connection of its own and returns the answer.
[[nodiscard]] HttpAnswer answer_to(const std::string& url, std::string_view bytes);

}  // namespace prescope
