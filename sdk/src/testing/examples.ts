/** The documented bodies of a reply, by the name of the example. */
export interface BodyExamples {
  readonly mediaType: string;
  readonly examples: Readonly<Record<string, unknown>>;
}

/** null: the reply has no body. */
export type ReplyExamples = BodyExamples | null;

/** An operation with the documented replies, by status. */
export interface OperationExamples {
  readonly method: string;
  readonly path: string;
  readonly replies: Readonly<Partial<Record<number, ReplyExamples>>>;
}
