/**
 * Draws the units of the labelled set from a clone: `npx tsx test/sync/classify/sample.ts CLONE OWNER/NAME COUNT`.
 *
 * The rule: the units of a history are its merged requests (merges whose message names one) and its commits that are
 * no merges; where there are requests, the commits of the first-parent line only, because the others belong to them.
 * They are ordered by SHA-256 of the seed, the repository's name and the hash, and the first COUNT are drawn.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { LabelledUnit } from './labelled.js';

const SEED = 'plumbline labelled set 1';
const MOST_PATHS = 6;
const MOST_CHARACTERS = 120;

const [clone = '', repository = '', count = '0'] = process.argv.slice(2);

function git(...args: readonly string[]): string {
  return execFileSync('git', ['-C', clone, ...args], { encoding: 'utf8', maxBuffer: 2 ** 30 });
}

/** What a person reads to label a unit: its evidence, and the beginning of the text, which is not kept. */
type Drawn = Omit<LabelledUnit, 'label' | 'rule'> & { readonly text: string };

interface Candidate {
  readonly hash: string;
  readonly request: { readonly title: string; readonly body: string | null } | undefined;
}

function candidates(): Candidate[] {
  const merges = git('log', '--merges', '-z', '--format=%H%n%B')
    .split('\0')
    .flatMap((entry) => requestOf(entry) ?? []);
  const line = merges.length > 0 ? ['--first-parent'] : [];
  const commits = git('log', '--no-merges', ...line, '--format=%H').split('\n');
  return [...merges, ...commits.filter((hash) => hash !== '').map((hash) => ({ hash, request: undefined }))];
}

/** A merge in the words of a host. The product knows more such words by now; the draw must stay the same. */
function requestOf(entry: string): Candidate | undefined {
  const [hash = '', subject = '', ...lines] = entry.trim().split('\n');
  const text = lines.join('\n').trim();
  const end = /^Merge pull request #\d+ from \S/.test(subject)
    ? text.length
    : text.search(/^See merge request \S*!\d+\s*$/m);
  if (end < 0) return undefined;
  const [title = '', ...body] = text.slice(0, end).trim().split('\n');
  return { hash, request: { title: title === '' ? subject : title, body: body.join('\n').trim() || null } };
}

function draw({ hash, request }: Candidate): Drawn {
  const [title = '', ...rest] = git('log', '-1', '--format=%B', hash).trim().split('\n');
  const paths = git('log', '-1', '-m', '--first-parent', '--no-renames', '--name-only', '--format=', hash)
    .split('\n')
    .filter((path) => path !== '');
  return {
    id: `${repository}@${hash.slice(0, 12)}`,
    workType: request === undefined ? 'commit' : 'pull_request',
    title: shortened(request?.title ?? title),
    paths: evenly(paths),
    text: (request === undefined ? rest.join(' ') : (request.body ?? '')).trim().slice(0, 1000),
  };
}

function shortened(title: string): string {
  return title.replace(/\S+@\S+\.\S+/g, '').slice(0, MOST_CHARACTERS);
}

/** Some of many paths, at even distances. */
function evenly(paths: readonly string[]): readonly string[] {
  if (paths.length <= MOST_PATHS) return paths;
  const step = paths.length / MOST_PATHS;
  return Array.from({ length: MOST_PATHS }, (_, index) => paths[Math.floor(index * step)] ?? '');
}

const order = ({ hash }: Candidate): string =>
  createHash('sha256').update(`${SEED} ${repository} ${hash}`).digest('hex');
const drawn = candidates()
  .map((candidate) => ({ candidate, order: order(candidate) }))
  .sort((a, b) => (a.order < b.order ? -1 : 1))
  .slice(0, Number(count));
for (const { candidate } of drawn) console.log(JSON.stringify(draw(candidate)));
