/** What a conversion could not carry over, or changed. */
export interface Note {
  /** Where in the compose file: `services.web.ulimits`. */
  readonly path: string;
  /** Continues the path: `has no counterpart`. */
  readonly text: string;
}

export class Notes {
  readonly #all = new Map<string, Note>();

  add(path: string, text: string): void {
    this.#all.set(`${path} ${text}`, { path, text });
  }

  /** In the order of their paths. */
  all(): Note[] {
    return [...this.#all.values()].sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
  }
}
