import { readInstant, readObject, readObjectOrNull, readText, readTextOrNull, type JsonObject } from '../read.js';
import type { JiraClient } from './client.js';

/** A site, and what its replies have in common. */
export interface JiraSite {
  readonly client: JiraClient;
  /** Its address, without a slash at its end. */
  readonly baseUrl: string;
  readonly isCloud: boolean;
  /** The zone of times in queries; null: unknown. */
  readonly timeZone: string | null;
  /** Ids of the statuses in which an issue is done, and of the others. */
  readonly isDone: ReadonlyMap<string, boolean>;
  /** The field with the key of an epic; null: there is none. Cloud has the epic as the parent. */
  readonly epicLink: string | null;
}

/** A project, and the site that it is on. */
export interface JiraProject extends JiraSite {
  readonly key: string;
}

/** An issue of a reply. Fields that the user may not see are missing. */
export function fieldsOf(issue: JsonObject): JsonObject {
  return readObject(issue['fields'] ?? {}, 'fields');
}

/** The project and the number of a key. */
export function partsOfKey(key: string): { readonly project: string; readonly number: number } | undefined {
  const [, project, number] = /^(.+)-([1-9]\d{0,8})$/.exec(key) ?? [];
  return project === undefined ? undefined : { project, number: Number(number) };
}

/** The name of a person; null if nobody did it, or a user who was removed. Cloud has no logins. */
export function personIn(item: JsonObject, property: string): string | null {
  const person = readObjectOrNull(item[property], property);
  if (person === null) return null;
  const name = readTextOrNull(person['displayName'], `${property}.displayName`)?.trim();
  return name || readTextOrNull(person['name'], `${property}.name`) || null;
}

/** Reads a time such as `2026-01-14T10:00:00.000+0000`: the offset has no colon. */
export function readJiraTime(value: unknown, name: string): number {
  return readInstant(readText(value, name).replace(/([+-]\d{2})(\d{2})$/, '$1:$2'), name);
}

export function readJiraTimeOrNull(value: unknown, name: string): number | null {
  return value === null || value === undefined ? null : readJiraTime(value, name);
}

/** The name in an object such as a type or a priority; null without the object. */
export function nameIn(item: JsonObject, property: string): string | null {
  return readTextOrNull(readObjectOrNull(item[property], property)?.['name'], `${property}.name`);
}
