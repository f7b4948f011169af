/**
 * The epic and the initiative of issues: the issues above them. A reply has the parent of an issue, but not what is above
 * that, so the parents of a page are read together.
 */
import { SyncError } from '../../failures.js';
import { UNKNOWN_EPIC, WITHOUT_EPIC, type Row } from '../../records.js';
import { mapInOrder } from '../map-in-order.js';
import { readList, readObject, readObjectOrNull, readText, readTextOrNull, type JsonObject } from '../read.js';
import { fieldsOf, partsOfKey, type JiraSite } from './project.js';

/** The columns of an issue that say what it is planned by. */
export type Plan = Pick<Row<'issues'>, keyof typeof UNKNOWN_EPIC>;

/** The level of an issue type above stories (0): 1 for epics. Data Center has only names for them. */
export function levelOf(type: JsonObject | null): number {
  const level = type?.['hierarchyLevel'];
  if (typeof level === 'number') return level;
  if (type?.['subtask'] === true) return -1;
  const name = (readTextOrNull(type?.['name'], 'issuetype.name') ?? '').toLowerCase();
  return name === 'epic' ? 1 : name === 'initiative' ? 2 : 0;
}

interface Ancestor {
  readonly key: string;
  readonly title: string;
  readonly level: number;
  /** The key of the issue above it; null: there is none, or the site does not say so. */
  readonly parent: string | null;
}

/** From a sub-task to an initiative: its story, the epic, and two levels that a site may have added. */
const MOST_LEVELS = 5;
const KEYS_AT_ONCE = 100;
const AT_ONCE = 4;

/** Reads the issues above those of a project, each once in a sync. */
export class EpicReader {
  readonly #site: JiraSite;
  /** By key; null for one that the token may not see. */
  readonly #ancestors = new Map<string, Ancestor | null>();

  constructor(site: JiraSite) {
    this.#site = site;
  }

  /** What each of the issues is planned by. */
  async plansOf(issues: readonly JsonObject[]): Promise<readonly Plan[]> {
    const started = issues.map((issue) => ancestorIn(this.#site, issue));
    for (const issue of started) this.#ancestors.set(issue.key, issue);
    let wanted = started.flatMap(({ parent }) => parent ?? []);
    for (let level = 0; level < MOST_LEVELS && wanted.length > 0; level += 1) {
      await this.#read([...new Set(wanted)].filter((key) => !this.#ancestors.has(key)));
      wanted = wanted.flatMap((key) => this.#ancestors.get(key)?.parent ?? []);
    }
    return started.map((issue) => this.#planOf(issue));
  }

  #planOf(issue: Ancestor): Plan {
    const above: Ancestor[] = [];
    let isKnown = true;
    for (let { parent } = issue; parent !== null && above.length < MOST_LEVELS;) {
      const ancestor = this.#ancestors.get(parent) ?? null;
      if (ancestor === null) isKnown = false;
      else above.push(ancestor);
      parent = ancestor?.parent ?? null;
    }
    const epic = above.find(({ level }) => level === 1);
    const initiative = above.findLast(({ level }) => level > 1);
    // A site without epics says nothing of them.
    const none = isKnown && (this.#site.isCloud || this.#site.epicLink !== null) ? WITHOUT_EPIC : UNKNOWN_EPIC;
    return {
      ...none,
      ...(epic === undefined ? {} : { epic_key: epic.key, epic: epic.title }),
      ...(initiative === undefined ? {} : { initiative_key: initiative.key, initiative: initiative.title }),
    };
  }

  async #read(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
      const some = keys.slice(start, start + KEYS_AT_ONCE);
      for (const ancestor of await this.#search(some)) this.#ancestors.set(ancestor.key, ancestor);
      for (const key of some) if (!this.#ancestors.has(key)) this.#ancestors.set(key, null);
    }
  }

  /** A query for a key that the token may not see is refused as a whole: then each is asked for alone. */
  async #search(keys: readonly string[]): Promise<readonly Ancestor[]> {
    const { client, isCloud } = this.#site;
    const query = {
      jql: `key in (${keys.join(',')})`,
      fields: fieldsWith(this.#site),
      maxResults: String(keys.length),
    };
    try {
      const reply = readObject(await client.get(isCloud ? '/search/jql' : '/search', query), 'reply');
      return readList(reply['issues'], 'issues').map((item) => ancestorIn(this.#site, readObject(item, 'issue')));
    } catch (error) {
      if (!(error instanceof SyncError) || error.status !== 400) throw error;
    }
    const found: Ancestor[] = [];
    for await (const ancestor of mapInOrder(keys, AT_ONCE, (key) => this.#alone(key)))
      if (ancestor !== null) found.push(ancestor);
    return found;
  }

  async #alone(key: string): Promise<Ancestor | null> {
    try {
      const issue = await this.#site.client.get(`/issue/${key}`, { fields: fieldsWith(this.#site) });
      return ancestorIn(this.#site, readObject(issue, 'issue'));
    } catch (error) {
      if (error instanceof SyncError && (error.status === 403 || error.status === 404)) return null;
      throw error;
    }
  }
}

function fieldsWith({ epicLink }: JiraSite): string {
  return `summary,issuetype,parent${epicLink === null ? '' : `,${epicLink}`}`;
}

function ancestorIn({ epicLink }: JiraSite, issue: JsonObject): Ancestor {
  const fields = fieldsOf(issue);
  const key = readText(issue['key'], 'key');
  const parent = readObjectOrNull(fields['parent'], 'parent')?.['key'];
  const link = epicLink === null ? null : fields[epicLink];
  const named = [parent, link].find((each) => typeof each === 'string' && partsOfKey(each) !== undefined);
  return {
    key,
    title: readTextOrNull(fields['summary'], 'summary') || key,
    level: levelOf(readObjectOrNull(fields['issuetype'], 'issuetype')),
    parent: typeof named === 'string' ? named : null,
  };
}
