/**
 * Loads every compose file below a folder with the reference implementation and with Plumbline, and prints how many
 * agree and where the others differ: `PLUMBLINE_COMPOSE_ORACLE=... npx tsx test/compose/oracle/corpus.ts FOLDER`.
 */
import path from 'node:path';
import { ComposeFailure } from '../../../src/compose/model/errors.js';
import { askOracle, askPlumbline } from './comparison.js';
import type { Question } from './comparison.js';
import { composeFiles, environmentFor, printResults, resultOf, type Answer, type Result } from './report.js';

async function answer(ask: (question: Question) => Promise<unknown>, question: Question): Promise<Answer> {
  try {
    return { printed: await ask(question) };
  } catch (error) {
    return { refused: refusalOf(error) };
  }
}

function refusalOf(error: unknown): string {
  if (error instanceof ComposeFailure) return `${error.error}.${error.case}: ${error.message}`;
  if (error instanceof Error && 'stderr' in error) return String(error.stderr).trim().split('\n').at(-1) ?? '';
  return `not a refusal but a fault: ${String(error)}`;
}

async function compare(file: string): Promise<Result> {
  const question: Question = {
    workingDirectory: path.dirname(file),
    files: [path.basename(file)],
    profiles: ['*'],
    environment: environmentFor(file),
    format: 'json',
  };
  return resultOf(file, await answer(askOracle, question), await answer(askPlumbline, question));
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name a folder of compose files');
const results: Result[] = [];
for (const file of composeFiles(folder)) results.push(await compare(file));
printResults(results);
