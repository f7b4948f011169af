/** The end of `npm test`: says what it left out. */
import { readdir } from 'node:fs/promises';

const files = await readdir('test', { recursive: true });
const slow = files.filter((file) => file.endsWith('.slow.test.ts'));
console.log(
  `Left out: ${slow.length} slow files (*.slow.test.ts: browsers, engines, killed processes, random load) and the ` +
    'contract gate. npm run test:all runs everything.',
);
