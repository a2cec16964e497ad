// The client test through go-mssqldb. See ../../README.md for the cases.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
)

func report(id, answer string) {
	answer = strings.NewReplacer("\n", " ", "\t", " ").Replace(answer)
	fmt.Printf("%s\t%s\n", id, answer)
}

func fraction(t time.Time) string {
	if t.Nanosecond() == 0 {
		return ""
	}
	return strings.TrimRight(fmt.Sprintf(".%09d", t.Nanosecond()), "0")
}

func text(value any, column *sql.ColumnType) string {
	kind := column.DatabaseTypeName()
	switch v := value.(type) {
	case nil:
		return "NULL"
	case bool:
		if v {
			return "1"
		}
		return "0"
	case time.Time:
		switch kind {
		case "DATE":
			return v.Format("2006-01-02")
		case "TIME":
			return v.Format("15:04:05") + fraction(v)
		case "DATETIMEOFFSET":
			return v.Format("2006-01-02 15:04:05") + fraction(v) + v.Format(" -07:00")
		}
		return v.Format("2006-01-02 15:04:05") + fraction(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, 32)
	case []byte:
		switch kind {
		case "UNIQUEIDENTIFIER":
			var id mssql.UniqueIdentifier
			if err := id.Scan(v); err != nil {
				return err.Error()
			}
			return id.String()
		case "BINARY", "VARBINARY", "IMAGE":
			return "0x" + strings.ToUpper(hex.EncodeToString(v))
		}
		return string(v)
	}
	return fmt.Sprint(value)
}

func table(rows *sql.Rows, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return "", err
	}
	var lines []string
	for rows.Next() {
		values := make([]any, len(types))
		targets := make([]any, len(types))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return "", err
		}
		cells := make([]string, len(types))
		for i := range values {
			cells[i] = text(values[i], types[i])
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return strings.Join(lines, " ; "), rows.Err()
}

// What database/sql shows of the columns, and the values.
func metadata(rows *sql.Rows, err error) (string, error) {
	if err != nil {
		return "", err
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return "", err
	}
	var lines []string
	for _, column := range types {
		length, isLong := column.Length()
		precision, scale, isExact := column.DecimalSize()
		nullable, isKnown := column.Nullable()
		lines = append(lines, fmt.Sprint(column.Name(), "|", column.DatabaseTypeName(), "|", length, isLong, "|", precision,
			"|", scale, isExact, "|", nullable, isKnown, "|", column.ScanType()))
	}
	values, err := table(rows, nil)
	return strings.Join(lines, " ; ") + " ; " + values, err
}

func attempt(id string, action func() (string, error)) {
	answer, err := action()
	if err != nil {
		answer = err.Error()
	}
	report(id, answer)
}

func numberOf(err error) string {
	var server mssql.Error
	if errors.As(err, &server) {
		return strconv.Itoa(int(server.Number))
	}
	return fmt.Sprint(err)
}

func main() {
	background := context.Background()
	database := os.Getenv("DRAGOMAN_DATABASE")
	if database == "" {
		database = "SalesDb"
	}
	query := url.Values{"database": {database}, "encrypt": {"disable"}, "TrustServerCertificate": {"true"}}
	switch os.Getenv("DRAGOMAN_ENCRYPT") {
	case "on":
		query.Set("encrypt", "true")
	case "strict":
		query = url.Values{"database": {database}, "encrypt": {"strict"}, "TrustServerCertificate": {"false"},
			"certificate": {os.Getenv("DRAGOMAN_CERTIFICATE")}, "hostNameInCertificate": {"localhost"}}
	}
	address := url.URL{Scheme: "sqlserver", User: url.UserPassword(os.Getenv("DRAGOMAN_USER"), os.Getenv("DRAGOMAN_PASSWORD")),
		Host: os.Getenv("DRAGOMAN_HOST") + ":" + os.Getenv("DRAGOMAN_PORT"), RawQuery: query.Encode()}
	db, err := sql.Open("sqlserver", address.String())
	if err != nil {
		report("connect", err.Error())
		os.Exit(1)
	}
	db.SetMaxOpenConns(1) // one connection: pooling must hand a reset session to each statement

	statements := map[string]string{}
	var order []string
	file, err := os.Open(os.Getenv("DRAGOMAN_STATEMENTS"))
	if err != nil {
		report("connect", err.Error())
		os.Exit(1)
	}
	scanner := bufio.NewScanner(file)
	scanner.Buffer(make([]byte, 1<<20), 1<<20)
	for scanner.Scan() {
		id, text, _ := strings.Cut(scanner.Text(), "\t")
		statements[id] = text
		order = append(order, id)
	}
	if os.Getenv("DRAGOMAN_METADATA") != "" {
		for _, id := range order {
			if strings.HasPrefix(id, "meta_") {
				attempt(id, func() (string, error) { return metadata(db.QueryContext(background, statements[id])) })
			}
		}
		return
	}
	plain := func(id string) func() (string, error) {
		return func() (string, error) { return table(db.QueryContext(background, statements[id])) }
	}
	for _, id := range order {
		switch {
		case id == "ask_save":
			attempt(id, func() (string, error) {
				_, err := db.ExecContext(background, statements[id])
				return "done", err
			})
		case strings.HasPrefix(id, "type_"), strings.HasPrefix(id, "null_"), strings.HasPrefix(id, "ask_"),
			id == "all_types", id == "persian_literal", id == "gold", id == "after":
			attempt(id, plain(id))
		}
	}
	attempt("parameters", func() (string, error) {
		return table(db.QueryContext(background, statements["parameters"], sql.Named("low", 2), sql.Named("name", "Cancelled")))
	})
	attempt("prepared", func() (string, error) {
		prepared, err := db.PrepareContext(background, statements["prepared"])
		if err != nil {
			return "", err
		}
		defer prepared.Close()
		var all []string
		for status := 1; status <= 4; status++ {
			answer, err := table(prepared.QueryContext(background, sql.Named("id", status)))
			if err != nil {
				return "", err
			}
			all = append(all, answer)
		}
		return strings.Join(all, " ; "), nil
	})
	attempt("persian", func() (string, error) {
		return table(db.QueryContext(background, statements["persian"], sql.Named("name", "تالار سیمان")))
	})
	for _, id := range []string{"error", "write"} {
		_, err := table(db.QueryContext(background, statements[id]))
		report(id, numberOf(err))
	}
	attempt("rows", func() (string, error) {
		rows, err := db.QueryContext(background, statements["rows"])
		if err != nil {
			return "", err
		}
		defer rows.Close()
		count := 0
		for rows.Next() {
			count++
		}
		return strconv.Itoa(count), rows.Err()
	})
	for _, id := range []string{"cursor_forward", "cursor_static"} {
		report(id, "SKIP this client has no server cursors")
	}
	report("catalogue", "SKIP this client has no catalogue calls")
	attempt("transaction", func() (string, error) {
		var answers []string
		for round, end := range []func(*sql.Tx) error{(*sql.Tx).Commit, (*sql.Tx).Rollback} {
			transaction, err := db.BeginTx(background, nil)
			if err != nil {
				return "", err
			}
			for _, statement := range []string{statements["after"], "SELECT @@TRANCOUNT AS n"}[:2-round] {
				answer, err := table(transaction.QueryContext(background, statement))
				if err != nil {
					return "", err
				}
				answers = append(answers, answer)
			}
			if err := end(transaction); err != nil {
				return "", err
			}
		}
		last, err := table(db.QueryContext(background, "SELECT @@TRANCOUNT AS n"))
		return strings.Join(append(answers, last), " ; "), err
	})
	// database/sql hands the one connection on to each statement, and go-mssqldb resets it on the way.
	attempt("reset", func() (string, error) {
		one, err := db.Conn(background)
		if err != nil {
			return "", err
		}
		if _, err := one.ExecContext(background, "SET DATEFIRST 3"); err != nil {
			return "", err
		}
		before, err := table(one.QueryContext(background, "SELECT @@DATEFIRST AS n"))
		if err != nil {
			return "", err
		}
		if err := one.Close(); err != nil {
			return "", err
		}
		after, err := table(db.QueryContext(background, "SELECT @@DATEFIRST AS n"))
		return before + " ; " + after, err
	})
	attempt("cancel", func() (string, error) {
		limited, stop := context.WithTimeout(background, time.Second)
		defer stop()
		began := time.Now()
		_, err := table(db.QueryContext(limited, statements["slow"]))
		if err == nil {
			return "not cancelled", nil
		}
		if time.Since(began) > 10*time.Second {
			return "cancelled late", nil
		}
		after, err := table(db.QueryContext(background, statements["after"]))
		return "cancelled ; " + after, err
	})
	attempt("after", plain("after"))
}
