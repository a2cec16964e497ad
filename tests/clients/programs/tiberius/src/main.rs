//! The client test through tiberius. See ../../../README.md for the cases.
use futures_util::TryStreamExt;
use std::env;
use tiberius::{AuthMethod, Client, ColumnData, Config, EncryptionLevel, QueryItem, Row};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

type Connection = Client<Compat<TcpStream>>;

fn report(id: &str, answer: &str) {
    println!("{id}\t{}", answer.replace(['\n', '\t'], " "));
}

fn ticks(value: u64, scale: u8) -> String {
    let nanos = value * 10u64.pow(9 - u32::from(scale));
    let seconds = nanos / 1_000_000_000;
    let fraction = nanos % 1_000_000_000;
    let mut text = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction != 0 {
        text += format!(".{fraction:09}").trim_end_matches('0');
    }
    text
}

/// Days since 0001-01-01 as a date (civil-from-days).
fn date(days: i64) -> String {
    let z = days + 306;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{:02}", doy - (153 * mp + 2) / 5 + 1)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::from("0x"), |text, b| text + &format!("{b:02X}"))
}

fn optional<T>(value: &Option<T>, show: impl Fn(&T) -> String) -> String {
    value.as_ref().map_or_else(|| "NULL".into(), show)
}

fn text(cell: &ColumnData<'static>) -> String {
    match cell {
        ColumnData::U8(v) => optional(v, |v| v.to_string()),
        ColumnData::I16(v) => optional(v, |v| v.to_string()),
        ColumnData::I32(v) => optional(v, |v| v.to_string()),
        ColumnData::I64(v) => optional(v, |v| v.to_string()),
        ColumnData::F32(v) => optional(v, |v| v.to_string()),
        ColumnData::F64(v) => optional(v, |v| v.to_string()),
        ColumnData::Bit(v) => optional(v, |v| u8::from(*v).to_string()),
        ColumnData::String(v) => optional(v, |v| v.to_string()),
        ColumnData::Guid(v) => optional(v, |v| v.to_string()),
        ColumnData::Binary(v) => optional(v, |v| hex(v)),
        ColumnData::Numeric(v) => optional(v, |v| {
            // tiberius's own Display writes the sign twice.
            let scale = usize::from(v.scale());
            let mut digits = format!("{:0width$}", v.value().unsigned_abs(), width = scale + 1);
            if scale > 0 {
                digits.insert(digits.len() - scale, '.');
            }
            if v.value() < 0 { format!("-{digits}") } else { digits }
        }),
        ColumnData::Xml(v) => optional(v, |v| v.to_string()),
        ColumnData::DateTime(v) => optional(v, |v| {
            let millis = (u64::from(v.seconds_fragments()) * 10 + 1) / 3; // 1/300 s
            format!("{} {}", date(i64::from(v.days()) + 693_595), ticks(millis, 3))
        }),
        ColumnData::SmallDateTime(v) => optional(v, |v| {
            format!("{} {}", date(i64::from(v.days()) + 693_595), ticks(u64::from(v.seconds_fragments()) * 60, 0))
        }),
        ColumnData::Time(v) => optional(v, |v| ticks(v.increments(), v.scale())),
        ColumnData::Date(v) => optional(v, |v| date(i64::from(v.days()))),
        ColumnData::DateTime2(v) => optional(v, |v| {
            format!("{} {}", date(i64::from(v.date().days())), ticks(v.time().increments(), v.time().scale()))
        }),
        ColumnData::DateTimeOffset(v) => optional(v, |v| {
            // On the wire the moment is UTC; shown as local with its offset.
            let scale = v.datetime2().time().scale();
            let day = 86_400 * 10i64.pow(u32::from(scale));
            let shift = i64::from(v.offset()) * 60 * 10i64.pow(u32::from(scale));
            let total = i64::from(v.datetime2().date().days()) * day + v.datetime2().time().increments() as i64 + shift;
            let minutes = i64::from(v.offset()).abs();
            format!(
                "{} {} {}{:02}:{:02}",
                date(total.div_euclid(day)),
                ticks(total.rem_euclid(day) as u64, scale),
                if v.offset() < 0 { '-' } else { '+' },
                minutes / 60,
                minutes % 60
            )
        }),
    }
}

fn line(row: Row) -> String {
    row.into_iter().map(|cell| text(&cell)).collect::<Vec<_>>().join("|")
}

fn table(rows: Vec<Row>) -> String {
    rows.into_iter().map(line).collect::<Vec<_>>().join(" ; ")
}

async fn connect() -> Result<Connection, tiberius::error::Error> {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let mut config = Config::new();
    config.host(variable("DRAGOMAN_HOST"));
    config.port(variable("DRAGOMAN_PORT").parse().unwrap_or(1433));
    config.database("SalesDb");
    config.authentication(AuthMethod::sql_server(variable("DRAGOMAN_USER"), variable("DRAGOMAN_PASSWORD")));
    config.encryption(if variable("DRAGOMAN_ENCRYPT") == "on" {
        EncryptionLevel::Required
    } else {
        EncryptionLevel::NotSupported
    });
    config.trust_cert();
    let tcp = TcpStream::connect(config.get_addr()).await?;
    tcp.set_nodelay(true)?;
    Client::connect(config, tcp.compat_write()).await
}

async fn simple(connection: &mut Connection, sql: &str) -> Result<String, tiberius::error::Error> {
    Ok(table(connection.simple_query(sql).await?.into_first_result().await?))
}

async fn bound(
    connection: &mut Connection,
    sql: &str,
    values: &[&dyn tiberius::ToSql],
) -> Result<String, tiberius::error::Error> {
    Ok(table(connection.query(sql, values).await?.into_first_result().await?))
}

fn told(id: &str, answer: Result<String, tiberius::error::Error>) {
    match answer {
        Ok(answer) => report(id, &answer),
        Err(error) => report(id, &error.to_string()),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::fs::read_to_string(env::var("DRAGOMAN_STATEMENTS")?)?;
    let statements: Vec<(&str, &str)> = file.lines().filter_map(|line| line.split_once('\t')).collect();
    let sql = |id: &str| statements.iter().find(|(known, _)| *known == id).map_or("", |(_, text)| *text);
    let mut connection = match connect().await {
        Ok(connection) => connection,
        Err(error) => {
            report("connect", &error.to_string());
            return Err(error.into());
        }
    };
    for (id, text) in &statements {
        if *id == "ask_save" {
            let answer = connection.simple_query(*text).await;
            let answer = match answer {
                Ok(stream) => stream.into_results().await.map(|_| "done".to_string()),
                Err(error) => Err(error),
            };
            told(id, answer);
        } else if ["type_", "null_", "ask_"].iter().any(|start| id.starts_with(start))
            || ["all_types", "persian_literal", "gold", "after"].contains(id)
        {
            told(id, simple(&mut connection, text).await);
        }
    }
    let parameters = sql("parameters").replace("@low", "@P1").replace("@name", "@P2");
    told("parameters", bound(&mut connection, &parameters, &[&2i32, &"Cancelled"]).await);
    let prepared = sql("prepared").replace("@id", "@P1");
    let mut all = Vec::new();
    for status in 1i32..=4 {
        match bound(&mut connection, &prepared, &[&status]).await {
            Ok(answer) => all.push(answer),
            Err(error) => all.push(error.to_string()),
        }
    }
    report("prepared", &all.join(" ; "));
    let persian = sql("persian").replace("@name", "@P1");
    told("persian", bound(&mut connection, &persian, &[&"تالار سیمان"]).await);
    for id in ["error", "write"] {
        match simple(&mut connection, sql(id)).await {
            Ok(_) => report(id, "no error"),
            Err(tiberius::error::Error::Server(token)) => report(id, &token.code().to_string()),
            Err(error) => report(id, &error.to_string()),
        }
    }
    let counted = async {
        let mut stream = connection.simple_query(sql("rows")).await?;
        let mut count = 0u32;
        while let Some(item) = stream.try_next().await? {
            if let QueryItem::Row(_) = item {
                count += 1;
            }
        }
        Ok(count.to_string())
    }
    .await;
    told("rows", counted);
    for (id, why) in [
        ("cursor_forward", "no server cursors"),
        ("cursor_static", "no server cursors"),
        ("catalogue", "no catalogue calls"),
        ("reset", "no pool"),
    ] {
        report(id, &format!("SKIP tiberius has {why}"));
    }
    // tiberius has no transactions of its own: they are statements.
    let mut steps = Vec::new();
    for text in
        ["BEGIN TRAN", sql("after"), "SELECT @@TRANCOUNT AS n", "COMMIT", "BEGIN TRAN", sql("after"), "ROLLBACK",
         "SELECT @@TRANCOUNT AS n"]
    {
        match simple(&mut connection, text).await {
            Ok(answer) if answer.is_empty() => (),
            Ok(answer) => steps.push(answer),
            Err(error) => steps.push(error.to_string()),
        }
    }
    report("transaction", &steps.join(" ; "));
    report("cancel", "SKIP tiberius never sends an attention");
    told("after", simple(&mut connection, sql("after")).await);
    Ok(())
}
