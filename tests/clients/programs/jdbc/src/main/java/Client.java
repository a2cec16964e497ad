// The client test through a JDBC driver: Client mssql|jtds. See ../../../../../README.md for the cases.
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.io.PrintStream;
import java.sql.*;
import java.time.format.DateTimeFormatter;
import java.util.*;

public final class Client {
  interface Action { String run() throws Exception; }

  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private static final Map<String, String> SQL = new LinkedHashMap<>();

  static void report(String id, String answer) {
    OUT.println(id + "\t" + answer.replace('\n', ' ').replace('\t', ' '));
  }

  static void attempt(String id, Action action) {
    String answer;
    try {
      answer = action.run();
    } catch (Exception e) {
      answer = e.getClass().getSimpleName() + ": " + e.getMessage();
    }
    report(id, answer);
  }

  private static final Map<String, String> ENV = System.getenv();
  private static final String DATABASE = ENV.getOrDefault("DRAGOMAN_DATABASE", "SalesDb");
  private static boolean jtds;

  static Connection connect() throws SQLException {
    return connect("");
  }

  static String address() {
    String place = ENV.get("DRAGOMAN_HOST") + ":" + ENV.get("DRAGOMAN_PORT");
    String encrypt = ENV.get("DRAGOMAN_ENCRYPT");
    if (jtds) return "jdbc:jtds:sqlserver://" + place + "/" + DATABASE + ";ssl=" + (encrypt.equals("on") ? "require" : "off");
    String url = "jdbc:sqlserver://" + place + ";databaseName=" + DATABASE + ";encrypt=";
    if (encrypt.equals("strict")) return url + "strict;serverCertificate=" + ENV.get("DRAGOMAN_CERTIFICATE");
    return url + encrypt.equals("on") + ";trustServerCertificate=true";
  }

  static Connection connect(String more) throws SQLException {
    return DriverManager.getConnection(address() + more, ENV.get("DRAGOMAN_USER"), ENV.get("DRAGOMAN_PASSWORD"));
  }

  static String trimmed(String text) {
    return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
  }

  static String hex(byte[] bytes) {
    StringBuilder hex = new StringBuilder("0x");
    for (byte b : bytes) hex.append(String.format("%02X", b));
    return hex.toString();
  }

  static String text(ResultSet rows, int i) throws SQLException {
    String kind = rows.getMetaData().getColumnTypeName(i);
    Object value = rows.getObject(i);
    if (value == null) return "NULL";
    if (value instanceof Boolean) return (Boolean) value ? "1" : "0";
    if (value instanceof BigDecimal) return ((BigDecimal) value).toPlainString();
    if (value instanceof byte[]) return hex((byte[]) value);
    if (kind.equals("time")) {
      DateTimeFormatter clock = DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSSS");
      return trimmed(rows.getObject(i, java.time.LocalTime.class).format(clock));
    }
    if (!jtds && value instanceof microsoft.sql.DateTimeOffset) {
      java.time.OffsetDateTime at = ((microsoft.sql.DateTimeOffset) value).getOffsetDateTime();
      return trimmed(at.format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSSS")))
          + at.format(DateTimeFormatter.ofPattern(" xxx"));
    }
    if (value instanceof Timestamp) return trimmed(value.toString());
    if (value instanceof Clob) return ((Clob) value).getSubString(1, (int) ((Clob) value).length());
    if (value instanceof Blob) return hex(((Blob) value).getBytes(1, (int) ((Blob) value).length()));
    if (value instanceof SQLXML) return ((SQLXML) value).getString();
    if (kind.equals("xml")) return rows.getString(i);
    return value.toString();
  }

  static String table(ResultSet rows) throws SQLException {
    StringJoiner lines = new StringJoiner(" ; ");
    int width = rows.getMetaData().getColumnCount();
    while (rows.next()) {
      StringJoiner cells = new StringJoiner("|");
      for (int i = 1; i <= width; i++) cells.add(text(rows, i));
      lines.add(cells.toString());
    }
    return lines.toString();
  }

  static String run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean isRows = statement.execute(sql);
      while (!isRows) {
        if (statement.getUpdateCount() == -1) return "no result set";
        isRows = statement.getMoreResults();
      }
      return table(statement.getResultSet());
    }
  }

  static String number(Connection connection, String sql) {
    try {
      run(connection, sql);
      return "no error";
    } catch (SQLException e) {
      return String.valueOf(e.getErrorCode());
    }
  }

  static String cancel() throws Exception {
    try (Connection connection = connect(); Statement statement = connection.createStatement()) {
      Timer timer = new Timer(true);
      timer.schedule(new TimerTask() {
        @Override public void run() {
          try {
            statement.cancel();
          } catch (SQLException e) {
            report("cancel_call", e.getMessage());
          }
        }
      }, 1000);
      long began = System.nanoTime();
      try {
        statement.executeQuery(SQL.get("slow")).next();
        return "not cancelled";
      } catch (SQLException e) {
        if (System.nanoTime() - began > 10_000_000_000L) return "cancelled late";
      }
      return "cancelled ; " + run(connection, SQL.get("after"));
    }
  }

  // Rows one after the other through a cursor of the server, 100 at a time; the same with a parameter.
  static String forward() throws SQLException {
    String sql = SQL.get("cursor");
    StringJoiner all = new StringJoiner(" ; ");
    try (Connection connection = connect(jtds ? ";useCursors=true" : ";selectMethod=cursor");
         Statement plain = connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY);
         PreparedStatement bound = connection.prepareStatement(sql.replace("<= 1000", "<= ?"))) {
      plain.setFetchSize(100);
      all.add(sum(plain.executeQuery(sql)));
      bound.setFetchSize(100);
      for (int most : new int[] {1000, 1000, 1000}) {
        bound.setInt(1, most);
        String one = sum(bound.executeQuery());
        if (!all.toString().contains(one)) all.add(one);
      }
    }
    return all.toString();
  }

  static String sum(ResultSet rows) throws SQLException {
    int count = 0;
    long sum = 0;
    while (rows.next()) {
      count++;
      sum += rows.getInt(1);
    }
    return count + "|" + sum;
  }

  static String scroll(ResultSet rows) throws SQLException {
    StringJoiner seen = new StringJoiner(" ");
    boolean[] moves = {rows.absolute(10)};
    seen.add(rows.getString(1));
    if (rows.next()) seen.add(rows.getString(1));
    if (rows.previous()) seen.add(rows.getString(1));
    if (rows.last()) seen.add(rows.getString(1) + "=" + rows.getRow());
    if (rows.relative(-5)) seen.add(rows.getString(1));
    if (rows.first()) seen.add(rows.getString(1));
    seen.add(rows.previous() ? "row" : "none");
    if (rows.absolute(-3)) seen.add(rows.getString(1));
    rows.afterLast();
    if (rows.previous()) seen.add(rows.getString(1));
    seen.add(rows.absolute(2000) ? "row" : "none");
    return seen + (moves[0] ? "" : " lost");
  }

  static String insensitive() throws SQLException {
    String sql = SQL.get("cursor");
    try (Connection connection = connect(jtds ? "" : ";selectMethod=cursor");
         Statement plain = connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
         PreparedStatement bound = connection.prepareStatement(sql.replace("<= 1000", "<= ?"),
             ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
      String first = scroll(plain.executeQuery(sql));
      for (int i = 0; i < 3; i++) {
        bound.setInt(1, 1000);
        String again = scroll(bound.executeQuery());
        if (!again.equals(first)) return first + " ; then " + again;
      }
      return first;
    }
  }

  static String names(ResultSet rows, String column) throws SQLException {
    TreeSet<String> names = new TreeSet<>();
    while (rows.next()) names.add(rows.getString(column));
    return String.join(",", names);
  }

  static String catalogue(Connection connection) throws SQLException {
    DatabaseMetaData meta = connection.getMetaData();
    return names(meta.getTables("SalesDb", "ref", "%", new String[] {"TABLE"}), "TABLE_NAME") + "|"
        + names(meta.getColumns("SalesDb", "ref", "Currency", "%"), "COLUMN_NAME") + "|"
        + names(meta.getPrimaryKeys("SalesDb", "ref", "Currency"), "COLUMN_NAME") + "|"
        + names(meta.getImportedKeys("SalesDb", "ref", "Broker"), "PKTABLE_NAME");
  }

  // Autocommit off: a transaction is open after the first SELECT, and can be ended both ways.
  static String transaction() throws SQLException {
    try (Connection connection = connect()) {
      connection.setAutoCommit(false);
      StringJoiner all = new StringJoiner(" ; ");
      all.add(run(connection, SQL.get("after")));
      all.add(run(connection, "SELECT @@TRANCOUNT AS n"));
      connection.commit();
      all.add(run(connection, SQL.get("after")));
      connection.rollback();
      connection.setAutoCommit(true);
      all.add(run(connection, "SELECT @@TRANCOUNT AS n"));
      return all.toString();
    }
  }

  // What one user of a pooled connection has set is gone for the next.
  static String reset() throws SQLException {
    if (jtds) return "SKIP jTDS does not reset the connections of its pool";
    com.microsoft.sqlserver.jdbc.SQLServerConnectionPoolDataSource pool =
        new com.microsoft.sqlserver.jdbc.SQLServerConnectionPoolDataSource();
    pool.setURL(address());
    pool.setUser(ENV.get("DRAGOMAN_USER"));
    pool.setPassword(ENV.get("DRAGOMAN_PASSWORD"));
    javax.sql.PooledConnection physical = pool.getPooledConnection();
    String before;
    try (Connection first = physical.getConnection()) {
      run(first, "SET DATEFIRST 3; SELECT 1 AS n");
      before = run(first, "SELECT @@DATEFIRST AS n");
    }
    try (Connection second = physical.getConnection()) {
      return before + " ; " + run(second, "SELECT @@DATEFIRST AS n");
    } finally {
      physical.close();
    }
  }

  // Everything that the driver says of the columns; the values as text, and as bytes where it gives them.
  static String metadata(Connection connection, String sql) throws SQLException {
    StringJoiner all = new StringJoiner(" ; ");
    try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
      ResultSetMetaData meta = rows.getMetaData();
      int width = meta.getColumnCount();
      for (int i = 1; i <= width; i++)
        all.add(meta.getColumnName(i) + "|" + meta.getColumnLabel(i) + "|" + meta.getColumnType(i) + "|"
            + meta.getColumnTypeName(i) + "|" + meta.getColumnClassName(i) + "|" + meta.getPrecision(i) + "|"
            + meta.getScale(i) + "|" + meta.getColumnDisplaySize(i) + "|" + meta.isNullable(i) + "|"
            + meta.isAutoIncrement(i) + "|" + meta.isCaseSensitive(i) + "|" + meta.isCurrency(i) + "|" + meta.isSigned(i)
            + "|" + meta.isReadOnly(i) + "|" + meta.isWritable(i) + "|" + meta.isSearchable(i));
      while (rows.next()) {
        StringJoiner cells = new StringJoiner("|");
        for (int i = 1; i <= width; i++) cells.add(text(rows, i));
        all.add(cells.toString());
      }
    }
    return all.toString();
  }

  public static void main(String[] args) throws Exception {
    jtds = args.length > 0 && args[0].equals("jtds");
    if (jtds) Class.forName("net.sourceforge.jtds.jdbc.Driver");
    for (String line : Files.readAllLines(Path.of(System.getenv("DRAGOMAN_STATEMENTS")))) {
      int tab = line.indexOf('\t');
      SQL.put(line.substring(0, tab), line.substring(tab + 1));
    }
    if (ENV.containsKey("DRAGOMAN_METADATA")) {
      try (Connection connection = connect()) {
        for (String id : SQL.keySet())
          if (id.startsWith("meta_")) attempt(id, () -> metadata(connection, SQL.get(id)));
      }
      return;
    }
    try (Connection connection = connect()) {
      for (String id : SQL.keySet()) {
        if (id.equals("ask_save")) {
          attempt(id, () -> {
            try (Statement statement = connection.createStatement()) {
              statement.execute(SQL.get(id));
              return "done";
            }
          });
        } else if (id.startsWith("type_") || id.startsWith("null_") || id.startsWith("ask_")
            || List.of("all_types", "persian_literal", "gold", "after").contains(id)) {
          attempt(id, () -> run(connection, SQL.get(id)));
        }
      }
      attempt("parameters", () -> {
        try (PreparedStatement bound = connection.prepareStatement(SQL.get("parameters").replaceAll("@\\w+", "?"))) {
          bound.setInt(1, 2);
          bound.setString(2, "Cancelled");
          return table(bound.executeQuery());
        }
      });
      attempt("prepared", () -> {
        StringJoiner all = new StringJoiner(" ; ");
        try (PreparedStatement bound = connection.prepareStatement(SQL.get("prepared").replaceAll("@\\w+", "?"))) {
          for (int status = 1; status <= 4; status++) {
            bound.setInt(1, status);
            all.add(table(bound.executeQuery()));
          }
        }
        return all.toString();
      });
      attempt("persian", () -> {
        try (PreparedStatement bound = connection.prepareStatement(SQL.get("persian").replaceAll("@\\w+", "?"))) {
          bound.setString(1, "تالار سیمان");
          return table(bound.executeQuery());
        }
      });
      report("error", number(connection, SQL.get("error")));
      report("write", number(connection, SQL.get("write")));
      attempt("rows", () -> {
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(SQL.get("rows"))) {
          int count = 0;
          while (rows.next()) count++;
          return String.valueOf(count);
        }
      });
      attempt("cursor_forward", Client::forward);
      attempt("cursor_static", Client::insensitive);
      attempt("catalogue", () -> catalogue(connection));
      attempt("transaction", Client::transaction);
      attempt("reset", Client::reset);
      attempt("cancel", Client::cancel);
      attempt("after", () -> run(connection, SQL.get("after")));
    }
  }
}
