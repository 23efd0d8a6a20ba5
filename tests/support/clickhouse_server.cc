#include "support/clickhouse_server.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <thread>

#include "fleet/clickhouse.h"
#include "fleet/schema.h"
#include "support/http_client.h"

namespace prescope {

namespace {

namespace fs = std::filesystem;

/// Only this machine, and nothing outside the folder. Two clusters have the same shards, which are
/// databases: ClickHouse asks both shards of `far` as if they were other servers. The first one of
/// `near` is the database that a request names, and is read in the process.
constexpr const char* kConfiguration = R"(<yandex>
<logger><level>warning</level><console>1</console></logger>
<listen_host>127.0.0.1</listen_host><http_port>{port}</http_port><tcp_port>{tcp}</tcp_port>
<remote_servers><far>
<shard><replica><host>127.0.0.1</host><port>{tcp}</port><user>admin</user>
<password>admin</password><default_database>shard1</default_database></replica></shard>
<shard><replica><host>127.0.0.1</host><port>{tcp}</port><user>admin</user>
<password>admin</password><default_database>shard2</default_database></replica></shard>
</far><near><shard><replica><host>127.0.0.1</host><port>{tcp}</port></replica></shard>
<shard><replica><host>127.0.0.1</host><port>{tcp}</port><user>admin</user>
<password>admin</password><default_database>shard2</default_database></replica></shard>
</near></remote_servers>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
<users_config>{folder}/users.xml</users_config>
<default_profile>all</default_profile><default_database>default</default_database>
<timezone>UTC</timezone><mark_cache_size>67108864</mark_cache_size>
</yandex>
)";

constexpr const char* kUsers = R"(<yandex>
<profiles><all/><reading><readonly>1</readonly></reading></profiles>
<quotas><none/></quotas>
<users>
<default><password>closed</password><networks><ip>127.0.0.1</ip></networks>
<profile>reading</profile><quota>none</quota></default>
<admin><password>admin</password><networks><ip>127.0.0.1</ip></networks>
<profile>all</profile><quota>none</quota></admin>
<reader><password>reader</password><networks><ip>127.0.0.1</ip></networks>
<profile>reading</profile><quota>none</quota>
<allow_databases><database>prescope</database></allow_databases></reader>
<outsider><password>outsider</password><networks><ip>127.0.0.1</ip></networks>
<profile>all</profile><quota>none</quota>
<allow_databases><database>other</database></allow_databases></outsider>
</users>
</yandex>
)";

}  // namespace

fs::path folder_in_memory() {
  const fs::path memory = "/dev/shm";
  std::error_code error;
  const fs::space_info space = fs::space(memory, error);
  return !error && space.available >= std::uintmax_t{1} << 30U ? memory : fs::temp_directory_path();
}

ClickHouseServer::ClickHouseServer(const fs::path& parent) : process_(parent) {
  std::ofstream(process_.folder() / "users.xml") << kUsers;
  ::setenv("PRESCOPE_CLICKHOUSE_PASSWORD", "admin", 1);
  choose_ports();
  // Another process may take a free port before the server does.
  for (int attempt = 1; !starts() && attempt < 5; ++attempt) {
    process_.kill();
    choose_ports();
  }
  check_that_it_answers();
}

void ClickHouseServer::choose_ports() {
  port_ = free_port();
  std::ofstream(process_.folder() / "config.xml")
      << fmt::format(fmt::runtime(kConfiguration), fmt::arg("port", port_),
                     fmt::arg("tcp", free_port()), fmt::arg("folder", process_.folder().string()));
}

void ClickHouseServer::start() {
  (void)starts();
  check_that_it_answers();
}

bool ClickHouseServer::starts() {
  using namespace std::chrono_literals;
  const std::string configuration = (process_.folder() / "config.xml").string();
  const bool is_debian = fs::exists("/usr/sbin/clickhouse-server");
  process_.start({is_debian ? "/usr/sbin/clickhouse-server" : "clickhouse-server",
                  "--config-file=" + configuration});
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!process_.has_ended() && std::chrono::steady_clock::now() < end) {
    try {
      ask("SELECT 1");
      break;
    } catch (const std::runtime_error&) {
      std::this_thread::sleep_for(20ms);
    }
  }
  return process_.said().find("Address already in use") == std::string::npos;
}

void ClickHouseServer::check_that_it_answers() const {
  try {
    ask("SELECT 1");
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(
        fmt::format("ClickHouse (package clickhouse-server) does not start: {}\n{}", error.what(),
                    process_.said()));
  }
}

void ClickHouseServer::kill() { process_.kill(); }

std::string ClickHouseServer::url() const {
  return fmt::format("clickhouse://admin@127.0.0.1:{}/prescope", port_);
}

std::string ClickHouseServer::ask(const std::string& sql) const {
  FleetAddress address{.servers = {fmt::format("http://127.0.0.1:{}", port_)},
                       .database = "prescope",
                       .user = "admin",
                       .password = "admin"};
  std::string answer = ClickHouse(std::move(address)).ask(sql);
  if (answer.ends_with('\n')) answer.pop_back();
  return answer;
}

void ClickHouseServer::make_tables() const {
  for (const std::string& statement : fleet_schema("prescope", {})) ask(statement);
  ClickHouse fleet(parse_fleet_url(url()));
  give_identity(fleet);
}

void ClickHouseServer::make_tables_on_shards() const {
  const auto replaced = [](const std::string& text, const char* what, const std::string& with) {
    return std::regex_replace(text, std::regex(what), with);
  };
  for (const std::string cluster : {"far", "near"}) {
    ask("CREATE DATABASE " + cluster);
    for (std::string statement : fleet_schema("x", {FleetLayout::Kind::kSharded, cluster})) {
      statement = replaced(
          statement, " ON CLUSTER [a-z]*| SETTINGS .*|Replicated|'/clickhouse[^)]*a}'(, )?", "");
      if (statement.find("Distributed") != std::string::npos) {
        statement = replaced(replaced(statement, "AS x", "AS shard1"), ", x,", ", '',");
        ask(replaced(statement, "x\\.", cluster + "."));
        continue;
      }
      for (const char* shard : {"shard1", "shard2"}) {
        ask(replaced(statement, "\\bx\\b", shard));
      }
    }
  }
  std::string far = url();
  far.replace(far.rfind('/') + 1, std::string::npos, "far");
  ClickHouse fleet(parse_fleet_url(far));
  give_identity(fleet);
}

}  // namespace prescope
