// The client test through tedious. See ../../README.md for the cases and ../../cases.py for the right answers.
'use strict';
const fs = require('fs');
const { Connection, Request, TYPES } = require('tedious');

const env = process.env;
const SQL = new Map(fs.readFileSync(env.DRAGOMAN_STATEMENTS, 'utf8').split('\n').filter(Boolean)
  .map((line) => line.split('\t')));
const report = (id, answer) => process.stdout.write(`${id}\t${answer}\n`);

function connect() {
  return new Promise((resolve, reject) => {
    const connection = new Connection({
      server: env.DRAGOMAN_HOST,
      authentication: { type: 'default', options: { userName: env.DRAGOMAN_USER, password: env.DRAGOMAN_PASSWORD } },
      options: {
        port: Number(env.DRAGOMAN_PORT), database: env.DRAGOMAN_DATABASE || 'SalesDb',
        encrypt: env.DRAGOMAN_ENCRYPT === 'strict' ? 'strict' : env.DRAGOMAN_ENCRYPT === 'on',
        ...(env.DRAGOMAN_ENCRYPT === 'strict'
          ? { serverName: 'localhost', cryptoCredentialsDetails: { ca: fs.readFileSync(env.DRAGOMAN_CERTIFICATE, 'utf8') } }
          : { trustServerCertificate: true }),
        useUTC: true, requestTimeout: 60000, rowCollectionOnRequestCompletion: false,
      },
    });
    connection.on('connect', (error) => (error ? reject(error) : resolve(connection)));
    connection.connect();
  });
}

const pad = (value, width = 2) => String(value).padStart(width, '0');
const fraction = (ms) => (ms ? `.${pad(ms, 3)}`.replace(/0+$/, '') : '');
const clock = (d) => `${pad(d.getUTCHours())}:${pad(d.getUTCMinutes())}:${pad(d.getUTCSeconds())}${fraction(d.getUTCMilliseconds())}`;
const day = (d) => `${pad(d.getUTCFullYear(), 4)}-${pad(d.getUTCMonth() + 1)}-${pad(d.getUTCDate())}`;

// tedious gives decimals and money as numbers and datetimeoffset as UTC: the text of a cell is judged by its type, and
// what a double cannot hold is compared with the double nearest to the right value by the runner.
function text(column) {
  const { value, metadata } = column;
  if (value === null) return 'NULL';
  const type = metadata.type.name;
  if (Buffer.isBuffer(value)) return `0x${value.toString('hex').toUpperCase()}`;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (value instanceof Date) {
    if (type === 'Date') return day(value);
    if (type === 'Time') return clock(value);
    if (type === 'DateTimeOffset') return `${day(value)} ${clock(value)} UTC`;
    return `${day(value)} ${clock(value)}`;
  }
  return String(value);
}

function run(connection, sql, { parameters = [], batch = false, onRow } = {}) {
  return new Promise((resolve, reject) => {
    const rows = [];
    const request = new Request(sql, (error) => (error ? reject(error) : resolve(rows)));
    for (const [name, type, value] of parameters) request.addParameter(name, type, value);
    request.on('row', (columns) => (onRow ? onRow(columns) : rows.push(columns.map(text).join('|'))));
    if (batch) connection.execSqlBatch(request); else connection.execSql(request);
  });
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

async function prepared(connection) {
  const rows = [];
  const request = new Request(SQL.get('prepared'), () => {});
  request.addParameter('id', TYPES.Int);
  request.on('row', (columns) => rows.push(columns.map(text).join('|')));
  const settled = (event, start) => new Promise((resolve, reject) => {
    request.userCallback = request.callback = (error) => (error ? reject(error) : resolve());
    if (event) request.once(event, resolve);
    start();
  });
  await settled('prepared', () => connection.prepare(request));
  for (const id of [1, 2, 3, 4]) await settled(null, () => connection.execute(request, { id }));
  await settled(null, () => connection.unprepare(request));
  return rows.join(' ; ');
}

// Explicit transactions: the driver sends transaction manager requests and gives the descriptor back in each header.
async function transaction() {
  const connection = await connect();
  const step = (name, ...rest) => new Promise((resolve, reject) => {
    connection[name]((error) => (error ? reject(error) : resolve()), ...rest);
  });
  await step('beginTransaction', 'outer');
  const answers = [await run(connection, SQL.get('after')), await run(connection, 'SELECT @@TRANCOUNT AS n')];
  await step('commitTransaction');
  await step('beginTransaction');
  answers.push(await run(connection, SQL.get('after')));
  await step('rollbackTransaction');
  answers.push(await run(connection, 'SELECT @@TRANCOUNT AS n'));
  connection.close();
  return answers.flat().join(' ; ');
}

// connection.reset is what tedious's pools call between two users.
async function reset() {
  const connection = await connect();
  await run(connection, 'SET DATEFIRST 3', { batch: true });
  const before = await run(connection, 'SELECT @@DATEFIRST AS n', { batch: true });
  await new Promise((resolve, reject) => { connection.reset((error) => (error ? reject(error) : resolve())); });
  const after = await run(connection, 'SELECT @@DATEFIRST AS n', { batch: true });
  connection.close();
  return `${before} ; ${after}`;
}

async function cancel() {
  const connection = await connect();
  const began = Date.now();
  const cancelled = new Promise((resolve) => {
    const request = new Request(SQL.get('slow'), (error) => resolve(error ? error.code : 'not cancelled'));
    connection.execSqlBatch(request);
    setTimeout(() => connection.cancel(), 1000);
  });
  const outcome = await cancelled;
  if (outcome !== 'ECANCEL') return outcome;
  if (Date.now() - began > 10000) return 'cancelled late';
  const rows = await run(connection, SQL.get('after'));
  connection.close();
  return `cancelled ; ${rows.join(' ; ')}`;
}

// All that tedious tells of a column, collation bytes included, and the values.
function metadata(connection, sql) {
  return new Promise((resolve, reject) => {
    const out = [];
    const request = new Request(sql, (error) => (error ? reject(error) : resolve(out.join(' ; '))));
    request.on('columnMetadata', (columns) => columns.forEach((c) => out.push([
      c.colName, c.type.name, c.userType, c.flags, c.dataLength, c.precision, c.scale,
      c.collation ? [c.collation.lcid, c.collation.flags, c.collation.version, c.collation.sortId].join('/') : '',
    ].join('|'))));
    request.on('row', (columns) => out.push(columns.map(text).join('|')));
    connection.execSqlBatch(request);
  });
}

(async () => {
  const connection = await connect();
  if (env.DRAGOMAN_METADATA) {
    for (const [id, sql] of SQL) if (id.startsWith('meta_')) await attempt(id, () => metadata(connection, sql));
    connection.close();
    return;
  }
  for (const [id, sql] of SQL) {
    if (/^(type_|null_)/.test(id) || ['all_types', 'persian_literal', 'gold', 'after'].includes(id)) {
      await attempt(id, async () => (await run(connection, sql)).join(' ; '));
    } else if (id === 'ask_save') {
      await attempt(id, async () => { await run(connection, sql, { batch: true }); return 'done'; });
    } else if (id.startsWith('ask_')) {
      await attempt(id, async () => (await run(connection, sql, { batch: id !== 'ask_table' })).join(' ; '));
    }
  }
  await attempt('parameters', async () => (await run(connection, SQL.get('parameters'),
    { parameters: [['low', TYPES.Int, 2], ['name', TYPES.NVarChar, 'Cancelled']] })).join(' ; '));
  await attempt('prepared', () => prepared(connection));
  await attempt('persian', async () => (await run(connection, SQL.get('persian'),
    { parameters: [['name', TYPES.NVarChar, 'تالار سیمان']] })).join(' ; '));
  report('error', await numberOf(() => run(connection, SQL.get('error'), { batch: true })));
  report('write', await numberOf(() => run(connection, SQL.get('write'), { batch: true })));
  await attempt('rows', async () => {
    let count = 0;
    await run(connection, SQL.get('rows'), { batch: true, onRow: () => { count += 1; } });
    return String(count);
  });
  report('cursor_forward', 'SKIP this client has no server cursors');
  report('cursor_static', 'SKIP this client has no server cursors');
  report('catalogue', 'SKIP this client has no catalogue calls');
  await attempt('transaction', transaction);
  await attempt('reset', reset);
  await attempt('cancel', cancel);
  await attempt('after', async () => (await run(connection, SQL.get('after'))).join(' ; '));
  connection.close();
})().catch((error) => {
  report('connect', `${error.code || error.name}: ${error.message}`.replace(/[\n\t]/g, ' '));
  process.exit(1);
});
