import { readdirSync, readFileSync } from 'node:fs';
import * as openTelemetry from '@opentelemetry/api';
import ts from 'typescript';
import * as analytics from '../../sdk/src/analytics.js';
import * as composeNode from '../../sdk/src/compose/node.js';
import * as compose from '../../sdk/src/compose.js';
import * as index from '../../sdk/src/index.js';
import * as platform from '../../sdk/src/platform.js';
import * as platformPaths from '../../sdk/src/platform/paths.js';
import * as testing from '../../sdk/src/testing.js';
import * as webhooks from '../../sdk/src/webhooks.js';

/** A TypeScript block of the SDK's README, or of a page beside it. */
export interface ReadmeBlock {
  /** The heading that it is below, with a number from the second block on: `Analytics 2`. */
  readonly name: string;
  readonly text: string;
}

/** The README of the SDK and the pages beside it. */
export const readmePages: readonly string[] = [
  'sdk/README.md',
  ...readdirSync('sdk/docs')
    .sort()
    .map((name) => `sdk/docs/${name}`),
];

/** The TypeScript blocks of all pages, in order. */
export function readmeBlocks(): ReadmeBlock[] {
  const sections = readmePages.flatMap((page) => readFileSync(page, 'utf8').split(/^##? /m).slice(1));
  return sections.flatMap((section) => {
    const [heading = ''] = section.split('\n');
    const texts = [...section.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
    return texts.map((text, at) => ({ name: at === 0 ? heading : `${heading} ${at + 1}`, text }));
  });
}

const modules: Readonly<Record<string, object>> = {
  '@opentelemetry/api': openTelemetry,
  '@plumbline/sdk': index,
  '@plumbline/sdk/analytics': analytics,
  '@plumbline/sdk/compose': compose,
  '@plumbline/sdk/compose/node': composeNode,
  '@plumbline/sdk/platform': platform,
  '@plumbline/sdk/platform/paths': platformPaths,
  '@plumbline/sdk/testing': testing,
  '@plumbline/sdk/webhooks': webhooks,
};

/**
 * Runs a block.
 *
 * @param replaced texts of the block and what the test uses instead, such as the address of a server
 * @param assumed the variables that the blocks take for granted, and globals and modules that the test replaces
 * @returns what it shows
 */
export async function runBlock(
  text: string,
  replaced: Readonly<Record<string, string>>,
  assumed: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const compiled = ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES2022 } }).outputText;
  const local = Object.entries(replaced).reduce((code, [from, to]) => code.replaceAll(from, to), compiled);
  const code = local
    .replaceAll(/^import (\{[^}]*\}) from ('[^']*');/gm, 'const $1 = load($2);')
    .replaceAll(/^export (?=async function)/gm, '');
  if (/^(import|export) (?!\{\})/m.test(code)) throw new Error('the block has a statement that only modules have');
  const shown: string[] = [];
  const load = (name: string): unknown => assumed[name] ?? modules[name];
  const names = Object.keys(assumed).filter((name) => /^\w+$/.test(name));
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the text of the README
  const run = new Function('load', 'show', ...names, `return (async () => {${code.replaceAll('export {};', '')}})()`);
  const show = (message: string): void => void shown.push(message);
  await run(load, show, ...names.map((name) => assumed[name]));
  return shown;
}
