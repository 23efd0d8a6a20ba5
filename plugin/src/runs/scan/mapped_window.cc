#include "runs/scan/mapped_window.h"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace prescope {

namespace {

std::uintptr_t page_size() noexcept {
  static const auto size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

/// Address space of a window: three reaches from a border of kReach on, zeros where no file is
/// mapped. Never given back, but to the next window.
struct MappedWindow::Room {
  static constexpr std::size_t kSize = 3 * kReach;

  std::atomic<bool> is_taken = false;
  std::atomic<char*> begin = nullptr;
  std::atomic<bool> cut = false;

  [[nodiscard]] bool holds(const char* address) const noexcept {
    const char* const first = begin;
    return first != nullptr && address >= first && address < first + kSize;
  }
  /// All zeros, as before the first window.
  void clear() noexcept {
    ::mmap(begin, kSize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
  bool reserve() noexcept {
    if (begin != nullptr) return true;
    void* const place = ::mmap(nullptr, kSize + kReach, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return false;
    const auto address = reinterpret_cast<std::uintptr_t>(place);
    begin = static_cast<char*>(place) + (kReach - address % kReach) % kReach;
    return true;
  }
};

/// All rooms of the process, for the handler.
struct MappedWindows {
  static constexpr std::size_t kMost = 64;
  using Room = MappedWindow::Room;

  inline static std::atomic<bool> allowed = false;
  inline static std::array<Room, kMost> rooms;
  inline static struct sigaction before = {};

  static Room* take() noexcept {
    if (!allowed) return nullptr;
    for (Room& room : rooms) {
      if (room.is_taken.exchange(true)) continue;
      room.cut = false;
      if (room.reserve()) return &room;
      room.is_taken = false;
      return nullptr;
    }
    return nullptr;
  }

  /// Puts zeros where the file has nothing any more, and lets the read be tried again. Only system
  /// calls and atomics: it runs within any code.
  static void on_bus_error(int, siginfo_t* info, void*) noexcept {
    const int error = errno;
    auto* const address = static_cast<char*>(info->si_addr);
    for (Room& room : rooms) {
      if (!room.holds(address)) continue;
      char* const page = address - reinterpret_cast<std::uintptr_t>(address) % page_size();
      if (::mmap(page, page_size(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
          MAP_FAILED) {
        break;
      }
      room.cut = true;
      errno = error;
      return;
    }
    // Somebody else's: the read is tried again and ends as it did without this handler.
    ::sigaction(SIGBUS, &before, nullptr);
    errno = error;
  }
};

void allow_mapped_files() noexcept {
  if (MappedWindows::allowed.exchange(true)) return;
  (void)page_size();  // known before a handler asks
  struct sigaction action = {};
  action.sa_sigaction = MappedWindows::on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &MappedWindows::before);
}

MappedWindow::~MappedWindow() {
  if (room_ == nullptr) return;
  room_->clear();
  room_->is_taken = false;
}

std::string_view MappedWindow::move_to(int file, std::uint64_t begin, std::uint64_t at,
                                       std::uint64_t end) noexcept {
  if (room_ == nullptr) room_ = MappedWindows::take();
  if (room_ == nullptr) return {};
  const std::uint64_t first = begin - begin % page_size();
  const std::uint64_t last = std::min(at - at % kReach + kReach, end);
  // As far from a border in memory as in the file, so that large pages fit.
  char* const place = room_->begin + first % kReach;
  if (last <= at || first % kReach + (last - first) > 2 * kReach) return {};
  if (::mmap(place, last - first, PROT_READ, MAP_SHARED | MAP_FIXED, file,
             static_cast<off_t>(first)) == MAP_FAILED) {
    return {};
  }
  // Pages of an earlier window before this one count as memory until they are let go.
  constexpr std::ptrdiff_t kWorth = std::ptrdiff_t{1} << 18U;
  if (shown_from_ != nullptr && place - shown_from_ >= kWorth) {
    ::madvise(shown_from_, static_cast<std::size_t>(place - shown_from_), MADV_DONTNEED);
  }
  shown_from_ = place;
  return {place + (begin - first), last - begin};
}

bool MappedWindow::was_cut() const noexcept { return room_ != nullptr && room_->cut; }

}  // namespace prescope
