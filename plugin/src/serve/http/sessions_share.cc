// The state that all connections share: the handler's questions and answers, idle connections.
#include "serve/http/http_session.h"

#include "base/json_lines.h"
#include "serve/http/gzip.h"

namespace prescope::serve {

Response compressed(Response response) {
  response.body = std::make_shared<const std::string>(gzipped(*response.body));
  response.is_gzip = true;
  return response;
}

Response error_response(unsigned status, std::string_view sentence) {
  std::string body = "{\"error\":";
  append_json_text(body, sentence);
  body += "}\n";
  return {.status = status, .body = std::make_shared<const std::string>(std::move(body))};
}

void SessionsShare::post(PostRequest posted, bool is_gzip,
                         const std::shared_ptr<HttpSession>& client) {
  Handler::Answer answer = [slot = answers, weak = std::weak_ptr(client),
                            counted = counters](Response response) {
    ++counted->answered;
    slot->post([weak, response = std::move(response)] {
      if (const auto session = weak.lock()) session->take(response);
    });
  };
  net::post(
      questions, [this, posted = std::move(posted), is_gzip, answer = std::move(answer)]() mutable {
        constexpr unsigned kMalformed = 400, kTooLong = 413, kFailed = 500;
        constexpr std::size_t kMostTimes = 4;
        try {
          if (is_gzip) {
            const std::size_t most = kMostTimes * handler->longest_body(posted.request.path);
            Gunzipped body = gunzipped(posted.body, most);
            if (body.is_too_long) {
              return answer(error_response(
                  kTooLong, fmt::format("the body unpacks to more than {} bytes", most)));
            }
            if (!body.text) {
              return answer(error_response(kMalformed, "the body is no gzip data, or is cut"));
            }
            posted.body = *std::move(body.text);
          }
          handler->post(std::move(posted), answer);
        } catch (const std::exception& error) {
          ++counters->failed;
          answer(error_response(kFailed, error.what()));
        }
      });
}

std::shared_ptr<Question> SessionsShare::ask(Request request,
                                             const std::shared_ptr<HttpSession>& client) {
  std::erase_if(asked, [](const auto& each) { return each.second.expired(); });
  const bool is_costly = handler->is_costly(request);
  if (const auto same = asked.find(request); same != asked.end()) {
    if (const auto question = same->second.lock()) {
      question->clients.push_back(client);
      return question;
    }
  }
  if (is_costly && asked.size() > limits.waiting_questions) return nullptr;
  auto question = std::make_shared<Question>(Question{std::move(request), is_costly, {client}});
  if (is_costly) asked.emplace(question->request, question);
  net::post(is_costly ? costly_questions : questions,
            [this, waiting = std::weak_ptr<const Question>(question)] {
              const auto wanted = waiting.lock();
              if (!wanted) return;  // no client waits for the answer any more
              net::post(context, [this, wanted, response = answer_of(wanted->request)] {
                hand_out(*wanted, response);
              });
            });
  return question;
}

void SessionsShare::hand_out(const Question& question, const Response& response) {
  if (question.is_costly) asked.erase(question.request);
  for (const std::weak_ptr<HttpSession>& each : question.clients) {
    const auto client = each.lock();
    if (!client) continue;
    ++counters->answered;
    client->take(response);
  }
}

Response SessionsShare::answer_of(const Request& request) const noexcept {
  constexpr unsigned kFailed = 500;
  try {
    Response response = handler->get(request);
    if (response.body == nullptr) throw std::logic_error("an answer without a body");
    constexpr std::size_t kSmall = 1024, kTooLarge = std::size_t{1} << 31U;
    const std::size_t size = response.body->size();
    if (request.takes_gzip && size > kSmall && size < kTooLarge) {
      response = compressed(std::move(response));
    }
    return response;
  } catch (const prescope::Error& error) {
    ++counters->failed;
    return error_response(kFailed, error.what());
  } catch (...) {
    ++counters->failed;
    return error_response(kFailed, "this could not be answered");
  }
}

void SessionsShare::begin_idle(HttpSession& session) {
  std::list<HttpSession*>& of_address = idle[session.client()];
  of_address.push_back(&session);
  if (of_address.size() <= limits.idle_of_address) return;
  count(*counters, Refusal::kConnections);
  of_address.front()->end();
  of_address.pop_front();
}

void SessionsShare::end_idle(HttpSession& session) noexcept {
  const auto of_address = idle.find(session.client());
  if (of_address == idle.end()) return;
  of_address->second.remove(&session);
  if (of_address->second.empty()) idle.erase(of_address);
}

void SessionsShare::set_event(const std::string& newest) {
  event = std::make_shared<const std::string>(
      fmt::format("id: {}\nevent: summary\ndata: {}\n\n", ++event_id, newest));
  ++counters->events;
  for (HttpSession* session : sessions) session->wake();
}

void SessionsShare::end_sessions() {
  ends = true;
  for (HttpSession* session : sessions) session->end();
}

}  // namespace prescope::serve
