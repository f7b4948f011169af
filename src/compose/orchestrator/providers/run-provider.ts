import type { Service } from '../../model/project/service.js';

export type ProviderCommand = 'up' | 'down' | 'stop';

export interface ProviderCall {
  readonly command: ProviderCommand;
  readonly project: string;
  readonly service: string;
  readonly definition: Service;
  readonly signal: AbortSignal;
  /** Called with the provider's messages to the user. */
  readonly tell: (text: string) => void;
}

/** Variables that a provider supplies to dependent services. */
export interface ProvidedVariables {
  /** Prefixed with the service name (`setenv`). */
  readonly prefixed: Readonly<Record<string, string>>;
  /** Unprefixed (`rawsetenv`). */
  readonly raw: Readonly<Record<string, string>>;
}

/** @throws TerminalError.commandFailed when the provider is missing or fails */
export type RunProvider = (call: ProviderCall) => Promise<ProvidedVariables>;
