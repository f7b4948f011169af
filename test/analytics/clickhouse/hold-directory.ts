/** Opens a directory of chdb, says so, and keeps it until its standard input ends. */
import { openChdb } from '../../../src/analytics/clickhouse/chdb.js';
import { importConnector } from '../../support/chdb.js';

const [path = ''] = process.argv.slice(2);
const engine = await openChdb(path, () => importConnector('chdb'));
process.stdout.write('open\n');
process.stdin
  .on('close', () => {
    void engine.close().then(() => process.exit(0));
  })
  .resume();
