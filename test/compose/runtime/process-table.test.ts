import { expect, it } from 'vitest';
import { processTable } from '../../../src/compose/runtime/engine/process-table.js';

it('a table of cells is returned unchanged', () => {
  const answer = { Titles: ['PID', 'CMD'], Processes: [['1', 'sleep 10']] };
  expect(processTable(answer)).toEqual({ titles: ['PID', 'CMD'], processes: [['1', 'sleep 10']] });
});

it('a table of lines is split into cells, the last of which keeps its blanks', () => {
  const answer = { Titles: ['PID   USER     COMMAND'], Processes: [['1 root     sh -c sleep 10'], ['2 root']] };
  expect(processTable(answer)).toEqual({
    titles: ['PID', 'USER', 'COMMAND'],
    processes: [
      ['1', 'root', 'sh -c sleep 10'],
      ['2', 'root', ''],
    ],
  });
});
