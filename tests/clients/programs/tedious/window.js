// One window of tedious: a line {"sql": …} in, a line {"columns", "rows", "messages", "number", "error"} out.
// See ../window.py, which does the same.
'use strict';
const readline = require('readline');
const { Connection, Request } = require('tedious');

const env = process.env;
const connection = new Connection({
  server: env.DRAGOMAN_HOST,
  authentication: { type: 'default', options: { userName: env.DRAGOMAN_USER, password: env.DRAGOMAN_PASSWORD } },
  options: { port: Number(env.DRAGOMAN_PORT), database: 'SalesDb', encrypt: false, requestTimeout: 60000 },
});
let told = [];
connection.on('infoMessage', (message) => told.push(message.message));

function run(sql) {
  return new Promise((resolve) => {
    const answer = { columns: [], rows: [], messages: told = [], number: null, error: '' };
    let sets = 0;
    const request = new Request(sql, (error) => {
      if (error) Object.assign(answer, { number: error.number || 0, error: error.message });
      resolve(answer);
    });
    request.on('columnMetadata', (columns) => {
      sets += 1;
      if (sets === 1) answer.columns = columns.map((column) => column.colName);
    });
    request.on('row', (columns) => {
      if (sets === 1) answer.rows.push(columns.map(({ value }) => (value === null ? 'NULL' : String(value))));
    });
    connection.execSqlBatch(request);
  });
}

connection.on('connect', async (error) => {
  if (error) throw error;
  for await (const line of readline.createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await run(JSON.parse(line).sql))}\n`);
  }
  connection.close();
});
connection.connect();
