/** The providers. Each is a folder and a line here. */
import type { CodeHost } from './code-host.js';
import type { DerivationMarks, ProviderDescription } from './description.js';
import { gitea } from './gitea/provider.js';
import { hostA } from './host-a/provider.js';
import { hostB } from './host-b/provider.js';
import { jira } from './jira/provider.js';
import { local } from './local/provider.js';
import { synthetic } from './synthetic/provider.js';

export const PROVIDERS = [local, hostA, hostB, gitea, jira, synthetic] as const;

export type AnyProvider = (typeof PROVIDERS)[number];
export type ProviderName = AnyProvider['name'];

/** The names of the options that some provider reads. */
export type ProviderOption = AnyProvider extends infer Each
  ? Each extends ProviderDescription<string, infer Option>
    ? Option
    : never
  : never;

export const PROVIDER_NAMES: readonly ProviderName[] = PROVIDERS.map(({ name }) => name);

/** The provider with a name, or with an alias that commands understand. */
export function providerNamed(name: string | undefined): AnyProvider | undefined {
  return PROVIDERS.find((provider) => provider.name === name || (name !== undefined && provider.alias === name));
}

/** The provider that a contract or the database names. */
export function describedProvider(name: ProviderName): AnyProvider {
  const provider = providerNamed(name);
  if (provider === undefined) throw new Error(`There is no provider ${name}`);
  return provider;
}

/** What the code host of a provider answers. @throws if its repositories are on none */
export function codeHostOf(name: ProviderName): CodeHost & { readonly title: string } {
  const { host, title } = describedProvider(name);
  if (host === undefined) throw new Error(`${name} is not a code host`);
  return { ...host, title };
}

export function isCodeHost(name: ProviderName): boolean {
  return describedProvider(name).host !== undefined;
}

/** The marks of records from a source. Programs push records in the form of any host, and report no statistics. */
export function marksOf(source: string): DerivationMarks {
  return providerNamed(source)?.marks ?? { mentions: ['pull', 'squash', 'see'] };
}

/** The marks of the provider whose name is a part of a host's name; none if there is no such provider. */
export function marksOfHost(host: string): Partial<DerivationMarks> {
  const found = PROVIDERS.find(({ marks: { hostName } }) => hostName !== undefined && host.includes(hostName));
  return found?.marks ?? {};
}
