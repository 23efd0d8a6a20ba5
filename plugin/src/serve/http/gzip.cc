#include "serve/http/gzip.h"

#include <zlib.h>
#include <new>

namespace prescope::serve {

namespace {

constexpr int kGzip = 31;  // the largest window, with gzip's header

/// zlib does not write to its input.
void set_input(z_stream& stream, std::string_view text) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
}

}  // namespace

std::string gzipped(std::string_view text) {
  constexpr int kMemory = 8;  // zlib's default
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  set_input(stream, text);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Gunzipped gunzipped(std::string_view compressed, std::size_t most) {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) throw std::bad_alloc();
  std::string out, piece(kPiece, '\0');
  set_input(stream, compressed);
  int state = Z_OK;
  while (state == Z_OK && out.size() <= most) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(kPiece);
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, 0, kPiece - stream.avail_out);
    if (state == Z_STREAM_END && stream.avail_in > 0) state = inflateReset(&stream);
  }
  inflateEnd(&stream);
  if (out.size() > most) return {.is_too_long = true};
  if (state != Z_STREAM_END) return {};
  return {.text = std::move(out)};
}

}  // namespace prescope::serve
