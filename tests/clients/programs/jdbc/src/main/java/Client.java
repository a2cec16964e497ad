// The client test through mssql-jdbc. See ../../../../../README.md for the cases.
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

  static Connection connect() throws SQLException {
    Map<String, String> env = System.getenv();
    boolean on = env.get("DRAGOMAN_ENCRYPT").equals("on");
    return DriverManager.getConnection("jdbc:sqlserver://" + env.get("DRAGOMAN_HOST") + ":" + env.get("DRAGOMAN_PORT")
        + ";databaseName=SalesDb;encrypt=" + on + ";trustServerCertificate=true", env.get("DRAGOMAN_USER"),
        env.get("DRAGOMAN_PASSWORD"));
  }

  static String trimmed(String text) {
    return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
  }

  static String text(ResultSet rows, int i) throws SQLException {
    String kind = rows.getMetaData().getColumnTypeName(i);
    Object value = rows.getObject(i);
    if (value == null) return "NULL";
    if (value instanceof Boolean) return (Boolean) value ? "1" : "0";
    if (value instanceof BigDecimal) return ((BigDecimal) value).toPlainString();
    if (value instanceof byte[]) {
      StringBuilder hex = new StringBuilder("0x");
      for (byte b : (byte[]) value) hex.append(String.format("%02X", b));
      return hex.toString();
    }
    if (kind.equals("time")) {
      DateTimeFormatter clock = DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSSS");
      return trimmed(rows.getObject(i, java.time.LocalTime.class).format(clock));
    }
    if (value instanceof microsoft.sql.DateTimeOffset) {
      java.time.OffsetDateTime at = ((microsoft.sql.DateTimeOffset) value).getOffsetDateTime();
      return trimmed(at.format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSSS")))
          + at.format(DateTimeFormatter.ofPattern(" xxx"));
    }
    if (value instanceof Timestamp) return trimmed(value.toString());
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

  public static void main(String[] args) throws Exception {
    for (String line : Files.readAllLines(Path.of(System.getenv("DRAGOMAN_STATEMENTS")))) {
      int tab = line.indexOf('\t');
      SQL.put(line.substring(0, tab), line.substring(tab + 1));
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
          bound.setNString(2, "Cancelled");
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
          bound.setNString(1, "تالار سیمان");
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
      attempt("cancel", Client::cancel);
      attempt("after", () -> run(connection, SQL.get("after")));
    }
  }
}
