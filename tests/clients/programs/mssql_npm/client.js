// The client test through npm's mssql: its pool, its requests with inputs, its prepared statements and transactions.
'use strict';
const fs = require('fs');
const sql = require('mssql');

const env = process.env;
const SQL = new Map(fs.readFileSync(env.DRAGOMAN_STATEMENTS, 'utf8').split('\n').filter(Boolean)
  .map((line) => line.split('\t')));
const report = (id, answer) => process.stdout.write(`${id}\t${answer}\n`);
const certificate = () => fs.readFileSync(env.DRAGOMAN_CERTIFICATE, 'utf8');

const settings = {
  server: env.DRAGOMAN_HOST, port: Number(env.DRAGOMAN_PORT), user: env.DRAGOMAN_USER, password: env.DRAGOMAN_PASSWORD,
  database: 'SalesDb', requestTimeout: 60000, pool: { max: 1, min: 0 }, arrayRowMode: true,
  options: {
    encrypt: env.DRAGOMAN_ENCRYPT === 'strict' ? 'strict' : env.DRAGOMAN_ENCRYPT === 'on',
    trustServerCertificate: env.DRAGOMAN_ENCRYPT !== 'strict', useUTC: true,
    ...(env.DRAGOMAN_ENCRYPT === 'strict' ? { serverName: 'localhost', cryptoCredentialsDetails: { ca: certificate() } } : {}),
  },
};

const pad = (value, width = 2) => String(value).padStart(width, '0');
const fraction = (ms) => (ms ? `.${pad(ms, 3)}`.replace(/0+$/, '') : '');
const clock = (d) => `${pad(d.getUTCHours())}:${pad(d.getUTCMinutes())}:${pad(d.getUTCSeconds())}${fraction(d.getUTCMilliseconds())}`;
const day = (d) => `${pad(d.getUTCFullYear(), 4)}-${pad(d.getUTCMonth() + 1)}-${pad(d.getUTCDate())}`;

function text(value, column) {
  if (value === null) return 'NULL';
  if (Buffer.isBuffer(value)) return `0x${value.toString('hex').toUpperCase()}`;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (value instanceof Date) {
    if (column.type === sql.Date) return day(value);
    if (column.type === sql.Time) return clock(value);
    return `${day(value)} ${clock(value)}${column.type === sql.DateTimeOffset ? ' UTC' : ''}`;
  }
  return String(value);
}

function table(result) {
  // A batch has no columns in array mode, and its rows are objects.
  const columns = (result.columns || [])[0] || [];
  return (result.recordset || []).map((row) => Object.values(row).map((v, i) => text(v, columns[i] || {})).join('|'))
    .join(' ; ');
}

async function attempt(id, action) {
  try {
    report(id, await action());
  } catch (error) {
    report(id, `${error.code || error.name}: ${error.message}`.replace(/[\n\t]/g, ' '));
  }
}

const numberOf = async (action) => {
  try {
    await action();
  } catch (error) {
    return String(error.number || error.message);
  }
  return 'no error';
};

(async () => {
  const pool = await new sql.ConnectionPool(settings).connect();
  const run = async (text_, inputs = []) => {
    const request = pool.request();
    for (const [name, type, value] of inputs) request.input(name, type, value);
    return table(await request.query(text_));
  };
  const batch = async (text_) => table(await pool.request().batch(text_));
  for (const [id, statement] of SQL) {
    if (/^(type_|null_)/.test(id) || ['all_types', 'persian_literal', 'gold', 'after'].includes(id)) {
      await attempt(id, () => run(statement));
    } else if (id === 'ask_save') {
      await attempt(id, async () => { await batch(statement); return 'done'; });
    } else if (id.startsWith('ask_')) {
      await attempt(id, () => (id === 'ask_table' ? run(statement) : batch(statement)));
    }
  }
  await attempt('parameters', () => run(SQL.get('parameters'),
    [['low', sql.Int, 2], ['name', sql.NVarChar, 'Cancelled']]));
  await attempt('prepared', async () => {
    const prepared = new sql.PreparedStatement(pool);
    prepared.arrayRowMode = true;
    prepared.input('id', sql.Int);
    await prepared.prepare(SQL.get('prepared'));
    const rows = [];
    for (const id of [1, 2, 3, 4]) rows.push(table(await prepared.execute({ id })));
    await prepared.unprepare();
    return rows.join(' ; ');
  });
  await attempt('persian', () => run(SQL.get('persian'), [['name', sql.NVarChar, 'تالار سیمان']]));
  report('cursor_forward', 'SKIP this client has no server cursors');
  report('cursor_static', 'SKIP this client has no server cursors');
  report('catalogue', 'SKIP this client has no catalogue calls');
  await attempt('transaction', async () => {
    const transaction = new sql.Transaction(pool);
    const inside = async (text_) => {
      const request = new sql.Request(transaction);
      request.arrayRowMode = true;
      return table(await request.query(text_));
    };
    await transaction.begin();
    const answers = [await inside(SQL.get('after')), await inside('SELECT @@TRANCOUNT AS n')];
    await transaction.commit();
    await transaction.begin();
    answers.push(await inside(SQL.get('after')));
    await transaction.rollback();
    answers.push(await run('SELECT @@TRANCOUNT AS n'));
    return answers.join(' ; ');
  });
  report('reset', 'SKIP this client does not reset the connections of its pool');
  report('error', await numberOf(() => batch(SQL.get('error'))));
  report('write', await numberOf(() => batch(SQL.get('write'))));
  await attempt('rows', async () => {
    const request = pool.request();
    request.stream = true;
    let count = 0;
    request.on('row', () => { count += 1; });
    await new Promise((resolve, reject) => {
      request.on('error', reject);
      request.on('done', resolve);
      request.query(SQL.get('rows'));
    });
    return String(count);
  });
  await attempt('cancel', async () => {
    const request = pool.request();
    const began = Date.now();
    setTimeout(() => request.cancel(), 1000);
    const outcome = await request.query(SQL.get('slow')).then(() => 'not cancelled', (error) => error.code);
    if (outcome !== 'ECANCEL') return outcome;
    if (Date.now() - began > 10000) return 'cancelled late';
    return `cancelled ; ${await run(SQL.get('after'))}`;
  });
  await attempt('after', () => run(SQL.get('after')));
  await pool.close();
})().catch((error) => {
  report('connect', `${error.code || error.name}: ${error.message}`.replace(/[\n\t]/g, ' '));
  process.exit(1);
});
