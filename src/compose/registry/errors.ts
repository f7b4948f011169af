/** `refused`: the request is at fault (status 4xx); `failed`: the registry is; `invalidLayout`: a folder is. */
export type RegistryProblem =
  | 'invalidName'
  | 'unreachable'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'rateLimited'
  | 'refused'
  | 'failed'
  | 'invalidReply'
  | 'invalidLayout';

/** A registry has not done what it was asked for. The message is for users. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly case: RegistryProblem;

  constructor(problem: RegistryProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.case = problem;
  }
}
