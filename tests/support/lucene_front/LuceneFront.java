// A search server for tests: a real Lucene 8 index behind the HTTP of four kinds of engine.
//
// It can misbehave. The header `X-Fault: NAME` asks for a fault of one request, and
// `POST /faults?name=NAME&times=N` for a fault of the next N requests (see Front).
// `GET /counters` returns how many searches there were, and how many requests at once.

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.*;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.*;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.*;
import java.util.concurrent.*;
import java.util.zip.GZIPInputStream;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.similarities.*;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.util.*;

public final class LuceneFront {
  /** Runs until standard input ends: `LuceneFront PATENTS.jsonl[.gz] [LIMIT]`. */
  public static void main(String[] arguments) throws Exception {
    System.setProperty("sun.net.httpserver.nodelay", "true");
    BooleanQuery.setMaxClauseCount(1 << 16);  // A patent as a query has thousands of words.
    int limit = arguments.length > 1 ? Integer.parseInt(arguments[1]) : Integer.MAX_VALUE;
    Index index = new Index(arguments[0], limit);
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 128);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", new Front(index)::handle);
    server.start();
    System.out.printf("listening at http://127.0.0.1:%d (%d documents)%n",
        server.getAddress().getPort(), index.size());
    System.out.flush();
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}

/** A request that was read to its end. */
record Request(String method, List<String> path, Map<String, String> parameters, String body) {
  static Request read(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    Map<String, String> parameters = new HashMap<>();
    add(parameters, exchange.getRequestURI().getRawQuery());
    String type = exchange.getRequestHeaders().getFirst("Content-Type");
    if (type != null && type.startsWith("application/x-www-form-urlencoded")) add(parameters, body);
    List<String> path = Arrays.stream(exchange.getRequestURI().getPath().split("/"))
        .filter(part -> !part.isEmpty()).toList();
    return new Request(exchange.getRequestMethod(), path, parameters, body);
  }

  private static void add(Map<String, String> parameters, String form) {
    if (form == null || form.isEmpty()) return;
    for (String pair : form.split("&")) {
      String[] words = pair.split("=", 2);
      parameters.put(URLDecoder.decode(words[0], UTF_8),
          words.length > 1 ? URLDecoder.decode(words[1], UTF_8) : "");
    }
  }

  /** Returns "" beyond the end of the path. */
  String part(int place) { return place < path.size() ? path.get(place) : ""; }

  int number(String name, int otherwise) {
    return Integer.parseInt(parameters.getOrDefault(name, Integer.toString(otherwise)));
  }

  JsonObject json() {
    return body.isBlank() ? new JsonObject() : JsonParser.parseString(body).getAsJsonObject();
  }
}

/** A whole answer: status, content type, body and further header fields. */
record Answer(int status, String type, String body, Map<String, String> fields) {
  static Answer json(int status, JsonObject body) {
    return new Answer(status, "application/json; charset=UTF-8", body.toString(), Map.of());
  }

  static Answer html(int status, String title) {
    String page = "<html><title>" + title + "</title><body><h1>" + title + "</h1></body></html>";
    return new Answer(status, "text/html; charset=UTF-8", page, Map.of());
  }

  Answer with(String name, String value) {
    return new Answer(status, type, body, Map.of(name, value));
  }
}

/** Thrown if the engine would refuse the request. */
final class Refusal extends Exception {
  private static final long serialVersionUID = 1;
  final int status;
  final String type;

  Refusal(int status, String type, String reason) {
    super(reason);
    this.status = status;
    this.type = type;
  }

  static Refusal illegal(String reason) {
    return new Refusal(400, "illegal_argument_exception", reason);
  }
}

/** A search in no particular dialect. */
final class Search {
  String index;
  Query query;
  int from = 0;
  int size = 10;
  /** Empty: by relevance, ties in the order of indexing. */
  List<SortField> sort = List.of();
  /** The values of `sort` of the last hit of the previous page, or null. */
  JsonArray after = null;
  /** Matches beyond this number need not be counted. */
  int exactUpTo = Integer.MAX_VALUE;
  /** 0 for no limit. */
  long timeoutMs = 0;
}

record Hit(String docno, float score, JsonArray sort) {}

/** A page of hits, and how complete it is. */
final class Page {
  List<Hit> hits = new ArrayList<>();
  long total = 0;
  boolean exact = true;
  Float maxScore = null;
  long tookMs = 0;
  boolean timedOut = false;
  boolean partial = false;
  boolean terminated = false;
  boolean withoutHits = false;

  /** Applies a fault of hits; any other changes nothing. */
  void apply(String fault) {
    switch (fault) {
      case "timeout" -> timedOut = true;
      case "partial" -> partial = true;
      case "terminated" -> terminated = true;
      case "duplicate" -> hits = hits.stream().flatMap(hit -> List.of(hit, hit).stream()).toList();
      case "lying-total" -> { total = 3; exact = true; }
      case "empty" -> { hits = List.of(); withoutHits = true; }
      default -> {}
    }
    if (timedOut || partial) hits = hits.subList(0, hits.size() * 4 / 5);
  }
}

/** The patents, in memory. Each name of an index is a way to rank them. */
final class Index {
  static final Analyzer ANALYZER = new EnglishAnalyzer();
  private static final Map<String, Similarity> RANKINGS = Map.of(
      "bm25", new BM25Similarity(),
      "tfidf", new ClassicSimilarity(), "lmd", new LMDirichletSimilarity());
  private final Map<String, IndexSearcher> searchers = new HashMap<>();
  private final DirectoryReader reader;

  Index(String patents, int limit) throws IOException {
    ByteBuffersDirectory directory = new ByteBuffersDirectory();
    // The buffer holds all documents, so that no merge changes their order.
    IndexWriterConfig config = new IndexWriterConfig(ANALYZER).setRAMBufferSizeMB(1024);
    try (IndexWriter writer = new IndexWriter(directory, config);
        InputStream file = new FileInputStream(patents);
        InputStream bytes = patents.endsWith(".gz") ? new GZIPInputStream(file) : file;
        BufferedReader lines = new BufferedReader(new InputStreamReader(bytes, UTF_8))) {
      String line;
      for (int i = 0; i < limit && (line = lines.readLine()) != null; ++i) {
        writer.addDocument(document(JsonParser.parseString(line).getAsJsonObject()));
      }
    }
    reader = DirectoryReader.open(directory);
    RANKINGS.forEach((name, ranking) -> {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setSimilarity(ranking);
      searchers.put(name, searcher);
    });
  }

  private static Document document(JsonObject patent) {
    Document document = new Document();
    String docno = patent.get("id").getAsString();
    document.add(new StringField("_id", docno, Field.Store.YES));
    document.add(new SortedDocValuesField("_id", new BytesRef(docno)));
    for (String name : List.of("title", "abstract")) {
      if (!patent.has(name) || patent.get(name).isJsonNull()) continue;
      String text = patent.get(name).getAsString();
      document.add(new TextField(name, text, Field.Store.NO));
      document.add(new TextField("text", text, Field.Store.NO));
    }
    return document;
  }

  int size() { return reader.numDocs(); }

  IndexSearcher searcher(String index) throws Refusal {
    IndexSearcher searcher = searchers.get(index);
    if (searcher != null) return searcher;
    throw new Refusal(404, "index_not_found_exception", "no such index [" + index + "]");
  }

  Page search(Search search) throws IOException, Refusal {
    long begin = System.nanoTime();
    IndexSearcher searcher = searcher(search.index);
    int depth = (int) Math.max(1, Math.min((long) search.from + search.size, size()));
    Sort sort = search.sort.isEmpty() ? null : new Sort(search.sort.toArray(SortField[]::new));
    TopDocsCollector<?> collector = sort == null
        ? TopScoreDocCollector.create(depth, search.exactUpTo)
        : TopFieldCollector.create(sort, depth, last(search.sort, search.after), search.exactUpTo);
    Page page = new Page();
    try {
      searcher.search(search.query, search.timeoutMs == 0 ? collector : new TimeLimitingCollector(
          collector, TimeLimitingCollector.getGlobalCounter(), search.timeoutMs));
    } catch (TimeLimitingCollector.TimeExceededException late) {
      page.timedOut = true;
    }
    TopDocs found = collector.topDocs();
    if (sort != null) TopFieldCollector.populateScores(found.scoreDocs, searcher, search.query);
    page.total = Math.min(found.totalHits.value, search.exactUpTo);
    page.exact = found.totalHits.value == page.total
        && found.totalHits.relation == TotalHits.Relation.EQUAL_TO;
    if (found.scoreDocs.length > 0) page.maxScore = found.scoreDocs[0].score;
    int end = (int) Math.min((long) search.from + search.size, found.scoreDocs.length);
    for (int i = search.from; i < end; ++i) page.hits.add(hit(found.scoreDocs[i]));
    page.tookMs = (System.nanoTime() - begin) / 1_000_000;
    return page;
  }

  private Hit hit(ScoreDoc found) throws IOException {
    JsonArray values = new JsonArray();
    if (found instanceof FieldDoc sorted) {
      for (Object value : sorted.fields) {
        if (value instanceof BytesRef bytes) values.add(bytes.utf8ToString());
        else values.add((Number) value);
      }
    }
    String docno = reader.document(found.doc).get("_id");
    return new Hit(docno, found.score, values);
  }

  /** Returns null if there was no previous page. */
  private static FieldDoc last(List<SortField> sort, JsonArray values) throws Refusal {
    if (values == null) return null;
    if (values.size() != sort.size()) {
      throw Refusal.illegal("search_after has " + values.size() + " value(s) but sort has "
          + sort.size() + ".");
    }
    Object[] fields = new Object[values.size()];
    for (int i = 0; i < fields.length; ++i) {
      JsonElement value = values.get(i);
      fields[i] = switch (sort.get(i).getType()) {
        case SCORE -> value.getAsFloat();
        case DOC -> value.getAsInt();
        default -> new BytesRef(value.getAsString());
      };
    }
    return new FieldDoc(Integer.MAX_VALUE, Float.NaN, fields);
  }

  /** Returns the order by a field: "_score", "_id" or "_shard_doc". */
  static SortField by(String field, boolean isDescending) throws Refusal {
    return switch (field) {
      case "_score" -> new SortField(null, SortField.Type.SCORE, !isDescending);
      case "_id" -> new SortField("_id", SortField.Type.STRING, isDescending);
      case "_shard_doc", "_doc" -> new SortField(null, SortField.Type.DOC, isDescending);
      default -> throw Refusal.illegal("No mapping found for [" + field + "] in order to sort on");
    };
  }
}

/** Queries of the JSON that OpenSearch and Elasticsearch read, and of plain text. */
final class Queries {
  /** Operators are words, so any text is a query. */
  static Query text(String field, String text) {
    Query query = new QueryBuilder(Index.ANALYZER).createBooleanQuery(field, text, Occur.SHOULD);
    return query == null ? new MatchNoDocsQuery("no words") : query;
  }

  static Query of(JsonObject json) throws Refusal {
    if (json.size() != 1) throw parsing("[query] malformed query, expected one type of query");
    String type = json.keySet().iterator().next();
    JsonObject body = json.getAsJsonObject(type);
    return switch (type) {
      case "match_all" -> new MatchAllDocsQuery();
      case "match" -> match(body);
      case "multi_match" -> fields(body);
      default -> throw parsing("unknown query [" + type + "]");
    };
  }

  private static Refusal parsing(String reason) {
    return new Refusal(400, "parsing_exception", reason);
  }

  private static Query match(JsonObject body) throws Refusal {
    if (body.size() != 1) throw parsing("[match] query expects one field");
    String field = body.keySet().iterator().next();
    return text(field, body.get(field).getAsString());
  }

  /** The best of the fields counts. */
  private static Query fields(JsonObject body) {
    String text = body.get("query").getAsString();
    if (!body.has("fields")) return text("text", text);
    List<Query> queries = new ArrayList<>();
    for (JsonElement field : body.getAsJsonArray("fields")) {
      String[] words = field.getAsString().split("\\^", 2);
      Query query = text(words[0], text);
      queries.add(words.length == 1 ? query : new BoostQuery(query, Float.parseFloat(words[1])));
    }
    return new DisjunctionMaxQuery(queries, 0);
  }
}

/** The HTTP of one kind of engine. */
abstract class Dialect {
  private static final Gson GSON = new Gson();
  protected final Index index;

  Dialect(Index index) { this.index = index; }

  /** Answers a request; the fault is one that changes the hits, or none. */
  abstract JsonObject answer(Request request, String fault) throws IOException, Refusal;

  abstract Answer refusal(int status, String type, String reason);

  /** Returns a JSON object of names and values in turn; a null value is left out. */
  static JsonObject object(Object... fields) {
    JsonObject object = new JsonObject();
    for (int i = 0; i < fields.length; i += 2) {
      Object value = fields[i + 1];
      if (value == null) continue;
      object.add((String) fields[i],
          value instanceof JsonElement json ? json : GSON.toJsonTree(value));
    }
    return object;
  }

  /** Returns the array, or an array of this one element. */
  static JsonArray list(JsonElement element) {
    if (element.isJsonArray()) return element.getAsJsonArray();
    JsonArray list = new JsonArray();
    list.add(element);
    return list;
  }

  /** Reads what a path /DIALECT/INDEX and these parameters ask for. */
  static Search parse(Request request, String text, String from, String size) throws Refusal {
    Search search = new Search();
    search.index = request.part(1);
    String words = request.parameters().getOrDefault(text, "");
    boolean isOfAll = words.equals("*:*")
        || request.parameters().getOrDefault("yql", "").endsWith(" where true");
    search.query = isOfAll ? new MatchAllDocsQuery() : Queries.text("text", words);
    search.from = request.number(from, 0);
    search.size = request.number(size, 10);
    if (search.from >= 0 && search.size >= 0) return search;
    throw Refusal.illegal("'" + from + "' and '" + size + "' cannot be negative");
  }
}

/** OpenSearch, and below /elasticsearch Elasticsearch. Each answers requests of both. */
final class OpenSearch extends Dialect {
  private static final int MAX_RESULT_WINDOW = 10_000;
  private static final Set<String> KEYS = Set.of("query", "from", "size", "_source", "sort", "pit",
      "track_total_hits", "timeout", "search_after", "track_scores", "stored_fields", "fields");
  private final Map<String, String> points = new ConcurrentHashMap<>();  // Indices by id.

  private final boolean isOpenSearch;  // Elasticsearch does not name its distribution.

  OpenSearch(Index index, boolean isOpenSearch) {
    super(index);
    this.isOpenSearch = isOpenSearch;
  }

  @Override
  JsonObject answer(Request request, String fault) throws IOException, Refusal {
    List<String> all = request.path();
    List<String> path = isOpenSearch ? all : all.subList(1, all.size());
    if (path.isEmpty()) {
      return object("name", "lucene-front", "version", isOpenSearch
          ? object("distribution", "opensearch", "number", "2.11.1")
          : object("number", "8.11.0"));
    }
    String name = path.get(0).startsWith("_") ? null : path.get(0);
    String action = String.join("/", name == null ? path : path.subList(1, path.size()));
    String method = request.method().equals("GET") ? "POST" : request.method();
    switch (method + (name == null ? " " : " INDEX/") + action) {
      case "POST _search", "POST INDEX/_search":
        return search(request, name, fault);
      case "POST INDEX/_count":
        int count = index.searcher(name).count(query(request.json()));
        return object("count", count, "_shards", shards(false));
      case "POST INDEX/_field_caps":
        JsonObject fields = new JsonObject();
        for (String field : List.of("_id", "title", "abstract", "text", "docno")) {
          fields.add(field, object("text", object("type", "text", "searchable", true)));
        }
        return object("indices", List.of(name), "fields", fields);
      case "POST INDEX/_search/point_in_time":
        return object("pit_id", open(request, name), "_shards", shards(false));
      case "POST INDEX/_pit":
        return object("id", open(request, name));
      case "DELETE _search/point_in_time":
        JsonArray ids = list(request.json().get("pit_id"));
        for (JsonElement id : ids) close(id.getAsString());
        return object("pits", ids.asList().stream()
            .map(id -> object("successful", true, "pit_id", id)).toList());
      case "DELETE _pit":
        close(request.json().get("id").getAsString());
        return object("succeeded", true, "num_freed", 1);
      default:
        throw Refusal.illegal("no handler found for uri [/" + String.join("/", path) + "]");
    }
  }

  private String open(Request request, String name) throws Refusal {
    index.searcher(name);
    if (!request.parameters().containsKey("keep_alive")) {
      throw Refusal.illegal("the request is missing required parameter [keep_alive]");
    }
    String id = UUID.randomUUID().toString();
    points.put(id, name);
    return id;
  }

  private void close(String point) throws Refusal {
    if (points.remove(point) == null) throw missing(point);
  }

  private static Refusal missing(String point) {
    return new Refusal(404, "search_context_missing_exception",
        "No search context found for id [" + point + "]");
  }

  private static Query query(JsonObject body) throws Refusal {
    return body.has("query") ? Queries.of(body.getAsJsonObject("query")) : new MatchAllDocsQuery();
  }

  private JsonObject search(Request request, String name, String fault)
      throws IOException, Refusal {
    JsonObject body = request.json();
    for (String key : List.of("from", "size", "track_total_hits", "timeout")) {
      String value = request.parameters().get(key);
      if (value != null) body.addProperty(key, value);
    }
    for (String key : body.keySet()) {
      if (!KEYS.contains(key)) throw Refusal.illegal("Unknown key in [" + key + "].");
    }
    JsonObject pit = body.getAsJsonObject("pit");
    if ((pit == null) == (name == null)) {
      throw Refusal.illegal("a search takes either an index or a point in time");
    }
    String point = pit == null ? null : pit.get("id").getAsString();
    if (pit != null && !points.containsKey(point)) throw missing(point);
    Search search = parse(body);
    search.index = pit == null ? name : points.get(point);
    Page page = index.search(search);
    page.apply(fault);
    if ("false".equals(request.parameters().get("allow_partial_search_results"))) {
      String type = "search_phase_execution_exception";
      if (page.partial) throw new Refusal(503, type, "Partial shards failure");
      if (page.timedOut) throw new Refusal(500, type, "Time exceeded");
    }
    JsonElement source = body.get("_source");
    boolean hasSource = source == null || !source.toString().equals("false");
    return rendered(page, search, point, hasSource, body.has("fields"));
  }

  private static Search parse(JsonObject body) throws Refusal {
    Search search = new Search();
    search.query = query(body);
    if (body.has("from")) search.from = body.get("from").getAsInt();
    if (body.has("size")) search.size = body.get("size").getAsInt();
    if (search.from < 0 || search.size < 0) throw Refusal.illegal("from or size is negative");
    long window = (long) search.from + search.size;
    if (window > MAX_RESULT_WINDOW) {
      throw Refusal.illegal("Result window is too large, from + size must be less than or equal "
          + "to: [" + MAX_RESULT_WINDOW + "] but was [" + window + "].");
    }
    if (body.has("sort")) search.sort = sort(list(body.get("sort")), body.has("pit"));
    if (body.has("search_after")) {
      if (search.sort.isEmpty()) throw Refusal.illegal("Sort must contain at least one field.");
      if (search.from > 0) throw Refusal.illegal("[from] must be 0 when search_after is used");
      search.after = body.getAsJsonArray("search_after");
    }
    JsonElement track = body.get("track_total_hits");
    search.exactUpTo = switch (track == null ? "10000" : track.getAsString()) {
      case "true" -> Integer.MAX_VALUE;
      case "false" -> 0;
      default -> track == null ? 10_000 : track.getAsInt();
    };
    if (body.has("timeout")) search.timeoutMs = milliseconds(body.get("timeout").getAsString());
    return search;
  }

  /** Elements are "FIELD", {"FIELD": "ORDER"} or {"FIELD": {"order": "ORDER"}}. */
  private static List<SortField> sort(JsonArray keys, boolean hasPoint) throws Refusal {
    List<SortField> sort = new ArrayList<>();
    for (JsonElement key : keys) {
      JsonObject named = key.isJsonObject() ? key.getAsJsonObject() : null;
      String field = named == null ? key.getAsString() : named.keySet().iterator().next();
      JsonElement order = named == null ? null : named.get(field);
      if (order != null && order.isJsonObject()) order = order.getAsJsonObject().get("order");
      if (field.equals("_shard_doc") && !hasPoint) {
        throw Refusal.illegal("[_shard_doc] cannot be used without [point in time]");
      }
      sort.add(Index.by(field, order == null ? field.equals("_score")
          : order.getAsString().equals("desc")));
    }
    return sort;
  }

  private static long milliseconds(String time) throws Refusal {
    String unit = time.replaceFirst("^\\d+", "");
    Integer factor = Map.of("ms", 1, "s", 1000, "m", 60_000).get(unit);
    if (factor != null) return factor * Long.parseLong(time.replaceAll("\\D", ""));
    throw Refusal.illegal("failed to parse [timeout] with value [" + time + "] as a time value");
  }

  private static JsonObject shards(boolean oneFailed) {
    JsonObject reason = object("type", "node_disconnected_exception", "reason", "disconnected");
    JsonObject failure = object("shard", 3, "reason", reason);
    return object("total", 5, "successful", oneFailed ? 4 : 5, "skipped", 0, "failed",
        oneFailed ? 1 : 0, "failures", oneFailed ? list(failure) : null);
  }

  private static JsonObject rendered(Page page, Search search, String point, boolean hasSource,
      boolean hasFields) {
    boolean isSorted = !search.sort.isEmpty();
    boolean hasScores = !isSorted || search.sort.stream().anyMatch(SortField::needsScores);
    JsonArray hits = new JsonArray();
    for (Hit hit : page.hits) {
      hits.add(object("_index", search.index, "_id", hit.docno(),
          "_score", hasScores ? hit.score() : JsonNull.INSTANCE,
          "_source", hasSource ? object("id", hit.docno()) : null,
          "fields", hasFields ? object("docno", list(new JsonPrimitive(hit.docno()))) : null,
          "sort", isSorted ? hit.sort() : null));
    }
    JsonObject total = object("value", page.total, "relation", page.exact ? "eq" : "gte");
    return object("pit_id", point, "took", page.tookMs, "timed_out", page.timedOut,
        "terminated_early", page.terminated ? true : null, "_shards", shards(page.partial),
        "hits", object("total", search.exactUpTo == 0 ? null : total,
            "max_score", isSorted ? JsonNull.INSTANCE : page.maxScore, "hits", hits));
  }

  @Override
  Answer refusal(int status, String type, String reason) {
    JsonArray causes = list(object("type", type, "reason", reason));
    JsonObject error = object("root_cause", causes, "type", type, "reason", reason);
    return Answer.json(status, object("error", error, "status", status));
  }
}

/** A Solr core: /solr/INDEX/select. */
final class Solr extends Dialect {
  Solr(Index index) { super(index); }

  @Override
  JsonObject answer(Request request, String fault) throws IOException, Refusal {
    if (!request.part(2).equals("select")) throw new Refusal(404, "", "no such handler");
    Search search = parse(request, "q", "start", "rows");
    search.sort = sort(request.parameters().getOrDefault("sort", "score desc"));
    String mark = request.parameters().get("cursorMark");
    if (mark != null) follow(mark, search);
    Page page = index.search(search);
    // The mark after all hits of the page: a fault does not change where the next page begins.
    String next = page.hits.isEmpty() ? mark : mark(page.hits.get(page.hits.size() - 1));
    page.apply(fault);
    boolean isPartial = page.timedOut || page.partial || page.withoutHits;
    List<String> fields = List.of(request.parameters().getOrDefault("fl", "id").split("[, ]+"));
    JsonArray docs = new JsonArray();
    for (Hit hit : page.hits) {
      docs.add(object("id", fields.contains("id") || fields.contains("*") ? hit.docno() : null,
          "score", fields.contains("score") ? hit.score() : null));
    }
    return object(
        "responseHeader", object("status", 0, "QTime", page.tookMs,
            "partialResults", isPartial ? true : null,
            "segmentTerminatedEarly", page.terminated ? true : null),
        "response", object("numFound", page.total, "start", search.from,
            "numFoundExact", page.exact, "docs", docs),
        "nextCursorMark", mark == null ? null : next);
  }

  /** Returns no keys for the default, "score desc": relevance needs none. */
  private static List<SortField> sort(String text) throws Refusal {
    List<SortField> sort = new ArrayList<>();
    if (text.equals("score desc")) return sort;
    for (String key : text.split(",")) {
      String[] words = key.trim().split(" +");
      if (words.length != 2) throw Refusal.illegal("Can't determine a Sort Order in " + text);
      sort.add(Index.by("_" + words[0], words[1].equals("desc")));
    }
    return sort;
  }

  private static String mark(Hit last) {
    return Base64.getEncoder().encodeToString(last.sort().toString().getBytes(UTF_8));
  }

  private static void follow(String mark, Search search) throws Refusal {
    if (search.from != 0) throw Refusal.illegal("Cursor functionality requires start=0");
    if (search.sort.stream().noneMatch(key -> "_id".equals(key.getField()))) {
      throw Refusal.illegal(
          "Cursor functionality requires a sort containing a uniqueKey field tie breaker");
    }
    if (mark.equals("*")) return;
    String values = new String(Base64.getDecoder().decode(mark), UTF_8);
    search.after = JsonParser.parseString(values).getAsJsonArray();
  }

  @Override
  Answer refusal(int status, String type, String reason) {
    if (status == 404) return Answer.html(404, "Error 404 Not Found");
    return Answer.json(status, object("responseHeader", object("status", status, "QTime", 0),
        "error", object("msg", reason, "code", status)));
  }
}

/** A Vespa application: /vespa/INDEX/search/. */
final class Vespa extends Dialect {
  Vespa(Index index) { super(index); }

  @Override
  JsonObject answer(Request request, String fault) throws IOException, Refusal {
    if (!request.part(2).equals("search")) throw new Refusal(404, "Not found", "no such handler");
    request.json().entrySet().stream().filter(field -> field.getValue().isJsonPrimitive())
        .forEach(field -> request.parameters().put(field.getKey(), field.getValue().getAsString()));
    Search search = parse(request, "query", "offset", "hits");
    check(search.size, 400, "hits");
    check(search.from, 1000, "hits offset");
    Page page = index.search(search);
    page.apply(fault);
    JsonArray children = new JsonArray();
    for (Hit hit : page.hits) {
      children.add(object("id", "id:patents:patent::" + hit.docno(), "relevance", hit.score(),
          "source", "patents"));
    }
    return object("root", object("id", "toplevel", "relevance", 1.0,
        "fields", object("totalCount", page.total), "coverage", coverage(page),
        "children", page.hits.isEmpty() ? null : children));
  }

  private static void check(int value, int limit, String name) throws Refusal {
    if (value <= limit) return;
    throw new Refusal(400, "Invalid query parameter",
        value + " " + name + " requested, configured limit: " + limit + ".");
  }

  private JsonObject coverage(Page page) {
    boolean isFull = !page.timedOut && !page.partial && !page.terminated;
    JsonObject degraded = object("match-phase", page.terminated, "timeout", page.timedOut,
        "adaptive-timeout", false, "non-ideal-state", page.partial);
    int percent = isFull ? 100 : 80;
    return object("coverage", percent, "documents", index.size() * percent / 100,
        "degraded", isFull ? null : degraded, "full", isFull, "nodes", 1, "results", 1,
        "resultsFull", isFull ? 1 : 0);
  }

  @Override
  Answer refusal(int status, String type, String reason) {
    JsonArray errors = list(object("code", 4, "summary", type, "message", reason));
    return Answer.json(status,
        object("root", object("id", "toplevel", "relevance", 1.0, "errors", errors)));
  }
}

/** A company's own search service: /plain/INDEX?q=...&n=...&from=... */
final class Plain extends Dialect {
  Plain(Index index) { super(index); }

  @Override
  JsonObject answer(Request request, String fault) throws IOException, Refusal {
    Page page = index.search(parse(request, "q", "from", "n"));
    page.apply(fault);
    JsonArray results = new JsonArray();
    for (Hit hit : page.hits) {
      results.add(object("patent", object("number", hit.docno()), "score", hit.score()));
    }
    boolean isComplete = !page.timedOut && !page.partial && !page.terminated && !page.withoutHits;
    return object("meta", object("ms", page.tookMs, "matches", page.total, "complete", isComplete),
        "results", results);
  }

  @Override
  Answer refusal(int status, String type, String reason) {
    return Answer.json(status, object("message", reason));
  }
}

/**
 * Reads requests, injects faults, counts, and sends answers.
 *
 * Faults of any request: 429 (with Retry-After), 503, 401, html (200 with a page), cut (half of the
 * announced bytes) and hang (no answer for a minute, then a closed connection). Faults of a search:
 * timeout and partial (the first four fifths of the hits), terminated (early), lying-total (3, said
 * to be exact), duplicate (each hit twice), empty (no hits, but the total of all). The flags of each
 * are those of the dialect.
 */
final class Front {
  private static final Set<String> OF_REQUESTS = Set.of("429", "503", "401", "html", "cut", "hang");
  private static final Set<String> OF_HITS = Set.of(
      "timeout", "partial", "terminated", "lying-total", "duplicate", "empty");
  private static final int HANG_SECONDS = 60;
  private final ScheduledExecutorService later = Executors.newScheduledThreadPool(1);
  private final Map<String, Dialect> dialects;
  private final Dialect openSearch;
  private String ordered = "";  // The fault of the next `times` requests.
  private int times = 0;
  private long searches = 0;
  private long faults = 0;
  private long atOnce = 0;
  private long mostAtOnce = 0;
  private volatile String authorization = "";  // The header of the last request.

  Front(Index index) {
    openSearch = new OpenSearch(index, true);
    dialects = Map.of("elasticsearch", new OpenSearch(index, false),
        "solr", new Solr(index), "vespa", new Vespa(index), "plain", new Plain(index));
  }

  void handle(HttpExchange exchange) throws IOException {
    Request request = Request.read(exchange);
    switch (request.part(0)) {
      case "faults" -> send(exchange, order(request), false);
      case "counters" -> send(exchange, Answer.json(200, counters()), false);
      default -> serve(exchange, request);
    }
  }

  /** Faults of a search are not used up by other requests, such as for a point in time. */
  private synchronized Answer order(Request request) {
    String name = request.parameters().getOrDefault("name", "");
    if (!OF_REQUESTS.contains(name) && !OF_HITS.contains(name)) {
      return Answer.json(400, Dialect.object("message", "unknown fault '" + name + "'"));
    }
    ordered = name;
    times = request.number("times", 1);
    return Answer.json(200, Dialect.object("name", ordered, "times", times));
  }

  private synchronized JsonObject counters() {
    return Dialect.object("searches", searches, "faults", faults, "most_at_once", mostAtOnce,
        "authorization", authorization);
  }

  /** Counts a request that begins and returns its fault. */
  private synchronized String begin(String header, boolean isSearch) {
    if (isSearch) ++searches;
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    String fault = header == null ? "" : header;
    if (header == null && times > 0 && (isSearch || OF_REQUESTS.contains(ordered))) {
      --times;
      fault = ordered;
    }
    if (!fault.isEmpty()) ++faults;
    return fault;
  }

  /** Call this before the answer is sent: the client's next request may come right after it. */
  private synchronized void end() { --atOnce; }

  private void serve(HttpExchange exchange, Request request) throws IOException {
    Dialect dialect = dialects.getOrDefault(request.part(0), openSearch);
    String path = String.join("/", request.path());
    boolean isSearch = !(dialect instanceof OpenSearch) || path.endsWith("_search");
    String sent = exchange.getRequestHeaders().getFirst("Authorization");
    authorization = sent == null ? "" : sent;
    String fault = begin(exchange.getRequestHeaders().getFirst("X-Fault"), isSearch);
    if (fault.equals("hang")) {
      later.schedule(() -> { end(); exchange.close(); }, HANG_SECONDS, TimeUnit.SECONDS);
      return;
    }
    Answer answer = answer(dialect, request, fault);
    end();
    send(exchange, answer, fault.equals("cut"));
  }

  private static Answer answer(Dialect dialect, Request request, String fault) {
    return switch (fault) {
      case "429" -> dialect.refusal(429, "rejected_execution_exception", "too many searches")
          .with("Retry-After", "1");
      case "503" -> dialect.refusal(503, "search_phase_execution_exception", "all shards failed");
      case "401" -> dialect.refusal(401, "security_exception", "missing credentials")
          .with("WWW-Authenticate", "Basic realm=\"search\"");
      case "html" -> Answer.html(200, "Please sign in");
      default -> searched(dialect, request, fault);
    };
  }

  private static Answer searched(Dialect dialect, Request request, String fault) {
    try {
      if (!fault.isEmpty() && !fault.equals("cut") && !OF_HITS.contains(fault)) {
        throw Refusal.illegal("unknown fault '" + fault + "'");
      }
      return Answer.json(200, dialect.answer(request, fault));
    } catch (Refusal refusal) {
      return dialect.refusal(refusal.status, refusal.type, refusal.getMessage());
    } catch (IOException | RuntimeException error) {
      error.printStackTrace();
      return dialect.refusal(400, "parsing_exception", error.toString());
    }
  }

  private static void send(HttpExchange exchange, Answer answer, boolean isCut) throws IOException {
    byte[] bytes = answer.body().getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", answer.type());
    answer.fields().forEach(exchange.getResponseHeaders()::set);
    exchange.sendResponseHeaders(answer.status(), bytes.length);
    exchange.getResponseBody().write(bytes, 0, isCut ? bytes.length / 2 : bytes.length);
    exchange.getResponseBody().flush();
    exchange.close();
  }
}
