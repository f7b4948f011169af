/**
 * A time limit for statements on the side of the client, longer than `statement_timeout`. The server's limit ends slow
 * statements; this one ends those whose answer will not come, because their connection is dead although the host is not.
 */
import type postgres from 'postgres';
import type { Types } from './sql.js';

/** How often the statements are examined. */
const LOOK_MS = 1000;

export interface DeadlineOptions {
  /** Counts from the moment when the server begins with a statement; Infinity: no limit. */
  readonly limitMs: number;
  /** Called when a statement has no answer at its limit. It closes the connections, which ends the statement. */
  readonly exceeded: () => void;
  /** Called with the error of each statement that failed. */
  readonly failed: (error: unknown) => void;
}

/** Adds the limit to all statements of a driver instance. */
export function withDeadline(sql: postgres.Sql<Types>, options: DeadlineOptions): postgres.Sql<Types> {
  const { limitMs, exceeded, failed } = options;
  /** The statements without an answer, and when they were first seen at the server; null: not yet. */
  const pending = new Map<object, number | null>();
  let timer: NodeJS.Timeout | undefined;

  const look = (): void => {
    const now = performance.now();
    for (const [statement, since] of pending) {
      if (since === null) {
        if (isAtServer(statement)) pending.set(statement, now);
      } else if (now - since >= limitMs) {
        exceeded();
        break;
      }
    }
    if (pending.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const watch = <T>(statement: T): T => {
    if (!(statement instanceof Promise)) return statement; // an identifier or a list of values
    const awaited: Promise<unknown> = statement;
    const plain = awaited.then.bind(awaited);
    const end = (): void => void pending.delete(awaited);
    let isSent = false;
    // The driver sends a statement when it is first awaited. A fragment inside another statement is never awaited.
    const then: typeof awaited.then = (fulfilled, rejected) => {
      if (!isSent) {
        isSent = true;
        pending.set(awaited, null);
        timer ??= setInterval(look, LOOK_MS).unref();
        void plain(end, (error: unknown) => {
          end();
          failed(error);
        });
      }
      return plain(fulfilled, rejected);
    };
    awaited.then = then;
    return statement;
  };
  const unsafe: typeof sql.unsafe = (text, ...rest) => watch(sql.unsafe(text, ...rest));
  return new Proxy(sql, {
    apply: (target, _this, parameters: unknown[]) => watch(Reflect.apply(target, undefined, parameters) as unknown),
    get: (target, name) => (name === 'unsafe' ? unsafe : (Reflect.get(target, name) as unknown)),
  });
}

/** Whether a connection waits for the answer to the statement. The driver's types lack this field of its statements. */
function isAtServer(statement: object): boolean {
  return 'active' in statement && statement.active === true;
}
